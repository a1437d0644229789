//! Rows of one of several targets.

use super::TrainingRows;
use crate::error::{CliError, ErrorKind};
use gp_kernels::data::{DataError, DataSource, Rows as Selection};

/// Rows read at a time.
const AT_ONCE: usize = 4096;

/// Observation columns of one of several targets: its own and, with roles, its adjustment and the row weight,
/// in the order of [`Adjusted`](gp_likelihoods::Adjusted).
pub(in crate::method) fn columns_of_target(target: usize, targets: usize, outputs: usize) -> Vec<usize> {
    if outputs == targets { vec![target] } else { vec![target, targets + target, 2 * targets] }
}

/// Rows that have this target, with the columns of [`columns_of_target`].
pub(super) fn of_target(all: &TrainingRows, target: usize, targets: usize) -> Result<TrainingRows, CliError> {
    let view = View::new(all, target, targets)?;
    let places: Vec<usize> = (0..view.present.len()).collect();
    let view = TrainingRows::elsewhere(view);
    if all.are_in_memory() { view.some(&places) } else { Ok(view) }
}

/// Indices of the rows that have this target.
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
        let (count, outputs, dim) = (self.all.count(), self.all.outputs(), self.all.dim());
        let (mut points, mut observed, mut present) = (Vec::new(), Vec::new(), Vec::new());
        for start in (0..count).step_by(AT_ONCE) {
            let range = start..(start + AT_ONCE).min(count);
            points.resize(range.len() * dim, 0.0);
            observed.resize(range.len() * outputs, 0.0);
            self.all.read(&Selection::Range(range.clone()), &mut points, &mut observed)?;
            let rows = range.zip(observed.chunks_exact(outputs));
            present.extend(rows.filter(|(_, observed)| !observed[self.target].is_nan()).map(|(row, _)| row));
        }
        Ok(present)
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
        let at = |place: usize| {
            let row = rows.at(place);
            let reason = || format!("there are {} observations", self.present.len());
            self.present.get(row).copied().ok_or_else(|| DataError::Read { row, reason: reason() })
        };
        let list = (0..rows.len()).map(at).collect::<Result<Vec<usize>, _>>()?;
        let outputs = self.all.outputs();
        let mut observed = vec![0.0; list.len() * outputs];
        self.all.read(&Selection::List(&list), points, &mut observed)?;
        for (own, all) in targets.chunks_exact_mut(self.outputs()).zip(observed.chunks_exact(outputs)) {
            own.iter_mut().zip(&self.columns).for_each(|(own, &column)| *own = all[column]);
        }
        Ok(())
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
