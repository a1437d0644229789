//! What is left of a model for predictions: posteriors and the likelihood.

use super::batch::BatchEp;
use super::minibatch::MiniBatchEp;
use super::model::PowerEp;
use crate::error::{EpError, check_count};
use faer::{Mat, MatRef};
use gp_kernels::Evaluator;
use gp_kernels::posterior::{InducingPosterior, LatentPrediction, MixturePosterior, at_rows};
use gp_likelihoods::{Latent, Likelihood, LikelihoodError, ObservationMoments, Predictive, Workspace};
use gp_linalg::Threading;

/// Predictions of observations. It borrows nothing.
#[derive(Debug)]
pub struct Predictor {
    functions: MixturePosterior<InducingPosterior>,
    likelihood: Box<dyn Likelihood>,
    evaluator: Evaluator,
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
        let functions = MixturePosterior::single(posteriors);
        Ok(Self { functions, likelihood, evaluator: Evaluator::new(threading) })
    }

    /// The posteriors, one a latent.
    #[must_use]
    pub fn posteriors(&self) -> &[InducingPosterior] {
        self.functions.parts()
    }

    /// What ties an observation to its latent values.
    #[must_use]
    pub fn likelihood(&self) -> &dyn Likelihood {
        self.likelihood.as_ref()
    }

    fn predictive(&self) -> Predictive<'_> {
        Predictive::new(self.likelihood.as_ref(), self.functions.weights())
    }

    /// Means and variances of every latent at `x` (N×D).
    ///
    /// # Errors
    /// [`EpError::Kernel`] for points that do not suit a kernel or are not finite.
    pub fn latents(&self, x: MatRef<'_, f64>) -> Result<Vec<LatentPrediction>, EpError> {
        Ok(self.functions.latents(x, &self.evaluator)?)
    }

    /// Mean and variance of each output at `x` (N×D): N·P of them, observation by observation.
    ///
    /// # Errors
    /// As [`latents`](Self::latents), and what the likelihood reports.
    pub fn moments(&self, x: MatRef<'_, f64>) -> Result<Vec<ObservationMoments>, EpError> {
        let rows = self.at_rows(x, |ws, _, beliefs| {
            let mut each = vec![ObservationMoments::default(); self.likelihood.outputs()];
            self.predictive().moments(beliefs, ws, &mut each)?;
            Ok(each)
        })?;
        Ok(rows.concat())
    }

    /// The least number that one output (counted from 0) does not exceed with this probability, at each row of `x`.
    ///
    /// # Errors
    /// As [`moments`](Self::moments), for a probability that is not strictly between 0 and 1, and for no such output.
    pub fn quantiles(
        &self,
        x: MatRef<'_, f64>,
        output: usize,
        probability: f64,
    ) -> Result<Vec<f64>, EpError> {
        self.at_rows(x, |ws, _, beliefs| self.predictive().quantile(beliefs, (output, probability), ws))
    }

    /// The probability of every class at `x` (N×D): N×C, classes in the order of the likelihood.
    ///
    /// # Errors
    /// As [`latents`](Self::latents); [`EpError::Unsupported`] where observations are no classes.
    pub fn class_probabilities(&self, x: MatRef<'_, f64>) -> Result<Mat<f64>, EpError> {
        let classes = self.likelihood.support().classes();
        if classes == 0 {
            return Err(EpError::Unsupported {
                what: "class probabilities of observations that are no classes",
            });
        }
        let rows = self.at_rows(x, |ws, _, beliefs| {
            let mut each = vec![0.0; classes];
            self.predictive().class_probabilities(beliefs, ws, &mut each)?;
            Ok(each)
        })?;
        Ok(Mat::from_fn(rows.len(), classes, |i, c| rows[i][c]))
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
        self.at_rows(x, |ws, row, beliefs| {
            self.predictive().log_density(&y[row * outputs..(row + 1) * outputs], beliefs, ws)
        })
    }

    /// `count` joint samples of every latent at `x`, the same for the same seed: for each latent N×`count`, one sample per
    /// column.
    ///
    /// # Errors
    /// As [`latents`](Self::latents), and when a covariance cannot be factored.
    pub fn sample_latents(
        &self,
        x: MatRef<'_, f64>,
        count: usize,
        seed: u64,
    ) -> Result<Vec<Mat<f64>>, EpError> {
        Ok(self.functions.sample(x, count, seed, &self.evaluator)?)
    }

    /// `of` at every row of `x`, with the beliefs about its latent values.
    fn at_rows<T: Send>(
        &self,
        x: MatRef<'_, f64>,
        of: impl Fn(&mut Workspace, usize, &[Latent]) -> Result<T, LikelihoodError> + Sync,
    ) -> Result<Vec<T>, EpError> {
        let (components, threading) =
            (self.functions.components(x, &self.evaluator)?, self.evaluator.threading());
        at_rows(
            &components,
            threading,
            || Ok(()),
            Workspace::new,
            |ws, row, beliefs| {
                let beliefs: Result<Vec<Latent>, LikelihoodError> =
                    beliefs.map(|(mean, variance)| Latent::new(mean, variance)).collect();
                let found = beliefs.and_then(|beliefs| of(ws, row, &beliefs));
                found.map_err(|error| EpError::from(error).at_row(row))
            },
        )
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
