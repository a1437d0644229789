//! Which points to observe next.
//!
//! A [`Design`] holds a posterior, a [`Criterion`] and the points chosen so far. It values points as they are after those
//! have been observed, whatever comes out: for Gaussian noise the posterior covariance of one latent function after an
//! observation at s is `k(x, x') − w k(x, s) k(s, x')` with `w = 1 / (k(s, s) + σ²)`. Under any other likelihood the
//! expectation over observations is the same with `w = (v − E_y Var(f | y)) / v²`, `v = k(s, s)`, because f elsewhere
//! depends on y through f(s) alone; means are expected to stay. Taking this expectation for the covariance is exact for
//! Gaussian noise and for the first point of any batch. A mixture counts by its mean and covariance. Correlations of
//! latent functions with each other count within a point and not between points.

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
use marginal::Marginal;
use std::fmt::Debug;

/// What makes a point worth an observation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Criterion {
    /// The variance of the latent function; of several, the sum.
    Variance,
    /// The mutual information between an observation there and the latent functions, in nats: of labels, what Houlsby et
    /// al. (2011) call BALD. By the chain rule the information of a batch is the sum.
    Information,
    /// The expected improvement of the mean of an observation there, as a function of the latent values, over the best so
    /// far (Močkus 1975). A chosen point counts as if its expected mean had been found (Ginsbourger et al. 2010).
    Improvement {
        /// What is better.
        goal: Goal,
        /// The best so far, in the units of the likelihood.
        best: f64,
    },
}

/// What is better than the best so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Less.
    Minimum,
    /// More.
    Maximum,
}

impl Goal {
    /// By how much a value is better than another; negative where it is worse.
    #[must_use]
    pub fn gain(self, value: f64, than: f64) -> f64 {
        match self {
            Self::Minimum => than - value,
            Self::Maximum => value - than,
        }
    }
}

/// Points to observe, chosen one after the other.
#[derive(Clone, Debug)]
pub struct Design<'a, F> {
    predictor: &'a Predictor<F>,
    criterion: Criterion,
    chosen: Chosen,
}

impl<'a, F: Posterior> Design<'a, F> {
    /// No point yet.
    ///
    /// # Errors
    /// [`InferenceError::Unsupported`] for the improvement of labels, [`InferenceError::Option`] for a best that is not
    /// finite.
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

    /// The criterion, whose best so far follows the points chosen.
    #[must_use]
    pub fn criterion(&self) -> Criterion {
        self.criterion
    }

    /// The number of points chosen.
    #[must_use]
    pub fn len(&self) -> usize {
        self.chosen.len()
    }

    /// Whether no point was chosen.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.chosen.len() == 0
    }

    /// The value of each row of `x` (N×D) as the next point.
    ///
    /// # Errors
    /// What predictions there report, and what the likelihood reports.
    pub fn values(&self, x: MatRef<'_, f64>) -> Result<Vec<f64>, InferenceError> {
        self.valued(x, |marginal| marginal)
    }

    /// The same for a search: under several latent functions to a percent or so, at an eighth of the work. The error is
    /// alike at points near each other, so that the best of them is the same.
    ///
    /// # Errors
    /// As [`values`](Self::values).
    pub fn rough_values(&self, x: MatRef<'_, f64>) -> Result<Vec<f64>, InferenceError> {
        self.valued(x, Marginal::roughly)
    }

    fn valued(
        &self,
        x: MatRef<'_, f64>,
        how: impl Fn(Marginal) -> Marginal + Sync,
    ) -> Result<Vec<f64>, InferenceError> {
        let by = self.predictor.evaluator();
        let beliefs = self.predictor.beliefs(x)?;
        let after = self.chosen.after(self.predictor, &beliefs, x)?;
        at_rows(&after, &by, 1, Scratch::default, |scratch, row, latents, out| {
            let marginal = how(Marginal::new(latents, &beliefs, row));
            out[0] = self.value(&marginal, scratch).map_err(|error| error.at_row(row))?;
            Ok(())
        })
    }

    /// Takes a point (1×D) into the batch, and returns its value.
    ///
    /// # Errors
    /// As [`values`](Self::values); [`InferenceError::Shape`] unless it is one point.
    pub fn choose(&mut self, point: MatRef<'_, f64>) -> Result<f64, InferenceError> {
        check_count("point to observe", "rows", 1, point.nrows())?;
        let beliefs = self.predictor.beliefs(point)?;
        let after = self.chosen.after(self.predictor, &beliefs, point)?;
        let mut latents = after.iter().map(|of| (of.mean[0], of.variance[0]));
        let marginal = Marginal::new(&mut latents, &beliefs, 0);
        let (likelihood, mut scratch) = (self.predictor.likelihood(), Scratch::default());
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

    fn value(&self, marginal: &Marginal, scratch: &mut Scratch) -> Result<f64, InferenceError> {
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

/// Memory for the value of a point.
#[derive(Debug, Default)]
struct Scratch {
    workspace: gp_likelihoods::Workspace,
    slopes: gp_likelihoods::Slopes,
}
