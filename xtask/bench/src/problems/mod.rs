//! Problems for other programs: data, parameters, expected values.

mod bounds;
mod file;
mod predictions;
mod regression;
mod training;

use crate::error::BenchError;
use crate::rows::Row;
use file::Problem;
use gp_linalg::JitterPolicy;
use std::fs;
use std::path::Path;

/// Jitter from 10⁻⁶; with less, values depend on last bits.
const JITTER: JitterPolicy = JitterPolicy { first: 1e-6, ..JitterPolicy::ladder() };

type Solved = fn() -> Result<Problem, BenchError>;

const PROBLEMS: &[(&str, Solved)] = &[
    ("S1", bounds::robust_max),
    ("S1a", bounds::robust_max),
    ("S2", bounds::softmax),
    ("S5", bounds::signs),
    ("S7", || regression::sparse(0.0)),
    ("S8", || regression::sparse(0.5)),
    ("S9", regression::exact),
    ("S10", regression::ep),
    ("S12", training::command),
    ("S13", predictions::sparse),
    ("S13a", predictions::labels),
    ("S13b", predictions::exact),
];

/// Writes rows listed in `PROBLEMS`.
pub(crate) fn write(rows: &[&Row], folder: &Path) -> Result<(), BenchError> {
    fs::create_dir_all(folder)?;
    let wanted = |name: &str| rows.iter().find(|row| row.name == name);
    for (name, problem) in PROBLEMS {
        let Some(row) = wanted(name) else { continue };
        eprintln!("{name}: {}", row.what);
        problem()
            .and_then(|problem| problem.write(row, folder))
            .map_err(|error| format!("row {name}: {error}"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_problem_is_that_of_a_row() {
        let rows = crate::rows::chosen(&[]).unwrap();
        for (name, _) in PROBLEMS {
            assert!(rows.iter().any(|row| row.name == *name), "{name}");
        }
    }
}
