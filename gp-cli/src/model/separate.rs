//! Posterior of separate targets, one latent each.

use super::functions::{Functions, Storable};
use super::posteriors::{PosteriorEntry, Stored};
use crate::error::{CliError, ErrorKind};
use faer::{Mat, MatRef};
use gp_ep::{InferenceError, Posterior};
use gp_kernels::Evaluator;
use gp_kernels::posterior::{LatentBeliefs, LatentFunction, LatentPrediction};
use serde::Deserialize;
use serde_json::{Value, json};

const NAME: &str = "apart";

pub(super) const ENTRY: PosteriorEntry = PosteriorEntry::new(NAME, read);

#[derive(Clone, Debug)]
pub(super) struct SeparatePosterior(Vec<Functions>);

#[derive(Debug, Deserialize)]
struct StoredPart {
    posterior: String,
    value: Value,
}

impl SeparatePosterior {
    pub(super) fn new(each: Vec<Functions>) -> Self {
        Self(each)
    }
}

impl Posterior for SeparatePosterior {
    fn latent_count(&self) -> usize {
        self.0.len()
    }

    fn describe(&self, latent: usize) -> LatentFunction<'_> {
        self.0[latent].describe(0)
    }

    fn beliefs(&self, x: MatRef<'_, f64>, by: &Evaluator) -> Result<LatentBeliefs, InferenceError> {
        let each = self.0.iter().map(|of| Ok(of.beliefs(x, by)?.into_functions()));
        let each = each.collect::<Result<Vec<_>, InferenceError>>()?;
        Ok(LatentBeliefs::independent(each.into_iter().flatten().collect()))
    }

    fn joint(
        &self,
        latent: usize,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<(Vec<f64>, Mat<f64>), InferenceError> {
        self.0[latent].joint(0, x, by)
    }

    fn sample(
        &self,
        x: MatRef<'_, f64>,
        count: usize,
        seed: u64,
        by: &Evaluator,
    ) -> Result<Vec<Mat<f64>>, InferenceError> {
        let each = (seed..).zip(&self.0).map(|(seed, of)| of.sample(x, count, seed, by));
        Ok(each.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    }

    fn term_means(
        &self,
        latent: usize,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<Mat<f64>, InferenceError> {
        self.0[latent].term_means(0, x, by)
    }

    fn predict_terms(
        &self,
        latent: usize,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<Vec<LatentPrediction>, InferenceError> {
        self.0[latent].predict_terms(0, x, by)
    }
}

impl Storable for SeparatePosterior {
    fn name(&self) -> &'static str {
        NAME
    }

    fn to_stored(&self) -> Result<Value, CliError> {
        let part = |of: &dyn Storable| Ok(json!({"posterior": of.name(), "value": of.to_stored()?}));
        let each = self.0.iter().map(|of| part(of.stored()));
        each.collect::<Result<Vec<_>, CliError>>().map(Value::Array)
    }

    fn clone_box(&self) -> Box<dyn Storable> {
        Box::new(self.clone())
    }

    fn of_latent(&self, latent: usize) -> Option<Functions> {
        self.0.get(latent).cloned()
    }
}

fn read(stored: Stored<'_>) -> Result<Functions, CliError> {
    let Stored { kernels, likelihoods, posteriors, .. } = stored;
    let each = stored.read::<Vec<StoredPart>>()?.into_iter().map(|StoredPart { posterior, value }| {
        let one = Stored { value, weights: vec![1.0], latents: 1, kernels, likelihoods, posteriors };
        let found = posteriors.read(&posterior, one)?;
        let wrong =
            || CliError::new(ErrorKind::Model, "a posterior of one target with other latent functions");
        if found.latent_count() == 1 { Ok(found) } else { Err(wrong()) }
    });
    Ok(Functions::new(SeparatePosterior::new(each.collect::<Result<_, CliError>>()?)))
}
