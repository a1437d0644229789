//! From sums over the data to the bound and its derivatives by the posterior.

use super::bound::Bound;
use super::entropy::Working;
use super::mixture::Mixture;
use super::model::Savigp;
use faer::{Accum, MatMut, MatRef};
use gp_ep::InferenceError;
use gp_linalg::product::matmul;

impl Bound {
    /// From sums to the bound and its derivatives by the posterior, which stay in the working memory.
    pub(super) fn assemble(&mut self, model: &Savigp, posterior: &Mixture) -> Result<f64, InferenceError> {
        let (weight, latents, threading) = (self.weight(), posterior.counts().len(), self.threading());
        let expected = &self.layout.extra(&self.sums.numbers)[..self.layout.components()];
        let mut value = 0.0;
        for (k, expected) in expected.iter().enumerate() {
            self.working.by_weight[k] = weight * expected;
            value += self.working.weights[k] * weight * expected;
        }
        for index in 0..self.working.by_mean.len() {
            let (k, q) = (index / latents, index % latents);
            let (part, scale) =
                (self.layout.part(&self.sums.numbers, k, q), weight * self.working.weights[k]);
            let by_mean = self.working.by_mean[index].iter_mut().zip(part.shift);
            by_mean.for_each(|(out, sum)| *out = scale * sum);
            let by_spread = &mut self.working.by_spread[index];
            let Some(factor) = self.working.factors.get(index) else {
                part.gram.iter().enumerate().for_each(|(i, sum)| by_spread[(i, 0)] = scale * sum);
                continue;
            };
            // ∂/∂L of tr(Λ L Lᵀ) is 2ΛL.
            let m = posterior.counts()[q];
            let mut symmetric = self.room.as_mut().submatrix_mut(0, 0, m, m);
            copy_symmetric(part.matrix(), symmetric.as_mut());
            let factor = factor.l();
            matmul(by_spread.as_mut(), Accum::Replace, symmetric.as_ref(), factor, 2.0 * scale, threading)?;
        }
        Ok(value + self.working.add_divergence(posterior, model.entropy())?)
    }

    /// Derivatives by the parameters of the posterior.
    pub(super) fn write_posterior(&self, posterior: &Mixture, gradient: &mut [f64]) {
        let Working { weights, by_weight, by_mean, by_spread, factors, .. } = &self.working;
        let mut rest = gradient.iter_mut();
        if weights.len() > 1 {
            let mean: f64 = weights.iter().zip(by_weight).map(|(w, by)| w * by).sum();
            let softmax = weights.iter().zip(by_weight).map(|(w, by)| w * (by - mean));
            (&mut rest).zip(softmax).for_each(|(out, value)| *out = value);
        }
        debug_assert_eq!(by_mean.len(), weights.len() * posterior.counts().len());
        for (by_mean, by_spread) in by_mean.iter().zip(by_spread) {
            let m = by_mean.len();
            let spread = |i: usize| if factors.is_empty() { by_spread[(i, 0)] } else { by_spread[(i, i)] };
            let below = (0..by_spread.ncols()).flat_map(|j| (j + 1..m).map(move |i| (i, j)));
            let below = below.filter(|_| !factors.is_empty()).map(|place| by_spread[place]);
            let values = by_mean.iter().copied().chain((0..m).map(spread)).chain(below);
            for value in values {
                if let Some(out) = rest.next() {
                    *out = value;
                }
            }
        }
    }
}

/// Copies a lower triangle and its mirror image.
pub(super) fn copy_symmetric(lower: MatRef<'_, f64>, mut out: MatMut<'_, f64>) {
    for j in 0..lower.ncols() {
        for i in j..lower.nrows() {
            out[(i, j)] = lower[(i, j)];
            out[(j, i)] = lower[(i, j)];
        }
    }
}
