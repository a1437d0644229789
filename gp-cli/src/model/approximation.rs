//! Stored posterior and likelihood.

use super::functions::Approximation;
use super::posteriors::Stored;
use super::vocabulary::{Vocabulary, posterior_name};
use crate::error::{CliError, ErrorKind};
use gp_ep::{Posterior as _, Predictor};
use gp_kernels::Evaluator;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

const ROUNDING: f64 = 1e-9;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct StoredApproximation {
    likelihood: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    weights: Option<Vec<f64>>,
    #[serde(flatten)]
    posterior: Map<String, Value>,
}

impl StoredApproximation {
    pub(super) fn of(approximation: &Approximation) -> Result<Self, CliError> {
        let (functions, weights) = (approximation.functions().stored(), approximation.functions().weights());
        Ok(Self {
            likelihood: approximation.likelihood().expression(),
            temperature: Some(approximation.temperature()).filter(|temperature| *temperature != 1.0),
            weights: (weights.len() > 1).then(|| weights.to_vec()),
            posterior: Map::from_iter([(functions.name().to_owned(), functions.to_stored()?)]),
        })
    }

    pub(super) fn restore(mut self, names: &dyn Vocabulary) -> Result<Approximation, CliError> {
        let wrong = |message: &str| CliError::new(ErrorKind::Model, message);
        let likelihood = names.likelihoods().parse(&self.likelihood)?;
        let weights = self.weights.unwrap_or_else(|| vec![1.0]);
        let sum: f64 = weights.iter().sum();
        if weights.iter().any(|weight| !(0.0..=1.0).contains(weight)) || (sum - 1.0).abs() > ROUNDING {
            return Err(wrong("proportions of a mixture that are none"));
        }
        let name = posterior_name(&self.posterior).ok_or_else(|| wrong("a model without a posterior"))?;
        let name = name.to_owned();
        let value = self.posterior.remove(&name).unwrap_or_default();
        let (latents, posteriors) = (likelihood.latents(), names.posteriors());
        let (kernels, likelihoods) = (names.kernels(), names.likelihoods());
        let stored = Stored { value, weights, latents, kernels, likelihoods, posteriors };
        let functions = posteriors.read(&name, stored)?;
        if functions.latent_count() != latents {
            let found = functions.latent_count();
            return Err(wrong(&format!("{found} latent functions, and the likelihood has {latents}")));
        }
        let predictor = Predictor::new(functions, likelihood, Evaluator::default().threading())?;
        Ok(predictor.with_temperature(self.temperature.unwrap_or(1.0))?)
    }
}
