//! Updates and sums of a lane's sites.

use super::model::PowerEp;
use super::point::{Point, PointDerivatives, PointScratch, Portion, Tally};
use super::rules::{EpOptions, Level};
use super::site::{Belief, Marginal, Site};
use crate::error::InferenceError;
use gp_kernels::passes::{LaneBlock, LatentBlock, Seen, Taken};
use std::collections::VecDeque;
use std::ops::Range;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SumOf {
    Present,
    Proposed,
    /// Proposed minus current sites; excluded ones count as 0.
    Change,
}

#[derive(Debug)]
pub(super) struct LaneSites {
    each: usize,
    /// Portion of each factor per update.
    portions: Vec<Portion>,
    weights: Vec<f64>,
    out: Vec<bool>,
    /// By observation.
    pub(super) present: Vec<Site>,
    pub(super) proposed: Vec<Site>,
    /// Results of the last plain sweeps, newest first.
    past: VecDeque<Vec<Site>>,
    scratch: PointScratch,
    marginals: Vec<Marginal>,
    together: Vec<Site>,
    slopes: Vec<PointDerivatives>,
    /// Scratch for site weights that are not needed.
    counted: Vec<f64>,
    /// Results by observation, such as leave-one-out densities.
    pub(super) values: Vec<f64>,
}

pub(super) type EpBlock<'a> = LaneBlock<'a, LaneSites>;

impl LaneSites {
    pub(super) fn new(model: &PowerEp, places: usize) -> Self {
        let (each, latents) = (model.sites_per_observation(), model.likelihood().latents());
        Self {
            each,
            portions: Vec::with_capacity(places),
            weights: Vec::with_capacity(places),
            out: Vec::with_capacity(places),
            present: Vec::with_capacity(places * each),
            proposed: Vec::with_capacity(places * each),
            past: VecDeque::new(),
            scratch: PointScratch::default(),
            marginals: vec![Marginal::default(); latents],
            together: vec![Site::default(); latents],
            slopes: vec![PointDerivatives::default(); latents],
            counted: vec![0.0; latents],
            values: Vec::new(),
        }
    }

    /// Sets an observation with neutral sites; drops later ones.
    pub(super) fn take(&mut self, model: &PowerEp, taken: Taken<'_>) -> Result<(), InferenceError> {
        let Taken { place, row, target } = taken;
        model
            .likelihood()
            .check_observation(target)
            .map_err(|error| InferenceError::from(error).at_row(row))?;
        let weight = model.likelihood().weight(target);
        self.truncate(place);
        self.portions.push(Portion::new(model.powers().of(row), weight));
        self.weights.push(weight);
        self.out.push(false);
        self.present.resize((place + 1) * self.each, Site::default());
        self.proposed.resize((place + 1) * self.each, Site::default());
        Ok(())
    }

    /// Infinite without observations.
    pub(super) fn least_weight(&self) -> f64 {
        self.weights.iter().copied().fold(f64::INFINITY, f64::min)
    }

    pub(super) fn truncate(&mut self, place: usize) {
        self.portions.truncate(place);
        self.weights.truncate(place);
        self.out.truncate(place);
        self.present.truncate(place * self.each);
        self.proposed.truncate(place * self.each);
    }

    pub(super) fn remove(&mut self, place: usize) {
        let sites = self.sites_of(place);
        self.portions.remove(place);
        self.weights.remove(place);
        self.out.remove(place);
        self.present.drain(sites.clone());
        self.proposed.drain(sites);
    }

    /// Stores proposed sites, newest of `memory` + 1.
    pub(super) fn remember(&mut self, memory: usize) {
        let mut room =
            if self.past.len() > memory { self.past.pop_back().unwrap_or_default() } else { Vec::new() };
        room.clone_from(&self.proposed);
        self.past.push_front(room);
    }

    /// Proposes a combination of stored results; weights sum to 1.
    pub(super) fn mix(&mut self, weights: &[f64]) {
        self.proposed.fill(Site::default());
        for (past, &weight) in self.past.iter().zip(weights) {
            let pairs = self.proposed.iter_mut().zip(past);
            pairs.for_each(|(proposed, past)| *proposed = proposed.times(past.scaled(weight)));
        }
    }

    pub(super) fn propose_last(&mut self) {
        if let Some(last) = self.past.front() {
            self.proposed.copy_from_slice(last);
        }
    }

    pub(super) fn forget_all_but_last(&mut self) {
        self.past.truncate(1);
    }

    pub(super) fn forget(&mut self) {
        self.past.clear();
    }

    pub(super) fn set_out(&mut self, place: usize, is_out: bool) {
        self.out[place] = is_out;
    }

    pub(super) fn sites_of(&self, place: usize) -> Range<usize> {
        place * self.each..(place + 1) * self.each
    }

    fn point<'a>(
        &'a mut self,
        model: &'a PowerEp,
        (seen, latents): (Seen<'a>, &[LatentBlock]),
        (place, i): (usize, usize),
    ) -> (Point<'a>, &'a mut PointScratch, &'a mut [Site]) {
        for (q, (marginal, latent)) in self.marginals.iter_mut().zip(latents).enumerate() {
            let projection = Belief { mean: latent.mean[i], variance: latent.variance[i] };
            *marginal = Marginal { projection, residual: seen.residual(q, i) };
        }
        let sites = self.sites_of(place);
        let point = Point {
            likelihood: model.likelihood(),
            level: model.level(),
            portion: self.portions[place],
            y: seen.target(i),
            marginals: &self.marginals,
            sites: &self.present[sites.clone()],
            is_out: self.out[place],
        };
        (point, &mut self.scratch, &mut self.proposed[sites])
    }

    /// Writes sites on projections to `gram` and `shift`; adds weights to `counted`.
    pub(super) fn natural(
        &mut self,
        model: &PowerEp,
        (seen, latents): (Seen<'_>, &mut [LatentBlock]),
        places: &Range<usize>,
        (sum_of, counted): (SumOf, &mut [f64]),
    ) -> Result<(), InferenceError> {
        for latent in latents.iter_mut() {
            latent.gram[..places.len()].fill(0.0);
            latent.shift[..places.len()].fill(0.0);
        }
        let (present, proposed) = match sum_of {
            SumOf::Present => (1.0, 0.0),
            SumOf::Proposed => (0.0, 1.0),
            SumOf::Change => (-1.0, 1.0),
        };
        for (i, place) in places.clone().enumerate() {
            for (sign, of_proposed) in [(proposed, true), (present, false)] {
                if sign > 0.0 || sign < 0.0 && !self.out[place] {
                    self.gather(model, seen.target(i), (place, of_proposed), (sign, counted));
                    self.add_natural(model.level(), (seen, &mut *latents), i, sign)?;
                }
            }
        }
        Ok(())
    }

    fn gather(
        &mut self,
        model: &PowerEp,
        y: &[f64],
        (place, of_proposed): (usize, bool),
        (sign, counted): (f64, &mut [f64]),
    ) {
        let range = self.sites_of(place);
        let sites = if of_proposed { &self.proposed[range] } else { &self.present[range] };
        self.together.fill(Site::default());
        for (latent, site) in model.likelihood().touched_latents(y).zip(sites) {
            self.together[latent] = self.together[latent].times(*site);
            counted[latent] += sign * self.weights[place];
        }
    }

    fn add_natural(
        &self,
        level: Level,
        (seen, latents): (Seen<'_>, &mut [LatentBlock]),
        i: usize,
        sign: f64,
    ) -> Result<(), InferenceError> {
        for (q, (latent, site)) in latents.iter_mut().zip(&self.together).enumerate() {
            let site = match level {
                Level::Projection => Some(*site),
                Level::Latent => site.through_noise(seen.residual(q, i)).map(|(site, _)| site),
            };
            let Some(site) = site else { return Err(InferenceError::ImproperPosterior) };
            latent.gram[i] += sign * site.precision;
            latent.shift[i] += sign * site.shift;
        }
        Ok(())
    }
}

/// Proposes and sums new sites, tallies old ones. Extra numbers: site weights by latent, tally.
pub(super) fn refine(
    block: EpBlock<'_>,
    extra: &mut [f64],
    model: &PowerEp,
    (options, sum_of): (&EpOptions, SumOf),
) -> Result<(), InferenceError> {
    let LaneBlock { own, places, seen, latents, .. } = block;
    let (counted, numbers) = extra.split_at_mut(latents.len());
    let mut tally = Tally::from_slice(numbers);
    for (i, place) in places.clone().enumerate() {
        let (point, scratch, proposed) = own.point(model, (seen, latents), (place, i));
        scratch.refine(point, options.step, options.negative, proposed, &mut tally)?;
    }
    numbers.copy_from_slice(&tally.to_array());
    own.natural(model, (seen, latents), &places, (sum_of, counted))
}

/// Sums of sites; extra numbers as [`refine`].
pub(super) fn accumulate(
    block: EpBlock<'_>,
    extra: &mut [f64],
    model: &PowerEp,
    sum_of: SumOf,
) -> Result<(), InferenceError> {
    let LaneBlock { own, places, seen, latents, .. } = block;
    let counted = &mut extra[..latents.len()];
    own.natural(model, (seen, latents), &places, (sum_of, counted))
}

pub(super) fn evaluate(block: EpBlock<'_>, extra: &mut [f64], model: &PowerEp) -> Result<(), InferenceError> {
    let LaneBlock { own, places, seen, latents, .. } = block;
    let mut tally = Tally::from_slice(extra);
    for (i, place) in places.enumerate() {
        let (point, scratch, _) = own.point(model, (seen, latents), (place, i));
        scratch.evaluate(point, &mut tally)?;
    }
    extra.copy_from_slice(&tally.to_array());
    Ok(())
}

pub(super) fn leave_one_out(block: EpBlock<'_>, model: &PowerEp) -> Result<(), InferenceError> {
    let LaneBlock { own, places, seen, latents, .. } = block;
    for (i, place) in places.enumerate() {
        let (point, scratch, _) = own.point(model, (seen, latents), (place, i));
        let value = scratch.leave_one_out(point)?;
        own.values.push(value);
    }
    Ok(())
}

pub(super) fn left_out_classes(block: EpBlock<'_>, model: &PowerEp) -> Result<(), InferenceError> {
    let LaneBlock { own, places, seen, latents, .. } = block;
    let mut values = std::mem::take(&mut own.values);
    for (i, place) in places.enumerate() {
        let (point, scratch, _) = own.point(model, (seen, latents), (place, i));
        scratch.left_out_classes(point, &mut values)?;
    }
    own.values = values;
    Ok(())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Derivatives {
    /// By m and V: sums of `w̄ φφᵀ` and `μ̄ φ`.
    ByPosterior,
    /// By φ and s; sites and posterior fixed.
    Converged,
    /// By φ and s; sites fixed, posterior following.
    Moving,
}

/// Derivatives of log Z. Extra numbers: derivatives by likelihood parameters, tally.
pub(super) fn slopes(
    block: EpBlock<'_>,
    extra: &mut [f64],
    model: &PowerEp,
    derivatives: Derivatives,
) -> Result<(), InferenceError> {
    let LaneBlock { own, places, seen, latents, .. } = block;
    if derivatives == Derivatives::Moving {
        // τ and ν of the sites, by which the posterior follows φ.
        let mut counted = std::mem::take(&mut own.counted);
        own.natural(model, (seen, &mut *latents), &places, (SumOf::Present, &mut counted))?;
        own.counted = counted;
    }
    let (by_params, numbers) = extra.split_at_mut(extra.len() - Tally::LEN);
    let mut tally = Tally::from_slice(numbers);
    let mut weights = std::mem::take(&mut own.slopes);
    for (i, place) in places.enumerate() {
        let (point, scratch, _) = own.point(model, (seen, latents), (place, i));
        match scratch.slopes(point, &mut weights, by_params)? {
            Some(log_z) => tally.log_z += log_z,
            None => tally.improper += 1.0,
        }
        for (latent, weights) in latents.iter_mut().zip(&weights) {
            answer(latent, i, *weights, derivatives);
        }
    }
    own.slopes = weights;
    numbers.copy_from_slice(&tally.to_array());
    Ok(())
}

fn answer(latent: &mut LatentBlock, i: usize, weights: PointDerivatives, derivatives: Derivatives) {
    latent.on_residual[i] = weights.residual;
    match derivatives {
        Derivatives::ByPosterior => (latent.gram[i], latent.shift[i]) = (weights.variance, weights.mean),
        Derivatives::Converged => {
            (latent.on_mean[i], latent.on_spread[i]) = (weights.on_mean, weights.on_spread);
        }
        Derivatives::Moving => {
            let (tau, pull) = (latent.gram[i], latent.shift[i] - latent.gram[i] * latent.mean[i]);
            latent.shift[i] = pull;
            (latent.on_mean[i], latent.on_spread[i]) = (pull + weights.mean, 2.0 * weights.variance - tau);
        }
    }
}
