//! What is left for predictions.

use super::model::Ivm;
use super::observation::{Belief, Moments};
use super::representation::{ActiveSet, Representation, transpose_times};
use crate::error::{EpError, check_count};
use faer::{Accum, Mat, MatRef};
use gp_kernels::Evaluator;
use gp_linalg::Threading;
use gp_linalg::product::matmul;
use rayon::prelude::*;

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
    pub(super) fn new(model: &Ivm, inputs: MatRef<'_, f64>, active: ActiveSet) -> Result<Self, EpError> {
        let representation =
            Representation::new(&model.kernels, inputs, &active, &model.jitter, model.threading)?;
        Ok(Self { model: model.clone(), active, representation })
    }

    /// The same for active inputs that are given, one table a latent.
    pub(super) fn at_points(model: &Ivm, points: Vec<Mat<f64>>, active: ActiveSet) -> Result<Self, EpError> {
        let representation =
            Representation::at_points(&model.kernels, points, &active, &model.jitter, model.threading)?;
        Ok(Self { model: model.clone(), active, representation })
    }

    /// The active inputs of one latent, a row a point, in the order in which they came in.
    ///
    /// # Panics
    /// Where there is no such latent.
    #[must_use]
    pub fn active_inputs(&self, latent: usize) -> MatRef<'_, f64> {
        self.representation.classes[latent].inputs.as_ref()
    }

    /// What had to be added to the diagonals of the matrices that were factored, the largest of it.
    #[must_use]
    pub fn jitter(&self) -> f64 {
        let parts = self.representation.classes.iter().map(|class| &class.factor);
        parts.chain([&self.representation.joint]).map(|factor| factor.jitter().added).fold(0.0, f64::max)
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

    /// π and b of the sites at those rows, one of each an active row.
    #[must_use]
    pub fn sites(&self, latent: usize) -> (&[f64], &[f64]) {
        self.active.classes.get(latent).map_or((&[], &[]), |class| (&class.precision, &class.shift))
    }

    pub(super) fn into_active(self) -> ActiveSet {
        self.active
    }

    /// Beliefs about the latents of points x (n×D), which are taken to be new ones: white noise is a part of their
    /// variances and of no covariance with the data.
    ///
    /// # Errors
    /// [`EpError::Kernel`] for points that the kernels cannot take.
    pub fn latents(&self, x: MatRef<'_, f64>) -> Result<Vec<LatentBelief>, EpError> {
        let found = self.in_chunks(x, |belief, _| {
            Ok(LatentBelief { mean: belief.mean.clone(), covariance: belief.covariance.clone() })
        })?;
        Ok(found)
    }

    /// The probabilities of all classes at points x (n×D), a point a row, in the order of
    /// [`Support::label`](gp_likelihoods::Support::label).
    ///
    /// # Errors
    /// [`EpError::Kernel`] for points that the kernels cannot take.
    pub fn probabilities(&self, x: MatRef<'_, f64>) -> Result<Mat<f64>, EpError> {
        let observed = self.model.observation_model();
        let classes = observed.likelihood.support().classes();
        let rows = self.in_chunks(x, |belief, moments| {
            let mut row = vec![0.0; classes];
            observed.probabilities(belief, moments, &mut row)?;
            Ok(row)
        })?;
        Ok(Mat::from_fn(rows.len(), classes, |i, c| rows[i][c]))
    }

    /// The probabilities of all classes under beliefs that [`latents`](Self::latents) has returned, one row each.
    ///
    /// # Errors
    /// [`EpError::Likelihood`] for beliefs that are none of this posterior.
    pub fn probabilities_of(&self, beliefs: &[LatentBelief]) -> Result<Mat<f64>, EpError> {
        let observed = self.model.observation_model();
        let classes = observed.likelihood.support().classes();
        let row = |at: &mut Moments, belief: &LatentBelief| {
            let LatentBelief { mean, covariance } = belief.clone();
            let mut row = vec![0.0; classes];
            observed.probabilities(&Belief { mean, covariance }, at, &mut row)?;
            Ok(row)
        };
        let rows: Result<Vec<Vec<f64>>, EpError> = match self.model.threading {
            Threading::Here => {
                let mut at = Moments::default();
                beliefs.iter().map(|belief| row(&mut at, belief)).collect()
            }
            Threading::Pool => beliefs.par_iter().map_init(Moments::default, row).collect(),
        };
        let rows = rows?;
        Ok(Mat::from_fn(rows.len(), classes, |i, c| rows[i][c]))
    }

    /// Means of one latent at points x (n×D), and their joint covariance.
    ///
    /// # Errors
    /// As [`latents`](Self::latents).
    ///
    /// # Panics
    /// Where there is no such latent.
    pub fn joint(&self, latent: usize, x: MatRef<'_, f64>) -> Result<(Vec<f64>, Mat<f64>), EpError> {
        let (class, kernel) = (&self.representation.classes[latent], &self.model.kernels[latent]);
        check_count("table of points", "columns", class.inputs.ncols(), x.ncols())?;
        let threading = self.model.threading;
        let evaluator = Evaluator::new(threading);
        let mut cross = Mat::zeros(class.rows.len(), x.nrows());
        evaluator.cross(kernel.as_ref(), class.inputs.as_ref(), x, cross.as_mut())?;
        let mean = transpose_times(cross.as_ref(), &class.gamma)?;
        // K_xx − MᵀM + QᵀQ
        let mut covariance = Mat::zeros(x.nrows(), x.nrows());
        evaluator.gram(kernel.as_ref(), x, covariance.as_mut())?;
        for (factor, sign) in [(class.b.as_ref(), -1.0), (class.t.as_ref(), 1.0)] {
            let mut stubs = Mat::zeros(factor.nrows(), x.nrows());
            matmul(stubs.as_mut(), Accum::Replace, factor, cross.as_ref(), 1.0, threading)?;
            let stubs = stubs.as_ref();
            matmul(covariance.as_mut(), Accum::Add, stubs.transpose(), stubs, sign, threading)?;
        }
        Ok((mean, covariance))
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

    fn in_chunks<R: Send>(
        &self,
        x: MatRef<'_, f64>,
        of: impl Fn(&Belief, &mut Moments) -> Result<R, EpError> + Sync,
    ) -> Result<Vec<R>, EpError> {
        if let Some(class) = self.representation.classes.first() {
            check_count("table of points", "columns", class.inputs.ncols(), x.ncols())?;
        }
        let chunk = |start: usize| {
            let points = x.subrows(start, CHUNK.min(x.nrows() - start));
            let beliefs = self.beliefs(points)?;
            let mut moments = Moments::default();
            beliefs.iter().map(|belief| of(belief, &mut moments)).collect::<Result<Vec<R>, EpError>>()
        };
        let starts: Vec<usize> = (0..x.nrows()).step_by(CHUNK).collect();
        let found: Result<Vec<Vec<R>>, EpError> = match self.model.threading {
            Threading::Here => starts.into_iter().map(chunk).collect(),
            Threading::Pool => starts.into_par_iter().map(chunk).collect(),
        };
        Ok(found?.into_iter().flatten().collect())
    }

    fn beliefs(&self, points: MatRef<'_, f64>) -> Result<Vec<Belief>, EpError> {
        let evaluator = Evaluator::new(Threading::Here);
        let (mut cross, mut prior) = (Vec::new(), Vec::new());
        for (kernel, class) in self.model.kernels.iter().zip(&self.representation.classes) {
            let mut k = Mat::zeros(class.rows.len(), points.nrows());
            evaluator.cross(kernel.as_ref(), class.inputs.as_ref(), points, k.as_mut())?;
            let mut variances = vec![0.0; points.nrows()];
            evaluator.diagonal(kernel.as_ref(), points, &mut variances)?;
            cross.push(k);
            prior.push(variances);
        }
        self.representation.beliefs(&cross, &prior, Threading::Here, &mut Vec::new())
    }
}
