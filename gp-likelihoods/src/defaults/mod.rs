//! What every likelihood of one latent gets without writing it: expectations and tilted moments by quadrature.
//!
//! Two Gauss–Hermite rules of different order are tried where the integrand is known to have one peak; where they
//! disagree, and for all other integrands, panels are refined until they resolve it. Use these functions directly to
//! compare a closed form with them.

mod expectation;
mod expected;
mod predictive;
mod tilted;

pub use expected::expected_log_density;
pub use predictive::{class_probabilities, predictive_moments, predictive_quantile};
pub use tilted::tilted;

use crate::error::{LikelihoodError, check};
use crate::likelihood::{Likelihood, parameter_count};
use crate::workspace::Workspace;

/// What the two Gauss–Hermite rules have to agree to, and what panels are refined to, relative to the integral of the
/// absolute value.
const AGREEMENT: f64 = 1e-10;
const REFINEMENT: f64 = 1e-12;

/// Refuses a power outside (0, 1].
pub(crate) fn check_power(power: f64) -> Result<(), LikelihoodError> {
    check("power", power, power > 0.0 && power <= 1.0, "above 0 and at most 1")
}

/// Refuses a probability at or beyond an end.
pub(crate) fn check_probability(probability: f64) -> Result<(), LikelihoodError> {
    let sound = probability > 0.0 && probability < 1.0;
    check("probability", probability, sound, "strictly between 0 and 1")
}

/// `scale · Σ w_i ∂ℓ(f_i)/∂θ` over the rule of the last integral, into `ws.by_params`.
fn sum_by_params<L: Likelihood + ?Sized>(
    likelihood: &L,
    y: &[f64],
    scale: f64,
    ws: &mut Workspace,
) -> Result<(), LikelihoodError> {
    let count = parameter_count(likelihood.parameters());
    ws.by_params.clear();
    ws.by_params.resize(2 * count, 0.0);
    let (sums, one) = ws.by_params.split_at_mut(count);
    if count > 0 {
        for &(f, weight) in ws.rule.iter().filter(|(_, weight)| *weight != 0.0) {
            likelihood.log_density_by_params(y, &[f], one)?;
            sums.iter_mut().zip(&*one).for_each(|(sum, d)| *sum += scale * weight * d);
        }
    }
    ws.by_params.truncate(count);
    Ok(())
}

/// Whether two rules agree on all components, relative to the sizes of what they summed.
fn agree<const K: usize>(a: &[f64; K], b: &[f64; K], sizes: &[f64; K]) -> bool {
    (0..K).all(|k| (a[k] - b[k]).abs() <= AGREEMENT * sizes[k] && b[k].is_finite())
}
