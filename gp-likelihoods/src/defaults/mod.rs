//! What every likelihood gets without writing it: expectations, tilted moments and predictions by quadrature.
//!
//! **One latent.** Expected log densities that are [analytic near the real line](crate::Density::strip): sums over a grid that is
//! known beforehand. Else sums over a grid whose step is halved until they settle, where the integrand is known to be smooth and
//! to have nothing narrow that a grid could step over. Everywhere else, and where they do not settle, panels are refined
//! until they resolve the integrand, or an error says where they do not. Errors are below 1e-9 of the size of the result.
//!
//! **Two or three latents of a smooth likelihood.** Product Gauss–Hermite rules of growing order until two agree to 1e-7,
//! and for the tilted normaliser of a log-concave one about its mode. Under beliefs of standard deviation up to 1,
//! errors are below 1e-6.
//!
//! **All else.** The quasi-random nodes of the [`Workspace`]; with their default number, errors are some thousandths of
//! a standard deviation of the integrand. Tilted normalisers are integrated by nodes about the mode as well as about the
//! cavity, so that confident observations are not missed; where a likelihood is not log-concave and a tilted
//! distribution has several modes, of which the nodes know one, slopes may be off by a tenth.
//!
//! How far the last two rules (or half of the nodes and all of them) were apart is
//! [`Workspace::disagreement`]. Use these functions directly to compare a closed form with them.

mod many;
mod one;
mod quantile;

pub(crate) use many::Many;
pub(crate) use one::{Shape, expected_on_known_grid, tilted_along, tilted_on_known_grid};
pub(crate) use quantile::among;
pub use quantile::predictive_quantile;

use crate::density::{check_latents, check_output, check_outputs};
use crate::error::{LikelihoodError, check, check_count};
use crate::latent::Latent;
use crate::likelihood::Likelihood;
use crate::slopes::{ObservationMoments, Slopes};
use crate::workspace::Workspace;

/// `E[ln p(y | f)]` for independent `f_q ~ q_q` with its derivatives.
///
/// # Errors
/// An observation outside the support, slices that do not match, or an integrand that quadrature cannot follow.
pub fn expected_log_density<L: Likelihood + ?Sized>(
    likelihood: &L,
    y: &[f64],
    q: &[Latent],
    ws: &mut Workspace,
    out: &mut Slopes,
) -> Result<(), LikelihoodError> {
    likelihood.check_observation(y)?;
    check_latents(likelihood, q.len())?;
    match *q {
        [q] => one::expected_log_density(likelihood, y, q, ws, out),
        _ => many::expected_log_density(likelihood, y, q, &mut ws.many, out),
    }
}

/// `ln ∫ p(y | f)^α Π N(f_q; m_q, v_q) df` with its derivatives.
///
/// # Errors
/// As [`expected_log_density`], and a power outside (0, 1].
pub fn tilted<L: Likelihood + ?Sized>(
    likelihood: &L,
    y: &[f64],
    q: &[Latent],
    power: f64,
    ws: &mut Workspace,
    out: &mut Slopes,
) -> Result<(), LikelihoodError> {
    check_power(power)?;
    likelihood.check_observation(y)?;
    check_latents(likelihood, q.len())?;
    match *q {
        [q] => one::tilted(likelihood, y, q, power, ws, out),
        _ => many::tilted(likelihood, y, q, power, &mut ws.many, out),
    }
}

/// Mean and variance of each output under independent `f_q ~ q_q`: `E[μ(f)]` and `E[σ²(f)] + Var[μ(f)]`.
///
/// # Errors
/// Slices that do not match, or an integrand that quadrature cannot follow.
pub fn predictive_moments<L: Likelihood + ?Sized>(
    likelihood: &L,
    q: &[Latent],
    ws: &mut Workspace,
    out: &mut [ObservationMoments],
) -> Result<(), LikelihoodError> {
    check_latents(likelihood, q.len())?;
    check_outputs(likelihood, out.len())?;
    match *q {
        [q] => one::predictive_moments(likelihood, q, ws, out),
        _ => many::predictive_moments(likelihood, q, &mut ws.many, out),
    }
}

/// The probabilities of the classes of a likelihood of one output that has some.
///
/// # Errors
/// [`LikelihoodError::Count`] when `out` has not one slot a class or there are several outputs; otherwise as
/// [`tilted`].
pub fn class_probabilities<L: Likelihood + ?Sized>(
    likelihood: &L,
    q: &[Latent],
    ws: &mut Workspace,
    out: &mut [f64],
) -> Result<(), LikelihoodError> {
    check_latents(likelihood, q.len())?;
    let support = likelihood.support();
    check_count("number of slots", out.len(), out.len() == support.classes(), "that of the classes")?;
    match q {
        [_] => out.iter_mut().enumerate().try_for_each(|(class, slot)| {
            *slot = likelihood.log_predictive_density(&[support.label(class)], q, ws)?.exp();
            Ok(())
        }),
        _ => many::class_probabilities(likelihood, q, &mut ws.many, out),
    }
}

/// `P(output ≤ y)` under independent `f_q ~ q_q`, for one output (counted from 0).
///
/// # Errors
/// Slices that do not match, no such output, or an integrand that quadrature cannot follow.
pub fn predictive_cdf<L: Likelihood + ?Sized>(
    likelihood: &L,
    q: &[Latent],
    output: usize,
    y: f64,
    ws: &mut Workspace,
) -> Result<f64, LikelihoodError> {
    check_latents(likelihood, q.len())?;
    check_output(likelihood, output)?;
    match *q {
        [q] => one::cdf(likelihood, q, output, y, ws),
        _ => many::cdf(likelihood, q, output, y, &mut ws.many),
    }
}

/// Refuses a power outside (0, 1].
pub(crate) fn check_power(power: f64) -> Result<(), LikelihoodError> {
    check("power", power, power > 0.0 && power <= 1.0, "above 0 and at most 1")
}

/// Refuses a probability at or beyond an end.
pub(crate) fn check_probability(probability: f64) -> Result<(), LikelihoodError> {
    let sound = probability > 0.0 && probability < 1.0;
    check("probability", probability, sound, "strictly between 0 and 1")
}
