//! Comparison with an earlier report.

use crate::error::BenchError;
use crate::measure::{Measured, Report, Times};
use crate::rows::Row;
use std::fs;
use std::path::Path;

/// Allowed relative increase of a row's time, besides noise.
const MOST: f64 = 0.15;

/// Reads a report written by `--json`.
///
/// # Errors
/// For an unreadable file.
pub(crate) fn read(file: &Path) -> Result<Report, BenchError> {
    let text = fs::read_to_string(file).map_err(|cause| format!("{}: {cause}", file.display()))?;
    serde_json::from_str(&text).map_err(|cause| format!("{}: {cause}", file.display()).into())
}

/// Checks that a report can be compared with these rows on this machine.
///
/// # Errors
/// For a report of another machine, or without any of these rows.
pub(crate) fn check(before: &Report, machine: &str, rows: &[&Row]) -> Result<(), BenchError> {
    if before.machine != machine {
        return Err(format!("the report is of another machine: {}, not {machine}", before.machine).into());
    }
    if !before.rows.iter().any(|then| rows.iter().any(|row| row.name == then.name)) {
        return Err("the report has none of these rows".into());
    }
    Ok(())
}

/// Messages about rows that take over 15 % longer than before, beyond noise.
pub(crate) fn slower(before: &Report, now: &Report) -> Vec<String> {
    let then = |now: &Measured| before.rows.iter().find(|before| before.name == now.name);
    let pairs = now.rows.iter().filter_map(|now| Some((then(now)?, now)));
    let lines = pairs.flat_map(|(before, now)| {
        let both = [("one thread", before.one, now.one), ("all threads", before.all, now.all)];
        both.into_iter().filter_map(|(on, before, times)| line(&now.name, on, before, times))
    });
    lines.collect()
}

fn line(name: &str, on: &str, before: Times, now: Times) -> Option<String> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::Work;

    fn report(seconds: f64, noise: f64) -> Report {
        let times = Times { seconds, noise, product_rate: 1.0, memory_rate: 1.0 };
        let row = Measured {
            name: "S1".to_owned(),
            what: String::new(),
            work: Work::Operations(1.0),
            one: times,
            all: times,
            allocations: 0,
            allocated: 0,
        };
        Report { machine: "this".to_owned(), rows: vec![row] }
    }

    #[test]
    fn more_than_noise_is_slower() {
        let slower = |now, noise| slower(&report(1.0, 0.01), &report(now, noise)).len();
        assert_eq!((slower(1.1, 0.0), slower(1.2, 0.0), slower(1.2, 0.1), slower(0.5, 0.0)), (0, 2, 0, 0));
    }

    #[test]
    fn other_machines_and_rows_are_no_measure() {
        let (before, rows) = (report(1.0, 0.0), crate::rows::chosen(&[]).unwrap());
        check(&before, "this", &rows).unwrap();
        assert!(check(&before, "that", &rows).unwrap_err().to_string().contains("another machine"));
        let others = crate::rows::chosen(&["S9".to_owned()]).unwrap();
        assert!(check(&before, "this", &others).unwrap_err().to_string().contains("none of these"));
    }
}
