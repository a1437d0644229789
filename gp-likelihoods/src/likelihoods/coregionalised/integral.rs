//! `ln ∫ Π_q N(f_q; m_q, v_q) Π_p N(y_p; w_p·f, σ²_p)^α df` with derivatives.
//!
//! Equals `−½ (ln |B| + rᵀ S⁻¹ r + α Σ_p ln 2πσ²_p)` with `s_p = σ²_p/α`, `r = y − W m`, `S = W V Wᵀ + diag(s)` and
//! `B = I + V^{½} Wᵀ diag(s)⁻¹ W V^{½}` (eigenvalues ≥ 1). Only B (Q×Q) is factored.

use super::Coregionalised;
use super::room::MixedScratch;
use crate::derivatives::{LatentDerivatives, refill};
use crate::latent::Latent;
use crate::likelihood::Described;
use crate::small_factor::{factorise, solve, solve_transposed};
use crate::special::HALF_LN_TAU;

/// Precision gain from which `w_qᵀ S⁻¹ w_q` uses diag `B⁻¹`.
const SHARP: f64 = 1.0;

/// `false` if out of range.
pub(super) fn tilted(
    of: &Coregionalised,
    (y, q): (&[f64], &[Latent]),
    power: f64,
    room: &mut MixedScratch,
    out: &mut LatentDerivatives,
) -> bool {
    let weights = of.params[0].len();
    out.reset(q.len(), weights + y.len());
    if !condition(of, (y, q), power, room) {
        return false;
    }
    let latents = q.len();
    let log_pivots: f64 = (0..latents).map(|k| room.factor[k * latents + k].ln()).sum();
    out.value = -log_pivots;
    for (p, &y) in y.iter().enumerate().filter(|(_, y)| !y.is_nan()) {
        let (w, variance) = (of.weights(p), of.variance(p));
        let (s, pull) = (variance / power, room.pulls[p]);
        out.value -= 0.5 * (y - of.mixed(p, q).mean) * pull + power * (0.5 * variance.ln() + HALF_LN_TAU);
        let mut known = 0.0;
        for k in 0..latents {
            // V^{½} B⁻¹ V^{½} w_p: covariances of latents with w_p·f, given the outputs.
            let column = &room.inverse[k * latents..(k + 1) * latents];
            let products = column.iter().zip(&room.deviations).zip(w);
            let covariance: f64 =
                room.deviations[k] * products.map(|((inverse, d), w)| inverse * d * w).sum::<f64>();
            known += w[k] * covariance;
            out.by_mean[k] += w[k] * pull;
            out.by_params[p * latents + k] = pull * room.given[k] - covariance / s;
        }
        let of_s = 0.5 * (pull * pull - (1.0 - known / s) / s);
        out.by_params[weights + p] = of_s / power + 0.5 * (1.0 - power) / variance;
    }
    for (k, q) in q.iter().enumerate() {
        out.by_variance[k] = 0.5 * (out.by_mean[k].powi(2) - shrinkage(of, y, (k, *q), power, room));
    }
    out.value.is_finite()
}

fn condition(of: &Coregionalised, (y, q): (&[f64], &[Latent]), power: f64, room: &mut MixedScratch) -> bool {
    let latents = q.len();
    refill(&mut room.factor, latents * latents);
    refill(&mut room.inverse, latents * latents);
    refill(&mut room.given, latents);
    refill(&mut room.pulls, y.len());
    room.deviations.clear();
    room.deviations.extend(q.iter().map(|q| q.variance().sqrt()));
    let d = &room.deviations;
    for (p, &y) in y.iter().enumerate().filter(|(_, y)| !y.is_nan()) {
        let (w, precision) = (of.weights(p), power / of.variance(p));
        let residual = y - of.mixed(p, q).mean;
        for i in 0..latents {
            room.given[i] += d[i] * w[i] * precision * residual;
            (0..=i).for_each(|j| room.factor[i * latents + j] += d[i] * w[i] * precision * w[j] * d[j]);
        }
    }
    (0..latents).for_each(|i| room.factor[i * latents + i] += 1.0);
    if !factorise(&mut room.factor, latents, 0.5) {
        return false;
    }
    solve(&room.factor, &mut room.given);
    solve_transposed(&room.factor, &mut room.given);
    for (given, (d, q)) in room.given.iter_mut().zip(room.deviations.iter().zip(q)) {
        *given = q.mean() + d * *given;
    }
    for (k, column) in room.inverse.chunks_exact_mut(latents).enumerate() {
        column[k] = 1.0;
        solve(&room.factor, column);
        solve_transposed(&room.factor, column);
    }
    for (p, &y) in y.iter().enumerate().filter(|(_, y)| !y.is_nan()) {
        room.pulls[p] = power * (y - of.mean(p, &room.given)) / of.variance(p);
    }
    true
}

/// `w_qᵀ S⁻¹ w_q`
fn shrinkage(
    of: &Coregionalised,
    y: &[f64],
    (k, q): (usize, Latent),
    power: f64,
    room: &MixedScratch,
) -> f64 {
    let latents = of.latents();
    let column = &room.inverse[k * latents..(k + 1) * latents];
    let present = || (0..y.len()).filter(|&p| !y[p].is_nan());
    let told: f64 = present().map(|p| power * of.weights(p)[k].powi(2) / of.variance(p)).sum();
    if told * q.variance() > SHARP {
        return (1.0 - column[k]) / q.variance();
    }
    // With `g = diag(s)⁻¹ w_q`: wᵀ g − (V^{½} Wᵀ g)ᵀ B⁻¹ (V^{½} Wᵀ g).
    let lead = |i: usize| {
        let weight = |p: usize| power * of.weights(p)[k] * of.weights(p)[i] / of.variance(p);
        room.deviations[i] * present().map(weight).sum::<f64>()
    };
    let known: f64 = (0..latents)
        .map(|i| {
            let row = &room.inverse[i * latents..(i + 1) * latents];
            lead(i) * (0..latents).map(|j| row[j] * lead(j)).sum::<f64>()
        })
        .sum();
    told - known
}
