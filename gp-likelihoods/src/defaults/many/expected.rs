//! The expected log density of several latents.

use super::Many;
use super::sums::Sums;
use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::likelihood::{Likelihood, parameter_count};
use crate::slopes::Slopes;

/// Terms a latent: see [`fill`].
const TERMS: usize = 3;
/// Digits that a difference of slopes may lose before the curvature is taken instead.
const LOST: f64 = 1e-9;

/// `E[ln p(y | f)]` for independent `f_q ~ q_q` with its derivatives.
///
/// Derivatives are those of the rule's own sum `Σ w ℓ(m + s t)`, so that they fit the value whatever the rule's error:
/// `Σ w ∂ℓ` by the mean and `Σ w t ∂ℓ/2s` by the variance. A likelihood that is not smooth has the derivatives of the
/// Gaussian instead.
pub(crate) fn expected_log_density<L: Likelihood + ?Sized>(
    likelihood: &L,
    y: &[f64],
    q: &[Latent],
    many: &mut Many,
    out: &mut Slopes,
) -> Result<(), LikelihoodError> {
    let (latents, params) = (q.len(), parameter_count(likelihood.parameters()));
    let Many { rules, integral, f, point, .. } = many;
    let smooth = likelihood.is_smooth();
    f.clear();
    f.extend(q.iter().map(|q| q.mean()));
    likelihood.log_density_slopes(y, f, point)?;
    // Rough likelihoods: values relative to the middle make the Gaussian's derivatives less noisy.
    let middle = if point.value.is_finite() { point.value } else { 0.0 };
    rules.integrate(latents, smooth, 1 + TERMS * latents + params, integral, |t, weight, sums| {
        f.iter_mut().zip(q).zip(t).for_each(|((f, q), t)| *f = q.mean() + q.variance().sqrt() * t);
        likelihood.log_density_slopes(y, f, point)?;
        let (own, by_params) = sums.terms.split_at_mut(1 + TERMS * latents);
        own[0] = point.value;
        let away = point.value - middle;
        for (j, terms) in own[1..].chunks_exact_mut(TERMS).enumerate() {
            let (first, second) = (point.by_latent[j], point.by_latent_twice[j]);
            terms.copy_from_slice(&if smooth || q[j].variance() == 0.0 {
                [first, t[j] * first, second]
            } else {
                [away * t[j], away * (t[j] * t[j] - 1.0), second]
            });
        }
        likelihood.log_density_by_params(y, f, by_params)?;
        sums.add(weight, 0.0);
        Ok(())
    })?;
    fill(q, smooth, &integral.sums, out);
    Ok(())
}

fn fill(q: &[Latent], smooth: bool, sums: &Sums, out: &mut Slopes) {
    let (latents, params) = (q.len(), sums.terms.len() - 1 - TERMS * q.len());
    out.reset(latents, params);
    out.value = sums.mean(0);
    for (j, q) in q.iter().enumerate() {
        let first = 1 + TERMS * j;
        let (v, s, half_curvature) = (q.variance(), q.variance().sqrt(), 0.5 * sums.mean(first + 2));
        if !smooth && v > 0.0 {
            (out.by_mean[j], out.by_variance[j]) = (sums.mean(first) / s, 0.5 * sums.mean(first + 1) / v);
            continue;
        }
        out.by_mean[j] = sums.mean(first);
        let rounding = f64::EPSILON * sums.size(first + 1) / s;
        let keeps_digits = rounding <= LOST * sums.size(first + 2);
        out.by_variance[j] = if keeps_digits { 0.5 * sums.mean(first + 1) / s } else { half_curvature };
    }
    for (k, slot) in out.by_params.iter_mut().enumerate() {
        *slot = sums.mean(1 + TERMS * latents + k);
    }
}
