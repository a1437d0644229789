//! EP with a site per factor of every observation, all updated at once with damping.

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
use gp_optim::Brake;
use std::sync::Arc;

/// Most halvings of a sweep that leaves no proper posterior.
const MAX_HALVINGS: u32 = 20;
/// Result of one sweep.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Sweep {
    /// Estimate of `ln p(y)` with the sites *before* the sweep; NaN if a cavity is not Gaussian.
    pub log_z: f64,
    /// Root mean square, over all sites, of the change by a full update, in units of the marginals.
    pub change: f64,
    /// Factors left alone because cavity or tilted moments are not Gaussian.
    pub improper: usize,
    /// Sites that asked for a negative precision.
    pub negative: usize,
    /// Halvings until the posterior was proper.
    pub halvings: u32,
}

impl Sweep {
    /// Sweep over this many sites.
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

/// State of EP on all observations of a source: sites, projections, posterior.
///
/// Memory: M numbers per observation, up to [`HELD`](gp_kernels::passes::HELD). The model may change
/// between calls: call [`refresh`](BatchEp::refresh) after changes of kernels or inducing inputs. Powers
/// stay those of the original model.
#[derive(Debug)]
pub struct BatchEp {
    pub(super) passes: EpPasses,
    pub(super) posteriors: Vec<WhitenedPosterior>,
    /// Sums of the current and of the proposed sites.
    pub(super) sums: Sums,
    pub(super) proposed: Sums,
    pub(super) rank_one: RankOne,
    /// Number of sites.
    pub(super) sites: usize,
    /// Earlier observations that are not loaded.
    before: Option<Before>,
    /// Scratch of visits to single observations.
    pub(super) extra: Vec<f64>,
}

impl BatchEp {
    /// State before the first sweep: all sites are 1, the posterior is the prior.
    ///
    /// # Errors
    /// As [`refresh`](Self::refresh); [`InferenceError::Observation`] for an impossible one;
    /// [`InferenceError::Power`] for an invalid power.
    pub fn new(model: &PowerEp, data: &dyn DataSource) -> Result<Self, InferenceError> {
        Self::build(model, data, None, None)
    }

    /// EP on these observations after others, known only by their posteriors `before`, one per latent:
    /// their sites stay fixed. [`log_z`](Self::log_z) estimates `ln p(y | y before)`.
    ///
    /// Kernels and inducing inputs must be those of `before`. Under Gaussian noise one sweep of full steps
    /// gives regression on all observations; otherwise the result is EP with the earlier sites fixed. At
    /// power 0 it is streaming variational inference, with `before` as prior.
    ///
    /// # Errors
    /// As [`new`](Self::new); [`InferenceError::Shape`] for posteriors of other numbers of latents or
    /// inducing inputs.
    pub fn after(
        model: &PowerEp,
        data: &dyn DataSource,
        before: &[InducingPosterior],
    ) -> Result<Self, InferenceError> {
        Self::build(model, data, None, Some(before))
    }

    /// [`new`](Self::new) on some of the lanes, with the others in other processes.
    ///
    /// # Errors
    /// As [`new`](Self::new).
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

    /// Projects all data after a change of kernels or inducing inputs, and rebuilds the posterior from the
    /// current sites.
    ///
    /// # Errors
    /// [`InferenceError::Kernel`] for inputs the kernel refuses or a `K_zz` that cannot be factored;
    /// [`InferenceError::Linalg`] if these sites leave no proper posterior. The state is then invalid until
    /// a call succeeds, or after the latter error [`reset`](Self::reset).
    pub fn refresh(&mut self, model: &PowerEp) -> Result<(), InferenceError> {
        self.passes.project(model)?;
        self.rebuild(model)
    }

    /// Number D of inputs.
    pub(super) fn dim(&self) -> usize {
        self.passes.passes.lanes().first().map_or(0, Lane::dim)
    }

    /// Resets all sites.
    ///
    /// # Errors
    /// None for a state that was valid once.
    pub fn reset(&mut self, model: &PowerEp) -> Result<(), InferenceError> {
        self.passes.passes.change(|sites| sites.present.fill(Site::default()));
        self.rebuild(model)
    }

    /// Computes the posterior of the current sites.
    pub(super) fn rebuild(&mut self, model: &PowerEp) -> Result<(), InferenceError> {
        self.passes.passes.change(|sites| sites.proposed.copy_from_slice(&sites.present));
        self.passes.accumulate(model, SumOf::Proposed, &mut self.proposed)?;
        self.add_before();
        self.adopt()
    }

    /// Adds earlier observations to sums over loaded ones.
    fn add_before(&mut self) {
        if let Some(before) = &self.before {
            before.add_to(&self.passes.layout, &mut self.proposed.numbers);
        }
    }

    /// `ln ∫ p(v) Π sites dv` of the current posterior, less that of earlier observations.
    fn log_normaliser(&self) -> f64 {
        let before = self.before.as_ref().map_or(0.0, Before::log_normaliser);
        log_normaliser(&self.posteriors) - before
    }

    /// Adopts the proposed sites if their posterior is proper; otherwise nothing changes.
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
    /// [`InferenceError::Likelihood`]; [`InferenceError::ImproperPosterior`] if not even a tiny part of the
    /// update leaves a proper posterior.
    pub fn sweep(&mut self, model: &PowerEp, options: &EpOptions) -> Result<Sweep, InferenceError> {
        options.check()?;
        let sweep = self.propose(model, options)?;
        Ok(Sweep { halvings: self.adopt_by_halves(model)?, ..sweep })
    }

    /// Proposes an update of all sites.
    pub(super) fn propose(&mut self, model: &PowerEp, options: &EpOptions) -> Result<Sweep, InferenceError> {
        let tally =
            self.passes.refine(model, (options, SumOf::Proposed), &self.posteriors, &mut self.proposed)?;
        self.add_before();
        Ok(Sweep::of(tally.log_z + self.log_normaliser(), tally, self.sites))
    }

    /// Adopts the proposed sites, halving the step until the posterior is proper; returns the number of
    /// halvings.
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

    /// Adopts the proposed sites if their posterior is proper; true if it is.
    pub(super) fn adopts(&mut self) -> Result<bool, InferenceError> {
        match self.adopt() {
            Ok(()) => Ok(true),
            Err(InferenceError::Linalg(_)) => Ok(false),
            Err(other) => Err(other),
        }
    }

    /// Estimate of `ln p(y)` with the current sites.
    ///
    /// # Errors
    /// [`InferenceError::ImproperCavity`] if undefined, otherwise those of the likelihood.
    pub fn log_z(&mut self, model: &PowerEp) -> Result<f64, InferenceError> {
        let tally = self.passes.evaluate(model, &self.posteriors)?;
        Ok(tally.log_z + self.log_normaliser())
    }

    /// Estimate of `ln p(y)` and, in `gradient`, its derivatives by all parameters in natural units, in the
    /// order of [`LatentModel::parameter_names`](crate::LatentModel::parameter_names), fixed ones included,
    /// without priors.
    ///
    /// # Errors
    /// [`InferenceError::Shape`] for a gradient of wrong length; [`InferenceError::ImproperCavity`] if log
    /// Z is undefined; [`InferenceError::Unsupported`] for [`GradientKind::OfEstimate`] at the latent
    /// level, and after unloaded observations, whose contribution at other parameters is unknown.
    pub fn log_z_gradient(
        &mut self,
        model: &PowerEp,
        kind: GradientKind,
        gradient: &mut [f64],
    ) -> Result<f64, InferenceError> {
        if self.before.is_some() {
            return Err(InferenceError::Unsupported {
                what: "gradients with observations that are not in hand",
            });
        }
        let moves = kind == GradientKind::OfEstimate;
        let tally = self.passes.gradient(model, moves, &self.posteriors, gradient)?;
        Ok(tally.log_z + self.log_normaliser())
    }

    /// `ln p(y_i | all other observations)`, one per observation of this process, with the current sites:
    /// removes all sites of the observation and applies the whole likelihood.
    ///
    /// With sites on several latents the result is somewhat lower than after a fit without the observation,
    /// since a site counts uncertainty of the other latents as noise.
    ///
    /// # Errors
    /// [`InferenceError::ImproperCavity`] if sites cannot be removed, otherwise those of the likelihood.
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

    /// Sites of all processes, by observation, for checkpoints.
    ///
    /// # Errors
    /// [`DataError`](crate::DataError) where processes do not hear each other.
    pub(super) fn all_sites(&self) -> Result<Vec<Site>, InferenceError> {
        if !self.passes.passes.is_shared() {
            return Ok(self.sites().collect());
        }
        Ok(site::unpack(&self.passes.passes.gather(|lane, out| site::pack(&lane.own.present, out))?))
    }

    /// Restores the sites of an equal state; the posterior follows at the next [`refresh`](Self::refresh).
    pub(super) fn recall(&mut self, sites: &[Site]) -> Result<(), String> {
        if sites.len() != self.sites {
            return Err(format!("it has {} sites, and the data have {}", sites.len(), self.sites));
        }
        // Sites of all processes; those of this one come after those of lanes before.
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

    /// Sets a brake that may end work between blocks, with
    /// [`DataError::Stopped`](crate::DataError::Stopped). The state is valid again after the next
    /// [`refresh`](Self::refresh).
    pub fn set_brake(&mut self, brake: Brake) {
        self.passes.passes.set_brake(brake);
    }

    /// Posterior over the inducing values of one latent function.
    ///
    /// # Errors
    /// [`InferenceError::Shape`] for a missing latent.
    pub fn posterior(&self, model: &PowerEp, latent: usize) -> Result<InducingPosterior, InferenceError> {
        posterior(model, &self.posteriors, latent)
    }
}
