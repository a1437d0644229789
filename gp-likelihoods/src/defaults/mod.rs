//! Default integrals by quadrature.
//!
//! **One latent.** Fixed grid for log densities [analytic near the real line](crate::Density::strip); refined grid for
//! other smooth integrands without narrow features; otherwise adaptive panels, or an error. Relative errors below 1e-9.
//!
//! **Two or three latents, smooth.** Product Gauss–Hermite rules of growing order, at the mode if log-concave, until
//! two agree to 1e-7. Errors below 1e-6 for standard deviations ≤ 1.
//!
//! **Otherwise.** Quasi-random nodes of the [`Workspace`], for tilted normalisers at mode and cavity. By default,
//! errors are some thousandths of the integrand's standard deviation ([`Workspace::disagreement`]), of derivatives with
//! several modes perhaps a tenth.

mod least;
pub(crate) mod many;
mod one;
mod quantile;

pub(crate) use least::among;
pub(crate) use one::{Shape, expected_on_known_grid, tilted_along, tilted_on_known_grid};
pub use quantile::predictive_quantile;

use crate::derivatives::{LatentDerivatives, ObservationMoments};
use crate::error::{LikelihoodError, check, check_count};
use crate::latent::Latent;
use crate::likelihood::Likelihood;
use crate::shape::{check_latents, check_output, check_outputs};
use crate::workspace::Workspace;

/// [`Likelihood::expected_log_density`] by quadrature.
///
/// # Errors
/// Impossible observation, wrong lengths, unresolved integrand.
pub fn expected_log_density<L: Likelihood + ?Sized>(
    likelihood: &L,
    y: &[f64],
    q: &[Latent],
    ws: &mut Workspace,
    out: &mut LatentDerivatives,
) -> Result<(), LikelihoodError> {
    likelihood.check_observation(y)?;
    check_latents(likelihood, q.len())?;
    match *q {
        [q] => one::expected_log_density(likelihood, y, q, ws, out),
        _ => many::expected_log_density(likelihood, y, q, &mut ws.many, out),
    }
}

/// [`Likelihood::tilted`] by quadrature.
///
/// # Errors
/// As [`expected_log_density`]; power outside (0, 1].
pub fn tilted<L: Likelihood + ?Sized>(
    likelihood: &L,
    y: &[f64],
    q: &[Latent],
    power: f64,
    ws: &mut Workspace,
    out: &mut LatentDerivatives,
) -> Result<(), LikelihoodError> {
    check_power(power)?;
    likelihood.check_observation(y)?;
    check_latents(likelihood, q.len())?;
    match *q {
        [q] => one::tilted(likelihood, y, q, power, ws, out),
        _ => many::tilted(likelihood, y, q, power, &mut ws.many, out),
    }
}

/// [`Likelihood::predictive_moments`]: `E[μ(f)]` and `E[σ²(f)] + Var[μ(f)]`.
///
/// # Errors
/// Wrong lengths, unresolved integrand.
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

/// Class probabilities of one discrete output.
///
/// # Errors
/// [`LikelihoodError::Count`] unless one output, one slot per class; else as [`tilted`].
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

/// [`Likelihood::predictive_cdf`] by quadrature.
///
/// # Errors
/// Wrong lengths, no such output, unresolved integrand.
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

pub(crate) fn check_power(power: f64) -> Result<(), LikelihoodError> {
    check("power", power, power > 0.0 && power <= 1.0, "above 0 and at most 1")
}

pub(crate) fn check_probability(probability: f64) -> Result<(), LikelihoodError> {
    let sound = probability > 0.0 && probability < 1.0;
    check("probability", probability, sound, "strictly between 0 and 1")
}
