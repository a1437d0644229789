//! Classes of observations that are left out one at a time, under a posterior of any origin.
//!
//! A site t of an observation has converged in a posterior q if its update from the cavity `q/t^α` returns t. The
//! quotient `q/t` is then the posterior without the observation. At a fixed point of EP, the converged sites are EP's
//! sites. For the best Gaussian of variational inference they are the sites of α = 0. For other posteriors they are
//! estimates.

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

/// Length of steps: full steps may oscillate.
const STEP: f64 = 0.7;
/// Most steps, and the root mean square change of sites, in units of the marginals, below which they end.
const MOST_STEPS: usize = 30;
const REST: f64 = 1e-4;

impl PowerEp {
    /// Probabilities of all classes (N×C) at each observation given all others, with parameters fixed; a row is NaN
    /// where its sites cannot be taken out. `posterior` is one of this model's kernels and inducing inputs that has
    /// seen these observations, with one part per latent; memory: M numbers per observation.
    /// [`stoppable`](gp_kernels::stoppable) ends it between blocks.
    ///
    /// # Errors
    /// [`InferenceError::Shape`] for a posterior of another shape; [`InferenceError::Unsupported`] for observations
    /// that are no classes; otherwise as [`BatchEp::new`](super::BatchEp::new).
    pub fn left_out_classes(
        &self,
        data: &dyn DataSource,
        posterior: &[InducingPosterior],
    ) -> Result<Mat<f64>, InferenceError> {
        let classes = self.likelihood().support().classes();
        if classes == 0 {
            return Err(InferenceError::Unsupported {
                what: "left-out classes of observations that are none",
            });
        }
        // Each of several processes has all of these observations.
        let mut passes = EpPasses::new(self, data, data.count(), Some(Arc::new(LocalReduction)))?;
        passes.read(self, data, &Rows::Range(0..data.count()))?;
        passes.project(self)?;
        let posteriors = whitened(self, &passes, posterior)?;
        bring_to_rest(self, &mut passes, &posteriors, data.count())?;
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

/// Updates the sites of all observations until they converge. The posterior stays fixed.
fn bring_to_rest(
    model: &PowerEp,
    passes: &mut EpPasses,
    posteriors: &[WhitenedPosterior],
    count: usize,
) -> Result<(), InferenceError> {
    let sites = (count * model.sites_per_observation()) as f64;
    let mut unused = Sums::zeros(&passes.layout);
    // At power 0 an update depends on the posterior alone: one full step is exact.
    let (step, most) = if model.powers().are_zero() { (1.0, 1) } else { (STEP, MOST_STEPS) };
    let options = EpOptions { step, negative: NegativePrecision::Bound, ..EpOptions::default() };
    for _ in 0..most {
        let tally = passes.refine(model, (&options, SumOf::Proposed), posteriors, &mut unused)?;
        passes.passes.change(|sites| sites.present.copy_from_slice(&sites.proposed));
        if (tally.change / sites).sqrt() < REST {
            break;
        }
    }
    Ok(())
}
