//! Active points and their sites.

use super::numbers::Column;
use faer::{Mat, MatRef};

/// `exp(bᵀu − ½ uᵀΠu)`, `Π = diag π − π πᵀ/(1ᵀπ)`, with π and b by class.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CoupledSite {
    pub(super) precision: Column,
    pub(super) shift: Column,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct ActiveClass {
    /// Data rows in order of inclusion.
    pub(super) rows: Vec<usize>,
    /// d×D
    pub(super) inputs: Mat<f64>,
    pub(super) precision: Vec<f64>,
    pub(super) shift: Vec<f64>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct ActiveSet {
    pub(super) classes: Vec<ActiveClass>,
    /// `true` for coupled sites, which share rows.
    pub(super) coupled: bool,
}

impl ActiveClass {
    pub(super) fn new(data: MatRef<'_, f64>, sites: impl Iterator<Item = (usize, f64, f64)>) -> Self {
        let (mut rows, mut precision, mut shift) = (Vec::new(), Vec::new(), Vec::new());
        for (row, pi, b) in sites {
            rows.push(row);
            precision.push(pi);
            shift.push(b);
        }
        let inputs = Mat::from_fn(rows.len(), data.ncols(), |i, j| data[(rows[i], j)]);
        Self { rows, inputs, precision, shift }
    }
}

impl ActiveSet {
    pub(super) fn coupled<'s>(
        data: MatRef<'_, f64>,
        classes: usize,
        sites: &(impl Iterator<Item = (usize, &'s CoupledSite)> + Clone),
    ) -> Self {
        let class =
            |c| ActiveClass::new(data, sites.clone().map(|(row, s)| (row, s.precision[c], s.shift[c])));
        Self { classes: (0..classes).map(class).collect(), coupled: true }
    }
}
