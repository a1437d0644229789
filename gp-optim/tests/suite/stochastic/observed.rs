//! Reports to observers.

use super::support::{Squares, endless};
use gp_optim::argmin::core::observers::{Observe, ObserverMode};
use gp_optim::argmin::core::{Error, KV, State};
use gp_optim::{Adam, Batches, Control, Descent, DescentState, History, Trace, descend_with};
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn the_trace_is_the_history_line_by_line() {
    let squares = Squares::new(10);
    let solver = || {
        let batches = Batches::shuffled(10, 4, 1).unwrap();
        Descent::with_options(Adam::default(), batches, endless()).unwrap()
    };
    let (history, buffer) = (History::new(), Shared::default());
    descend_with(squares.objective(), &[1.0, 1.0], solver(), 12, &Control::new(), |run| {
        run.add_observer(history.clone(), ObserverMode::Always)
            .add_observer(Trace::new(buffer.clone()), ObserverMode::Always)
    })
    .unwrap();
    let text = String::from_utf8(buffer.0.lock().unwrap().clone()).unwrap();
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let records = history.records();
    assert_eq!((records.len(), lines.len()), (13, 14));
    for (record, line) in records.iter().zip(&lines) {
        assert_eq!(line["iteration"].as_u64(), Some(record.iteration));
        assert_eq!(line["value"].as_f64().unwrap().to_bits(), record.value.to_bits());
        assert_eq!(line["gradient_norm"].as_f64().unwrap().to_bits(), record.gradient_norm.to_bits());
    }
    assert_eq!(lines[13]["iterations"].as_u64(), Some(12));
    assert!(lines[13]["end"].as_str().unwrap().contains("iterations"), "{}", lines[13]);
}

struct Full;

impl Write for Full {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::Error::other("disk full"))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_trace_that_cannot_be_written_ends_the_run_with_the_reason() {
    let solver = Descent::new(Adam::default(), Batches::whole(10).unwrap()).unwrap();
    let attach = |run: gp_optim::DescentRun<_, _>| run.add_observer(Trace::new(Full), ObserverMode::Always);
    let end = descend_with(Squares::new(10).objective(), &[1.0, 1.0], solver, 12, &Control::new(), attach);
    assert!(end.unwrap_err().to_string().contains("disk full"));
}

/// Addresses of a run's parameters.
#[derive(Clone, Default)]
struct Places(Arc<Mutex<BTreeSet<usize>>>);

impl Observe<DescentState> for Places {
    fn observe_iter(&mut self, state: &DescentState, _kv: &KV) -> Result<(), Error> {
        let (now, best) = (state.get_param().unwrap(), state.get_best_param().unwrap());
        assert_eq!(now.as_ptr(), best.as_ptr(), "argmin's best parameters are not a copy");
        self.0.lock().unwrap().insert(now.as_ptr().addr());
        Ok(())
    }
}

#[test]
fn parameters_go_to_and_fro_between_two_places() {
    let places = Places::default();
    for batch in [4, 10] {
        // Every point counts as the best: mini-batches, or whole batches with a small rate.
        let batches = Batches::in_sequence(10, batch).unwrap();
        let solver = Descent::with_options(Adam::with_rate(1e-3), batches, endless()).unwrap();
        descend_with(Squares::new(10).objective(), &[90.0, 90.0], solver, 50, &Control::new(), |run| {
            run.add_observer(places.clone(), ObserverMode::Always)
        })
        .unwrap();
        let seen = std::mem::take(&mut *places.0.lock().unwrap());
        assert_eq!(seen.len(), 2, "batches of {batch}");
    }
}
