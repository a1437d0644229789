//! Tilted normalisers on a grid around the mode.
//!
//! For `t = (f − m)/√v` and density growth ≤ `exp(½ κ a²)` at distance a from the real line,
//! `p(f)^α N(t; 0, 1)` grows by ≤ `exp(½ p a²)`, `p = 1 + α κ v`: error at step h ≲ `2 exp(½ p a² − 2π a/h)`
//! up to the nearest singularity (Trefethen and Weideman 2014, see `quadrature::trapezoid`).

use super::tilted::{TiltedJet, one_peak, slopes};
use crate::density::Density;
use crate::derivatives::{LatentDerivatives, PointDerivatives, only};
use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::likelihood::Likelihood;
use crate::quadrature::{Integrals, LANES};
use crate::special::HALF_LN_TAU;
use crate::workspace::Workspace;

/// Log error of sums: exp(−32) = 1e-14.
const DIGITS: f64 = 32.0;
/// Used share of the strip.
const CLOSEST: f64 = 0.95;
/// Most nodes per side; adaptive sums beyond.
const MOST: usize = 160;
/// Standard deviations to exp(−40), log-concave.
const REACH: f64 = 9.0;
const NEGLIGIBLE: f64 = 1e-17;

/// Requires log-concave density, known growth, no parameters; `false` if unsuitable.
pub(crate) fn tilted_on_known_grid<D: Density>(
    density: &D,
    y: &[f64],
    q: Latent,
    power: f64,
    ws: &mut Workspace,
    out: &mut LatentDerivatives,
) -> Result<bool, LikelihoodError> {
    let (m, s) = (q.mean(), q.variance().sqrt());
    let known = density.strip().zip(density.growth());
    let Some((strip, growth)) = known.filter(|_| s > 0.0 && density.parameters().is_empty()) else {
        return Ok(false);
    };
    let step = step(strip / s, 1.0 + power * growth * s * s);
    if (step * MOST as f64) < REACH {
        return Ok(false);
    }
    let landmark = density.bend(y).map(|f| (f - m) / s);
    let Some((top, centre)) = mode(density, (y, power), (m, s), landmark, &mut ws.point)? else {
        return Ok(false);
    };
    let mut sums = GridSums::default();
    for direction in [1.0, -1.0] {
        for block in 0..MOST.div_ceil(LANES) {
            // The centre belongs to the right side.
            let first = (block * LANES) as f64 + if direction > 0.0 { 0.0 } else { 1.0 };
            let t: [f64; LANES] = std::array::from_fn(|k| centre + direction * step * (first + k as f64));
            let jets = density.slopes_of_many(y, &t.map(|t| m + s * t));
            if !sums.add(&t, &jets, power, top) {
                break;
            }
        }
    }
    let found = slopes(top + step.ln(), &Integrals { values: sums.0, sizes: sums.0 }, s, true);
    if !found.iter().all(|value| value.is_finite()) {
        return Ok(false);
    }
    out.set(found[0], found[1], found[2], &[]);
    Ok(true)
}

fn step(strip: f64, p: f64) -> f64 {
    // Beyond √(2 · 32/p), the integrand's growth outweighs the finer grid.
    let a = (CLOSEST * strip).min((2.0 * DIGITS / p).sqrt());
    std::f64::consts::TAU * a / (DIGITS + 0.5 * p * a * a)
}

/// Approximate mode and log integrand, if finite.
fn mode<D: Density>(
    density: &D,
    (y, power): (&[f64], f64),
    (m, s): (f64, f64),
    landmark: Option<f64>,
    point: &mut PointDerivatives,
) -> Result<Option<(f64, f64)>, LikelihoodError> {
    let mut failure = None;
    let mut at = |t: f64| {
        let found = density
            .log_density_slopes(y, &[m + s * t], point)
            .and_then(|()| Ok([point.value, only(&point.by_latent)?, only(&point.by_latent_twice)?]));
        let slopes = found.unwrap_or_else(|error| {
            failure = Some(error);
            [f64::NAN; 3]
        });
        TiltedJet::new(slopes.map(|slope| power * slope), t)
    };
    let (top, grid) = one_peak(&mut at, s, landmark.filter(|t| t.is_finite()));
    match failure {
        Some(error) => Err(error),
        None => Ok(top.is_finite().then_some((top, grid.centre))),
    }
}

#[derive(Default)]
struct GridSums([f64; 6]);

impl GridSums {
    /// `false` if the last node is negligible.
    fn add(&mut self, t: &[f64; LANES], jets: &[[f64; LANES]; 3], power: f64, top: f64) -> bool {
        let height = |k: usize| power * jets[0][k] - 0.5 * t[k] * t[k] - HALF_LN_TAU;
        let weights: [f64; LANES] = std::array::from_fn(|k| (height(k) - top).exp());
        for k in 0..LANES {
            let (weight, first, second) = (weights[k], power * jets[1][k], power * jets[2][k]);
            let square = first * first;
            // Same as in `TiltedJet::weighted`.
            let size = square + (square * square + second * second).sqrt();
            let values = [1.0, t[k], t[k] * t[k], first, square + second, size];
            self.0.iter_mut().zip(values).for_each(|(sum, value)| *sum += weight * value);
        }
        weights[LANES - 1] > NEGLIGIBLE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BernoulliLogit, BernoulliProbit};

    fn check<D: Density>(density: &D, m: f64, v: f64, (y, power): (f64, f64)) -> bool {
        let q = Latent::new(m, v).unwrap();
        let (mut ws, mut found, mut expected) =
            (Workspace::new(), LatentDerivatives::default(), LatentDerivatives::default());
        if !tilted_on_known_grid(density, &[y], q, power, &mut ws, &mut found).unwrap() {
            return false;
        }
        crate::defaults::tilted(density, &[y], &[q], power, &mut ws, &mut expected).unwrap();
        // Reference: 1e-10 of the sizes of its terms; derivatives by v are differences of two.
        let near = |a: f64, b: f64, size: f64| (a - b).abs() < 1e-9 * (a.abs() + b.abs()) + 1e-11 * size;
        let (by_mean, by_variance) = (found.by_mean[0], found.by_variance[0]);
        assert!(
            near(found.value, expected.value, 1.0)
                && near(by_mean, expected.by_mean[0], 1.0 / v.sqrt().max(1.0))
                && near(by_variance, expected.by_variance[0], by_mean * by_mean + 1.0 / v.max(1.0)),
            "{} of {y} to the power {power} under N({m}, {v}): {found:?} and {expected:?}",
            density.name(),
        );
        true
    }

    #[test]
    fn known_grids_find_what_sums_that_settle_find() {
        let mut grids = 0;
        for m in [-1e3, -30.0, -6.0, -1.0, 0.0, 0.3, 2.0, 9.0] {
            for v in [1e-8, 1e-3, 0.2, 1.0, 7.0, 60.0, 3e3] {
                for case in [(-1.0, 0.5), (1.0, 0.5), (1.0, 0.1), (-1.0, 0.9), (1.0, 1.0)] {
                    grids += usize::from(check(&BernoulliProbit, m, v, case));
                    grids += usize::from(check(&BernoulliLogit, m, v, case));
                }
            }
        }
        // Only the widest beliefs have no grid.
        assert!(grids >= 8 * 5 * 5 * 2, "{grids}");
    }

    #[test]
    fn the_whole_of_a_probit_factor_has_its_closed_form() {
        let (mut ws, mut found) = (Workspace::new(), LatentDerivatives::default());
        for (m, v) in [(0.3, 0.5), (-2.0, 3.0), (4.0, 10.0), (-8.0, 1e-2)] {
            let q = Latent::new(m, v).unwrap();
            assert!(tilted_on_known_grid(&BernoulliProbit, &[1.0], q, 1.0, &mut ws, &mut found).unwrap());
            let expected = crate::special::log_normal_cdf(m / (1.0 + v).sqrt());
            assert!((found.value - expected).abs() < 1e-13 * expected.abs().max(1.0), "N({m}, {v})");
        }
    }
}
