//! Rows in blocks; shares of processes.

use gp_kernels::data::{DataError, DataSource, RowReader, Rows as Selection, SpreadRows};
use gp_optim::{Team, TeamError};
use std::fs::File;
use std::ops::Range;

const AT_ONCE: usize = 4096;

/// Rows of a table that a process holds.
pub(crate) fn share_of_rows(team: &Team, rank: usize, rows: usize) -> Range<usize> {
    SpreadRows::<RowReader<File>>::share_of(team, rank, rows)
}

/// `true` in all processes if all succeeded.
pub(crate) fn all_succeed(team: &Team, own: bool) -> Result<bool, TeamError> {
    let mut failures = [f64::from(u8::from(!own))];
    team.sum_counts(&mut failures)?;
    Ok(failures[0] == 0.0)
}

/// Passes own rows: range, points and observations per block.
pub(crate) fn for_each_block(
    rows: &dyn DataSource,
    mut work: impl FnMut(Range<usize>, &[f64], &[f64]),
) -> Result<(), DataError> {
    let own = rows.held().map_or(0..rows.count(), |(_, own)| own);
    let (mut points, mut observed) = (Vec::new(), Vec::new());
    for start in own.clone().step_by(AT_ONCE) {
        let range = start..(start + AT_ONCE).min(own.end);
        points.resize(range.len() * rows.dim(), 0.0);
        observed.resize(range.len() * rows.outputs(), 0.0);
        rows.read(&Selection::Range(range.clone()), &mut points, &mut observed)?;
        work(range, &points, &observed);
    }
    Ok(())
}

/// All processes' numbers by row; `own` if not shared.
pub(crate) fn gathered(rows: &dyn DataSource, own: Vec<f64>) -> Result<Vec<f64>, DataError> {
    match rows.held() {
        Some((team, _)) => Ok(team.gather(&own)?),
        None => Ok(own),
    }
}
