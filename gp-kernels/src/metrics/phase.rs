//! Signed number of turns: `s = Σ_d (x_d − z_d) / p_d`.

use gp_optim::Parameter;

use super::{Metric, Term, per_input, slot};
use crate::expression::ParameterKind;

/// Phase of a plane wave; the only metric whose sums may be negative.
#[derive(Clone, Copy, Debug, Default)]
pub struct Phase;

impl Metric for Phase {
    fn parameters() -> Vec<(Parameter, ParameterKind)> {
        vec![(Parameter::positive("period"), ParameterKind::PerInput)]
    }

    #[inline(always)]
    fn add_term(&self, params: &[Parameter], d: usize, rows: &[f64], col: f64, sum: &mut [f64]) {
        let frequency = 1.0 / per_input(&params[0], d);
        for (sum, &row) in sum.iter_mut().zip(rows) {
            *sum += (row - col) * frequency;
        }
    }

    #[inline(always)]
    fn reverse_term(
        &self,
        params: &[Parameter],
        d: usize,
        term: Term<'_>,
        upstream: &[f64],
        rows_grad: &mut [f64],
        params_grad: &mut [f64],
    ) -> f64 {
        let frequency = 1.0 / per_input(&params[0], d);
        let (mut by_col, mut by_period) = (0.0, 0.0);
        for ((&h, &row), grad) in upstream.iter().zip(term.rows).zip(rows_grad) {
            let slope = h * frequency;
            *grad += slope;
            by_col -= slope;
            by_period -= slope * (row - term.col) * frequency;
        }
        params_grad[slot(&params[0], d)] += by_period;
        by_col
    }
}
