//! Signed number of periods: `s = Σ_d (x_d − z_d) / p_d`.

use gp_optim::Parameter;

use super::{Constants, Metric, Term, TermGradient, per_input};
use crate::expression::ParameterKind;

/// Signed phase of a plane wave.
#[derive(Clone, Copy, Debug, Default)]
pub struct Phase;

impl Metric for Phase {
    fn parameters() -> Vec<(Parameter, ParameterKind)> {
        vec![(Parameter::positive("period"), ParameterKind::Length)]
    }

    /// `1/p`, twice.
    fn constants(params: &[Parameter], d: usize) -> Constants {
        [1.0 / per_input(&params[0], d); 2]
    }

    #[inline(always)]
    fn add_term([frequency, _]: Constants, rows: &[f64], col: f64, sum: &mut [f64]) {
        for (sum, &row) in sum.iter_mut().zip(rows) {
            *sum += (row - col) * frequency;
        }
    }

    #[inline(always)]
    fn reverse_term(
        [frequency, _]: Constants,
        term: Term<'_>,
        upstream: &[f64],
        rows_grad: &mut [f64],
    ) -> TermGradient {
        let mut total = TermGradient::default();
        for ((&h, &row), grad) in upstream.iter().zip(term.rows).zip(rows_grad) {
            let slope = h * frequency;
            *grad += slope;
            total.col -= slope;
            total.params[0] -= slope * (row - term.col) * frequency;
        }
        total
    }
}
