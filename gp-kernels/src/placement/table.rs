//! The data as placements need them: checked, each point contiguous, equal rows known.

use std::cmp::Ordering;

use faer::MatRef;

use crate::error::KernelError;
use crate::kernel::{Kernel, Points, point};
use crate::views;
use crate::workspace::Workspace;

/// A checked table: the caller's own where its points are contiguous, else a copy.
pub(super) enum Table<'a> {
    Borrowed(Points<'a>),
    Copied { values: Vec<f64>, count: usize, dim: usize },
}

impl<'a> Table<'a> {
    /// Checks what every placement is asked: that there is something to place, and something to place it on.
    pub(super) fn checked(
        kernel: &dyn Kernel,
        x: MatRef<'a, f64>,
        wanted: usize,
    ) -> Result<Self, KernelError> {
        let refuse = |reason: &str| Err(KernelError::Placement { wanted, reason: reason.to_owned() });
        if wanted == 0 {
            return refuse("at least one is needed");
        }
        if x.nrows() == 0 {
            return refuse("there are no data points");
        }
        if x.ncols() == 0 {
            return refuse("the data points have no columns");
        }
        let table = Self::contiguous(x);
        check_finite(table.view())?;
        kernel.check_inputs(table.view(), &mut Workspace::new())?;
        Ok(table)
    }

    fn contiguous(x: MatRef<'a, f64>) -> Self {
        if let Some(points) = x.try_as_row_major() {
            return Self::Borrowed(points);
        }
        let (count, dim) = (x.nrows(), x.ncols());
        let mut values = vec![0.0; count * dim];
        views::points_mut(&mut values, count, dim).copy_from(x);
        Self::Copied { values, count, dim }
    }

    /// The points, N×D.
    pub(super) fn view(&self) -> Points<'_> {
        match self {
            Self::Borrowed(points) => *points,
            Self::Copied { values, count, dim } => views::points(values, *count, *dim),
        }
    }
}

fn check_finite(points: Points<'_>) -> Result<(), KernelError> {
    for row in 0..points.nrows() {
        let found = point(points, row).iter().enumerate().find(|(_, value)| !value.is_finite());
        if let Some((column, &value)) = found {
            return Err(KernelError::NotFinite { what: "data points", row, column, value });
        }
    }
    Ok(())
}

/// One of the distinct points of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Distinct {
    /// The first row that holds it.
    pub(super) row: usize,
    /// How many rows hold it.
    pub(super) count: usize,
}

/// The distinct points among some rows of a table, in the order of their first rows. O(N log N) comparisons.
pub(super) fn distinct(points: Points<'_>, mut rows: Vec<usize>) -> Vec<Distinct> {
    let compare =
        |a: usize, b: usize| point(points, a).partial_cmp(point(points, b)).unwrap_or(Ordering::Equal);
    rows.sort_unstable_by(|&a, &b| compare(a, b).then(a.cmp(&b)));
    let mut found: Vec<Distinct> = rows
        .chunk_by(|&a, &b| compare(a, b) == Ordering::Equal)
        .map(|group| Distinct { row: group[0], count: group.len() })
        .collect();
    found.sort_unstable_by_key(|distinct| distinct.row);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_rows_are_counted_under_the_first() {
        let values = [1.0, 0.0, 2.0, 5.0, 1.0, -0.0, 1.0, 0.0, 0.0, 9.0];
        let points = views::points(&values, 5, 2);
        let expected = [(0, 3), (1, 1), (4, 1)].map(|(row, count)| Distinct { row, count });
        assert_eq!(distinct(points, (0..5).collect()), expected);
        assert_eq!(distinct(points, vec![3, 2]), [Distinct { row: 2, count: 2 }]);
    }
}
