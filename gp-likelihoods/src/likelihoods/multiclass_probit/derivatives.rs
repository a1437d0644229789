//! Derivatives by line integrals, vectorised.

use super::peak::Peak;
use crate::derivatives::PointDerivatives;
use crate::quadrature::LANES;
use crate::special::{HALF_LN_TAU, normal_cdfs};

/// Classes kept; others are computed twice.
const KEPT: usize = 16;

/// Unit noise per latent.
pub(super) fn log_win(
    label: usize,
    classes: usize,
    f: impl Fn(usize) -> f64 + Copy,
    out: &mut PointDerivatives,
) {
    let others = move || (0..classes).filter(move |&c| c != label);
    let peak = Peak::near(f(label), || others().map(f));
    let (step, blocks) = peak.grid(classes);
    let (mut mass, mut ratios) = (0.0, [[0.0; LANES]; KEPT]);
    for u in blocks {
        let block = Block { u, away: u.map(|u| u - f(label)) };
        let weights = block.weights(step, peak.height, others().map(f), &mut ratios);
        mass += weights.iter().sum::<f64>();
        block.add_own(&weights, label, out);
        for (place, c) in others().enumerate() {
            let z = block.seen_from(f(c));
            let ratios = ratios.get(place).copied().unwrap_or_else(|| normal_cdfs(&z).ratio);
            for k in 0..LANES {
                let pull = weights[k] * ratios[k];
                out.by_latent[c] -= pull;
                out.by_latent_twice[c] -= pull * z[k];
            }
        }
    }
    out.value = mass.ln() + peak.height - HALF_LN_TAU;
    for (first, second) in out.by_latent.iter_mut().zip(&mut out.by_latent_twice) {
        *first /= mass;
        *second = *second / mass - *first * *first;
    }
}

struct Block {
    u: [f64; LANES],
    away: [f64; LANES],
}

impl Block {
    fn seen_from(&self, other: f64) -> [f64; LANES] {
        self.u.map(|u| u - other)
    }

    /// Integrand times step, over the height; stores `φ/Φ`.
    fn weights(
        &self,
        step: f64,
        height: f64,
        others: impl Iterator<Item = f64>,
        ratios: &mut [[f64; LANES]; KEPT],
    ) -> [f64; LANES] {
        let (mut exponents, mut weights) = (self.away.map(|a| -0.5 * a * a - height), [step; LANES]);
        for (place, other) in others.enumerate() {
            let cdfs = normal_cdfs(&self.seen_from(other));
            for k in 0..LANES {
                exponents[k] += cdfs.exponent[k];
                weights[k] *= cdfs.factor[k];
            }
            if let Some(ratios) = ratios.get_mut(place) {
                *ratios = cdfs.ratio;
            }
        }
        std::array::from_fn(|k| weights[k] * exponents[k].exp())
    }

    fn add_own(&self, weights: &[f64; LANES], label: usize, out: &mut PointDerivatives) {
        for (weight, away) in weights.iter().zip(self.away) {
            out.by_latent[label] += weight * away;
            out.by_latent_twice[label] += weight * (away * away - 1.0);
        }
    }
}
