//! Expected log density for several latents.

use super::room::Many;
use super::sums::Sums;
use crate::derivatives::LatentDerivatives;
use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::likelihood::{Likelihood, parameter_count};

const TERMS: usize = 5;

/// Derivatives by mean are `E[∂ℓ]`, by variance `E[t ∂ℓ]/2s` (exact for node sums) or, if less variable, `½ E[∂²ℓ]`;
/// derivatives of the Gaussian if not smooth.
pub(crate) fn expected_log_density<L: Likelihood + ?Sized>(
    likelihood: &L,
    y: &[f64],
    q: &[Latent],
    many: &mut Many,
    out: &mut LatentDerivatives,
) -> Result<(), LikelihoodError> {
    by_nodes(likelihood, y, q, many, false, out)
}

pub(crate) fn expected_by_few_nodes<L: Likelihood + ?Sized>(
    likelihood: &L,
    y: &[f64],
    q: &[Latent],
    many: &mut Many,
    out: &mut LatentDerivatives,
) -> Result<(), LikelihoodError> {
    by_nodes(likelihood, y, q, many, true, out)
}

fn by_nodes<L: Likelihood + ?Sized>(
    likelihood: &L,
    y: &[f64],
    q: &[Latent],
    many: &mut Many,
    is_easy: bool,
    out: &mut LatentDerivatives,
) -> Result<(), LikelihoodError> {
    let (latents, params) = (q.len(), parameter_count(likelihood.parameters()));
    let Many { rules, few, integral, f, t, point, .. } = many;
    let rules = if is_easy { few } else { rules };
    let smooth = likelihood.is_smooth();
    f.clear();
    f.extend(q.iter().map(|q| q.mean()));
    likelihood.log_density_slopes(y, f, point)?;
    // Values and slopes relative to the centre are less noisy.
    let finite = |x: f64| if x.is_finite() { x } else { 0.0 };
    let middle = finite(point.value);
    t.clear();
    t.extend(point.by_latent.iter().map(|slope| finite(*slope)));
    rules.integrate(latents, smooth, 1 + TERMS * latents + params, integral, |node, weight, sums| {
        f.iter_mut().zip(q).zip(node).for_each(|((f, q), t)| *f = q.mean() + q.variance().sqrt() * t);
        likelihood.log_density_slopes(y, f, point)?;
        let (own, by_params) = sums.terms.split_at_mut(1 + TERMS * latents);
        own[0] = point.value;
        let away = point.value - middle;
        for (j, terms) in own[1..].chunks_exact_mut(TERMS).enumerate() {
            let (first, second) = (point.by_latent[j], point.by_latent_twice[j]);
            let along = node[j] * (first - t[j]);
            terms.copy_from_slice(&if smooth || q[j].variance() == 0.0 {
                [first, along, along * along, second, second * second]
            } else {
                [away * node[j], away * (node[j] * node[j] - 1.0), 0.0, 0.0, 0.0]
            });
        }
        likelihood.log_density_by_params(y, f, by_params)?;
        sums.add(weight, 0.0);
        Ok(())
    })?;
    fill(q, smooth, &integral.sums, out);
    Ok(())
}

fn fill(q: &[Latent], smooth: bool, sums: &Sums, out: &mut LatentDerivatives) {
    let (latents, params) = (q.len(), sums.terms.len() - 1 - TERMS * q.len());
    out.reset(latents, params);
    out.value = sums.mean(0);
    for (j, q) in q.iter().enumerate() {
        let first = 1 + TERMS * j;
        let (v, at) = (q.variance(), |k: usize| sums.mean(first + k));
        if !smooth && v > 0.0 {
            (out.by_mean[j], out.by_variance[j]) = (at(0) / v.sqrt(), 0.5 * at(1) / v);
            continue;
        }
        out.by_mean[j] = at(0);
        let [along, along_square, second, second_square] = [1, 2, 3, 4].map(at);
        let noise = (along_square - along * along) / v;
        let by_slopes = v > 0.0 && noise < second_square - second * second;
        out.by_variance[j] = 0.5 * if by_slopes { along / v.sqrt() } else { second };
    }
    for (k, slot) in out.by_params.iter_mut().enumerate() {
        *slot = sums.mean(1 + TERMS * latents + k);
    }
}
