//! Rows of a table, divided over processes.
//!
//! Blocks stay whole, because they affect the last bits of predictions. All processes get all results.

use crate::data::ROWS_OF_BLOCK;
use crate::error::CliError;
use crate::own_rows::all_succeed;
use gp_optim::Team;
use std::ops::Range;

#[derive(Debug)]
pub(crate) struct RowShares<'a> {
    team: &'a Team,
    rows: usize,
}

impl<'a> RowShares<'a> {
    /// `None` for one process or one block.
    pub(crate) fn of(team: &'a Team, rows: usize) -> Option<Self> {
        (!team.is_alone() && rows > ROWS_OF_BLOCK).then_some(Self { team, rows })
    }

    pub(crate) fn own(&self) -> Range<usize> {
        self.share(self.team.rank())
    }

    pub(crate) fn share(&self, rank: usize) -> Range<usize> {
        let (blocks, count) = (self.rows.div_ceil(ROWS_OF_BLOCK), self.team.count());
        let start = |rank: usize| (rank * blocks / count * ROWS_OF_BLOCK).min(self.rows);
        start(rank)..start(rank + 1)
    }

    pub(crate) fn have_succeeded(&self, own: bool) -> Result<bool, CliError> {
        Ok(all_succeed(self.team, own)?)
    }

    /// Joins lists; `own` may be empty without rows.
    pub(crate) fn join(&self, own: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, CliError> {
        let all = self.team.gather(&own.concat())?;
        let lists = all.len() / self.rows;
        let mut joined = vec![Vec::with_capacity(self.rows); lists];
        let mut rest = all.as_slice();
        for share in (0..self.team.count()).map(|rank| self.share(rank)) {
            for list in &mut joined {
                let (part, later) = rest.split_at(share.len());
                list.extend_from_slice(part);
                rest = later;
            }
        }
        Ok(joined)
    }
}

/// Lists of one number per row, computed in shares; if one process fails, all compute all, for a common error.
pub(crate) fn by_rows(
    team: &Team,
    rows: usize,
    of: impl Fn(Range<usize>) -> Result<Vec<Vec<f64>>, CliError>,
) -> Result<Vec<Vec<f64>>, CliError> {
    let Some(shares) = RowShares::of(team, rows) else { return of(0..rows) };
    let own = shares.own();
    let found = if own.is_empty() { Ok(Vec::new()) } else { of(own) };
    match found {
        Ok(found) if shares.have_succeeded(true)? => shares.join(&found),
        Ok(_) => of(0..rows),
        Err(_) => shares.have_succeeded(false).and_then(|_| of(0..rows)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn lists(rows: Range<usize>) -> Vec<Vec<f64>> {
        vec![rows.clone().map(|row| row as f64).collect(), rows.map(|row| -(row as f64)).collect()]
    }

    #[test]
    fn shares_are_whole_blocks_and_all_get_all_rows() {
        for rows in [1, ROWS_OF_BLOCK, ROWS_OF_BLOCK + 1, 5 * ROWS_OF_BLOCK, 7 * ROWS_OF_BLOCK - 3] {
            for count in 1..=9 {
                let found = Team::in_threads(count, |team| {
                    let longest = std::sync::Mutex::new(0);
                    let joined = by_rows(&team, rows, |own| {
                        assert!(own.start.is_multiple_of(ROWS_OF_BLOCK));
                        *longest.lock().unwrap() = own.len();
                        Ok(lists(own))
                    });
                    (joined.unwrap(), longest.into_inner().unwrap())
                });
                let blocks = rows.div_ceil(ROWS_OF_BLOCK);
                let most = if blocks == 1 { rows } else { blocks.div_ceil(count) * ROWS_OF_BLOCK };
                assert!(found.iter().all(|(joined, _)| *joined == lists(0..rows)), "{rows} {count}");
                assert!(found.iter().all(|(_, longest)| *longest <= most), "{rows} {count}");
            }
        }
    }

    #[test]
    fn an_error_is_that_of_one_process_in_all() {
        let rows = 3 * ROWS_OF_BLOCK;
        let wrong = |own: Range<usize>| match own.contains(&(rows - 1)) {
            true => Err(CliError::new(ErrorKind::Data, format!("row {}", rows - own.start))),
            false => Ok(lists(own)),
        };
        let found = Team::in_threads(4, |team| by_rows(&team, rows, wrong).unwrap_err().to_string());
        assert_eq!(found, vec![wrong(0..rows).unwrap_err().to_string(); 4]);
    }
}
