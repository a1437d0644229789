//! EP with own sites: damped parallel updates.

use super::before::Before;
use super::gradient::GradientKind;
use super::lane::SumOf;
use super::model::PowerEp;
use super::passes::{EpPasses, log_normaliser, move_posteriors, posterior};
use super::point::Tally;
use super::posterior::{RankOne, WhitenedPosterior};
use super::rules::EpOptions;
use super::site::{self, Site};
use crate::error::InferenceError;
use gp_kernels::data::{DataSource, Reduction, Rows};
use gp_kernels::passes::{Lane, Sums};
use gp_kernels::posterior::InducingPosterior;
use gp_optim::StopSignal;
use std::sync::Arc;

const MAX_HALVINGS: u32 = 20;
/// Result of one sweep.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Sweep {
    /// Estimate of `ln p(y)` *before* the sweep; NaN without Gaussian cavity.
    pub log_z: f64,
    /// Root mean square change by a full update, in units of marginals.
    pub change: f64,
    /// Factors skipped without Gaussian cavity or moments.
    pub improper: usize,
    /// Full updates with negative precision.
    pub negative: usize,
    /// Step halvings for a proper posterior.
    pub halvings: u32,
}

impl Sweep {
    pub(super) fn of(log_z: f64, tally: Tally, sites: usize) -> Self {
        Self {
            log_z,
            change: (tally.change / sites.max(1) as f64).sqrt(),
            improper: tally.improper as usize,
            negative: tally.negative as usize,
            halvings: 0,
        }
    }
}

/// State of EP on all observations, at the powers of the start.
///
/// Memory: M numbers per observation, up to [`HELD`](gp_kernels::passes::HELD). After changes of kernels or inducing
/// inputs call [`refresh`](BatchEp::refresh).
#[derive(Debug)]
pub struct BatchEp {
    pub(super) passes: EpPasses,
    pub(super) posteriors: Vec<WhitenedPosterior>,
    pub(super) sums: Sums,
    pub(super) proposed: Sums,
    pub(super) rank_one: RankOne,
    pub(super) sites: usize,
    before: Option<Before>,
    pub(super) extra: Vec<f64>,
}

impl BatchEp {
    /// State with τ = ν = 0: the prior.
    ///
    /// # Errors
    /// As [`refresh`](Self::refresh); [`InferenceError::Observation`]; [`InferenceError::Power`].
    pub fn new(model: &PowerEp, data: &dyn DataSource) -> Result<Self, InferenceError> {
        Self::build(model, data, None, None)
    }

    /// EP on new observations; posteriors `before` (one per latent, equal kernels and inducing inputs) stand
    /// for earlier ones. [`log_z`](Self::log_z) then estimates `ln p(y | earlier y)`.
    ///
    /// Gaussian noise: one full sweep gives regression on all observations. Power 0: streaming variational
    /// inference.
    ///
    /// # Errors
    /// As [`new`](Self::new); [`InferenceError::Shape`] of `before`.
    pub fn after(
        model: &PowerEp,
        data: &dyn DataSource,
        before: &[InducingPosterior],
    ) -> Result<Self, InferenceError> {
        Self::build(model, data, None, Some(before))
    }

    /// [`new`](Self::new) for one of several processes, with their `reduction`.
    pub fn with_reduction(
        model: &PowerEp,
        data: &dyn DataSource,
        reduction: Box<dyn Reduction>,
    ) -> Result<Self, InferenceError> {
        Self::build(model, data, Some(reduction.into()), None)
    }

    fn build(
        model: &PowerEp,
        data: &dyn DataSource,
        reduction: Option<Arc<dyn Reduction>>,
        before: Option<&[InducingPosterior]>,
    ) -> Result<Self, InferenceError> {
        let mut passes = EpPasses::new(model, data, data.count(), reduction)?;
        passes.read(model, data, &Rows::Range(0..data.count()))?;
        let zeros = Sums::zeros(&passes.layout);
        let before = before.map(|before| Before::new(&passes.layout, before)).transpose()?;
        let mut ep = Self {
            posteriors: passes.prior_posteriors(),
            sums: zeros.clone(),
            proposed: zeros,
            rank_one: RankOne::default(),
            passes,
            sites: data.count() * model.sites_per_observation(),
            before,
            extra: vec![0.0; model.likelihood().latents() + Tally::LEN],
        };
        ep.refresh(model)?;
        Ok(ep)
    }

    /// Projects data and rebuilds the posterior from sites, after changes of kernels or inducing inputs.
    ///
    /// # Errors
    /// [`InferenceError::Kernel`]; [`InferenceError::Linalg`] for an improper posterior. The state is then
    /// invalid until this or, after the latter, [`reset`](Self::reset) succeeds.
    pub fn refresh(&mut self, model: &PowerEp) -> Result<(), InferenceError> {
        self.passes.project(model)?;
        self.rebuild(model)
    }

    pub(super) fn dim(&self) -> usize {
        self.passes.passes.lanes().first().map_or(0, Lane::dim)
    }

    /// Resets sites to τ = ν = 0.
    ///
    /// # Errors
    /// None if the state was ever valid.
    pub fn reset(&mut self, model: &PowerEp) -> Result<(), InferenceError> {
        self.passes.passes.change(|sites| sites.present.fill(Site::default()));
        self.rebuild(model)
    }

    pub(super) fn rebuild(&mut self, model: &PowerEp) -> Result<(), InferenceError> {
        self.passes.passes.change(|sites| sites.proposed.copy_from_slice(&sites.present));
        self.passes.accumulate(model, SumOf::Proposed, &mut self.proposed)?;
        self.add_before();
        self.adopt()
    }

    fn add_before(&mut self) {
        if let Some(before) = &self.before {
            before.add_to(&self.passes.layout, &mut self.proposed.numbers);
        }
    }

    /// `ln ∫ p(v) Π sites dv`, minus that of earlier observations.
    fn log_normaliser(&self) -> f64 {
        let before = self.before.as_ref().map_or(0.0, Before::log_normaliser);
        log_normaliser(&self.posteriors) - before
    }

    /// Changes nothing if improper.
    fn adopt(&mut self) -> Result<(), InferenceError> {
        let by = (&self.passes.layout, self.passes.passes.threading());
        move_posteriors(&mut self.posteriors, by, (&self.sums, &self.proposed))?;
        std::mem::swap(&mut self.sums, &mut self.proposed);
        self.passes.passes.change(|sites| sites.present.copy_from_slice(&sites.proposed));
        Ok(())
    }

    /// Updates all sites at once.
    ///
    /// # Errors
    /// [`InferenceError::Likelihood`]; [`InferenceError::ImproperPosterior`].
    pub fn sweep(&mut self, model: &PowerEp, options: &EpOptions) -> Result<Sweep, InferenceError> {
        options.check()?;
        let sweep = self.propose(model, options)?;
        Ok(Sweep { halvings: self.adopt_by_halves(model)?, ..sweep })
    }

    pub(super) fn propose(&mut self, model: &PowerEp, options: &EpOptions) -> Result<Sweep, InferenceError> {
        let tally =
            self.passes.refine(model, (options, SumOf::Proposed), &self.posteriors, &mut self.proposed)?;
        self.add_before();
        Ok(Sweep::of(tally.log_z + self.log_normaliser(), tally, self.sites))
    }

    /// Halves the step until proper; counts halvings.
    pub(super) fn adopt_by_halves(&mut self, model: &PowerEp) -> Result<u32, InferenceError> {
        let mut halvings = 0;
        while !self.adopts()? {
            halvings += 1;
            if halvings > MAX_HALVINGS {
                return Err(InferenceError::ImproperPosterior);
            }
            self.passes.halve(model, SumOf::Proposed, &mut self.proposed)?;
            self.add_before();
        }
        Ok(halvings)
    }

    /// `false` if improper.
    pub(super) fn adopts(&mut self) -> Result<bool, InferenceError> {
        match self.adopt() {
            Ok(()) => Ok(true),
            Err(InferenceError::Linalg(_)) => Ok(false),
            Err(other) => Err(other),
        }
    }

    /// Estimate of `ln p(y)`.
    ///
    /// # Errors
    /// [`InferenceError::ImproperCavity`]; as the likelihood.
    pub fn log_z(&mut self, model: &PowerEp) -> Result<f64, InferenceError> {
        let tally = self.passes.evaluate(model, &self.posteriors)?;
        Ok(tally.log_z + self.log_normaliser())
    }

    /// Estimate of `ln p(y)`. `gradient`: natural derivatives, without priors, ordered as
    /// [`LatentModel::parameter_names`](crate::LatentModel::parameter_names).
    ///
    /// # Errors
    /// [`InferenceError::Shape`] of `gradient`; [`InferenceError::ImproperCavity`];
    /// [`InferenceError::Unsupported`] for [`GradientKind::OfEstimate`] at the latent level, and for states
    /// of [`after`](Self::after).
    pub fn log_z_gradient(
        &mut self,
        model: &PowerEp,
        kind: GradientKind,
        gradient: &mut [f64],
    ) -> Result<f64, InferenceError> {
        if self.before.is_some() {
            return Err(InferenceError::Unsupported {
                what: "gradients with observations that are not held in memory",
            });
        }
        let moves = kind == GradientKind::OfEstimate;
        let tally = self.passes.gradient(model, moves, &self.posteriors, gradient)?;
        Ok(tally.log_z + self.log_normaliser())
    }

    /// `ln p(y_i | other observations)` per observation of this process, without its sites; with several
    /// latents somewhat lower than after a refit.
    ///
    /// # Errors
    /// [`InferenceError::ImproperCavity`]; as the likelihood.
    pub fn leave_one_out(&mut self, model: &PowerEp) -> Result<Vec<f64>, InferenceError> {
        let all = self.passes.leave_one_out(model, &self.posteriors)?;
        match all.iter().filter(|value| value.is_nan()).count() {
            0 => Ok(all),
            count => Err(InferenceError::ImproperCavity { count }),
        }
    }

    /// Sites of this process, by observation.
    pub fn sites(&self) -> impl Iterator<Item = Site> {
        self.passes.passes.lanes().iter().flat_map(|lane| lane.own.present.iter().copied())
    }

    /// Sites of all processes, for checkpoints.
    pub(super) fn all_sites(&self) -> Result<Vec<Site>, InferenceError> {
        if !self.passes.passes.is_shared() {
            return Ok(self.sites().collect());
        }
        Ok(site::unpack(&self.passes.passes.gather(|lane, out| site::pack(&lane.own.present, out))?))
    }

    /// Restores sites; [`refresh`](Self::refresh) then computes the posterior.
    pub(super) fn recall(&mut self, sites: &[Site]) -> Result<(), String> {
        if sites.len() != self.sites {
            return Err(format!("it has {} sites, and the data have {}", sites.len(), self.sites));
        }
        // `sites` are of all processes; those of earlier lanes come first.
        let passes = &self.passes.passes;
        let each = self.sites / passes.loaded().max(1);
        let mut rest = &sites[passes.places_before() * each..];
        self.passes.passes.lanes_mut().iter_mut().for_each(|lane| {
            let (own, later) = rest.split_at(lane.own.present.len());
            lane.own.present.copy_from_slice(own);
            rest = later;
        });
        Ok(())
    }

    /// Sets a signal that stops work with [`DataError::Stopped`](crate::DataError::Stopped); then call
    /// [`refresh`](Self::refresh).
    pub fn set_stop_signal(&mut self, stop_signal: StopSignal) {
        self.passes.passes.set_stop_signal(stop_signal);
    }

    /// Posterior over inducing values of one latent.
    ///
    /// # Errors
    /// [`InferenceError::Shape`] for unknown `latent`.
    pub fn posterior(&self, model: &PowerEp, latent: usize) -> Result<InducingPosterior, InferenceError> {
        posterior(model, &self.posteriors, latent)
    }
}
