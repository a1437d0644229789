//! Sums in row order over processes.

use super::raw::EachRow;
use crate::error::CliError;
use gp_optim::{Team, TeamError};

/// Sums whose bits depend on row order.
pub(super) trait OrderedSums {
    fn add(&mut self, row: &[f64]);

    fn state(&self) -> Vec<f64>;

    fn resume(&mut self, state: &[f64]);
}

/// Sums over all processes' rows, with the bits of a single process. `pass` adds own rows, after those of lower ranks.
pub(super) fn sum_in_order(
    team: &Team,
    sums: &mut impl OrderedSums,
    pass: impl FnOnce(EachRow<'_>) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let (rank, last) = (team.rank(), team.count() - 1);
    if rank > 0 {
        let mut length = [0.0];
        team.receive(rank - 1, &mut length)?;
        let mut state = vec![0.0; length[0] as usize];
        team.receive(rank - 1, &mut state)?;
        sums.resume(&state);
    }
    pass(&mut |row| {
        sums.add(row);
        Ok(())
    })?;
    if rank < last {
        let state = sums.state();
        team.send(rank + 1, &[state.len() as f64])?;
        team.send(rank + 1, &state)?;
    }
    if last > 0 {
        sums.resume(&of_last(team, sums.state())?);
    }
    Ok(())
}

fn of_last(team: &Team, mut state: Vec<f64>) -> Result<Vec<f64>, TeamError> {
    let last = team.count() - 1;
    let mut length = [state.len() as f64];
    team.share(last, &mut length)?;
    state.resize(length[0] as usize, 0.0);
    team.share(last, &mut state)?;
    Ok(state)
}
