//! Differing columns, `s = Σ_d [x_d ≠ z_d] / ℓ_d`.

use gp_optim::Parameter;

use super::{Constants, Metric, Term, TermGradient, per_input};
use crate::expression::ParameterKind;

/// Weighted number of differing columns.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mismatch;

impl Metric for Mismatch {
    fn parameters() -> Vec<(Parameter, ParameterKind)> {
        // Not a length along the column, whose values only match or differ.
        vec![(Parameter::positive("lengthscale"), ParameterKind::PerInput)]
    }

    /// `1/ℓ`, twice.
    fn constants(params: &[Parameter], d: usize) -> Constants {
        [1.0 / per_input(&params[0], d); 2]
    }

    #[inline(always)]
    fn add_term([step, _]: Constants, rows: &[f64], col: f64, sum: &mut [f64]) {
        for (sum, &row) in sum.iter_mut().zip(rows) {
            *sum += if row == col { 0.0 } else { step };
        }
    }

    /// Category codes have no gradient.
    #[inline(always)]
    fn reverse_term(
        [step, _]: Constants,
        term: Term<'_>,
        upstream: &[f64],
        _rows_grad: &mut [f64],
    ) -> TermGradient {
        let differing = upstream.iter().zip(term.rows).filter(|(_, row)| **row != term.col);
        let total: f64 = differing.map(|(h, _)| h).sum();
        TermGradient { col: 0.0, params: [-total * step * step, 0.0] }
    }
}
