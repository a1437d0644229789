//! Rows of one of several targets.

use super::TrainingRows;
use crate::error::{CliError, ErrorKind};
use crate::own_rows::{for_each_block, gathered};
use gp_kernels::data::{DataError, DataSource, Rows as Selection};
use gp_optim::Team;
use std::ops::Range;

/// Columns of one target and, given roles, adjustment and weight ([`Adjusted`](gp_likelihoods::Adjusted)).
pub(in crate::method) fn columns_of_target(target: usize, targets: usize, outputs: usize) -> Vec<usize> {
    if outputs == targets { vec![target] } else { vec![target, targets + target, 2 * targets] }
}

pub(super) fn of_target(all: &TrainingRows, target: usize, targets: usize) -> Result<TrainingRows, CliError> {
    let view = View::new(all, target, targets)?;
    let places: Vec<usize> = (0..view.present.len()).collect();
    let view = TrainingRows::elsewhere(view);
    if all.are_in_memory() { view.some(&places) } else { Ok(view) }
}

pub(super) fn present(all: &TrainingRows, target: usize, targets: usize) -> Result<Vec<usize>, CliError> {
    View::new(all, target, targets).map(|view| view.present)
}

#[derive(Debug)]
struct View {
    all: TrainingRows,
    target: usize,
    columns: Vec<usize>,
    present: Vec<usize>,
}

impl View {
    fn new(all: &TrainingRows, target: usize, targets: usize) -> Result<Self, CliError> {
        let columns = columns_of_target(target, targets, all.outputs());
        let mut view = Self { all: all.clone(), target, columns, present: Vec::new() };
        view.present = view.look_for_present()?;
        if view.present.is_empty() {
            return Err(CliError::new(ErrorKind::Data, format!("no row has target {}", target + 1)));
        }
        Ok(view)
    }

    fn look_for_present(&self) -> Result<Vec<usize>, CliError> {
        let (outputs, mut present) = (self.all.outputs(), Vec::new());
        for_each_block(&self.all, |range, _, observed| {
            let rows = range.zip(observed.chunks_exact(outputs));
            let there = rows.filter(|(_, observed)| !observed[self.target].is_nan());
            present.extend(there.map(|(row, _)| row as f64));
        })?;
        Ok(gathered(&self.all, present)?.into_iter().map(|row| row as usize).collect())
    }

    fn rows_of_all(&self, rows: &Selection<'_>) -> Result<Vec<usize>, DataError> {
        let at = |place: usize| {
            let row = rows.at(place);
            let reason = || format!("there are {} observations", self.present.len());
            self.present.get(row).copied().ok_or_else(|| DataError::Read { row, reason: reason() })
        };
        (0..rows.len()).map(at).collect()
    }
}

impl DataSource for View {
    fn count(&self) -> usize {
        self.present.len()
    }

    fn dim(&self) -> usize {
        self.all.dim()
    }

    fn outputs(&self) -> usize {
        self.columns.len()
    }

    fn read(&self, rows: &Selection<'_>, points: &mut [f64], targets: &mut [f64]) -> Result<(), DataError> {
        let list = self.rows_of_all(rows)?;
        let outputs = self.all.outputs();
        let mut observed = vec![0.0; list.len() * outputs];
        self.all.read(&Selection::List(&list), points, &mut observed)?;
        for (own, all) in targets.chunks_exact_mut(self.outputs()).zip(observed.chunks_exact(outputs)) {
            own.iter_mut().zip(&self.columns).for_each(|(own, &column)| *own = all[column]);
        }
        Ok(())
    }

    fn held(&self) -> Option<(&Team, Range<usize>)> {
        let (team, own) = self.all.held()?;
        let place = |end: usize| self.present.partition_point(|&row| row < end);
        Some((team, place(own.start)..place(own.end)))
    }

    fn fetch_lanes(&self, lanes: &[Selection<'_>]) -> Result<(), DataError> {
        let lists = lanes.iter().map(|lane| self.rows_of_all(lane)).collect::<Result<Vec<_>, _>>()?;
        let lanes: Vec<Selection<'_>> = lists.iter().map(|rows| Selection::List(rows)).collect();
        self.all.fetch_lanes(&lanes)
    }

    fn fetch(&self, rows: &Selection<'_>) -> Result<(), DataError> {
        self.all.fetch(&Selection::List(&self.rows_of_all(rows)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::Mat;

    #[test]
    fn one_target_is_where_it_is_not_missing_with_its_adjustment_and_weight() {
        let gap = f64::NAN;
        let observed = vec![1.0, gap, 0.1, 0.2, 10.0, gap, 2.0, 0.3, 0.4, 20.0, 3.0, 4.0, 0.5, 0.6, 30.0];
        let points = Mat::from_fn(3, 1, |i, _| i as f64);
        let held = TrainingRows::in_memory(points, observed);
        let second = held.of_target(1, 2).unwrap();
        assert_eq!((second.count(), second.outputs()), (2, 3));
        assert_eq!(second.whole().unwrap().1, [2.0, 0.4, 20.0, 4.0, 0.6, 30.0]);
        assert_eq!(second.whole().unwrap().0[(0, 0)], 1.0);
        let missing = TrainingRows::in_memory(Mat::zeros(1, 1), vec![1.0, gap]).of_target(1, 2).unwrap_err();
        assert!(missing.to_string().contains("no row has target 2"));
    }
}
