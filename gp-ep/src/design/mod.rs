//! Choice of the next points to observe.
//!
//! [`Design`] takes expectations over outcomes of points chosen so far. Observing s changes the covariance to
//! `k(x, x') − w k(x, s) k(s, x')`, with `w = 1 / (k(s, s) + σ²)` under Gaussian noise. Other likelihoods have
//! `w = (v − E_y Var(f | y)) / v²`, `v = k(s, s)`, with unchanged means: exact only for the first point of a batch.
//! Mixtures count by mean and covariance; latents correlate only within a point.

mod chosen;
mod improvement;
mod information;
mod marginal;
mod observations;
mod outcomes;

use crate::error::{InferenceError, check_count};
use crate::posterior::{Posterior, Predictor};
use chosen::Chosen;
use faer::MatRef;
use gp_kernels::posterior::at_rows;
use marginal::LatentMarginal;
use std::fmt::Debug;

/// Value of an observation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Criterion {
    /// Latent variance, summed over functions.
    Variance,
    /// Mutual information with the latents, in nats; BALD for labels (Houlsby et al. 2011). Values of a batch add up.
    Information,
    /// Expected improvement of an observation's mean over `best` (Močkus 1975), with chosen points at their expected
    /// means (Ginsbourger et al. 2010).
    Improvement {
        /// Direction of improvement.
        goal: Goal,
        /// Best value so far, in observation units.
        best: f64,
    },
}

/// Direction of optimisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Smaller is better.
    Minimum,
    /// Larger is better.
    Maximum,
}

impl Goal {
    /// Improvement over `than`; negative if worse.
    #[must_use]
    pub fn gain(self, value: f64, than: f64) -> f64 {
        match self {
            Self::Minimum => than - value,
            Self::Maximum => value - than,
        }
    }
}

/// Points chosen one at a time.
#[derive(Clone, Debug)]
pub struct Design<'a, F> {
    predictor: &'a Predictor<F>,
    criterion: Criterion,
    chosen: Chosen,
}

impl<'a, F: Posterior> Design<'a, F> {
    /// Empty design.
    ///
    /// # Errors
    /// [`InferenceError::Unsupported`] for improvement of labels, [`InferenceError::Option`] for non-finite
    /// `best`.
    pub fn new(predictor: &'a Predictor<F>, criterion: Criterion) -> Result<Self, InferenceError> {
        if let Criterion::Improvement { best, .. } = criterion {
            if predictor.likelihood().support().classes() > 0 {
                return Err(InferenceError::Unsupported { what: "the improvement of labels" });
            }
            if !best.is_finite() {
                let (what, allowed) = ("best observation so far", "finite");
                return Err(InferenceError::Option { what, value: best, allowed });
            }
        }
        Ok(Self { predictor, criterion, chosen: Chosen::new(predictor.functions().latent_count()) })
    }

    /// Criterion; `best` includes chosen points.
    #[must_use]
    pub fn criterion(&self) -> Criterion {
        self.criterion
    }

    /// Number of chosen points.
    #[must_use]
    pub fn len(&self) -> usize {
        self.chosen.len()
    }

    /// `true` without chosen points.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.chosen.len() == 0
    }

    /// Criterion at rows of `x` (N×D).
    ///
    /// # Errors
    /// As predictions and the likelihood.
    pub fn values(&self, x: MatRef<'_, f64>) -> Result<Vec<f64>, InferenceError> {
        self.valued(x, |marginal| marginal)
    }

    /// Approximate [`values`](Self::values), for searches: several latents take an eighth of the time; errors of about
    /// 1 % keep the order of nearby points.
    pub fn rough_values(&self, x: MatRef<'_, f64>) -> Result<Vec<f64>, InferenceError> {
        self.valued(x, LatentMarginal::roughly)
    }

    fn valued(
        &self,
        x: MatRef<'_, f64>,
        how: impl Fn(LatentMarginal) -> LatentMarginal + Sync,
    ) -> Result<Vec<f64>, InferenceError> {
        let by = self.predictor.evaluator();
        let beliefs = self.predictor.beliefs(x)?;
        let after = self.chosen.after(self.predictor, &beliefs, x)?;
        at_rows(&after, &by, 1, DesignScratch::default, |scratch, row, latents, out| {
            let marginal = how(LatentMarginal::new(latents, &beliefs, row));
            out[0] = self.value(&marginal, scratch).map_err(|error| error.at_row(row))?;
            Ok(())
        })
    }

    /// Adds a point (1×D); returns its value.
    ///
    /// # Errors
    /// As [`values`](Self::values); [`InferenceError::Shape`] unless 1×D.
    pub fn choose(&mut self, point: MatRef<'_, f64>) -> Result<f64, InferenceError> {
        check_count("point to observe", "rows", 1, point.nrows())?;
        let beliefs = self.predictor.beliefs(point)?;
        let after = self.chosen.after(self.predictor, &beliefs, point)?;
        let mut latents = after.iter().map(|of| (of.mean[0], of.variance[0]));
        let marginal = LatentMarginal::new(&mut latents, &beliefs, 0);
        let (likelihood, mut scratch) = (self.predictor.likelihood(), DesignScratch::default());
        let value = self.value(&marginal, &mut scratch)?;
        let left = outcomes::expected_variances(likelihood, &marginal, &mut scratch)?;
        if let Criterion::Improvement { goal, best } = &mut self.criterion {
            let mean = improvement::mean(likelihood, &marginal)?;
            if goal.gain(mean, *best) > 0.0 {
                *best = mean;
            }
        }
        self.chosen.push(self.predictor, point, &marginal, &left)?;
        Ok(value)
    }

    fn value(&self, marginal: &LatentMarginal, scratch: &mut DesignScratch) -> Result<f64, InferenceError> {
        let likelihood = self.predictor.likelihood();
        match self.criterion {
            Criterion::Variance => Ok(marginal.variances().iter().sum()),
            Criterion::Information => information::information(likelihood, marginal, scratch),
            Criterion::Improvement { goal, best } => {
                improvement::expected(likelihood, marginal, (goal, best))
            }
        }
    }
}

#[derive(Debug, Default)]
struct DesignScratch {
    workspace: gp_likelihoods::Workspace,
    slopes: gp_likelihoods::LatentDerivatives,
}
