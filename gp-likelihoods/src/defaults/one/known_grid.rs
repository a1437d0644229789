//! Expected log densities on known nodes: grid or graded panels.

use super::sum_by_params;
use crate::density::Density;
use crate::derivatives::LatentDerivatives;
use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::quadrature::{LANES, graded, grid_for};
use crate::workspace::Workspace;

/// Requires an analytic log density, otherwise returns `false`.
pub(crate) fn expected_on_known_grid<D: Density>(
    density: &D,
    y: &[f64],
    q: Latent,
    ws: &mut Workspace,
    out: &mut LatentDerivatives,
) -> Result<bool, LikelihoodError> {
    let (m, v) = (q.mean(), q.variance());
    let s = v.sqrt();
    let Some(strip) = density.strip().filter(|_| s > 0.0) else { return Ok(false) };
    let mut sums = Moments::default();
    ws.rule.clear();
    let mut take = |t: &[f64; LANES], weights: &[f64; LANES]| {
        let f = t.map(|t| m + s * t);
        sums.add(t, weights, &density.slopes_of_many(y, &f));
        ws.rule.extend(f.into_iter().zip(*weights));
    };
    match (grid_for(strip / s), density.bend(y)) {
        (Some(grid), _) => grid.iter().for_each(|(t, weights)| take(t, weights)),
        (None, Some(bend)) => graded((bend - m) / s, strip / s, &mut take),
        (None, None) => return Ok(false),
    }
    sum_by_params(density, y, 1.0, ws)?;
    let [by_mean, by_variance] = sums.slopes(v);
    if ![sums.value, by_mean, by_variance].iter().all(|sum| sum.is_finite()) {
        return Ok(false);
    }
    out.set(sums.value, by_mean, by_variance, &ws.by_params);
    Ok(true)
}

#[derive(Default)]
struct Moments {
    value: f64,
    /// `E[ℓ′]` and `E[ℓ″]`.
    first: f64,
    second: f64,
    /// `E[t ℓ]` and `E[(t² − 1) ℓ]`: √v `first`, v `second`.
    along: f64,
    moved: f64,
    /// `E[|ℓ″|]` and `E[|(t² − 1) ℓ|]`.
    rough: f64,
    spread: f64,
}

impl Moments {
    fn add<const N: usize>(&mut self, t: &[f64; N], weights: &[f64; N], slopes: &[[f64; N]; 3]) {
        let [value, first, second] = slopes;
        for k in 0..N {
            let (weighted, bend) = (weights[k] * value[k], weights[k] * second[k]);
            let moved = weighted * (t[k] * t[k] - 1.0);
            self.value += weighted;
            self.first += weights[k] * first[k];
            self.second += bend;
            self.along += weighted * t[k];
            self.moved += moved;
            self.rough += bend.abs();
            self.spread += moved.abs();
        }
    }

    /// Form with less cancellation.
    fn slopes(&self, v: f64) -> [f64; 2] {
        if self.rough * v <= self.spread {
            [self.first, 0.5 * self.second]
        } else {
            [self.along / v.sqrt(), 0.5 * self.moved / v]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::likelihood::Likelihood;
    use crate::{BernoulliLogit, BernoulliProbit};

    fn check<D: Density + Likelihood>(density: &D, m: f64, v: f64, y: f64) {
        let q = Latent::new(m, v).unwrap();
        let (mut ws, mut found, mut expected) =
            (Workspace::new(), LatentDerivatives::default(), LatentDerivatives::default());
        assert!(expected_on_known_grid(density, &[y], q, &mut ws, &mut found).unwrap());
        crate::defaults::expected_log_density(density, &[y], &[q], &mut ws, &mut expected).unwrap();
        // The reference is accurate to 1e-10 of the sizes of its terms.
        let near = |a: f64, b: f64| (a - b).abs() < 1e-9 * (a.abs() + b.abs()) + 1e-14;
        let both = |a: &[f64], b: &[f64]| near(a[0], b[0]);
        assert!(
            near(found.value, expected.value)
                && both(&found.by_mean, &expected.by_mean)
                && both(&found.by_variance, &expected.by_variance),
            "{} of {y} under N({m}, {v}): {found:?} and {expected:?}",
            density.name(),
        );
    }

    #[test]
    fn known_grids_find_what_sums_that_settle_find() {
        for m in [-1e6, -30.0, -6.0, -1.0, 0.0, 0.3, 2.0, 9.0] {
            for v in [1e-8, 1e-3, 0.2, 1.0, 7.0, 60.0, 3e3] {
                for y in [-1.0, 1.0] {
                    check(&BernoulliProbit, m, v, y);
                    check(&BernoulliLogit, m, v, y);
                }
            }
        }
    }
}
