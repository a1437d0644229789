//! How many columns differ: `s = Σ_d [x_d ≠ z_d] / ℓ_d`, for categories without an order.

use gp_optim::Parameter;

use super::{Metric, Term, per_input, slot};
use crate::expression::ParameterKind;

/// Weighted number of differing columns.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mismatch;

impl Metric for Mismatch {
    fn parameters() -> Vec<(Parameter, ParameterKind)> {
        vec![(Parameter::positive("lengthscale"), ParameterKind::PerInput)]
    }

    #[inline(always)]
    fn add_term(&self, params: &[Parameter], d: usize, rows: &[f64], col: f64, sum: &mut [f64]) {
        let step = 1.0 / per_input(&params[0], d);
        for (sum, &row) in sum.iter_mut().zip(rows) {
            *sum += if row == col { 0.0 } else { step };
        }
    }

    /// The points have no gradient: a category does not move.
    #[inline(always)]
    fn reverse_term(
        &self,
        params: &[Parameter],
        d: usize,
        term: Term<'_>,
        upstream: &[f64],
        _rows_grad: &mut [f64],
        params_grad: &mut [f64],
    ) -> f64 {
        let differing = upstream.iter().zip(term.rows).filter(|(_, row)| **row != term.col);
        let total: f64 = differing.map(|(h, _)| h).sum();
        let lengthscale = per_input(&params[0], d);
        params_grad[slot(&params[0], d)] -= total / (lengthscale * lengthscale);
        0.0
    }
}
