//! Comparison with an earlier report.

use crate::error::BenchError;
use crate::measure::{Measured, Report, Times};
use crate::rows::Row;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// Allowed relative increase of time and bytes.
const MOST: f64 = 0.15;
/// Maximum combined noise of comparable rows.
const NOISY: f64 = 0.3;
/// Maximum relative difference of product rates.
const OTHER_RATE: f64 = 0.2;
/// Additional bytes allowed to any row.
const FEW_BYTES: usize = 1 << 16;

pub(crate) fn read(file: &Path) -> Result<Report, BenchError> {
    let text = fs::read_to_string(file).map_err(|cause| format!("{}: {cause}", file.display()))?;
    serde_json::from_str(&text).map_err(|cause| format!("{}: {cause}", file.display()).into())
}

/// Fails for another machine, or without common rows.
pub(crate) fn check(before: &Report, machine: &str, rows: &[&Row]) -> Result<(), BenchError> {
    if before.machine != machine {
        return Err(format!("the report is of another machine: {}, not {machine}", before.machine).into());
    }
    if !before.rows.iter().any(|then| rows.iter().any(|row| row.name == then.name)) {
        return Err("the report has none of these rows".into());
    }
    Ok(())
}

#[derive(Debug, Default)]
pub(crate) struct Comparison {
    compared: usize,
    more: Vec<String>,
    /// Messages about incomparable rows.
    unknown: Vec<String>,
}

impl Comparison {
    /// `true` if no row is worse or incomparable.
    pub(crate) fn is_passed(&self) -> bool {
        self.more.is_empty() && self.unknown.is_empty()
    }

    pub(crate) fn text(&self) -> String {
        let mut text = format!("compared {} rows: {} messages\n", self.compared, self.more.len());
        for line in self.more.iter().chain(&self.unknown) {
            let _ = writeln!(text, "{line}");
        }
        text
    }
}

pub(crate) fn compare(before: &Report, now: &Report) -> Comparison {
    let mut found = Comparison::default();
    if let Some(message) = other_rate(before, now) {
        found.unknown.push(message);
        return found;
    }
    for row in &now.rows {
        let name = &row.name;
        match before.rows.iter().find(|before| before.name == *name) {
            None => found.unknown.push(format!("unknown: the report has no row {name}")),
            Some(then) if !is_same(then, row) => {
                found.unknown.push(format!("unknown: the work of row {name} has changed since the report"));
            }
            Some(then) => {
                found.compared += 1;
                for (on, before, now) in
                    [("one thread", then.one, row.one), ("all threads", then.all, row.all)]
                {
                    let noise = before.noise + now.noise;
                    if noise > NOISY {
                        found.unknown.push(format!(
                            "unknown: {name} on {on} has a noise of {:.0} %; repeat on a quiet machine",
                            100.0 * noise
                        ));
                    } else {
                        found.more.extend(slower(name, on, before, now));
                    }
                }
                found.more.extend(allocates_more(then, row));
            }
        }
    }
    found
}

/// Message about too different product rates.
fn other_rate(before: &Report, now: &Report) -> Option<String> {
    let rate = |report: &Report| report.rows.iter().map(|row| row.one.product_rate).fold(0.0, f64::max);
    let (then, now) = (rate(before), rate(now));
    ((now / then - 1.0).abs() > OTHER_RATE).then(|| {
        format!(
            "unknown: the report is of a machine with {:.0} GF/s, this one has {:.0}",
            1e-9 * then,
            1e-9 * now
        )
    })
}

fn is_same(before: &Measured, now: &Measured) -> bool {
    // JSON may round the last digit.
    let (then, amount) = (before.work.amount(), now.work.amount());
    before.what == now.what && before.work.unit() == now.work.unit() && (then - amount).abs() <= 1e-9 * then
}

fn slower(name: &str, on: &str, before: Times, now: Times) -> Option<String> {
    let noise = before.noise + now.noise;
    let more = now.seconds / before.seconds - 1.0;
    (more > MOST + noise).then(|| {
        format!(
            "slower: {name} on {on} takes {:.0} % more than before ({:.2} ms instead of {:.2}; noise {:.0} %)",
            100.0 * more,
            1e3 * now.seconds,
            1e3 * before.seconds,
            100.0 * noise
        )
    })
}

fn allocates_more(before: &Measured, now: &Measured) -> Option<String> {
    let most = (1.0 + MOST) * before.allocated as f64 + FEW_BYTES as f64;
    (now.allocated as f64 > most).then(|| {
        format!("more memory: {} allocates {} bytes instead of {}", now.name, now.allocated, before.allocated)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::Work;

    fn row(name: &str, seconds: f64, noise: f64) -> Measured {
        let times = Times { seconds, noise, product_rate: 1.0, memory_rate: 1.0 };
        Measured {
            name: name.to_owned(),
            what: String::new(),
            work: Work::Operations(1.0),
            one: times,
            all: times,
            allocations: 0,
            allocated: 0,
        }
    }

    fn report(rows: Vec<Measured>) -> Report {
        Report { machine: "this".to_owned(), commit: String::new(), rows }
    }

    #[test]
    fn more_than_noise_is_slower() {
        let slower = |now, noise| {
            let found = compare(&report(vec![row("S1", 1.0, 0.01)]), &report(vec![row("S1", now, noise)]));
            assert_eq!(found.compared, 1);
            (found.more.len(), found.is_passed())
        };
        assert_eq!(slower(1.1, 0.0), (0, true));
        assert_eq!(slower(1.2, 0.0), (2, false));
        assert_eq!(slower(1.2, 0.1), (0, true));
        assert_eq!(slower(0.5, 0.0), (0, true));
        // Noisy rows cannot be compared.
        assert_eq!(slower(1.0, 0.4), (0, false));
    }

    #[test]
    fn rows_that_cannot_be_compared_do_not_pass() {
        let before = report(vec![row("S1", 1.0, 0.0)]);
        let unknown = |now: Measured| {
            let found = compare(&before, &report(vec![now]));
            assert!(!found.is_passed() && found.more.is_empty(), "{found:?}");
            found.unknown.concat()
        };
        assert!(unknown(row("S2", 1.0, 0.0)).contains("no row S2"));
        let larger = Measured { work: Work::Operations(2.0), ..row("S1", 1.0, 0.0) };
        assert!(unknown(larger).contains("work of row S1 has changed"));
        let mut faster = row("S1", 1.0, 0.0);
        faster.one.product_rate = 2.0;
        assert!(unknown(faster).contains("a machine with 0 GF/s, this one has 0"));
    }

    #[test]
    fn more_memory_is_told() {
        let with = |allocated| Measured { allocated, ..row("S1", 1.0, 0.0) };
        let more = |now| compare(&report(vec![with(1_000_000)]), &report(vec![with(now)])).more.len();
        assert_eq!((more(1_000_000), more(1_200_000), more(1_300_000)), (0, 0, 1));
    }

    #[test]
    fn other_machines_and_rows_are_no_measure() {
        let (before, rows) = (report(vec![row("S1", 1.0, 0.0)]), crate::rows::chosen(&[]).unwrap());
        check(&before, "this", &rows).unwrap();
        assert!(check(&before, "that", &rows).unwrap_err().to_string().contains("another machine"));
        let others = crate::rows::chosen(&["S9".to_owned()]).unwrap();
        assert!(check(&before, "this", &others).unwrap_err().to_string().contains("none of these"));
    }
}
