//! EP with a site for every factor of every observation, all of them updated at once with damping.

use super::before::Before;
use super::gradient::GradientKind;
use super::lane::SumOf;
use super::mixed::Remembered;
use super::model::PowerEp;
use super::passes::{EpPasses, log_normaliser, move_posteriors, posterior};
use super::point::Tally;
use super::posterior::{RankOne, WhitenedPosterior};
use super::rules::{EpOptions, Schedule};
use super::site::Site;
use crate::error::InferenceError;
use gp_kernels::data::{DataSource, Reduction, Rows};
use gp_kernels::passes::{Lane, Sums};
use gp_kernels::posterior::InducingPosterior;
use gp_optim::Brake;
use std::sync::Arc;

/// Halvings of a sweep that would leave no proper posterior.
const MAX_HALVINGS: u32 = 20;
/// Sweeps that come no nearer to rest by [`GAIN`] are not worth more than this many: what is left is rounding, or a cycle.
const PATIENCE: usize = 50;
/// By this share, at least, the change of sites falls in that many sweeps where they converge at all.
const GAIN: f64 = 0.1;

/// What one sweep did.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Sweep {
    /// The estimate of `ln p(y)` with the sites *before* the sweep; NaN where some cavity is no Gaussian.
    pub log_z: f64,
    /// Root mean square, over all sites, of what a full update would change, in units of the marginals.
    pub change: f64,
    /// Factors left alone because their cavity or tilted moments are those of no Gaussian.
    pub improper: usize,
    /// Sites that asked for a negative precision.
    pub negative: usize,
    /// How often the sweep was halved until the posterior was proper.
    pub halvings: u32,
}

/// How iterations ended.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Convergence {
    /// Whether sites and log Z came to rest.
    pub converged: bool,
    /// Sweeps done.
    pub sweeps: usize,
    /// The last of them.
    pub last: Sweep,
    /// Sites that asked for a negative precision, over all sweeps.
    pub negative: usize,
    /// Factors left alone, over all sweeps.
    pub improper: usize,
    /// Halvings, over all sweeps.
    pub halvings: u32,
}

/// Whether sweeps still come nearer to rest.
#[derive(Clone, Copy, Debug)]
struct Progress {
    /// The least change of sites that later ones have to fall below.
    least: f64,
    /// Sweeps since then.
    since: usize,
}

impl Default for Progress {
    fn default() -> Self {
        Self { least: f64::INFINITY, since: 0 }
    }
}

impl Progress {
    fn note(&mut self, sweep: &Sweep) {
        if sweep.change < (1.0 - GAIN) * self.least {
            *self = Self { least: sweep.change, since: 0 };
        } else {
            self.since += 1;
        }
    }

    fn has_stalled(&self) -> bool {
        self.since >= PATIENCE
    }
}

/// The state of EP on all of a source of observations: sites, projections, posterior.
///
/// It keeps M numbers for each observation, up to [`HELD`](gp_kernels::passes::HELD) in all, and works with a model that may change between calls:
/// [`refresh`](BatchEp::refresh) after kernels or inducing inputs did. Powers stay those of the model it was made for.
#[derive(Debug)]
pub struct BatchEp {
    pub(super) passes: EpPasses,
    pub(super) posteriors: Vec<WhitenedPosterior>,
    /// Sums of the present sites, and of the proposed ones.
    pub(super) sums: Sums,
    pub(super) proposed: Sums,
    pub(super) rank_one: RankOne,
    /// How many sites there are.
    pub(super) sites: usize,
    /// What observations that are not in hand have left.
    before: Option<Before>,
    /// Scratch of visits to single observations.
    pub(super) extra: Vec<f64>,
}

impl BatchEp {
    /// EP before its first sweep: all sites are 1, so that the posterior is the prior.
    ///
    /// # Errors
    /// As [`refresh`](Self::refresh); [`InferenceError::Observation`] for one there cannot be; [`InferenceError::Power`] for a power
    /// that is none.
    pub fn new(model: &PowerEp, data: &dyn DataSource) -> Result<Self, InferenceError> {
        Self::build(model, data, None, None)
    }

    /// EP on these observations after others, of which nothing is left but the posteriors `before`, one a latent: their
    /// sites stay as they were, and sweeps move the sites of these alone. [`log_z`](Self::log_z) then is the estimate
    /// of `ln p(y | y before)`.
    ///
    /// Kernels and inducing inputs of the model have to be those of `before`, which may come from anywhere. Under Gaussian
    /// noise the sites of regression do not depend on each other, and one sweep of whole steps is regression on all
    /// observations; otherwise it is what EP on all of them would be, had the earlier sites not been moved again. With
    /// powers in the limit 0 it is streaming variational inference: the largest bound with `before` as prior.
    ///
    /// # Errors
    /// As [`new`](Self::new); [`InferenceError::Shape`] for posteriors of other numbers of latents or inducing inputs.
    pub fn after(
        model: &PowerEp,
        data: &dyn DataSource,
        before: &[InducingPosterior],
    ) -> Result<Self, InferenceError> {
        Self::build(model, data, None, Some(before))
    }

    /// [`new`](Self::new) on some of the lanes only, the others being somebody else's.
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

    /// Projects all data anew after kernels or inducing inputs have changed, and rebuilds the posterior from the sites
    /// as they are.
    ///
    /// # Errors
    /// [`InferenceError::Kernel`] for inputs the kernel cannot take or a `K_zz` that cannot be factored;
    /// [`InferenceError::Linalg`] where these sites leave no proper posterior. The next call that succeeds, or
    /// [`reset`](Self::reset) after the latter, makes the state sound again; until then it is not.
    pub fn refresh(&mut self, model: &PowerEp) -> Result<(), InferenceError> {
        self.passes.project(model)?;
        self.rebuild(model)
    }

    /// D
    pub(super) fn dim(&self) -> usize {
        self.passes.passes.lanes().first().map_or(0, Lane::dim)
    }

    /// Forgets all sites.
    ///
    /// # Errors
    /// None that a state that once was sound can give.
    pub fn reset(&mut self, model: &PowerEp) -> Result<(), InferenceError> {
        self.passes.passes.change(|sites| sites.present.fill(Site::default()));
        self.rebuild(model)
    }

    /// The posterior of the sites as they are.
    pub(super) fn rebuild(&mut self, model: &PowerEp) -> Result<(), InferenceError> {
        self.passes.passes.change(|sites| sites.proposed.copy_from_slice(&sites.present));
        self.passes.accumulate(model, SumOf::Proposed, &mut self.proposed)?;
        self.add_before();
        self.adopt()
    }

    /// Adds what is not in hand to sums over what is.
    fn add_before(&mut self) {
        if let Some(before) = &self.before {
            before.add_to(&self.passes.layout, &mut self.proposed.numbers);
        }
    }

    /// `ln ∫ p(v) Π sites dv` of the posterior as it is, less that of what came before.
    fn log_normaliser(&self) -> f64 {
        let before = self.before.as_ref().map_or(0.0, Before::log_normaliser);
        log_normaliser(&self.posteriors) - before
    }

    /// Makes the proposed sites the present ones, if their posterior is proper; otherwise nothing has changed.
    fn adopt(&mut self) -> Result<(), InferenceError> {
        let by = (&self.passes.layout, self.passes.passes.threading());
        move_posteriors(&mut self.posteriors, by, (&self.sums, &self.proposed))?;
        std::mem::swap(&mut self.sums, &mut self.proposed);
        self.passes.passes.change(|sites| sites.present.copy_from_slice(&sites.proposed));
        Ok(())
    }

    /// One update of all sites at once.
    ///
    /// # Errors
    /// [`InferenceError::Likelihood`] from the observation model; [`InferenceError::ImproperPosterior`] where not even a tiny part of
    /// the update leaves a proper posterior.
    pub fn sweep(&mut self, model: &PowerEp, options: &EpOptions) -> Result<Sweep, InferenceError> {
        options.check()?;
        let sweep = self.propose(model, options)?;
        Ok(Sweep { halvings: self.adopt_by_halves(model)?, ..sweep })
    }

    /// Proposes an update of all sites at once.
    pub(super) fn propose(&mut self, model: &PowerEp, options: &EpOptions) -> Result<Sweep, InferenceError> {
        let tally =
            self.passes.refine(model, (options, SumOf::Proposed), &self.posteriors, &mut self.proposed)?;
        self.add_before();
        Ok(Sweep {
            log_z: tally.log_z + self.log_normaliser(),
            change: (tally.change / self.sites.max(1) as f64).sqrt(),
            improper: tally.improper as usize,
            negative: tally.negative as usize,
            halvings: 0,
        })
    }

    /// Makes the proposed sites the present ones, or goes only half of the way, and half again, until the posterior is
    /// proper; how often that was.
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

    /// Makes the proposed sites the present ones if their posterior is proper, and says whether it is.
    pub(super) fn adopts(&mut self) -> Result<bool, InferenceError> {
        match self.adopt() {
            Ok(()) => Ok(true),
            Err(InferenceError::Linalg(_)) => Ok(false),
            Err(other) => Err(other),
        }
    }

    /// One update of all sites, in the order that was asked for.
    fn pass(
        &mut self,
        model: &PowerEp,
        options: &EpOptions,
        remembered: Option<&mut Remembered>,
    ) -> Result<Sweep, InferenceError> {
        match (options.schedule, remembered) {
            (Schedule::Parallel, Some(remembered)) => self.sweep_mixed(model, options, remembered),
            (Schedule::Parallel, None) => self.sweep(model, options),
            (Schedule::InTurn, _) => self.sweep_in_turn(model, options),
        }
    }

    /// Sweeps until sites and log Z are at rest, or come no nearer to it.
    ///
    /// # Errors
    /// As [`sweep`](Self::sweep). Not to converge is no error: the answer says so.
    pub fn converge(&mut self, model: &PowerEp, options: &EpOptions) -> Result<Convergence, InferenceError> {
        options.check()?;
        let mut last = f64::NAN;
        let mut remembered = Remembered::new(model, options, &self.sums);
        let mut done = Convergence {
            converged: false,
            sweeps: 0,
            last: Sweep { log_z: f64::NAN, change: f64::INFINITY, improper: 0, negative: 0, halvings: 0 },
            negative: 0,
            improper: 0,
            halvings: 0,
        };
        let mut progress = Progress::default();
        while done.sweeps < options.max_sweeps && !done.converged && !progress.has_stalled() {
            let sweep = self.pass(model, options, remembered.as_mut())?;
            done.sweeps += 1;
            if remembered.as_ref().is_some_and(|remembered| remembered.turned_back) {
                done.last = sweep;
                continue;
            }
            progress.note(&sweep);
            done.negative += sweep.negative;
            done.improper += sweep.improper;
            done.halvings += sweep.halvings;
            let rest = (sweep.log_z - last).abs() <= options.log_z_tolerance * (1.0 + last.abs());
            done.converged = rest && sweep.improper == 0 && sweep.change <= options.tolerance;
            (done.last, last) = (sweep, sweep.log_z);
        }
        if let Some(mut remembered) = remembered {
            self.end_mixed(&mut remembered)?;
        }
        Ok(done)
    }

    /// The estimate of `ln p(y)` with the sites as they are.
    ///
    /// # Errors
    /// [`InferenceError::ImproperCavity`] where it is not defined, otherwise what the observation model reports.
    pub fn log_z(&mut self, model: &PowerEp) -> Result<f64, InferenceError> {
        let tally = self.passes.evaluate(model, &self.posteriors)?;
        Ok(tally.log_z + self.log_normaliser())
    }

    /// The estimate of `ln p(y)` and, over `gradient`, its derivatives by all parameters in natural units, in the
    /// order of [`LatentModel::parameter_names`](crate::LatentModel::parameter_names), fixed ones included, priors left out.
    ///
    /// # Errors
    /// [`InferenceError::Shape`] for a gradient of the wrong length; [`InferenceError::ImproperCavity`] where log Z is not defined;
    /// [`InferenceError::Unsupported`] for [`GradientKind::OfEstimate`] at the latent level, and after observations that are not
    /// in hand: what they would say at other parameters is not known.
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

    /// `ln p(y_i | all other observations)`, one number for each observation of this process, with the sites as they
    /// are: all sites of the observation are taken out and the whole observation model is put in.
    ///
    /// With sites on several latents each, observations take more with them than they had to say, for a site counts what
    /// is unknown of the other latents as noise, which is less once others have been seen: what comes out is then
    /// somewhat lower than after a fit without the observation.
    ///
    /// # Errors
    /// [`InferenceError::ImproperCavity`] where sites cannot be taken out, otherwise what the observation model reports.
    pub fn leave_one_out(&mut self, model: &PowerEp) -> Result<Vec<f64>, InferenceError> {
        let all = self.passes.leave_one_out(model, &self.posteriors)?;
        match all.iter().filter(|value| value.is_nan()).count() {
            0 => Ok(all),
            count => Err(InferenceError::ImproperCavity { count }),
        }
    }

    /// The sites, observation by observation, of this process.
    pub fn sites(&self) -> impl Iterator<Item = Site> {
        self.passes.passes.lanes().iter().flat_map(|lane| lane.own.present.iter().copied())
    }

    /// Goes on from the sites of a state like this one. The posterior is theirs after the next
    /// [`refresh`](Self::refresh).
    pub(super) fn recall(&mut self, sites: &[Site]) -> Result<(), String> {
        if sites.len() != self.sites {
            return Err(format!("it has {} sites, and the data have {}", sites.len(), self.sites));
        }
        let mut rest = sites;
        self.passes.passes.lanes_mut().iter_mut().for_each(|lane| {
            let (own, later) = rest.split_at(lane.own.present.len());
            lane.own.present.copy_from_slice(own);
            rest = later;
        });
        Ok(())
    }

    /// Lets this brake end work between blocks of observations, with [`DataError::Stopped`](crate::DataError::Stopped).
    /// The state is then sound again after the next call of [`refresh`](Self::refresh).
    pub fn set_brake(&mut self, brake: Brake) {
        self.passes.passes.set_brake(brake);
    }

    /// The posterior over the inducing values of one latent function.
    ///
    /// # Errors
    /// [`InferenceError::Shape`] for a latent there is not.
    pub fn posterior(&self, model: &PowerEp, latent: usize) -> Result<InducingPosterior, InferenceError> {
        posterior(model, &self.posteriors, latent)
    }
}
