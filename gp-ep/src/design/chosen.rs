//! Covariance that remains after observing the chosen points.

use super::marginal::LatentMarginal;
use crate::error::InferenceError;
use crate::posterior::{Posterior, Predictor};
use faer::{Mat, MatRef};
use gp_kernels::posterior::{LatentBeliefs, LatentPrediction};

/// Points per joint covariance.
const BLOCK: usize = 64;

#[derive(Clone, Debug)]
pub(super) struct Chosen {
    /// k×D, by rows.
    points: Vec<f64>,
    count: usize,
    latents: Vec<Taken>,
}

/// Changes of one latent's covariance: observing `s_j` subtracts `w_j c_j(x) c_j(x')`, where `c_j(x)` is the covariance
/// of x and `s_j` before.
#[derive(Clone, Debug, Default)]
struct Taken {
    weights: Vec<f64>,
    /// `c_i(s_j)` for i < j.
    before: Vec<Vec<f64>>,
}

impl Taken {
    /// All `c_j(x)`, from covariances with chosen points.
    fn columns(&self, covariances: &[f64]) -> Vec<f64> {
        let mut columns: Vec<f64> = Vec::with_capacity(covariances.len());
        for (covariance, before) in covariances.iter().zip(&self.before) {
            let taken: f64 =
                self.weights.iter().zip(&columns).zip(before).map(|((w, c), at)| w * c * at).sum();
            columns.push(covariance - taken);
        }
        columns
    }
}

impl Chosen {
    pub(super) fn new(latents: usize) -> Self {
        Self { points: Vec::new(), count: 0, latents: vec![Taken::default(); latents] }
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Means of `beliefs`, and variances given the chosen points.
    pub(super) fn after<F: Posterior>(
        &self,
        predictor: &Predictor<F>,
        beliefs: &LatentBeliefs,
        x: MatRef<'_, f64>,
    ) -> Result<Vec<LatentPrediction>, InferenceError> {
        let mut after = beliefs.functions().to_vec();
        for (latent, (taken, after)) in self.latents.iter().zip(&mut after).enumerate() {
            for (row, columns) in self.columns(predictor, latent, x)?.into_iter().enumerate() {
                let gone: f64 = taken.weights.iter().zip(&columns).map(|(w, c)| w * c * c).sum();
                after.variance[row] = (after.variance[row] - gone).max(0.0);
            }
        }
        Ok(after)
    }

    fn columns<F: Posterior>(
        &self,
        predictor: &Predictor<F>,
        latent: usize,
        x: MatRef<'_, f64>,
    ) -> Result<Vec<Vec<f64>>, InferenceError> {
        if self.count == 0 {
            return Ok(Vec::new());
        }
        let (dim, mut all) = (x.ncols(), Vec::with_capacity(x.nrows()));
        for first in (0..x.nrows()).step_by(BLOCK) {
            let rows = BLOCK.min(x.nrows() - first);
            let at = |i: usize, d: usize| match i.checked_sub(self.count) {
                None => self.points[i * dim + d],
                Some(i) => x[(first + i, d)],
            };
            let together = Mat::from_fn(self.count + rows, dim, at);
            let covariance = predictor.joint(latent, together.as_ref())?.1;
            let taken = &self.latents[latent];
            all.extend((0..rows).map(|i| {
                let own: Vec<f64> = (0..self.count).map(|j| covariance[(j, self.count + i)]).collect();
                taken.columns(&own)
            }));
        }
        Ok(all)
    }

    pub(super) fn push<F: Posterior>(
        &mut self,
        predictor: &Predictor<F>,
        point: MatRef<'_, f64>,
        now: &LatentMarginal,
        left: &[f64],
    ) -> Result<(), InferenceError> {
        let before = (0..self.latents.len()).map(|latent| self.columns(predictor, latent, point));
        let before = before.collect::<Result<Vec<_>, _>>()?;
        let known = self.latents.iter_mut().zip(before).zip(now.variances().iter().zip(left));
        for ((taken, before), (&variance, &left)) in known {
            taken.before.push(before.into_iter().next().unwrap_or_default());
            let weight =
                if variance > 0.0 { (variance - left).max(0.0) / (variance * variance) } else { 0.0 };
            taken.weights.push(weight);
        }
        self.points.extend(point.row(0).iter());
        self.count += 1;
        Ok(())
    }
}
