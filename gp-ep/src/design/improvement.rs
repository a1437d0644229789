//! Expected improvement.

use super::Goal;
use super::marginal::LatentMarginal;
use crate::error::InferenceError;
use gp_likelihoods::special::{erfcx, standard_normal_cdf};
use gp_likelihoods::{Likelihood, ObservationMoments};
use std::f64::consts::{FRAC_1_SQRT_2, PI, TAU};

/// `E max(0, g(f) − best)`, for a minimum `best − g(f)`, with `g(f) = E[y | f]`.
pub(super) fn expected(
    likelihood: &dyn Likelihood,
    marginal: &LatentMarginal,
    (goal, best): (Goal, f64),
) -> Result<f64, InferenceError> {
    if let (Some(_), [mean], [variance]) =
        (likelihood.gaussian_noise(), marginal.means(), marginal.variances())
    {
        return Ok(of_gaussian(goal.gain(*mean, best), variance.sqrt()));
    }
    over(likelihood, marginal, |mean| goal.gain(mean, best).max(0.0))
}

pub(super) fn mean(likelihood: &dyn Likelihood, marginal: &LatentMarginal) -> Result<f64, InferenceError> {
    if let (Some(_), [mean]) = (likelihood.gaussian_noise(), marginal.means()) {
        return Ok(*mean);
    }
    over(likelihood, marginal, |mean| mean)
}

fn over(
    likelihood: &dyn Likelihood,
    marginal: &LatentMarginal,
    of: impl Fn(f64) -> f64,
) -> Result<f64, InferenceError> {
    let places = marginal.places()?;
    let mut moments = vec![ObservationMoments::default(); likelihood.outputs()];
    let mut sum = 0.0;
    for (f, share) in places.values.chunks_exact(marginal.means().len()).zip(&places.shares) {
        likelihood.conditional_moments(f, &mut moments)?;
        sum += share * of(moments[0].mean);
    }
    if sum.is_finite() {
        return Ok(sum);
    }
    Err(InferenceError::Unsupported { what: "the improvement of observations that have no mean" })
}

/// `E max(0, Δ + s z) = Δ Φ(u) + s N(u)`, `u = Δ/s`; in the lower tail, against cancellation,
/// `s N(u) (1 + u Φ(u)/N(u))` with Mills' ratio by [`erfcx`].
fn of_gaussian(gain: f64, deviation: f64) -> f64 {
    if deviation <= 0.0 {
        return gain.max(0.0);
    }
    let u = gain / deviation;
    let density = (-0.5 * u * u).exp() / TAU.sqrt();
    if u > -1.0 {
        return gain * standard_normal_cdf(u) + deviation * density;
    }
    let mills = (0.5 * PI).sqrt() * erfcx(-u * FRAC_1_SQRT_2);
    (deviation * density * (1.0 + u * mills)).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integrated(gain: f64, deviation: f64) -> f64 {
        let (steps, reach) = (20_000, 12.0);
        let h = 2.0 * reach / f64::from(steps);
        // Starts at the kink, for a smooth integrand.
        let start = -gain / deviation;
        let at = |i: i32| {
            let z = start + (h * f64::from(i));
            (gain + deviation * z) * (-0.5 * z * z).exp() / TAU.sqrt()
        };
        let weight = |i: i32| match i {
            _ if i == 0 || i == steps => 1.0,
            _ if i % 2 == 1 => 4.0,
            _ => 2.0,
        };
        (0..=steps).map(|i| weight(i) * at(i)).sum::<f64>() * h / 3.0
    }

    #[test]
    fn the_closed_form_is_the_integral() {
        for deviation in [0.1, 1.0, 7.0] {
            for u in [-9.0, -4.0, -1.5, -1.0, -0.3, 0.0, 0.8, 3.0] {
                let (found, expected) =
                    (of_gaussian(u * deviation, deviation), integrated(u * deviation, deviation));
                // Simpson's rule errs by about 1e-10 where the integrand falls as fast as exp(−9 z).
                assert!((found - expected).abs() <= 1e-9 * expected, "{u} {deviation}: {found} {expected}");
            }
        }
        assert_eq!(of_gaussian(0.7, 0.0), 0.7);
        assert_eq!(of_gaussian(-0.7, 0.0), 0.0);
        assert_eq!(of_gaussian(-1e4, 1.0), 0.0);
    }
}
