//! What is left for predictions.

use super::chunks::in_chunks;
use super::model::Ivm;
use super::observation::{Belief, Scratch};
use super::representation::{ActiveSet, Representation, dot};
use super::small::Square;
use crate::error::{EpError, check_count};
use faer::{Accum, Mat, MatRef};
use gp_kernels::Evaluator;
use gp_linalg::Threading;
use gp_linalg::product::matmul;

/// Points that are predicted at a time.
const CHUNK: usize = 256;

/// The posterior over all latent functions. It holds a copy of the model and of the active inputs, and borrows nothing.
#[derive(Clone, Debug)]
pub struct IvmPosterior {
    model: Ivm,
    active: ActiveSet,
    representation: Representation,
}

/// Beliefs about the latents of one point.
#[derive(Clone, Debug, PartialEq)]
pub struct LatentBelief {
    /// The mean of each latent.
    pub mean: Vec<f64>,
    /// Their covariance matrix, row by row.
    pub covariance: Vec<f64>,
}

impl IvmPosterior {
    pub(super) fn new(model: &Ivm, active: ActiveSet) -> Result<Self, EpError> {
        let representation = Representation::of(&active, &model.grams(&active)?, model.jitter)?;
        Ok(Self { model: model.clone(), active, representation })
    }

    /// The active inputs of one latent, a row a point, in the order in which they came in.
    ///
    /// # Panics
    /// Where there is no such latent.
    #[must_use]
    pub fn active_inputs(&self, latent: usize) -> MatRef<'_, f64> {
        self.active.classes[latent].inputs.as_ref()
    }

    /// What had to be added to the diagonals of the matrices that were factored, the largest of it.
    #[must_use]
    pub fn jitter(&self) -> f64 {
        self.representation.jitter()
    }

    /// The model, as it was when the posterior was made.
    #[must_use]
    pub fn model(&self) -> &Ivm {
        &self.model
    }

    /// The active rows of the data of one latent, in the order in which they came in: the same for all latents where
    /// classes are coupled. Empty where there is no such latent.
    #[must_use]
    pub fn active(&self, latent: usize) -> &[usize] {
        self.active.classes.get(latent).map_or(&[], |class| &class.rows)
    }

    /// π and b of the sites at those rows, one of each per active row.
    #[must_use]
    pub fn sites(&self, latent: usize) -> (&[f64], &[f64]) {
        self.active.classes.get(latent).map_or((&[], &[]), |class| (&class.precision, &class.shift))
    }

    pub(super) fn active_set(&self) -> &ActiveSet {
        &self.active
    }

    /// Beliefs about the latents of points x (n×D), which are taken to be new ones: white noise is a part of their
    /// variances and of no covariance with the data.
    ///
    /// # Errors
    /// [`EpError::Kernel`] for points that the kernels cannot take.
    pub fn latents(&self, x: MatRef<'_, f64>) -> Result<Vec<LatentBelief>, EpError> {
        let flat = |belief: Belief, _: &mut Scratch| {
            Ok(LatentBelief { mean: belief.mean, covariance: belief.covariance.into_entries() })
        };
        self.at(x, flat)
    }

    /// The probabilities of all classes at points x (n×D), a point a row, in the order of
    /// [`Support::label`](gp_likelihoods::Support::label).
    ///
    /// # Errors
    /// [`EpError::Kernel`] for points that the kernels cannot take.
    pub fn probabilities(&self, x: MatRef<'_, f64>) -> Result<Mat<f64>, EpError> {
        let observed = self.model.observation_model();
        let rows = self.at(x, |belief, scratch| observed.probabilities(&belief, scratch))?;
        Ok(Mat::from_fn(rows.len(), observed.classes(), |i, c| rows[i][c]))
    }

    /// The probabilities of all classes under beliefs that [`latents`](Self::latents) has returned, one row each.
    ///
    /// # Errors
    /// [`EpError::Likelihood`] for beliefs that are none of this posterior.
    pub fn probabilities_of(&self, beliefs: &[LatentBelief]) -> Result<Mat<f64>, EpError> {
        let observed = self.model.observation_model();
        let rows = in_chunks(beliefs, CHUNK, self.model.threading, |beliefs| {
            let mut scratch = Scratch::default();
            let probabilities = |LatentBelief { mean, covariance }: &LatentBelief| {
                let (mean, q) = (mean.clone(), self.model.classes());
                check_count("belief", "latents", q, mean.len())?;
                check_count("covariance of a belief", "entries", q * q, covariance.len())?;
                let covariance = Square::from_rows(q, covariance);
                observed.probabilities(&Belief { mean, covariance }, &mut scratch)
            };
            beliefs.iter().map(probabilities).collect()
        })?;
        Ok(Mat::from_fn(rows.len(), observed.classes(), |i, c| rows[i][c]))
    }

    /// Means of one latent at points x (n×D), and their joint covariance.
    ///
    /// # Errors
    /// As [`latents`](Self::latents).
    ///
    /// # Panics
    /// Where there is no such latent.
    pub fn joint(&self, latent: usize, x: MatRef<'_, f64>) -> Result<(Vec<f64>, Mat<f64>), EpError> {
        let (kernel, threading) = (&self.model.kernels[latent], self.model.threading);
        let evaluator = Evaluator::new(threading);
        let cross = self.cross(latent, x, &evaluator)?;
        let (m, q) = self.representation.class_stubs(latent, cross, threading)?;
        let (beta, joint) = (&self.representation.classes[latent].beta, &self.representation.beta);
        let mean = |j: usize| dot(m.col_as_slice(j), beta) + dot(q.col_as_slice(j), joint);
        // K_xx − MᵀM + QᵀQ
        let mut covariance = Mat::zeros(x.nrows(), x.nrows());
        evaluator.gram(kernel.as_ref(), x, covariance.as_mut())?;
        for (stubs, sign) in [(m.as_ref(), -1.0), (q.as_ref(), 1.0)] {
            matmul(covariance.as_mut(), Accum::Add, stubs.transpose(), stubs, sign, threading)?;
        }
        Ok(((0..x.nrows()).map(mean).collect(), covariance))
    }

    /// The most probable label at each point x (n×D).
    ///
    /// # Errors
    /// As [`probabilities`](Self::probabilities).
    pub fn labels(&self, x: MatRef<'_, f64>) -> Result<Vec<f64>, EpError> {
        let found = self.probabilities(x)?;
        let support = self.model.likelihood.support();
        let best = |i: usize| {
            (1..found.ncols()).fold(0, |best, c| if found[(i, c)] > found[(i, best)] { c } else { best })
        };
        Ok((0..found.nrows()).map(|i| support.label(best(i))).collect())
    }

    /// Something for every point, by the belief about it.
    fn at<R: Send>(
        &self,
        x: MatRef<'_, f64>,
        of: impl Fn(Belief, &mut Scratch) -> Result<R, EpError> + Sync,
    ) -> Result<Vec<R>, EpError> {
        let rows: Vec<usize> = (0..x.nrows()).collect();
        in_chunks(&rows, CHUNK, self.model.threading, |rows| {
            let mut scratch = Scratch::default();
            let beliefs = self.beliefs(x.subrows(rows[0], rows.len()))?;
            beliefs.into_iter().map(|belief| of(belief, &mut scratch)).collect()
        })
    }

    /// Covariances of the active points of a latent with others.
    fn cross(
        &self,
        latent: usize,
        points: MatRef<'_, f64>,
        evaluator: &Evaluator,
    ) -> Result<Mat<f64>, EpError> {
        let inputs = self.active_inputs(latent);
        check_count("table of points", "columns", inputs.ncols(), points.ncols())?;
        let mut cross = Mat::zeros(inputs.nrows(), points.nrows());
        evaluator.cross(self.model.kernels[latent].as_ref(), inputs, points, cross.as_mut())?;
        Ok(cross)
    }

    fn beliefs(&self, points: MatRef<'_, f64>) -> Result<Vec<Belief>, EpError> {
        let evaluator = Evaluator::new(Threading::Here);
        let (mut cross, mut prior) = (Vec::new(), Vec::new());
        for (latent, kernel) in self.model.kernels.iter().enumerate() {
            cross.push(self.cross(latent, points, &evaluator)?);
            let mut variances = vec![0.0; points.nrows()];
            evaluator.diagonal(kernel.as_ref(), points, &mut variances)?;
            prior.push(variances);
        }
        let stubs = self.representation.stubs(cross, Threading::Here)?;
        Ok((0..points.nrows()).map(|j| self.representation.belief(&stubs, j, |c| prior[c][j])).collect())
    }
}
