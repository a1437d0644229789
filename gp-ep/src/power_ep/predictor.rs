//! What is left of a model for predictions: posteriors and the likelihood.

use super::batch::BatchEp;
use super::minibatch::MiniBatchEp;
use super::model::PowerEp;
use crate::error::{EpError, check_count};
use faer::{Mat, MatRef};
use gp_kernels::Evaluator;
use gp_kernels::data::for_each;
use gp_kernels::posterior::{InducingPosterior, LatentPrediction};
use gp_likelihoods::{Latent, Likelihood, Workspace};
use gp_linalg::Threading;
use std::ops::Range;

/// Rows that are worth a thread's attention.
const ROWS: usize = 64;

/// Predictions of observations. It borrows nothing.
#[derive(Debug)]
pub struct Predictor {
    posteriors: Vec<InducingPosterior>,
    likelihood: Box<dyn Likelihood>,
    evaluator: Evaluator,
}

/// What is told of the observations of some rows.
struct Part<'a> {
    rows: Range<usize>,
    out: &'a mut [f64],
    ws: Workspace,
    latents: Vec<Latent>,
}

impl Predictor {
    /// Predictions from one posterior for each latent of the likelihood.
    ///
    /// # Errors
    /// [`EpError::Shape`] for another number of posteriors.
    pub fn new(
        posteriors: Vec<InducingPosterior>,
        likelihood: Box<dyn Likelihood>,
        threading: Threading,
    ) -> Result<Self, EpError> {
        check_count("model", "posteriors", likelihood.latents(), posteriors.len())?;
        Ok(Self { posteriors, likelihood, evaluator: Evaluator::new(threading) })
    }

    /// The posteriors, one a latent.
    #[must_use]
    pub fn posteriors(&self) -> &[InducingPosterior] {
        &self.posteriors
    }

    /// The likelihood.
    #[must_use]
    pub fn likelihood(&self) -> &dyn Likelihood {
        self.likelihood.as_ref()
    }

    /// Means and variances of every latent at `x` (N×D).
    ///
    /// # Errors
    /// [`EpError::Kernel`] for points that do not suit a kernel or are not finite.
    pub fn latents(&self, x: MatRef<'_, f64>) -> Result<Vec<LatentPrediction>, EpError> {
        let predict = |posterior: &InducingPosterior| Ok(posterior.predict(x, &self.evaluator)?);
        self.posteriors.iter().map(predict).collect()
    }

    /// The probability of every class at `x` (N×D): N×C, classes in the order of the likelihood.
    ///
    /// # Errors
    /// As [`latents`](Self::latents); [`EpError::Unsupported`] where observations are no classes.
    pub fn class_probabilities(&self, x: MatRef<'_, f64>) -> Result<Mat<f64>, EpError> {
        let (count, classes) = (x.nrows(), self.likelihood.support().classes());
        if classes == 0 {
            return Err(EpError::Unsupported {
                what: "class probabilities of observations that are no classes",
            });
        }
        let mut all = vec![0.0; count * classes];
        self.each(x, classes, &mut all, |part, row| {
            let out = &mut part.out[(row - part.rows.start) * classes..][..classes];
            Ok(self.likelihood.class_probabilities(&part.latents, &mut part.ws, out)?)
        })?;
        Ok(Mat::from_fn(count, classes, |i, c| all[i * classes + c]))
    }

    /// `ln p(y_i | data)` of new observations: at `x` (N×D), `y` row after row.
    ///
    /// # Errors
    /// As [`latents`](Self::latents); [`EpError::Observation`] for one there cannot be, such as a class that was not
    /// among those of training; [`EpError::Shape`] for another number of targets.
    pub fn log_densities(&self, x: MatRef<'_, f64>, y: &[f64]) -> Result<Vec<f64>, EpError> {
        let (count, outputs) = (x.nrows(), self.likelihood.outputs());
        check_count("new targets", "entries", count * outputs, y.len())?;
        for (row, y) in y.chunks_exact(outputs).enumerate() {
            self.likelihood.check_observation(y).map_err(|error| EpError::from(error).at_row(row))?;
        }
        let mut all = vec![0.0; count];
        self.each(x, 1, &mut all, |part, row| {
            let y = &y[row * outputs..(row + 1) * outputs];
            let found = self.likelihood.log_predictive_density(y, &part.latents, &mut part.ws)?;
            part.out[row - part.rows.start] = found;
            Ok(())
        })?;
        Ok(all)
    }

    /// Calls `work` for every row, with its latents in place, some rows at a time on every thread.
    fn each(
        &self,
        x: MatRef<'_, f64>,
        width: usize,
        out: &mut [f64],
        work: impl Fn(&mut Part<'_>, usize) -> Result<(), EpError> + Sync,
    ) -> Result<(), EpError> {
        let predictions = self.latents(x)?;
        let parts = out.chunks_mut(ROWS * width).enumerate().map(|(k, out)| Part {
            rows: k * ROWS..k * ROWS + out.len() / width,
            out,
            ws: Workspace::new(),
            latents: Vec::with_capacity(predictions.len()),
        });
        let mut parts: Vec<Part<'_>> = parts.collect();
        for_each(self.evaluator.threading(), &mut parts, |_, part| {
            for row in part.rows.clone() {
                part.latents.clear();
                for latent in &predictions {
                    part.latents.push(Latent::new(latent.mean[row], latent.variance[row])?);
                }
                work(part, row).map_err(|error| error.at_row(row))?;
            }
            Ok(())
        })
    }
}

impl BatchEp {
    /// What predictions need, under the parameters and sites as they are.
    ///
    /// # Errors
    /// [`EpError::Kernel`] for a `K_zz` that cannot be factored.
    pub fn predictor(&self, model: &PowerEp) -> Result<Predictor, EpError> {
        predictor(model, |latent| self.posterior(model, latent))
    }
}

impl MiniBatchEp {
    /// What predictions need, under the parameters and sites as they are.
    ///
    /// # Errors
    /// [`EpError::Kernel`] for a `K_zz` that cannot be factored.
    pub fn predictor(&self, model: &PowerEp) -> Result<Predictor, EpError> {
        predictor(model, |latent| self.posterior(model, latent))
    }
}

fn predictor(
    model: &PowerEp,
    posterior: impl Fn(usize) -> Result<InducingPosterior, EpError>,
) -> Result<Predictor, EpError> {
    let posteriors = (0..model.likelihood().latents()).map(posterior).collect::<Result<_, _>>()?;
    Predictor::new(posteriors, model.likelihood().clone_box(), model.threading())
}
