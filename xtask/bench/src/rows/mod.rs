//! Rows of the table.

pub(crate) mod batches;
pub(crate) mod command;
pub(crate) mod drawn;
mod ivm;
pub(crate) mod predictions;
pub(crate) mod regression;
pub(crate) mod sweeps;

use crate::error::BenchError;
use gp_linalg::Threading;
use serde::{Deserialize, Serialize};

pub(crate) type Run = Box<dyn FnMut() -> Result<(), BenchError>>;

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Work {
    /// Additions and multiplications.
    Operations(f64),
    /// Bytes read and written.
    Bytes(f64),
    /// Unknown in advance.
    Whole,
}

impl Work {
    /// Operations or bytes; 0 if unknown.
    pub(crate) fn amount(self) -> f64 {
        match self {
            Self::Operations(amount) | Self::Bytes(amount) => amount,
            Self::Whole => 0.0,
        }
    }

    /// Unit of 10⁹ per second.
    pub(crate) fn unit(self) -> &'static str {
        match self {
            Self::Bytes(_) => "GB/s",
            Self::Operations(_) | Self::Whole => "GF/s",
        }
    }
}

pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) what: &'static str,
    pub(crate) work: fn() -> Work,
    pub(crate) prepare: fn(Threading) -> Result<Run, BenchError>,
}

fn all() -> impl Iterator<Item = &'static Row> {
    let groups = [batches::ROWS, regression::ROWS, sweeps::ROWS, command::ROWS, predictions::ROWS, ivm::ROWS];
    groups.into_iter().flatten()
}

/// Named rows, or all; unknown names fail.
pub(crate) fn chosen(names: &[String]) -> Result<Vec<&'static Row>, BenchError> {
    // A name also selects rows with a letter after it: S1 selects S1 and S1a, but not S10.
    let is = |row: &Row, name: &str| {
        row.name.strip_prefix(name).is_some_and(|rest| !rest.starts_with(|next: char| next.is_ascii_digit()))
    };
    if let Some(unknown) = names.iter().find(|name| !all().any(|row| is(row, name))) {
        let known: Vec<&str> = all().map(|row| row.name).collect();
        return Err(format!("there is no row {unknown}; there are {}", known.join(", ")).into());
    }
    Ok(all().filter(|row| names.is_empty() || names.iter().any(|name| is(row, name))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        let mut names: Vec<&str> = all().map(|row| row.name).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
        let of = |name: &str| chosen(&[name.to_owned()]).map(|rows| rows.len());
        assert_eq!((of("S9").unwrap(), of("S1").unwrap(), chosen(&[]).unwrap().len()), (1, 3, names.len()));
        assert!(of("S99").unwrap_err().to_string().contains("there is no row S99; there are S1"));
    }
}
