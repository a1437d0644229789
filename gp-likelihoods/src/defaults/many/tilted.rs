//! Tilted normaliser for several latents.

use super::laplace::{Frame, square};
use super::room::Many;
use super::sums::Sums;
use crate::derivatives::{LatentDerivatives, PointDerivatives};
use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::likelihood::{Likelihood, parameter_count};

const TERMS: usize = 7;

/// Product rules at the mode if smooth, log-concave, `Q ≤ 3`; else a mixture of nodes at mode and cavity.
pub(crate) fn tilted<L: Likelihood + ?Sized>(
    likelihood: &L,
    y: &[f64],
    q: &[Latent],
    power: f64,
    many: &mut Many,
    out: &mut LatentDerivatives,
) -> Result<(), LikelihoodError> {
    let (latents, params) = (q.len(), parameter_count(likelihood.parameters()));
    let smooth = likelihood.is_smooth();
    let by_products = smooth && likelihood.is_log_concave() && latents <= super::MAX_BY_PRODUCTS;
    fit(likelihood, y, q, power, many)?;
    let Many { rules, integral, frame, f, t, point, .. } = many;
    let mut visit_at = |t: &[f64], weight: f64, mixture: f64, sums: &mut Sums| {
        latent_values(q, t, f);
        likelihood.log_density_slopes(y, f, point)?;
        let (own, by_params) = sums.terms.split_at_mut(TERMS * latents);
        terms(point, power, q, t, own);
        likelihood.log_density_by_params(y, f, by_params)?;
        by_params.iter_mut().for_each(|d| *d *= power);
        sums.add(weight, power * point.value - 0.5 * square(t) - mixture);
        Ok(())
    };
    rules.integrate(latents, by_products, TERMS * latents + params, integral, |z, weight, sums| {
        frame.place(z, t);
        if by_products {
            return visit_at(t, weight, frame.log_density(t), sums);
        }
        visit_at(t, 0.5 * weight, log_mixture(frame, t), sums)?;
        visit_at(z, 0.5 * weight, log_mixture(frame, z), sums)
    })?;
    fill(q, smooth, &integral.sums, out);
    Ok(())
}

/// Frame at the mode, or at the cavity if not smooth.
fn fit<L: Likelihood + ?Sized>(
    likelihood: &L,
    y: &[f64],
    q: &[Latent],
    power: f64,
    many: &mut Many,
) -> Result<(), LikelihoodError> {
    let Many { frame, f, t, point, .. } = many;
    t.clear();
    t.resize(q.len(), 0.0);
    frame.reset(q.len());
    if !likelihood.is_smooth() {
        return Ok(());
    }
    let mut failure = None;
    frame.fit(&mut |t: &[f64], gradient: &mut [f64], curvature: &mut [f64]| {
        latent_values(q, t, f);
        if let Err(error) = likelihood.log_density_slopes(y, f, point) {
            failure = Some(error);
            return f64::NAN;
        }
        for (j, q) in q.iter().enumerate() {
            gradient[j] = power * q.variance().sqrt() * point.by_latent[j];
            curvature[j] = power * q.variance() * point.by_latent_twice[j];
        }
        power * point.value
    });
    failure.map_or(Ok(()), Err)
}

fn latent_values(q: &[Latent], t: &[f64], f: &mut Vec<f64>) {
    f.clear();
    f.extend(q.iter().zip(t).map(|(q, t)| q.mean() + q.variance().sqrt() * t));
}

/// Equal mixture of cavity and frame.
fn log_mixture(frame: &Frame, t: &[f64]) -> f64 {
    let (a, b) = (frame.log_density(t), -0.5 * square(t));
    a.max(b) + (-(a - b).abs()).exp().ln_1p() - std::f64::consts::LN_2
}

/// Integrands of both forms, with squares: by mean `αℓ′`, `t`; by variance `(αℓ′)² + αℓ″`, `t²`.
fn terms(point: &PointDerivatives, power: f64, q: &[Latent], t: &[f64], out: &mut [f64]) {
    for (j, slots) in out.chunks_exact_mut(TERMS).enumerate() {
        // An exactly known latent has a single value.
        let t = if q[j].variance() == 0.0 { 0.0 } else { t[j] };
        let first = power * point.by_latent[j];
        let second = first * first + power * point.by_latent_twice[j];
        slots.copy_from_slice(&[first, first * first, t, t * t, second, second * second, t * t * t * t]);
    }
}

/// Derivatives of likelihood or cavity, the less variable.
fn fill(q: &[Latent], smooth: bool, sums: &Sums, out: &mut LatentDerivatives) {
    let (latents, params) = (q.len(), sums.terms.len() - TERMS * q.len());
    out.reset(latents, params);
    out.value = sums.log_mass();
    for (j, q) in q.iter().enumerate() {
        let (v, at) = (q.variance(), |k: usize| sums.mean(TERMS * j + k));
        let [first, first_square, t, t_square, second, second_square, t_fourth] =
            [0, 1, 2, 3, 4, 5, 6].map(at);
        let steady = |inner: f64, outer: f64| v == 0.0 || (smooth && inner <= outer);
        let by_likelihood = steady(first_square - first * first, (t_square - t * t) / v);
        out.by_mean[j] = if by_likelihood { first } else { t / v.sqrt() };
        let by_likelihood =
            steady(second_square - second * second, (t_fourth - t_square * t_square) / (v * v));
        out.by_variance[j] = 0.5 * if by_likelihood { second } else { (t_square - 1.0) / v };
    }
    for (k, slot) in out.by_params.iter_mut().enumerate() {
        *slot = sums.mean(TERMS * latents + k);
    }
}
