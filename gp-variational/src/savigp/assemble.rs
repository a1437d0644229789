//! Bound and derivatives by the posterior, from sums.

use super::bound::Bound;
use super::entropy::Working;
use super::mixture::Mixture;
use super::model::Savigp;
use super::symmetric::copy_symmetric;
use gp_ep::InferenceError;
use gp_kernels::data::for_each_pair;
use gp_linalg::LinalgError;

impl Bound {
    pub(super) fn assemble(&mut self, model: &Savigp, posterior: &Mixture) -> Result<f64, InferenceError> {
        let (weight, latents, threading) = (self.weight(), posterior.counts().len(), self.threading());
        let expected = &self.layout.extra(&self.sums.numbers)[..self.layout.components()];
        let mut value = 0.0;
        for (k, expected) in expected.iter().enumerate() {
            self.working.by_weight[k] = weight * expected;
            value += self.working.weights[k] * weight * expected;
        }
        let Working { weights, by_mean, by_spread, factors, .. } = &mut self.working;
        let (layout, sums) = (&self.layout, &self.sums.numbers);
        for_each_pair(threading, by_mean, by_spread, |index, by_mean, by_spread| {
            let (k, q) = (index / latents, index % latents);
            let (part, scale) = (layout.part(sums, k, q), weight * weights[k]);
            by_mean.iter_mut().zip(part.shift).for_each(|(out, sum)| *out = scale * sum);
            let Some(factor) = factors.get(index) else {
                part.gram.iter().enumerate().for_each(|(i, sum)| by_spread[(i, 0)] = scale * sum);
                return Ok(());
            };
            // ∂/∂L of tr(Λ L Lᵀ) is 2ΛL, (2LᵀΛ)ᵀ.
            copy_symmetric(part.matrix(), by_spread.as_mut())?;
            factor.mul_l_transpose_in_place(by_spread.as_mut().transpose_mut(), threading)?;
            by_spread.col_iter_mut().flat_map(|column| column.iter_mut()).for_each(|x| *x *= 2.0 * scale);
            Ok::<(), LinalgError>(())
        })?;
        Ok(value + self.working.add_divergence(posterior, model.entropy(), threading)?)
    }

    pub(super) fn write_posterior(&self, posterior: &Mixture, gradient: &mut [f64]) {
        let Working { weights, by_weight, by_mean, by_spread, factors, .. } = &self.working;
        let mut rest = gradient;
        // Takes the next `count` numbers of the gradient.
        let mut next = |count: usize| rest.split_off_mut(..count).unwrap_or_default();
        if weights.len() > 1 {
            let mean: f64 = weights.iter().zip(by_weight).map(|(w, by)| w * by).sum();
            let softmax = weights.iter().zip(by_weight).map(|(w, by)| w * (by - mean));
            next(weights.len()).iter_mut().zip(softmax).for_each(|(out, value)| *out = value);
        }
        debug_assert_eq!(by_mean.len(), weights.len() * posterior.counts().len());
        for (by_mean, by_spread) in by_mean.iter().zip(by_spread) {
            let m = by_mean.len();
            next(m).copy_from_slice(by_mean);
            if factors.is_empty() {
                next(m).copy_from_slice(by_spread.col_as_slice(0));
                continue;
            }
            next(m).iter_mut().enumerate().for_each(|(i, out)| *out = by_spread[(i, i)]);
            (0..m).for_each(|j| next(m - j - 1).copy_from_slice(&by_spread.col_as_slice(j)[j + 1..]));
        }
    }
}
