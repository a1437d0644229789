//! Trace of a run as JSON lines.

use super::history::Record;
use super::state::GradientState;
use argmin::core::observers::Observe;
use argmin::core::{Error, KV, State};
use std::io::Write;

/// Observer that writes JSON lines, one per iteration.
///
/// ```json
/// {"iteration":0,"value":9.0,"gradient_norm":6.0}
/// {"iteration":1,"value":4.0,"gradient_norm":4.0}
/// {"end":"solver converged","iterations":1}
/// ```
///
/// Numbers keep their bits; non-finite: `null`. Flushed by line.
#[derive(Debug)]
pub struct Trace<W> {
    to: W,
}

impl<W: Write> Trace<W> {
    /// Trace to a writer.
    pub fn new(to: W) -> Self {
        Self { to }
    }

    fn record(&mut self, record: Record) -> Result<(), Error> {
        let (value, norm) = (number(record.value), number(record.gradient_norm));
        let iteration = record.iteration;
        self.line(&format!(r#"{{"iteration":{iteration},"value":{value},"gradient_norm":{norm}}}"#))
    }

    fn line(&mut self, line: &str) -> Result<(), Error> {
        writeln!(self.to, "{line}")?;
        Ok(self.to.flush()?)
    }
}

fn number(value: f64) -> String {
    if value.is_finite() { format!("{value:?}") } else { "null".to_owned() }
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            control if control < ' ' => quoted += &format!("\\u{:04x}", u32::from(control)),
            other => quoted.push(other),
        }
    }
    quoted + "\""
}

impl<W: Write, P: Clone> Observe<GradientState<P>> for Trace<W> {
    fn observe_init(&mut self, _name: &str, state: &GradientState<P>, kv: &KV) -> Result<(), Error> {
        self.record(Record::of(0, state, kv))
    }

    fn observe_iter(&mut self, state: &GradientState<P>, kv: &KV) -> Result<(), Error> {
        self.record(Record::of(state.get_iter() + 1, state, kv))
    }

    fn observe_final(&mut self, state: &GradientState<P>) -> Result<(), Error> {
        let reason = state.get_termination_reason().map_or("unknown", |reason| reason.text());
        let line = format!(r#"{{"end":{},"iterations":{}}}"#, quoted(reason), state.get_iter());
        self.line(&line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_strings_are_json() {
        for value in [1.0, -0.1, 1e300, 5e-324, 1e16, 0.0] {
            let read: f64 = serde_json::from_str(&number(value)).unwrap();
            assert_eq!(read.to_bits(), value.to_bits());
        }
        assert_eq!(number(f64::NAN), "null");
        let awkward = "say \"no\"\\\n\tµ";
        assert_eq!(serde_json::from_str::<String>(&quoted(awkward)).unwrap(), awkward);
    }
}
