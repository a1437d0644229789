//! EP on mini-batches with own sites, or one average site (stochastic EP; memory independent of N).
//!
//! The posterior depends on sites through `T = Σ τ_i φ_iφ_iᵀ` and `η = Σ ν_i φ_i`, kept between batches.
//!
//! Own sites: a batch adds the change of its sites. While parameters move, each epoch [rebuilds](super::epoch) the
//! sums.
//!
//! Tied sites: every factor of a latent has the average site T/n, η/n; its cavity is the posterior without α of that
//! site. A batch moves T towards N/B times its sites: `T ← (1 − ρ) T + ρ (N/B) Σ_b τ φφᵀ`. The number n of sites per
//! latent can depend on labels and is estimated likewise.

use super::epoch::{Epoch, EpochMemory};
use super::lane::{LaneSites, SumOf};
use super::model::PowerEp;
use super::passes::{EpPasses, log_normaliser, move_posteriors, posterior, set_posteriors};
use super::point::Tally;
use super::posterior::WhitenedPosterior;
use super::rules::{EpOptions, Level, SiteOrder};
use super::site::{self, Site};
use crate::error::{InferenceError, check_count};
use crate::powers::Powers;
use gp_kernels::data::{DataError, DataSource, Rows};
use gp_kernels::passes::Sums;
use gp_kernels::posterior::InducingPosterior;
use gp_optim::StopSignal;
use serde::{Deserialize, Serialize};

const MAX_HALVINGS: u32 = 20;

/// One site per factor, or for all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sharing {
    /// One site (two numbers) per factor.
    #[default]
    Own,
    /// One average site (stochastic EP); memory independent of N.
    Tied,
}

/// Result of one step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BatchStep {
    /// Estimate of `ln p(y)` from this batch, before the step; NaN without Gaussian cavity, or if sums hold
    /// its sites at earlier parameters.
    pub log_z: f64,
    /// Root mean square change by a full update, in units of marginals; tied sites: their size.
    pub change: f64,
    /// Factors skipped without Gaussian cavity or moments.
    pub improper: usize,
    /// Full updates with negative precision.
    pub negative: usize,
    /// Step halvings for a proper posterior.
    pub halvings: u32,
}

/// State of EP on mini-batches.
#[derive(Debug)]
pub struct MiniBatchEp {
    passes: EpPasses,
    pub(super) posteriors: Vec<WhitenedPosterior>,
    /// Tied: posteriors without α of the average sites. Own: without old sums.
    cavities: Vec<WhitenedPosterior>,
    sums: Sums,
    batch_sums: Sums,
    trial: Sums,
    sites: Vec<Site>,
    epoch: Epoch,
    sharing: Sharing,
    observations: usize,
    capacity: usize,
    rows: Vec<usize>,
    sorted: Vec<usize>,
    batches_seen: u64,
    /// M×M scratch.
    room: Vec<f64>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct MiniBatchMemory {
    sums: Vec<f64>,
    sites: Vec<Site>,
    old: Vec<f64>,
    epoch: EpochMemory,
    batches_seen: u64,
}

impl MiniBatchEp {
    /// State before batches of at most `capacity`.
    ///
    /// # Errors
    /// [`InferenceError::Shape`] of data; [`InferenceError::Power`]; [`InferenceError::Unsupported`] for tied
    /// sites at the latent level or with individual powers; [`InferenceError::Kernel`].
    pub fn new(
        model: &PowerEp,
        data: &dyn DataSource,
        sharing: Sharing,
        capacity: usize,
    ) -> Result<Self, InferenceError> {
        if sharing == Sharing::Tied {
            check_tied(model)?;
        }
        let capacity = capacity.clamp(1, data.count().max(1));
        let mut passes = EpPasses::new(model, data, capacity, None)?;
        passes.passes.refresh(model.processes(), model.jitter())?;
        let zeros = Sums::zeros(&passes.layout);
        let own = if sharing == Sharing::Own { data.count() } else { 0 };
        Ok(Self {
            epoch: Epoch::new(own, zeros.clone(), model.processes()),
            posteriors: passes.prior_posteriors(),
            cavities: passes.prior_posteriors(),
            sums: zeros.clone(),
            batch_sums: zeros.clone(),
            trial: zeros,
            sites: vec![Site::default(); own * model.sites_per_observation()],
            sharing,
            observations: data.count(),
            capacity,
            rows: Vec::with_capacity(capacity),
            sorted: Vec::with_capacity(capacity),
            batches_seen: 0,
            room: Vec::new(),
            passes,
        })
    }

    /// Factors `K_zz` after changes of kernels or inducing inputs. Sums stay until later batches or
    /// [`rebuild`](Self::rebuild).
    ///
    /// # Errors
    /// [`InferenceError::Kernel`] without factor of `K_zz`.
    pub fn refresh(&mut self, model: &PowerEp) -> Result<(), InferenceError> {
        if self.sharing == Sharing::Own {
            self.epoch.notice(model.processes(), &self.sums);
        }
        Ok(self.passes.passes.refresh(model.processes(), model.jitter())?)
    }

    /// Recomputes sums over own sites in one pass.
    ///
    /// # Errors
    /// As [`step`](Self::step).
    pub fn rebuild(&mut self, model: &PowerEp, data: &dyn DataSource) -> Result<(), InferenceError> {
        if self.sharing == Sharing::Tied {
            return Ok(());
        }
        self.trial.numbers.fill(0.0);
        for rows in self.blocks() {
            self.bring(model, data, &rows)?;
            self.passes.accumulate(model, SumOf::Proposed, &mut self.batch_sums)?;
            let parts = self.trial.numbers.iter_mut().zip(&self.batch_sums.numbers);
            parts.for_each(|(sum, part)| *sum += part);
        }
        self.adopt()?;
        self.epoch.rebuilt();
        Ok(())
    }

    /// All rows, in blocks of the capacity.
    pub(super) fn blocks(&self) -> impl Iterator<Item = Vec<usize>> + use<> {
        let (count, capacity) = (self.observations, self.capacity);
        (0..count).step_by(capacity).map(move |start| (start..(start + capacity).min(count)).collect())
    }

    #[cfg(test)]
    pub(super) fn sites_mut(&mut self) -> &mut [Site] {
        &mut self.sites
    }

    pub(super) fn sharing(&self) -> Sharing {
        self.sharing
    }

    pub(super) fn evaluate_loaded(&mut self, model: &PowerEp) -> Result<f64, InferenceError> {
        Ok(self.passes.evaluate(model, &self.posteriors)?.log_z)
    }

    pub(super) fn log_normaliser(&self) -> f64 {
        log_normaliser(&self.posteriors)
    }

    /// Reads and projects a batch; one of all rows renews sums.
    pub(super) fn load(
        &mut self,
        model: &PowerEp,
        data: &dyn DataSource,
        rows: &[usize],
    ) -> Result<(), InferenceError> {
        self.bring(model, data, rows)?;
        if self.sharing == Sharing::Own && rows.len() == self.observations {
            self.add_up_all(model)?;
        }
        Ok(())
    }

    /// [`load`](Self::load) without changing sums.
    pub(super) fn bring(
        &mut self,
        model: &PowerEp,
        data: &dyn DataSource,
        rows: &[usize],
    ) -> Result<(), InferenceError> {
        if rows.is_empty() || rows.len() > self.capacity {
            let (what, axis, expected) = ("batch", "observations", self.capacity);
            return Err(InferenceError::Shape { what, axis, expected, found: rows.len() });
        }
        check_count("data", "observations", self.observations, data.count())?;
        // Until the new batch is complete, none is loaded.
        self.rows.clear();
        self.check_rows(rows)?;
        self.passes.read(model, data, &Rows::List(rows))?;
        if self.sharing == Sharing::Tied {
            self.check_weights(model)?;
        }
        self.passes.passes.project::<InferenceError>()?;
        self.rows.extend_from_slice(rows);
        self.bring_sites();
        Ok(())
    }

    /// Fails for weights below α, which replace other fractions of a site.
    fn check_weights(&mut self, model: &PowerEp) -> Result<(), InferenceError> {
        let Powers::Same(power) = *model.powers() else { return Ok(()) };
        let weights = self.passes.passes.lanes().iter().map(|lane| lane.own.least_weight());
        let weight = weights.fold(f64::INFINITY, f64::min);
        let is_below = weight < power;
        self.passes.passes.agreed(if is_below {
            Err(InferenceError::TiedWeight { power, weight })
        } else {
            Ok(())
        })
    }

    /// Copies own sites to lanes; marks those excluded.
    fn bring_sites(&mut self) {
        for lane in self.passes.passes.lanes_mut() {
            for place in 0..lane.count() {
                let (row, sites) = (lane.rows()[place], lane.own.sites_of(place));
                let each = sites.len();
                // Tied sites have no entry; the lane's values are unused.
                if let Some(own) = self.sites.get(row * each..(row + 1) * each) {
                    lane.own.present[sites.clone()].copy_from_slice(own);
                    lane.own.proposed[sites].copy_from_slice(own);
                    lane.own.set_out(place, !self.epoch.knows(row));
                }
            }
        }
    }

    fn add_up_all(&mut self, model: &PowerEp) -> Result<(), InferenceError> {
        self.passes.accumulate(model, SumOf::Proposed, &mut self.trial)?;
        self.adopt()?;
        self.epoch.rebuilt();
        self.bring_sites();
        Ok(())
    }

    /// Fails for missing or, with own sites, repeated rows.
    fn check_rows(&mut self, rows: &[usize]) -> Result<(), InferenceError> {
        if let Some(&row) = rows.iter().find(|&&row| row >= self.observations) {
            let reason = format!("there are {} observations", self.observations);
            return Err(DataError::Read { row, reason }.into());
        }
        self.sorted.clear();
        self.sorted.extend_from_slice(rows);
        self.sorted.sort_unstable();
        let twice = self.sorted.windows(2).find(|pair| pair[0] == pair[1]);
        match twice.filter(|_| self.sharing == Sharing::Own) {
            Some(pair) => {
                Err(InferenceError::Block { row: pair[0], reason: "is in a batch twice".to_owned() })
            }
            None => Ok(()),
        }
    }

    /// Changes nothing if improper.
    fn adopt(&mut self) -> Result<(), InferenceError> {
        let by = (&self.passes.layout, self.passes.passes.threading());
        move_posteriors(&mut self.posteriors, by, (&self.sums, &self.trial))?;
        std::mem::swap(&mut self.sums, &mut self.trial);
        Ok(())
    }

    /// Updates the batch's sites, or the average site.
    ///
    /// # Errors
    /// [`InferenceError::Shape`] for an empty or too large batch; [`InferenceError::Block`] for repeated rows
    /// with own sites; [`InferenceError::TiedWeight`]; [`InferenceError::Data`];
    /// [`InferenceError::Observation`]; [`InferenceError::ImproperPosterior`];
    /// [`InferenceError::Unsupported`] for [`SiteOrder::InTurn`].
    pub fn step(
        &mut self,
        model: &PowerEp,
        data: &dyn DataSource,
        rows: &[usize],
        options: &EpOptions,
    ) -> Result<BatchStep, InferenceError> {
        check_options(options)?;
        self.load(model, data, rows)?;
        self.step_loaded(model, options)
    }

    pub(super) fn step_loaded(
        &mut self,
        model: &PowerEp,
        options: &EpOptions,
    ) -> Result<BatchStep, InferenceError> {
        let weight = self.observations as f64 / self.rows.len() as f64;
        let (tally, rate) = match self.sharing {
            Sharing::Own => {
                let how = (options, SumOf::Change);
                let without = self.set_cavities_of_batch()?;
                let beliefs = if without { &self.cavities } else { &self.posteriors };
                let tally = self.passes.refine(model, how, beliefs, &mut self.batch_sums)?;
                // The part of log Z of sites with earlier φ is unknown.
                let log_z = if without { f64::NAN } else { tally.log_z };
                (Tally { log_z, ..tally }, None)
            }
            Sharing::Tied => {
                self.set_cavities(model)?;
                let whole = EpOptions { step: 1.0, ..*options };
                let how = (&whole, SumOf::Proposed);
                let tally = self.passes.refine(model, how, &self.cavities, &mut self.batch_sums)?;
                // A running mean over the first epoch, so that no prior remains in the average site.
                let share = (1.0 / weight).max(1.0 / (self.batches_seen + 1) as f64);
                (tally, Some((options.step, share)))
            }
        };
        let log_z = weight * tally.log_z + self.prior_part(model)?;
        let halvings = self.move_sums(model, rate, weight)?;
        self.batches_seen += 1;
        self.keep_sites()?;
        Ok(BatchStep {
            log_z,
            change: (tally.change / (self.rows.len() * model.sites_per_observation()) as f64).sqrt(),
            improper: tally.improper as usize,
            negative: tally.negative as usize,
            halvings,
        })
    }

    /// Moves T and η by the batch; returns the halvings.
    fn move_sums(
        &mut self,
        model: &PowerEp,
        rate: Option<(f64, f64)>,
        weight: f64,
    ) -> Result<u32, InferenceError> {
        for halvings in 0..=MAX_HALVINGS {
            if halvings > 0 && rate.is_none() {
                self.passes.halve(model, SumOf::Change, &mut self.batch_sums)?;
            }
            let (keep, add) = rate.map_or((1.0, 1.0), |(step, share)| {
                let part = step * share * 0.5f64.powi(halvings.cast_signed());
                (1.0 - part, part * weight)
            });
            let Self { trial, sums, batch_sums, passes, posteriors, epoch, rows, .. } = &mut *self;
            let both = sums.numbers.iter().zip(&batch_sums.numbers);
            for (trial, (sum, batch)) in trial.numbers.iter_mut().zip(both) {
                *trial = keep * sum + add * batch;
            }
            epoch.take_out(rows, trial);
            if let Some((_, share)) = rate {
                // The number of sites is averaged without step or halvings.
                let layout = &passes.layout;
                let (sums, batch) = (layout.extra(&sums.numbers), layout.extra(&batch_sums.numbers));
                let counts = layout.extra_mut(&mut trial.numbers).iter_mut().zip(sums.iter().zip(batch));
                for (count, (sum, batch)) in counts.take(posteriors.len()) {
                    *count = (1.0 - share) * sum + share * weight * batch;
                }
            }
            match self.adopt() {
                Ok(()) => return Ok(halvings),
                Err(InferenceError::Linalg(_)) => {}
                Err(other) => return Err(other),
            }
        }
        Err(InferenceError::ImproperPosterior)
    }

    fn keep_sites(&mut self) -> Result<(), InferenceError> {
        if self.sharing == Sharing::Tied {
            return Ok(());
        }
        self.epoch.advance(&self.rows, &self.sums);
        for lane in self.passes.passes.lanes_mut() {
            for place in 0..lane.count() {
                let (row, sites) = (lane.rows()[place], lane.own.sites_of(place));
                let each = sites.len();
                let LaneSites { present, proposed, .. } = &mut lane.own;
                present[sites.clone()].copy_from_slice(&proposed[sites.clone()]);
                self.sites[row * each..(row + 1) * each].copy_from_slice(&proposed[sites]);
                lane.own.set_out(place, false);
            }
        }
        self.keep_sites_of_others()
    }

    /// Stores other processes' sites: rows may come later.
    fn keep_sites_of_others(&mut self) -> Result<(), InferenceError> {
        let passes = &self.passes.passes;
        if !passes.is_shared() {
            return Ok(());
        }
        let all = site::unpack(&passes.gather(|lane, out| site::pack(&lane.own.present, out))?);
        let each = self.sites.len() / self.observations;
        for (&row, sites) in self.rows.iter().zip(all.chunks_exact(each)) {
            self.sites[row * each..(row + 1) * each].copy_from_slice(sites);
        }
        Ok(())
    }

    /// Posteriors without the batch's old sums; `false` if none.
    fn set_cavities_of_batch(&mut self) -> Result<bool, InferenceError> {
        if self.epoch.leaving(&self.rows) == 0.0 {
            return Ok(false);
        }
        let Self { trial, sums, epoch, rows, passes, cavities, .. } = &mut *self;
        trial.numbers.copy_from_slice(&sums.numbers);
        epoch.take_out(rows, trial);
        set_posteriors(cavities, (&passes.layout, passes.passes.threading()), trial, |_| 1.0)?;
        Ok(true)
    }

    fn set_cavities(&mut self, model: &PowerEp) -> Result<(), InferenceError> {
        let (layout, power) = (&self.passes.layout, model.powers().of(0));
        let sums = &self.sums;
        let without = |q: usize| {
            if power == 0.0 { 1.0 } else { 1.0 - power / layout.extra(&sums.numbers)[q].max(power) }
        };
        set_posteriors(&mut self.cavities, (layout, self.passes.passes.threading()), sums, without)
    }

    /// Part of log Z beyond single observations. Tied sites: `G(q) − G(p) + Σ (n/α) (G(cavity) − G(q))` over
    /// latents of n sites, or `−KL(q ‖ p)` at α = 0.
    fn prior_part(&mut self, model: &PowerEp) -> Result<f64, InferenceError> {
        if self.sharing == Sharing::Own {
            return Ok(self.log_normaliser());
        }
        let power = model.powers().of(0);
        if power > 0.0 {
            let part = |(q, (posterior, cavity)): (usize, (&WhitenedPosterior, &WhitenedPosterior))| {
                let (with, without) = (posterior.log_normaliser(), cavity.log_normaliser());
                with + self.passes.layout.extra(&self.sums.numbers)[q] / power * (without - with)
            };
            return Ok(self.posteriors.iter().zip(&self.cavities).enumerate().map(part).sum());
        }
        let room = &mut self.room;
        self.posteriors.iter().try_fold(0.0, |sum, posterior| Ok(sum - posterior.divergence(room)?))
    }

    /// Estimate of `ln p(y)` from the current batch. `gradient`: estimated natural derivatives, without
    /// priors, at fixed sites and posterior.
    ///
    /// # Errors
    /// As [`BatchEp::log_z_gradient`](super::BatchEp::log_z_gradient); [`InferenceError::Data`] before any
    /// batch.
    pub fn log_z_gradient(&mut self, model: &PowerEp, gradient: &mut [f64]) -> Result<f64, InferenceError> {
        if self.rows.is_empty() {
            return Err(DataError::NoData.into());
        }
        let weight = self.observations as f64 / self.rows.len() as f64;
        if self.sharing == Sharing::Tied {
            self.set_cavities(model)?;
        }
        let posteriors = match self.sharing {
            Sharing::Own => &self.posteriors,
            Sharing::Tied => &self.cavities,
        };
        let tally = self.passes.gradient(model, false, posteriors, gradient)?;
        gradient.iter_mut().for_each(|g| *g *= weight);
        Ok(weight * tally.log_z + self.prior_part(model)?)
    }

    /// Checkpoint state beyond data, settings and parameters.
    pub(super) fn memory(&self) -> MiniBatchMemory {
        let (sums, sites) = (self.sums.numbers.clone(), self.sites.clone());
        let (old, epoch) = (self.epoch.old.numbers.clone(), self.epoch.memory());
        MiniBatchMemory { sums, sites, old, epoch, batches_seen: self.batches_seen }
    }

    pub(super) fn recall(&mut self, memory: MiniBatchMemory) -> Result<(), String> {
        let MiniBatchMemory { sums, sites, old, epoch, batches_seen } = memory;
        if sums.len() != self.sums.numbers.len() || sites.len() != self.sites.len() {
            return Err("its sites are those of another model or of other data".to_owned());
        }
        self.epoch.recall(old, epoch)?;
        (self.sums.numbers, self.sites, self.batches_seen) = (sums, sites, batches_seen);
        let by = (&self.passes.layout, self.passes.passes.threading());
        set_posteriors(&mut self.posteriors, by, &self.sums, |_| 1.0).map_err(|error| error.to_string())
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

pub(super) fn check_options(options: &EpOptions) -> Result<(), InferenceError> {
    options.check()?;
    if options.schedule == SiteOrder::InTurn {
        return Err(InferenceError::Unsupported { what: "sites in turn in mini-batches" });
    }
    Ok(())
}

fn check_tied(model: &PowerEp) -> Result<(), InferenceError> {
    if model.level() == Level::Latent {
        return Err(InferenceError::Unsupported { what: "tied sites at the latent level" });
    }
    match model.powers() {
        Powers::Same(_) => Ok(()),
        Powers::Each(_) => {
            Err(InferenceError::Unsupported { what: "tied sites with a power for each observation" })
        }
    }
}
