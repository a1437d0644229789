//! What the next observation will be, by quadrature over the latent.

use super::check_probability;
use super::expectation::expectation;
use crate::density::{check_output, check_outputs};
use crate::error::{LikelihoodError, check_count};
use crate::latent::Latent;
use crate::likelihood::Likelihood;
use crate::slopes::{ObservationMoments, only};
use crate::workspace::Workspace;

/// Doublings while a quantile is bracketed, and halvings of the bracket: more than a double has exponents and digits.
const MAX_DOUBLINGS: u32 = 1100;
const MAX_HALVINGS: u32 = 1200;

/// Mean and variance of each output under `f ~ q`: `E[μ(f)]` and `E[σ²(f)] + Var[μ(f)]`.
///
/// # Errors
/// Other than one latent, or a wrong number of slots.
pub fn predictive_moments<L: Likelihood + ?Sized>(
    likelihood: &L,
    q: &[Latent],
    ws: &mut Workspace,
    out: &mut [ObservationMoments],
) -> Result<(), LikelihoodError> {
    let q = only(q)?;
    check_outputs(likelihood, out.len())?;
    likelihood.conditional_moments(&[q.mean()], out)?;
    let mut given = std::mem::take(&mut ws.moments);
    given.clear();
    given.resize(out.len(), ObservationMoments::default());
    for (output, middle) in out.iter_mut().enumerate() {
        // Means relative to the one at the middle: their variance is then no difference of large numbers.
        if q.variance() == 0.0 || !middle.variance.is_finite() {
            continue;
        }
        let [shift, square, variance] = expectation(q, None, true, ws, |f, _| {
            if likelihood.conditional_moments(&[f], &mut given).is_err() {
                return [f64::NAN; 3];
            }
            let away = given[output].mean - middle.mean;
            [away, away * away, given[output].variance]
        });
        middle.mean += shift;
        middle.variance = variance + (square - shift * shift).max(0.0);
    }
    ws.moments = given;
    Ok(())
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
    let support = likelihood.support();
    check_count("number of slots", out.len(), out.len() == support.classes(), "that of the classes")?;
    for (class, slot) in out.iter_mut().enumerate() {
        *slot = likelihood.log_predictive_density(&[support.label(class)], q, ws)?.exp();
    }
    Ok(())
}

/// The least number whose distribution function, for one output, under `f ~ q` reaches a probability, by bisection.
///
/// # Errors
/// A probability not strictly between 0 and 1, or other than one latent.
pub fn predictive_quantile<L: Likelihood + ?Sized>(
    likelihood: &L,
    q: &[Latent],
    output: usize,
    probability: f64,
    ws: &mut Workspace,
) -> Result<f64, LikelihoodError> {
    let q = only(q)?;
    check_output(likelihood, output)?;
    check_probability(probability)?;
    let support = likelihood.support();
    if support.classes() > 0 {
        return class_quantile(likelihood, q, probability, ws);
    }
    let mut reached = |y: f64| cdf(likelihood, q, output, y, ws) >= probability;
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
    let support = likelihood.support();
    let (mut below, last) = (0.0, support.classes() - 1);
    for class in 0..last {
        below += likelihood.log_predictive_density(&[support.label(class)], &[q], ws)?.exp();
        if below >= probability {
            return Ok(support.label(class));
        }
    }
    Ok(support.label(last))
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
fn cdf<L: Likelihood + ?Sized>(likelihood: &L, q: Latent, output: usize, y: f64, ws: &mut Workspace) -> f64 {
    let given = |f: f64| likelihood.conditional_cdf(output, y, &[f]).unwrap_or(f64::NAN);
    if q.variance() == 0.0 {
        return given(q.mean());
    }
    let landmark = if likelihood.outputs() == 1 { likelihood.landmark(&[y]) } else { None };
    let [probability] = expectation(q, landmark, true, ws, |f, _| [given(f)]);
    probability
}
