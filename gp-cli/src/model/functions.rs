//! Posterior over all latents (independent, a mixture, or an informative vector machine) with the likelihood.

use super::held::{Held, StoredLatent};
use super::vocabulary::Vocabulary;
use crate::error::{CliError, ErrorKind};
use faer::{Mat, MatRef};
use gp_ep::ivm::{IvmPosterior, StoredIvm};
use gp_ep::{InferenceError, Posterior, Predictor};
use gp_kernels::Evaluator;
use gp_kernels::posterior::{
    LatentBeliefs, LatentFunction, LatentPosterior, LatentPrediction, MixturePosterior,
};
use gp_likelihoods::Likelihood;
use serde::{Deserialize, Serialize};

/// Largest deviation of a sum of proportions from 1 by rounding.
const ROUNDING: f64 = 1e-9;

/// Posteriors of the latents and the likelihood, in model units.
pub type Approximation = Predictor<Functions>;

/// Representation of the posterior over latents.
#[derive(Clone, Debug)]
pub enum Functions {
    /// Mixture of independent posteriors; a single component is no mixture.
    Components(MixturePosterior<Held>),
    /// Active points with their sites.
    Active(Box<IvmPosterior>),
}

/// Stored form. A single component is written as in the first version.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct StoredFunctions {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    weights: Option<Vec<f64>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    latents: Vec<StoredLatent>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ivm: Option<Box<StoredIvm>>,
}

impl<P: LatentPosterior + Into<Held>> From<MixturePosterior<P>> for Functions {
    fn from(mixture: MixturePosterior<P>) -> Self {
        Self::Components(mixture.map(Into::into))
    }
}

impl From<IvmPosterior> for Functions {
    fn from(active: IvmPosterior) -> Self {
        Self::Active(Box::new(active))
    }
}

impl Posterior for Functions {
    fn latent_count(&self) -> usize {
        self.inner().latent_count()
    }

    fn describe(&self, latent: usize) -> LatentFunction<'_> {
        self.inner().describe(latent)
    }

    fn weights(&self) -> &[f64] {
        self.inner().weights()
    }

    fn beliefs(&self, x: MatRef<'_, f64>, by: &Evaluator) -> Result<LatentBeliefs, InferenceError> {
        self.inner().beliefs(x, by)
    }

    fn joint(
        &self,
        latent: usize,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<(Vec<f64>, Mat<f64>), InferenceError> {
        self.inner().joint(latent, x, by)
    }

    fn sample(
        &self,
        x: MatRef<'_, f64>,
        count: usize,
        seed: u64,
        by: &Evaluator,
    ) -> Result<Vec<Mat<f64>>, InferenceError> {
        self.inner().sample(x, count, seed, by)
    }

    fn term_means(
        &self,
        latent: usize,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<Mat<f64>, InferenceError> {
        self.inner().term_means(latent, x, by)
    }

    fn predict_terms(
        &self,
        latent: usize,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<Vec<LatentPrediction>, InferenceError> {
        self.inner().predict_terms(latent, x, by)
    }

    fn class_probabilities(
        &self,
        beliefs: &LatentBeliefs,
        by: &Evaluator,
    ) -> Result<Option<Mat<f64>>, InferenceError> {
        self.inner().class_probabilities(beliefs, by)
    }
}

impl Functions {
    fn inner(&self) -> &dyn Posterior {
        match self {
            Self::Components(mixture) => mixture,
            Self::Active(found) => found.as_ref(),
        }
    }

    /// Posteriors by component, one per latent; empty for an informative vector machine.
    #[must_use]
    pub fn parts(&self) -> &[Held] {
        match self {
            Self::Components(mixture) => mixture.parts(),
            Self::Active(_) => &[],
        }
    }

    /// Oldest format version that can represent it: mixtures and active points need 2, windows 3.
    pub(super) fn version(&self) -> u32 {
        match self {
            Self::Components(mixture) if mixture.parts().iter().any(Held::has_windows) => 3,
            Self::Components(mixture) if mixture.weights().len() == 1 => 1,
            Self::Components(_) | Self::Active(_) => 2,
        }
    }

    pub(super) fn to_stored(&self) -> Result<StoredFunctions, CliError> {
        Ok(match self {
            Self::Components(mixture) => StoredFunctions {
                weights: (mixture.weights().len() > 1).then(|| mixture.weights().to_vec()),
                latents: mixture.parts().iter().map(Held::to_stored).collect::<Result<_, _>>()?,
                ivm: None,
            },
            Self::Active(found) => StoredFunctions {
                weights: None,
                latents: Vec::new(),
                ivm: Some(Box::new(found.to_stored()?)),
            },
        })
    }
}

impl StoredFunctions {
    /// Posterior over this many latents.
    pub(super) fn restore(self, wanted: usize, names: &dyn Vocabulary) -> Result<Functions, CliError> {
        let wrong = |message: String| Err(CliError::new(ErrorKind::Model, message));
        if let Some(stored) = self.ivm {
            let found = stored.restore(names.kernels(), names.likelihoods())?;
            let latents = found.model().classes();
            if latents != wanted {
                return wrong(format!("{latents} latent functions, and the likelihood has {wanted}"));
            }
            return Ok(Functions::Active(Box::new(found)));
        }
        let weights = self.weights.unwrap_or_else(|| vec![1.0]);
        let sum: f64 = weights.iter().sum();
        if weights.iter().any(|weight| !(0.0..=1.0).contains(weight)) || (sum - 1.0).abs() > ROUNDING {
            return wrong("proportions of a mixture that are none".to_owned());
        }
        let (found, wanted) = (self.latents.len(), wanted * weights.len());
        if found != wanted {
            return wrong(format!(
                "{found} latent functions, and the likelihood has {wanted} in {} components",
                weights.len()
            ));
        }
        let parts = self.latents.into_iter().map(|latent| latent.restore(names.kernels()));
        Ok(Functions::Components(MixturePosterior::new(weights, parts.collect::<Result<_, _>>()?)?))
    }
}

/// Independent posteriors, one per latent of the likelihood.
///
/// # Errors
/// [`Numerical`](ErrorKind::Numerical) for another number.
pub fn approximation(latents: Vec<Held>, likelihood: Box<dyn Likelihood>) -> Result<Approximation, CliError> {
    let functions = Functions::Components(MixturePosterior::single(latents));
    Ok(Predictor::new(functions, likelihood, Evaluator::default().threading())?)
}

/// Stored form of a posterior with its likelihood.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct StoredApproximation {
    likelihood: String,
    /// Temperature of class probabilities; 1 if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(flatten)]
    functions: StoredFunctions,
}

impl StoredApproximation {
    pub(super) fn of(approximation: &Approximation) -> Result<Self, CliError> {
        let (likelihood, functions) = (approximation.likelihood(), approximation.functions());
        let temperature = Some(approximation.temperature()).filter(|temperature| *temperature != 1.0);
        Ok(Self { likelihood: likelihood.expression(), temperature, functions: functions.to_stored()? })
    }

    pub(super) fn restore(self, names: &dyn Vocabulary) -> Result<Approximation, CliError> {
        let likelihood = names.likelihoods().parse(&self.likelihood)?;
        let functions = self.functions.restore(likelihood.latents(), names)?;
        let predictor = Predictor::new(functions, likelihood, Evaluator::default().threading())?;
        Ok(predictor.with_temperature(self.temperature.unwrap_or(1.0))?)
    }
}
