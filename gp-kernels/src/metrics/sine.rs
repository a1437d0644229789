//! Squared chord on circles, `s = Σ_d 4 sin²(π (x_d − z_d) / p_d) / ℓ_d²`.

use gp_optim::Parameter;

use super::{Constants, Metric, Term, TermGradient, per_input};
use crate::expression::ParameterKind;
use crate::trig::{cos_pi, sin_pi};

/// Squared chord on the unit circle, one turn per period.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sine;

impl Metric for Sine {
    fn parameters() -> Vec<(Parameter, ParameterKind)> {
        vec![
            (Parameter::positive("period"), ParameterKind::Length),
            // Not a length along the input: it is in units of the circle.
            (Parameter::positive("lengthscale"), ParameterKind::PerInput),
        ]
    }

    fn constants(params: &[Parameter], d: usize) -> Constants {
        [per_input(&params[0], d), per_input(&params[1], d)]
    }

    #[inline(always)]
    fn add_term([period, lengthscale]: Constants, rows: &[f64], col: f64, sum: &mut [f64]) {
        for (sum, &row) in sum.iter_mut().zip(rows) {
            let chord = 2.0 * sin_pi((row - col) / period) / lengthscale;
            *sum += chord * chord;
        }
    }

    #[inline(always)]
    fn reverse_term(
        [period, lengthscale]: Constants,
        term: Term<'_>,
        upstream: &[f64],
        rows_grad: &mut [f64],
    ) -> TermGradient {
        let mut total = TermGradient::default();
        for ((&h, &row), grad) in upstream.iter().zip(term.rows).zip(rows_grad) {
            let turns = (row - term.col) / period;
            let chord = 2.0 * sin_pi(turns) / lengthscale;
            // s = chord², ∂chord/∂Δ = 2π cos(π Δ/p) / (p ℓ), ∂chord/∂ℓ = −chord/ℓ. An upstream of 0 gives 0.
            let by_chord = 2.0 * h * chord;
            let slope = by_chord * (2.0 * std::f64::consts::PI * cos_pi(turns) / lengthscale) / period;
            *grad += slope;
            total.col -= slope;
            total.params[0] -= slope * turns;
            total.params[1] -= by_chord * chord / lengthscale;
        }
        total
    }
}
