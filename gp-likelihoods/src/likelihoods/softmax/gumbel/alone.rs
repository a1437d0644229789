//! `H = E[exp(−exp(f − x))]`, `f ~ N(m, s²)`, with three derivatives at one x.

use super::responses::{Jet, response};
use super::{ABOVE, BELOW, EULER, REACH, STEP};
use crate::latent::Latent;
use crate::special::{HALF_LN_TAU, standard_normal_cdf};
use std::sync::OnceLock;

/// Least standard deviation for the [`series`] (error 1e-14).
const WIDE: f64 = 25.0;
/// Limit: below, sums over the Gaussian; above, over the Gumbel variable.
const NARROW: f64 = 0.5;
/// Step in standard deviations; steps per side.
const FINE: f64 = 0.5;
const SIDE: i32 = 16;

/// Central Gumbel moments over n!: coefficients of `Γ(1 − t) exp(−γt)`.
const MOMENTS: [f64; 16] = [
    1.0,
    0.0,
    0.822_467_033_424_113_2,
    0.400_685_634_386_531_4,
    0.608_806_818_962_515_2,
    0.536_936_276_078_223_3,
    0.565_102_041_778_832_6,
    0.558_557_822_173_266_3,
    0.561_274_982_966_818_5,
    0.561_053_341_873_497_6,
    0.561_327_738_581_218_9,
    0.561_378_278_695_622_8,
    0.561_421_900_685_067_5,
    0.561_440_109_212_255_4,
    0.561_449_895_446_613,
    0.561_454_671_233_237_9,
];

pub(super) fn jet(q: Latent, x: f64) -> Jet {
    let s = q.variance().sqrt();
    if s >= WIDE {
        series((x - q.mean() - EULER) / s, s)
    } else if s >= NARROW {
        over_gumbel(q.mean(), s, x)
    } else {
        over_gaussian(q.mean(), s, x)
    }
}

/// `Σ_n (−1)ⁿ a_n s⁻ⁿ Φ⁽ⁿ⁾(z)` with the [`MOMENTS`] a_n and `Φ⁽ⁿ⁾ = (−1)ⁿ⁻¹ φ He_{n−1}`.
fn series(z: f64, s: f64) -> Jet {
    let density = density(z);
    let mut jet = [standard_normal_cdf(z), 0.0, 0.0, 0.0];
    // Hermite polynomials He_{n−1} (0 for n = 0); He_n, He_{n+1}, He_{n+2}.
    let (mut before, mut he) = (0.0, [1.0, z, z * z - 1.0]);
    let mut power = density;
    for (n, moment) in MOMENTS.into_iter().enumerate() {
        let term = power * moment;
        jet[0] -= term * before;
        (0..3).for_each(|k| jet[k + 1] += term * he[k]);
        let next = z * he[2] - (n + 2) as f64 * he[1];
        (before, he) = (he[0], [he[1], he[2], next]);
        power /= s;
    }
    [jet[0], jet[1] / s, -jet[2] / (s * s), jet[3] / (s * s * s)]
}

fn density(z: f64) -> f64 {
    (-0.5 * z * z - HALF_LN_TAU).exp()
}

fn over_gumbel(mean: f64, s: f64, x: f64) -> Jet {
    static PLACES: OnceLock<Vec<(f64, f64)>> = OnceLock::new();
    let places = PLACES.get_or_init(|| {
        let (first, last) = ((-BELOW / STEP).floor() as i32, (ABOVE / STEP).ceil() as i32);
        (first..=last)
            .map(|i| {
                let t = STEP * f64::from(i);
                (t, STEP * (-t - (-t).exp()).exp())
            })
            .collect()
    });
    let mut jet = Jet::default();
    for (t, weight) in places {
        let z = (x - mean - t) / s;
        if z < -REACH {
            // Further terms are negligible.
            break;
        }
        jet[0] += weight * standard_normal_cdf(z);
        let slope = weight * density(z) / s;
        jet[1] += slope;
        jet[2] -= slope * z / s;
        jet[3] += slope * (z * z - 1.0) / (s * s);
    }
    jet
}

fn over_gaussian(mean: f64, s: f64, x: f64) -> Jet {
    let mut jet = Jet::default();
    for i in -SIDE..=SIDE {
        let t = FINE * f64::from(i);
        let (weight, response) = (FINE * density(t), response(mean + s * t - x));
        (0..4).for_each(|k| jet[k] += weight * response[k]);
    }
    jet
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quadrature::Panels;

    fn by_panels(q: Latent, x: f64) -> Jet {
        let (m, s) = (q.mean(), q.variance().sqrt());
        if s > 1.0 {
            let edges: Vec<f64> = (-16..=160).map(|i| 0.25 * f64::from(i)).collect();
            let integrand = |t: f64| {
                let (z, weight) = ((x - t - m) / s, (-t - (-t).exp()).exp());
                let slope = weight * density(z) / s;
                let bend = slope / s;
                [weight * standard_normal_cdf(z), slope, -z * bend, (z * z - 1.0) * bend / s]
            };
            return Panels::default().adapt(&edges, 1e-14, integrand).unwrap();
        }
        let mut edges: Vec<f64> = (-90..=90).map(|i| 0.1 * f64::from(i)).collect();
        edges.extend((-42..=5).map(|i| (x + f64::from(i) - m) / s).filter(|t| t.abs() < 9.0));
        edges.sort_by(f64::total_cmp);
        let integrand = |t: f64| response(m + s * t - x).map(|value| value * density(t));
        Panels::default().adapt(&edges, 1e-14, integrand).unwrap()
    }

    #[test]
    fn every_width_agrees_with_its_definition() {
        for s in [1e-3, 0.1, 0.49, 0.51, 2.0, 24.9, 25.1, 60.0, 1e3] {
            let q = Latent::new(-3.0, s * s).unwrap();
            for z in [-5.0, -3.0, -1.0, 0.0, 0.7, 2.5, 6.0] {
                let x = -3.0 + z * s + if s < 2.0 { z } else { 0.0 };
                let (found, exact) = (jet(q, x), by_panels(q, x));
                for k in 0..4 {
                    // Derivative k is of the order of s⁻ᵏ.
                    let size = s.max(1.0).powi(-(k as i32));
                    let off = (found[k] - exact[k]).abs();
                    assert!(off < 1e-13 * size, "{s} {z} {k}: {found:?} and {exact:?}");
                }
            }
        }
    }
}
