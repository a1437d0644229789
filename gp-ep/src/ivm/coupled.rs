//! One active set, sites `diag π − π πᵀ/(1ᵀπ)`, EP on the last points.

use super::active_set::{ActiveSet, CoupledSite};
use super::chunks::{in_rooms, threads};
use super::classes::{Classes, EpCounts, Target, Task};
use super::covariances::{ActivePoints, Candidates};
use super::growth::Growth;
use super::liquid::{Change, Liquid, LiquidPoint};
use super::numbers::Column;
use super::observation::{ClassBelief, IntegralScratch};
use super::options::Selection;
use super::projection::{HalfPrecision, precision_times, project, widened};
use super::room::Room;
use super::select::entropy;
use super::small::inner;
use super::tilt::Tilted;
use crate::error::InferenceError;
use gp_linalg::LinalgError;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

const CHUNK: usize = 32;
/// Relative change of π and b at convergence.
const CONVERGED: f64 = 1e-10;
/// Smallest initial π.
const LEAST: f64 = 1e-3;

pub(super) struct CoupledClasses<'a> {
    task: &'a Task<'a>,
    active: ActivePoints,
    candidates: Candidates,
    /// Points needed outside scoring.
    chosen: Candidates,
    pub(super) growth: Growth,
    is_stale: bool,
    /// Frozen points in order of inclusion.
    sites: Vec<(usize, CoupledSite)>,
    pub(super) liquid: Liquid,
    rooms: Vec<Room>,
    scratch: IntegralScratch,
    ep: EpCounts,
    since_refresh: usize,
}

impl<'a> CoupledClasses<'a> {
    pub(super) fn new(task: &'a Task<'a>) -> Self {
        let (classes, full) = (task.model.classes(), task.full());
        Self {
            task,
            active: ActivePoints::new(&task.kernels, full),
            candidates: Candidates::default(),
            chosen: Candidates::default(),
            growth: Growth::new(classes, full),
            is_stale: false,
            sites: Vec::new(),
            liquid: Liquid::new(classes),
            rooms: Vec::new(),
            scratch: IntegralScratch::default(),
            ep: EpCounts::default(),
            since_refresh: 0,
        }
    }

    pub(super) fn beliefs(&mut self, rows: &[usize]) -> Result<Vec<ClassBelief>, InferenceError> {
        self.represent()?;
        let Self { task, chosen, active, growth, .. } = self;
        chosen.follow(rows, active, &task.kernels, task.full())?;
        let mut room = Room::new(task.full(), task.model.classes(), rows.len());
        room.fill(&growth.all, rows.len(), |c, j| chosen.column(task.kernels.first()[c], j))?;
        let diagonals = &task.kernels.diagonals;
        let belief = |(j, &row): (usize, &usize)| room.belief(&growth.all, j, |c| diagonals[c][row]);
        Ok(rows.iter().enumerate().map(belief).collect())
    }

    fn represent(&mut self) -> Result<(), InferenceError> {
        if self.is_stale {
            let sites: Vec<&CoupledSite> = self.liquid.points.iter().map(|point| &point.site).collect();
            self.growth.complete(&sites, &self.active)?;
            self.is_stale = false;
        }
        Ok(())
    }

    fn scores_of(
        &self,
        room: &mut Room,
        first: usize,
        rows: &[usize],
    ) -> Result<Vec<Option<(Target, f64)>>, InferenceError> {
        let (all, kernels) = (&self.growth.all, &self.task.kernels);
        let candidates = &self.candidates;
        room.fill(all, rows.len(), |c, j| candidates.column(kernels.first()[c], first + j))?;
        let score = |(j, &row): (usize, &usize)| {
            let belief = room.belief(all, j, |c| kernels.diagonals[c][row]);
            Ok(self.score(row, &belief, &mut room.scratch)?.map(|score| (None, score)))
        };
        rows.iter().enumerate().map(score).collect()
    }

    /// Scores, largest best; gains in nats (Seeger & Jordan 2004 §4.4, opposite sign).
    fn score(
        &self,
        row: usize,
        belief: &ClassBelief,
        scratch: &mut IntegralScratch,
    ) -> Result<Option<f64>, InferenceError> {
        let (observed, selection) = (&self.task.observed, self.task.options.selection);
        if selection == Selection::MaxEntropy {
            return Ok(Some(entropy(&observed.probabilities(belief, scratch)?)));
        }
        if selection == Selection::InformationGain {
            return observed.gain(self.task.data.targets()[row], belief, scratch);
        }
        let Some(tilted) = observed.tilt(self.task.data.targets()[row], 1.0, belief, scratch)? else {
            return Ok(None);
        };
        let start = self.first_precision(row, &tilted)?;
        Ok(exact_gain(belief, &tilted, &start))
    }

    /// Initial π: half label, half class probabilities.
    fn first_precision(&self, row: usize, tilted: &Tilted) -> Result<Column, InferenceError> {
        let mut pi = self.task.observed.given(&tilted.belief.mean)?;
        pi.iter_mut().for_each(|p| *p *= 0.5);
        pi[self.task.data.classes[row]] += 0.5;
        Ok(pi.iter().map(|p| p.max(LEAST)).collect())
    }

    /// Site that matches the tilted mean and, approximately, covariance.
    pub(super) fn match_moments(
        &mut self,
        row: usize,
        gamma: f64,
        belief: &ClassBelief,
        start: Option<&[f64]>,
    ) -> Result<Option<CoupledSite>, InferenceError> {
        let y = self.task.data.targets()[row];
        let Some(tilted) = self.task.observed.tilt(y, gamma, belief, &mut self.scratch)? else {
            return Ok(None);
        };
        let start = match start {
            Some(start) => Column::of(start),
            None => self.first_precision(row, &tilted)?,
        };
        let Some(precision) = project(&belief.covariance, &tilted.belief.covariance, &start) else {
            return Ok(None);
        };
        // b = ∂ log Z/∂h + Π ĥ: eq. 11 without an inverse.
        let mut shift = precision_times(&precision, &tilted.belief.mean);
        shift.iter_mut().zip(&tilted.gradient).for_each(|(b, g)| *b += g);
        Ok(shift.iter().all(|b| b.is_finite()).then_some(CoupledSite { precision, shift }))
    }

    /// γ of liquid points after another inclusion.
    fn gammas(&self) -> Vec<f64> {
        let liquid = (self.liquid.len() + 1).min(self.task.options.liquid);
        let active = self.sites.len() + self.liquid.len() + 1;
        let weights = self.task.options.reweighting;
        weights.map_or_else(|| vec![1.0; liquid], |weights| weights.factors(active, liquid))
    }

    /// Freezes a liquid point; returns its row after a breakdown.
    fn freeze(
        &mut self,
        LiquidPoint { row, site, .. }: LiquidPoint,
    ) -> Result<Option<usize>, InferenceError> {
        match self.growth.freeze(&site, &self.active) {
            Ok(()) => {
                self.sites.push((row, site));
                Ok(None)
            }
            Err(LinalgError::ExtendBreakdown { .. }) => {
                self.active.remove(self.sites.len());
                self.candidates.forget();
                Ok(Some(row))
            }
            Err(fault) => Err(fault.into()),
        }
    }

    /// Recomputes the liquid belief from stubs.
    pub(super) fn meet(&mut self) -> Result<(), InferenceError> {
        self.represent()?;
        let (all, active) = (&self.growth.all, &self.active);
        let stubs = self.growth.liquid_stubs(active, self.task.model.threading)?;
        let d = self.growth.frozen();
        let a = stubs.covariance(&stubs, |c, i, j| active.gram(c)[(d + i, d + j)])?;
        let mean = (0..self.liquid.len()).flat_map(|j| all.mean(&stubs, j).to_vec()).collect();
        self.liquid.set(a, mean);
        self.since_refresh = 0;
        Ok(())
    }

    pub(super) fn ep_phase(&mut self, rng: &mut ChaCha8Rng) -> Result<(), InferenceError> {
        let count = self.liquid.len();
        if count < 2 {
            return Ok(());
        }
        for _ in 0..self.task.options.sweeps {
            let mut order: Vec<usize> = (0..count).collect();
            for last in (1..count).rev() {
                order.swap(last, rng.random_range(0..=last));
            }
            for l in order {
                if self.task.ended().is_some() {
                    return Ok(());
                }
                self.refine(l)?;
            }
        }
        Ok(())
    }

    /// EP update, after a recomputation if due.
    fn refine(&mut self, l: usize) -> Result<(), InferenceError> {
        if self.since_refresh >= self.task.options.refresh * self.liquid.len() {
            self.meet()?;
            self.ep.refreshes += 1;
        }
        let Some(cavity) = self.liquid.cavity(l) else {
            self.ep.skipped += 1;
            return Ok(());
        };
        let (row, gamma) = (self.liquid.points[l].row, self.liquid.points[l].gamma);
        let old = self.liquid.points[l].site.clone();
        let Some(site) = self.match_moments(row, gamma, &cavity, Some(&old.precision))? else {
            self.ep.skipped += 1;
            return Ok(());
        };
        if hardly_moved(&old.precision, &site.precision) && hardly_moved(&old.shift, &site.shift) {
            self.ep.converged += 1;
            return Ok(());
        }
        match self.liquid.change(l, site)? {
            Change::Made => self.ep.updates += 1,
            Change::RolledBack => self.ep.rolled_back += 1,
        }
        self.is_stale = true;
        self.since_refresh += 1;
        Ok(())
    }
}

impl Classes for CoupledClasses<'_> {
    type Site = LiquidPoint;

    fn open(&self) -> Vec<Target> {
        let active = self.sites.len() + self.liquid.len();
        if active < self.task.full() { vec![None] } else { Vec::new() }
    }

    /// Always `true`: chosen points are no candidates.
    fn is_free(&self, _row: usize, _target: Target) -> bool {
        true
    }

    fn scores(
        &mut self,
        rows: &[usize],
        _open: &[Target],
    ) -> Result<Vec<Option<(Target, f64)>>, InferenceError> {
        self.represent()?;
        let (task, full) = (self.task, self.task.full());
        self.candidates.follow(rows, &self.active, &task.kernels, full)?;
        let (mut rooms, threading) = (std::mem::take(&mut self.rooms), task.model.threading);
        let room = || Room::new(full, task.model.classes(), CHUNK);
        rooms.resize_with(rooms.len().max(threads(threading)), room);
        let found = in_rooms(rows, CHUNK, &mut rooms, threading, |room, first, rows| {
            self.scores_of(room, first, rows)
        });
        self.rooms = rooms;
        found
    }

    fn take(&mut self, _row: usize, _target: Target) -> bool {
        true
    }

    fn site(&mut self, row: usize, _target: Target) -> Result<Option<LiquidPoint>, InferenceError> {
        let belief = self.beliefs(&[row])?.swap_remove(0);
        let gamma = self.gammas().last().copied().unwrap_or(1.0);
        let site = self.match_moments(row, gamma, &belief, None)?;
        Ok(site.map(|site| LiquidPoint { row, site, gamma }))
    }

    fn include(
        &mut self,
        _row: usize,
        _target: Target,
        site: LiquidPoint,
    ) -> Result<Option<usize>, InferenceError> {
        self.active.push(site.row, &self.task.kernels)?;
        self.is_stale = true;
        if self.task.options.liquid == 0 {
            return self.freeze(site);
        }
        let (gammas, is_full) = (self.gammas(), self.liquid.len() == self.task.options.liquid);
        let oldest = is_full.then(|| self.liquid.points.remove(0));
        self.liquid.points.push(site);
        self.liquid.points.iter_mut().zip(gammas).for_each(|(point, gamma)| point.gamma = gamma);
        oldest.map_or(Ok(None), |oldest| self.freeze(oldest))
    }

    fn settle(&mut self, rng: &mut ChaCha8Rng) -> Result<bool, InferenceError> {
        if self.liquid.len() > 0 {
            self.meet()?;
        }
        self.ep_phase(rng)?;
        Ok(true)
    }

    /// After reweighting, runs EP with γ = 1.
    fn complete(&mut self, rng: &mut ChaCha8Rng) -> Result<(), InferenceError> {
        if self.task.options.reweighting.is_some() {
            self.liquid.points.iter_mut().for_each(|point| point.gamma = 1.0);
            self.ep_phase(rng)?;
        }
        Ok(())
    }

    fn active_set(&self) -> ActiveSet {
        let frozen = self.sites.iter().map(|(row, site)| (*row, site));
        let liquid = self.liquid.points.iter().map(|point| (point.row, &point.site));
        ActiveSet::coupled(self.task.data.inputs(), self.task.model.classes(), &frozen.chain(liquid))
    }

    fn ep(&self) -> EpCounts {
        self.ep
    }
}

/// Gain of the actual site: `½ (ln|M| + tr(M⁻¹ − I) + gᵀA g)`, `M = I + ΠA`.
fn exact_gain(belief: &ClassBelief, tilted: &Tilted, start: &[f64]) -> Option<f64> {
    let a = &belief.covariance;
    let pi = project(a, &tilted.belief.covariance, start)?;
    let (_, factor) = widened(a, &HalfPrecision::new(&pi))?;
    // tr M⁻¹ = tr (I + VᵀAV)⁻¹, the squared norm of the inverse factor.
    let squares = |c: usize| {
        let mut column = Column::zeros(pi.len());
        column[c] = 1.0;
        factor.half_solve(&mut column);
        inner(&column, &column)
    };
    let trace: f64 = (0..pi.len()).map(squares).sum();
    let moved: Column = tilted.belief.mean.iter().zip(&belief.mean).map(|(hat, h)| hat - h).collect();
    Some(0.5 * (factor.log_det() + trace - pi.len() as f64 + inner(&tilted.gradient, &moved)))
}

fn hardly_moved(old: &[f64], new: &[f64]) -> bool {
    let size = new.iter().fold(0.0f64, |size, x| size.max(x.abs()));
    old.iter().zip(new).all(|(old, new)| (old - new).abs() <= CONVERGED * size)
}
