//! Posterior of an informative vector machine.

use super::active_set::ActiveSet;
use super::chunks::in_chunks;
use super::model::Ivm;
use super::numbers::Column;
use super::observation::{ClassBelief, IntegralScratch};
use super::representation::{Representation, StubBlock};
use super::small::{Square, dot};
use crate::error::{InferenceError, check_count};
use crate::posterior::{Posterior, Predictor};
use faer::{Accum, Mat, MatRef};
use gp_kernels::posterior::{LatentBeliefs, LatentFunction, LatentPrediction, sample_joint, terms};
use gp_kernels::{Evaluator, Kernel};
use gp_linalg::Threading;
use gp_linalg::product::matmul;

const CHUNK: usize = 256;

/// Posterior over all latent functions.
#[derive(Clone, Debug)]
pub struct IvmPosterior {
    model: Ivm,
    active: ActiveSet,
    representation: Representation,
}

impl IvmPosterior {
    pub(super) fn new(model: &Ivm, active: ActiveSet) -> Result<Self, InferenceError> {
        let representation = Representation::of(&active, &model.grams(&active)?, model.jitter)?;
        Ok(Self { model: model.clone(), active, representation })
    }

    /// Inputs, d×D, in order of inclusion.
    ///
    /// # Panics
    /// For an unknown latent.
    #[must_use]
    pub fn active_inputs(&self, latent: usize) -> MatRef<'_, f64> {
        self.active.classes[latent].inputs.as_ref()
    }

    /// Largest jitter added.
    #[must_use]
    pub fn jitter(&self) -> f64 {
        self.representation.jitter()
    }

    /// Model when this posterior was computed.
    #[must_use]
    pub fn model(&self) -> &Ivm {
        &self.model
    }

    /// Rows in order of inclusion; equal if coupled, empty for unknown latents.
    #[must_use]
    pub fn active(&self, latent: usize) -> &[usize] {
        self.active.classes.get(latent).map_or(&[], |class| &class.rows)
    }

    /// π and b by active row; empty for unknown latents.
    #[must_use]
    pub fn sites(&self, latent: usize) -> (&[f64], &[f64]) {
        self.active.classes.get(latent).map_or((&[], &[]), |class| (&class.precision, &class.shift))
    }

    pub(super) fn active_set(&self) -> &ActiveSet {
        &self.active
    }

    /// Predictor with the model's likelihood; in practice never an error.
    pub fn predictor(&self) -> Result<Predictor<Self>, InferenceError> {
        Predictor::new(self.clone(), self.model.likelihood().clone_box(), self.model.threading)
    }

    fn cross(
        &self,
        (latent, kernel): (usize, &dyn Kernel),
        points: MatRef<'_, f64>,
        evaluator: &Evaluator,
    ) -> Result<Mat<f64>, InferenceError> {
        let inputs = self.active_inputs(latent);
        check_count("table of points", "columns", inputs.ncols(), points.ncols())?;
        let mut cross = Mat::zeros(inputs.nrows(), points.nrows());
        evaluator.cross(kernel, inputs, points, cross.as_mut())?;
        Ok(cross)
    }

    /// Means, and variances `k − ‖m‖² + ‖q‖²`.
    fn marginals(
        &self,
        (latent, kernel): (usize, &dyn Kernel),
        points: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<LatentPrediction, InferenceError> {
        let cross = self.cross((latent, kernel), points, by)?;
        let (m, q) = self.representation.class_stubs(latent, cross, by.threading())?;
        let mut found = LatentPrediction::zeros(points.nrows());
        by.diagonal(kernel, points, &mut found.variance)?;
        for (j, (mean, variance)) in found.mean.iter_mut().zip(&mut found.variance).enumerate() {
            let (m, q) = (m.col_as_slice(j), q.col_as_slice(j));
            *mean = self.mean(latent, m, q);
            *variance = (*variance - dot(m, m)).max(0.0) + dot(q, q);
        }
        Ok(found)
    }

    fn mean(&self, latent: usize, m: &[f64], q: &[f64]) -> f64 {
        dot(m, &self.representation.classes[latent].beta) + dot(q, &self.representation.beta)
    }

    fn check_latent(&self, latent: usize) -> Result<(), InferenceError> {
        let latents = self.model.classes();
        check_count("posterior", "latent functions", latents.max(latent + 1), latents)
    }

    fn beliefs_at(&self, points: MatRef<'_, f64>) -> Result<Vec<ClassBelief>, InferenceError> {
        let (stubs, prior) = self.stubs(points)?;
        Ok((0..points.nrows()).map(|j| self.representation.belief(&stubs, j, |c| prior[c][j])).collect())
    }

    fn stubs(&self, points: MatRef<'_, f64>) -> Result<(StubBlock, Vec<Vec<f64>>), InferenceError> {
        let evaluator = Evaluator::new(Threading::Here);
        let (mut cross, mut prior) = (Vec::new(), Vec::new());
        for (latent, kernel) in self.model.kernels.iter().enumerate() {
            cross.push(self.cross((latent, kernel.as_ref()), points, &evaluator)?);
            let mut variances = vec![0.0; points.nrows()];
            evaluator.diagonal(kernel.as_ref(), points, &mut variances)?;
            prior.push(variances);
        }
        Ok((self.representation.stubs(cross, Threading::Here)?, prior))
    }
}

/// White noise is part of variances only.
impl Posterior for IvmPosterior {
    fn latent_count(&self) -> usize {
        self.model.classes()
    }

    fn describe(&self, latent: usize) -> LatentFunction<'_> {
        LatentFunction {
            kernel: self.model.kernels[latent].as_ref(),
            represented_by: Some(self.active_inputs(latent)),
            windows: None,
            points_name: "active points",
            jitter: self.jitter(),
        }
    }

    fn beliefs(&self, x: MatRef<'_, f64>, by: &Evaluator) -> Result<LatentBeliefs, InferenceError> {
        let rows: Vec<usize> = (0..x.nrows()).collect();
        let found = in_chunks(&rows, CHUNK, by.threading(), |rows| {
            by.check_stop()?;
            self.beliefs_at(x.subrows(rows[0], rows.len()))
        })?;
        let covariances =
            found.iter().flat_map(|belief| belief.covariance.rows()).flatten().copied().collect();
        let means: Vec<Vec<f64>> = found.iter().map(|belief| belief.mean.to_vec()).collect();
        Ok(LatentBeliefs::correlated(&means, covariances))
    }

    fn joint(
        &self,
        latent: usize,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<(Vec<f64>, Mat<f64>), InferenceError> {
        self.check_latent(latent)?;
        let (kernel, threading) = (&self.model.kernels[latent], by.threading());
        let cross = self.cross((latent, kernel.as_ref()), x, by)?;
        let (m, q) = self.representation.class_stubs(latent, cross, threading)?;
        let mean = |j: usize| self.mean(latent, m.col_as_slice(j), q.col_as_slice(j));
        // K_xx − MᵀM + QᵀQ
        let mut covariance = Mat::zeros(x.nrows(), x.nrows());
        by.gram(kernel.as_ref(), x, covariance.as_mut())?;
        for (stubs, sign) in [(m.as_ref(), -1.0), (q.as_ref(), 1.0)] {
            matmul(covariance.as_mut(), Accum::Add, stubs.transpose(), stubs, sign, threading)?;
        }
        Ok(((0..x.nrows()).map(mean).collect(), covariance))
    }

    fn sample(
        &self,
        x: MatRef<'_, f64>,
        count: usize,
        seed: u64,
        by: &Evaluator,
    ) -> Result<Vec<Mat<f64>>, InferenceError> {
        let (latents, points) = (self.model.classes(), x.nrows());
        let mut grams = Vec::with_capacity(latents);
        for kernel in &self.model.kernels {
            let mut gram = Mat::zeros(points, points);
            by.gram(kernel.as_ref(), x, gram.as_mut())?;
            grams.push(gram);
        }
        let (stubs, prior) = self.stubs(x)?;
        let belief = |j: usize| self.representation.belief(&stubs, j, |c| prior[c][j]);
        let mean: Vec<f64> = (0..points).flat_map(|j| belief(j).mean.to_vec()).collect();
        let covariance = stubs.covariance(&stubs, |c, i, j| grams[c][(i, j)])?;
        let level = prior.iter().flatten().copied().fold(0.0, f64::max);
        let rounding = (mean.len() + self.representation.len()) as f64 * f64::EPSILON * level;
        let drawn = sample_joint(&mean, covariance, rounding, (count, seed), by.threading())?;
        let of = |q: usize| Mat::from_fn(points, count, |i, j| drawn[(i * latents + q, j)]);
        Ok((0..latents).map(of).collect())
    }

    fn term_means(
        &self,
        latent: usize,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<Mat<f64>, InferenceError> {
        let found = self.predict_terms(latent, x, by)?;
        Ok(Mat::from_fn(x.nrows(), found.len(), |i, t| found[t].mean[i]))
    }

    fn predict_terms(
        &self,
        latent: usize,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<Vec<LatentPrediction>, InferenceError> {
        self.check_latent(latent)?;
        let terms = terms(self.model.kernels[latent].as_ref());
        let mut found = vec![LatentPrediction::default(); terms.len()];
        for first in (0..x.nrows()).step_by(CHUNK) {
            by.check_stop()?;
            let rows = x.subrows(first, CHUNK.min(x.nrows() - first));
            for (term, found) in terms.iter().zip(&mut found) {
                let block = self.marginals((latent, *term), rows, by)?;
                found.mean.extend(block.mean);
                found.variance.extend(block.variance);
            }
        }
        Ok(found)
    }

    fn class_probabilities(
        &self,
        beliefs: &LatentBeliefs,
        by: &Evaluator,
    ) -> Result<Option<Mat<f64>>, InferenceError> {
        let (observed, q) = (self.model.observation_model(), self.model.classes());
        check_count("beliefs", "latents", q, beliefs.functions().len())?;
        let points: Vec<usize> = (0..beliefs.len()).collect();
        let rows = in_chunks(&points, CHUNK, by.threading(), |points| {
            by.check_stop()?;
            let mut scratch = IntegralScratch::default();
            let probabilities = |&point: &usize| {
                let what = "independent beliefs about the latents of an informative vector machine";
                let (mean, covariance) = beliefs.at(point).ok_or(InferenceError::Unsupported { what })?;
                let covariance = Square::from_rows(q, covariance);
                observed.probabilities(&ClassBelief { mean: Column::of(&mean), covariance }, &mut scratch)
            };
            points.iter().map(probabilities).collect()
        })?;
        Ok(Some(Mat::from_fn(rows.len(), observed.classes(), |i, c| rows[i][c])))
    }
}
