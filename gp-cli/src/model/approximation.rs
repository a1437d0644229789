//! An approximate posterior with its likelihood: what is learned, apart from the units of the data.

use super::posterior::{Posterior, StoredLatent};
use crate::error::CliError;
use faer::MatRef;
use gp_kernels::posterior::LatentPrediction;
use gp_likelihoods::{Latent, Likelihood, LikelihoodError, ObservationMoments, Workspace};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Posteriors of the latent functions, and the likelihood that ties them to observations.
#[derive(Clone, Debug)]
pub struct Approximation {
    latents: Vec<Posterior>,
    likelihood: Box<dyn Likelihood>,
}

/// The same as text and numbers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct StoredApproximation {
    likelihood: String,
    latents: Vec<StoredLatent>,
}

/// Beliefs about the latent values of some points.
#[derive(Clone, Debug, PartialEq)]
pub struct Latents {
    functions: Vec<LatentPrediction>,
}

/// The first two moments of an observation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    /// Where it is on average.
    pub mean: f64,
    /// How far from there, squared, noise included.
    pub variance: f64,
}

impl Latents {
    /// One entry for each latent function.
    #[must_use]
    pub fn functions(&self) -> &[LatentPrediction] {
        &self.functions
    }

    /// The number of points.
    #[must_use]
    pub fn len(&self) -> usize {
        self.functions.first().map_or(0, |function| function.mean.len())
    }

    /// Whether there is no point.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The beliefs about the latents of one point.
    fn at(&self, row: usize) -> Result<Vec<Latent>, LikelihoodError> {
        self.functions
            .iter()
            .map(|function| Latent::new(function.mean[row], function.variance[row]))
            .collect()
    }

    /// One answer for each point, in their order, worked out by all threads.
    fn each<T: Send>(
        &self,
        answer: impl Fn(usize, &[Latent], &mut Workspace) -> Result<T, LikelihoodError> + Sync,
    ) -> Result<Vec<T>, CliError> {
        let rows = (0..self.len()).into_par_iter();
        let answers = rows.map_init(Workspace::new, |ws, row| answer(row, &self.at(row)?, ws));
        Ok(answers.collect::<Result<_, _>>()?)
    }
}

impl Approximation {
    /// Posteriors, as many as the likelihood has latents.
    #[must_use]
    pub fn new(latents: Vec<Posterior>, likelihood: Box<dyn Likelihood>) -> Self {
        Self { latents, likelihood }
    }

    /// The posteriors.
    #[must_use]
    pub fn latents(&self) -> &[Posterior] {
        &self.latents
    }

    /// What observations say about latent values, as it was learned.
    #[must_use]
    pub fn likelihood(&self) -> &dyn Likelihood {
        self.likelihood.as_ref()
    }

    /// Beliefs about the latent values at the rows of `points`.
    ///
    /// # Errors
    /// As [`Posterior::predict`].
    pub fn predict(&self, points: MatRef<'_, f64>) -> Result<Latents, CliError> {
        let functions = self.latents.iter().map(|latent| latent.predict(points));
        Ok(Latents { functions: functions.collect::<Result<_, _>>()? })
    }

    /// Mean and variance of the observation at each point.
    ///
    /// # Errors
    /// Of kind [`Numerical`](crate::ErrorKind::Numerical) where the likelihood has none.
    pub fn moments(&self, latents: &Latents) -> Result<Vec<Moments>, CliError> {
        latents.each(|_, beliefs, ws| {
            let mut out = [ObservationMoments { mean: 0.0, variance: 0.0 }];
            self.likelihood.predictive_moments(beliefs, ws, &mut out)?;
            Ok(Moments { mean: out[0].mean, variance: out[0].variance })
        })
    }

    /// The number that the observation at each point does not exceed with this probability.
    ///
    /// # Errors
    /// As [`moments`](Self::moments), and for a probability outside (0, 1).
    pub fn quantiles(&self, latents: &Latents, probability: f64) -> Result<Vec<f64>, CliError> {
        latents.each(|_, beliefs, ws| self.likelihood.predictive_quantile(beliefs, 0, probability, ws))
    }

    /// The probabilities of the classes at each point.
    ///
    /// # Errors
    /// As [`moments`](Self::moments).
    pub fn class_probabilities(&self, latents: &Latents) -> Result<Vec<Vec<f64>>, CliError> {
        let classes = self.likelihood.support().classes();
        latents.each(|_, beliefs, ws| {
            let mut out = vec![0.0; classes];
            self.likelihood.class_probabilities(beliefs, ws, &mut out)?;
            Ok(out)
        })
    }

    /// The log density of an observation at each point.
    ///
    /// # Errors
    /// As [`moments`](Self::moments), and for an observation that the likelihood cannot have.
    pub fn log_densities(&self, latents: &Latents, observations: &[f64]) -> Result<Vec<f64>, CliError> {
        latents.each(|row, beliefs, ws| {
            self.likelihood.log_predictive_density(&observations[row..=row], beliefs, ws)
        })
    }

    pub(super) fn to_stored(&self) -> Result<StoredApproximation, CliError> {
        let latents = self.latents.iter().map(Posterior::to_stored).collect::<Result<_, _>>()?;
        Ok(StoredApproximation { likelihood: self.likelihood.expression(), latents })
    }
}

impl StoredApproximation {
    pub(super) fn restore(self) -> Result<Approximation, CliError> {
        let likelihood = gp_likelihoods::parse(&self.likelihood)?;
        if likelihood.latents() != self.latents.len() {
            let (found, wanted) = (self.latents.len(), likelihood.latents());
            let message = format!("{found} latent functions, and the likelihood has {wanted}");
            return Err(CliError::new(crate::ErrorKind::Model, message));
        }
        let latents = self.latents.into_iter().map(StoredLatent::restore).collect::<Result<_, _>>()?;
        Ok(Approximation { latents, likelihood })
    }
}
