//! Leave-one-out class probabilities under any posterior.
//!
//! A site t is converged in a posterior q if its update from the cavity `q/t^α` returns t; `q/t` is then the posterior
//! without the observation. Exact for fixed points of EP and, at α = 0, the best variational Gaussian; otherwise an
//! estimate.

use super::before::Before;
use super::lane::{self, SumOf};
use super::model::PowerEp;
use super::passes::{EpPasses, Posteriors, set_posteriors};
use super::posterior::WhitenedPosterior;
use super::rules::{EpOptions, NegativePrecision};
use crate::error::InferenceError;
use faer::Mat;
use gp_kernels::data::{DataSource, LocalReduction, Rows};
use gp_kernels::passes::{Pass, Sums};
use gp_kernels::posterior::InducingPosterior;
use std::sync::Arc;

/// Damping: full steps can oscillate.
const STEP: f64 = 0.7;
/// Maximum steps; final change, in units of marginals.
const MAX_STEPS: usize = 30;
const TOLERANCE: f64 = 1e-4;

impl PowerEp {
    /// Class probabilities (N×C) given all other observations, at fixed parameters; NaN rows if sites cannot
    /// be removed. `posterior`, one per latent with this model's kernels and inducing inputs, includes these
    /// observations. Memory: M numbers per observation. [`stoppable`](gp_kernels::stoppable) between blocks.
    ///
    /// # Errors
    /// [`InferenceError::Shape`] of `posterior`; [`InferenceError::Unsupported`] without classes; otherwise
    /// as [`BatchEp::new`](super::BatchEp::new).
    pub fn left_out_classes(
        &self,
        data: &dyn DataSource,
        posterior: &[InducingPosterior],
    ) -> Result<Mat<f64>, InferenceError> {
        let classes = self.likelihood().support().classes();
        if classes == 0 {
            return Err(InferenceError::Unsupported {
                what: "leave-one-out classes of observations without classes",
            });
        }
        // Every process has all observations.
        let mut passes = EpPasses::new(self, data, data.count(), Some(Arc::new(LocalReduction)))?;
        passes.read(self, data, &Rows::Range(0..data.count()))?;
        passes.project(self)?;
        let posteriors = whitened(self, &passes, posterior)?;
        converge_sites(self, &mut passes, &posteriors, data.count())?;
        passes.passes.change(|sites| sites.values.clear());
        let (layout, beliefs) = (passes.layout.of_extra(0), Posteriors(&posteriors));
        let pass = Pass::new(&layout).with_beliefs(&beliefs);
        passes.passes.run(pass, &mut Sums::zeros(&layout), |block, _| lane::left_out_classes(block, self))?;
        let all: Vec<f64> =
            passes.passes.lanes().iter().flat_map(|lane| lane.own.values.iter().copied()).collect();
        Ok(Mat::from_fn(data.count(), classes, |i, c| all[i * classes + c]))
    }
}

fn whitened(
    model: &PowerEp,
    passes: &EpPasses,
    posterior: &[InducingPosterior],
) -> Result<Vec<WhitenedPosterior>, InferenceError> {
    let mut sums = Sums::zeros(&passes.layout);
    Before::new(&passes.layout, posterior)?.add_to(&passes.layout, &mut sums.numbers);
    let mut posteriors = passes.prior_posteriors();
    set_posteriors(&mut posteriors, (&passes.layout, model.threading()), &sums, |_| 1.0)?;
    Ok(posteriors)
}

fn converge_sites(
    model: &PowerEp,
    passes: &mut EpPasses,
    posteriors: &[WhitenedPosterior],
    count: usize,
) -> Result<(), InferenceError> {
    let sites = (count * model.sites_per_observation()) as f64;
    let mut unused = Sums::zeros(&passes.layout);
    // At power 0 an update depends on the posterior alone: one full step is exact.
    let (step, most) = if model.powers().are_zero() { (1.0, 1) } else { (STEP, MAX_STEPS) };
    let options = EpOptions { step, negative: NegativePrecision::Bound, ..EpOptions::default() };
    for _ in 0..most {
        let tally = passes.refine(model, (&options, SumOf::Proposed), posteriors, &mut unused)?;
        passes.passes.change(|sites| sites.present.copy_from_slice(&sites.proposed));
        if (tally.change / sites).sqrt() < TOLERANCE {
            break;
        }
    }
    Ok(())
}
