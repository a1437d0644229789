//! An approximate posterior with its likelihood: what is learned, apart from the units of the data.

use super::functions::{Functions, LatentFunction, StoredFunctions};
use super::latents::Latents;
use super::posterior::Posterior;
use super::vocabulary::Vocabulary;
use crate::error::{CliError, ErrorKind};
use faer::{Mat, MatRef};
use gp_ep::ivm::IvmPosterior;
use gp_kernels::Evaluator;
use gp_kernels::posterior::{MixturePosterior, at_rows};
use gp_likelihoods::{Latent, Likelihood, LikelihoodError, ObservationMoments, Predictive, Workspace};
use gp_variational::VariationalPosterior;
use serde::{Deserialize, Serialize};

/// Posteriors of the latent functions, and the likelihood that ties them to observations.
#[derive(Clone, Debug)]
pub struct Approximation {
    functions: Functions,
    likelihood: Box<dyn Likelihood>,
}

/// The same as text and numbers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct StoredApproximation {
    likelihood: String,
    #[serde(flatten)]
    functions: StoredFunctions,
}

/// The first two moments of an observation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    /// Where it is on average.
    pub mean: f64,
    /// How far from there, squared, noise included.
    pub variance: f64,
}

impl Approximation {
    /// Posteriors, as many as the likelihood has latents.
    #[must_use]
    pub fn new(latents: Vec<Posterior>, likelihood: Box<dyn Likelihood>) -> Self {
        Self { functions: Functions::Components(MixturePosterior::single(latents)), likelihood }
    }

    /// A Gaussian or a mixture of Gaussians over inducing values.
    ///
    /// # Errors
    /// Of kind [`Numerical`](ErrorKind::Numerical) for a posterior that has no inducing values.
    pub fn of_variational(found: &VariationalPosterior) -> Result<Self, CliError> {
        let (weights, likelihood) = (found.weights().to_vec(), found.likelihood().clone_box());
        let latents = likelihood.latents();
        let part = |index: usize| found.component(index / latents, index % latents).cloned();
        let parts: Option<Vec<_>> = (0..weights.len() * latents).map(part).collect();
        let parts = parts.ok_or_else(|| {
            CliError::new(ErrorKind::Numerical, "the variational posterior has no inducing values")
        })?;
        let parts = parts.into_iter().map(|part| Posterior::Inducing(Box::new(part))).collect();
        Ok(Self { functions: Functions::Components(MixturePosterior::new(weights, parts)?), likelihood })
    }

    /// What the active points of an informative vector machine say.
    #[must_use]
    pub fn of_active(found: IvmPosterior) -> Self {
        let likelihood = found.model().likelihood().clone_box();
        Self { functions: Functions::Active(Box::new(found)), likelihood }
    }

    /// The latent functions.
    #[must_use]
    pub fn latents(&self) -> Vec<LatentFunction<'_>> {
        (0..self.likelihood.latents()).map(|latent| self.functions.describe(latent)).collect()
    }

    /// Proportions of the components, one unless the posterior is a mixture.
    #[must_use]
    pub fn weights(&self) -> &[f64] {
        self.functions.weights()
    }

    /// The posteriors, component by component, one a latent function; none of an informative vector machine.
    #[must_use]
    pub fn parts(&self) -> &[Posterior] {
        match &self.functions {
            Functions::Components(mixture) => mixture.parts(),
            Functions::Active(_) => &[],
        }
    }

    /// The posterior of an informative vector machine, if it is one.
    #[must_use]
    pub fn active(&self) -> Option<&IvmPosterior> {
        match &self.functions {
            Functions::Components(_) => None,
            Functions::Active(found) => Some(found),
        }
    }

    /// What observations say about latent values, as it was learned.
    #[must_use]
    pub fn likelihood(&self) -> &dyn Likelihood {
        self.likelihood.as_ref()
    }

    /// Beliefs about the latent values at the rows of `points`.
    ///
    /// # Errors
    /// Of kind [`Numerical`](ErrorKind::Numerical) for points that a kernel cannot take.
    pub fn predict(&self, points: MatRef<'_, f64>) -> Result<Latents, CliError> {
        self.functions.predict(points)
    }

    /// Means of the first latent function and their joint covariance at the rows of `points`.
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    pub fn predict_joint(&self, points: MatRef<'_, f64>) -> Result<(Vec<f64>, Mat<f64>), CliError> {
        self.functions.predict_joint(points)
    }

    /// What the components together predict of one observation.
    fn predictive(&self) -> Predictive<'_> {
        Predictive::new(self.likelihood.as_ref(), self.weights())
    }

    /// Mean and variance of the observation at each point.
    ///
    /// # Errors
    /// Of kind [`Numerical`](ErrorKind::Numerical) where the likelihood has none.
    pub fn moments(&self, latents: &Latents) -> Result<Vec<Moments>, CliError> {
        self.each(latents, |_, beliefs, ws| {
            let mut out = [ObservationMoments { mean: 0.0, variance: 0.0 }];
            self.predictive().moments(beliefs, ws, &mut out)?;
            Ok(Moments { mean: out[0].mean, variance: out[0].variance })
        })
    }

    /// The number that the observation at each point does not exceed with this probability.
    ///
    /// # Errors
    /// As [`moments`](Self::moments), and for a probability outside (0, 1).
    pub fn quantiles(&self, latents: &Latents, probability: f64) -> Result<Vec<f64>, CliError> {
        self.each(latents, |_, beliefs, ws| self.predictive().quantile(beliefs, (0, probability), ws))
    }

    /// The probabilities of the classes at each point.
    ///
    /// # Errors
    /// As [`moments`](Self::moments).
    pub fn class_probabilities(&self, latents: &Latents) -> Result<Vec<Vec<f64>>, CliError> {
        if let Functions::Active(found) = &self.functions {
            let table = found.probabilities_of(latents.joint())?;
            return Ok(table.row_iter().map(|row| row.iter().copied().collect()).collect());
        }
        let classes = self.likelihood.support().classes();
        self.each(latents, |_, beliefs, ws| {
            let mut out = vec![0.0; classes];
            self.predictive().class_probabilities(beliefs, ws, &mut out)?;
            Ok(out)
        })
    }

    /// The log density of an observation at each point.
    ///
    /// # Errors
    /// As [`moments`](Self::moments), and for an observation that the likelihood cannot have.
    pub fn log_densities(&self, latents: &Latents, observations: &[f64]) -> Result<Vec<f64>, CliError> {
        if let Functions::Active(_) = &self.functions {
            let support = self.likelihood.support();
            let class = |y: f64| (0..support.classes()).find(|&class| support.label(class) == y);
            let rows = self.class_probabilities(latents)?.into_iter().zip(observations);
            return Ok(rows.map(|(row, &y)| class(y).map_or(f64::NEG_INFINITY, |c| row[c].ln())).collect());
        }
        self.each(latents, |row, beliefs, ws| {
            self.predictive().log_density(&observations[row..=row], beliefs, ws)
        })
    }

    /// One answer for each point, in their order, worked out by all threads from beliefs component by component.
    fn each<T: Send>(
        &self,
        latents: &Latents,
        answer: impl Fn(usize, &[Latent], &mut Workspace) -> Result<T, LikelihoodError> + Sync,
    ) -> Result<Vec<T>, CliError> {
        if let Functions::Active(_) = &self.functions {
            let message = "an informative vector machine knows the probabilities of labels alone";
            return Err(CliError::new(ErrorKind::Usage, message));
        }
        let components = latents.components();
        Ok(at_rows(
            components,
            Evaluator::default().threading(),
            || Ok(()),
            Workspace::new,
            |ws, row, beliefs| {
                let beliefs: Result<Vec<Latent>, LikelihoodError> =
                    beliefs.map(|(mean, variance)| Latent::new(mean, variance)).collect();
                answer(row, &beliefs?, ws)
            },
        )?)
    }

    /// The version of the format that knows posteriors of this kind.
    pub(super) fn version(&self) -> u32 {
        self.functions.version()
    }

    pub(super) fn to_stored(&self) -> Result<StoredApproximation, CliError> {
        Ok(StoredApproximation {
            likelihood: self.likelihood.expression(),
            functions: self.functions.to_stored()?,
        })
    }
}

impl StoredApproximation {
    pub(super) fn restore(self, names: &dyn Vocabulary) -> Result<Approximation, CliError> {
        let likelihood = names.likelihoods().parse(&self.likelihood)?;
        let functions = self.functions.restore(likelihood.latents(), names)?;
        Ok(Approximation { functions, likelihood })
    }
}
