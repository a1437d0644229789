//! Checks of data, and duplicate rows.

use std::cmp::Ordering;

use faer::MatRef;
use gp_linalg::Threading;

use crate::error::KernelError;
use crate::evaluate::{ContiguousTable, Evaluator};
use crate::kernel::{Kernel, Points, point};

pub(super) fn checked<'a>(
    kernel: &dyn Kernel,
    x: MatRef<'a, f64>,
    wanted: usize,
) -> Result<ContiguousTable<'a>, KernelError> {
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
    Evaluator::new(Threading::Here).table("data points", kernel, x)
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Distinct {
    pub(super) row: usize,
    pub(super) count: usize,
}

/// Distinct points, by first row; O(N log N).
pub(super) fn distinct(points: Points<'_>, mut rows: Vec<usize>) -> Vec<Distinct> {
    let mut found: Vec<Distinct> =
        equal_rows(points, &mut rows).map(|group| Distinct { row: group[0], count: group.len() }).collect();
    found.sort_unstable_by_key(|distinct| distinct.row);
    found
}

/// Groups of equal rows, first row first.
pub(super) fn equal_rows<'r>(points: Points<'_>, rows: &'r mut [usize]) -> impl Iterator<Item = &'r [usize]> {
    let compare =
        move |a: usize, b: usize| point(points, a).partial_cmp(point(points, b)).unwrap_or(Ordering::Equal);
    rows.sort_unstable_by(|&a, &b| compare(a, b).then(a.cmp(&b)));
    rows.chunk_by(move |&a, &b| compare(a, b) == Ordering::Equal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views;

    #[test]
    fn equal_rows_are_counted_under_the_first() {
        let values = [1.0, 0.0, 2.0, 5.0, 1.0, -0.0, 1.0, 0.0, 0.0, 9.0];
        let points = views::points(&values, 5, 2);
        let expected = [(0, 3), (1, 1), (4, 1)].map(|(row, count)| Distinct { row, count });
        assert_eq!(distinct(points, (0..5).collect()), expected);
        assert_eq!(distinct(points, vec![3, 2]), [Distinct { row: 2, count: 2 }]);
    }
}
