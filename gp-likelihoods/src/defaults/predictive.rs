//! What the next observation will be, by quadrature over the latent.

use super::expectation::expectation;
use crate::error::{LikelihoodError, check, check_count};
use crate::latent::Latent;
use crate::likelihood::{Likelihood, ObservationMoments};
use crate::one_latent::only;
use crate::workspace::Workspace;

/// Doublings while a quantile is bracketed, and halvings of the bracket: more than a double has exponents and digits.
const MAX_DOUBLINGS: u32 = 1100;
const MAX_HALVINGS: u32 = 1200;

/// Mean and variance of the observation under `f ~ q`: `E[μ(f)]` and `E[σ²(f)] + Var[μ(f)]`.
///
/// # Errors
/// Other than one latent.
pub fn predictive_moments<L: Likelihood + ?Sized>(
    likelihood: &L,
    q: &[Latent],
    ws: &mut Workspace,
) -> Result<ObservationMoments, LikelihoodError> {
    let q = only(q)?;
    // Means relative to the one at the middle: their variance is then no difference of large numbers.
    let middle = likelihood.conditional_moments(&[q.mean()])?;
    if q.variance() == 0.0 || !middle.variance.is_finite() {
        return Ok(middle);
    }
    let [shift, square, variance] = expectation(q, None, true, ws, |f, _| {
        likelihood.conditional_moments(&[f]).map_or([f64::NAN; 3], |given| {
            let away = given.mean - middle.mean;
            [away, away * away, given.variance]
        })
    });
    Ok(ObservationMoments {
        mean: middle.mean + shift,
        variance: variance + (square - shift * shift).max(0.0),
    })
}

/// The probabilities of the classes of a likelihood that has some.
///
/// # Errors
/// [`LikelihoodError::Count`] when `out` has not one slot a class; otherwise as [`Likelihood::tilted`].
pub fn class_probabilities<L: Likelihood + ?Sized>(
    likelihood: &L,
    q: &[Latent],
    ws: &mut Workspace,
    out: &mut [f64],
) -> Result<(), LikelihoodError> {
    let classes = likelihood.support().classes();
    check_count("number of slots", out.len(), out.len() == classes.len(), "that of the classes")?;
    for (slot, &class) in out.iter_mut().zip(classes) {
        *slot = likelihood.log_predictive_density(&[class], q, ws)?.exp();
    }
    Ok(())
}

/// The least number whose distribution function under `f ~ q` reaches a probability, by bisection.
///
/// # Errors
/// A probability not strictly between 0 and 1, or other than one latent.
pub fn predictive_quantile<L: Likelihood + ?Sized>(
    likelihood: &L,
    q: &[Latent],
    probability: f64,
    ws: &mut Workspace,
) -> Result<f64, LikelihoodError> {
    let q = only(q)?;
    let sound = probability > 0.0 && probability < 1.0;
    check("probability", probability, sound, "strictly between 0 and 1")?;
    let support = likelihood.support();
    if !support.classes().is_empty() {
        return class_quantile(likelihood, q, probability, ws);
    }
    let mut reached = |y: f64| cdf(likelihood, q, y, ws) >= probability;
    let (mut low, mut high) = bracket(support.is_discrete(), &mut reached);
    for _ in 0..MAX_HALVINGS {
        let middle = 0.5 * low + 0.5 * high;
        let middle = if support.is_discrete() { middle.floor() } else { middle };
        if middle <= low || middle >= high {
            break;
        }
        if reached(middle) { high = middle } else { low = middle }
    }
    Ok(high)
}

fn class_quantile<L: Likelihood + ?Sized>(
    likelihood: &L,
    q: Latent,
    probability: f64,
    ws: &mut Workspace,
) -> Result<f64, LikelihoodError> {
    let classes = likelihood.support().classes();
    let mut below = 0.0;
    for &class in classes {
        below += likelihood.log_predictive_density(&[class], &[q], ws)?.exp();
        if below >= probability {
            return Ok(class);
        }
    }
    Ok(classes[classes.len() - 1])
}

/// Two numbers between which the quantile lies. Counts start just below 0.
fn bracket(discrete: bool, reached: &mut impl FnMut(f64) -> bool) -> (f64, f64) {
    let (mut low, mut high) = (-1.0, 1.0);
    for _ in 0..MAX_DOUBLINGS {
        if high >= f64::MAX / 2.0 || reached(high) {
            break;
        }
        (low, high) = (high, 2.0 * high);
    }
    for _ in 0..MAX_DOUBLINGS {
        if discrete || low <= f64::MIN / 2.0 || !reached(low) {
            break;
        }
        (low, high) = (2.0 * low.min(-1.0), low);
    }
    (low, high)
}

/// `P(observation ≤ y)` under `f ~ q`.
fn cdf<L: Likelihood + ?Sized>(likelihood: &L, q: Latent, y: f64, ws: &mut Workspace) -> f64 {
    let given = |f: f64| likelihood.conditional_cdf(y, &[f]).unwrap_or(f64::NAN);
    if q.variance() == 0.0 {
        return given(q.mean());
    }
    let landmark = likelihood.landmark(&[y]);
    let [probability] = expectation(q, landmark, true, ws, |f, _| [given(f)]);
    probability
}
