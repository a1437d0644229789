//! Coupled classes: one active set, sites diag π − π πᵀ/(1ᵀπ), and EP on the last included points.

use super::chunks::in_chunks;
use super::classes::{Classes, EpCounts, Target, Task};
use super::liquid::{Change, Liquid, LiquidPoint};
use super::observation::{ClassBelief, IntegralScratch, Tilted};
use super::options::Selection;
use super::projection::{HalfPrecision, precision_times, project, widened};
use super::representation::{ActiveSet, CoupledSite, Representation, StubBlock};
use super::select::entropy;
use super::small::inner;
use super::stubs::Stubs;
use crate::error::InferenceError;
use faer::{Mat, MatRef};
use gp_linalg::LinalgError;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Candidates whose beliefs are computed together.
const CHUNK: usize = 32;
/// Convergence of a site: no π or b changes by more than this share of the largest.
const CONVERGED: f64 = 1e-10;
/// Least start of π, which is half the label and half its prediction.
const LEAST: f64 = 1e-3;

pub(super) struct CoupledClasses<'a> {
    task: &'a Task<'a>,
    pub(super) frozen: Representation,
    /// Frozen points, in order of inclusion.
    sites: Vec<(usize, CoupledSite)>,
    stubs: Stubs,
    pub(super) liquid: Liquid,
    /// Stubs of the liquid points.
    gathered: StubBlock,
    scratch: IntegralScratch,
    ep: EpCounts,
    since_refresh: usize,
}

impl<'a> CoupledClasses<'a> {
    pub(super) fn new(task: &'a Task<'a>) -> Self {
        let (model, active) = (task.model, task.full());
        let classes = model.classes();
        let stubs = Stubs::new(task.data.len(), classes, active, true, model.threading);
        Self {
            task,
            frozen: Representation::new(classes, active, model.jitter),
            sites: Vec::new(),
            gathered: stubs.gather(&[], 0),
            stubs,
            liquid: Liquid::new(classes),
            scratch: IntegralScratch::default(),
            ep: EpCounts::default(),
            since_refresh: 0,
        }
    }

    /// Beliefs about some points under all sites.
    pub(super) fn beliefs(&self, rows: &[usize]) -> Result<Vec<ClassBelief>, InferenceError> {
        let stubs = self.stubs.gather(rows, self.frozen.len());
        let prior = |j: usize| move |c: usize| self.task.kernels.diagonals[c][rows[j]];
        let mut beliefs: Vec<ClassBelief> =
            (0..rows.len()).map(|j| self.frozen.belief(&stubs, j, prior(j))).collect();
        if self.liquid.len() > 0 {
            let kernel = |c: usize, l: usize, j: usize| self.liquid.points[l].kernel[c][rows[j]];
            let cross = self.gathered.covariance(&stubs, kernel)?;
            self.liquid.condition(cross, &mut beliefs)?;
        }
        Ok(beliefs)
    }

    /// Information gain: divergence of the belief after inclusion from that before, in nats. The largest
    /// wins; the text of Seeger & Jordan 2004 (§4.4) has the negative.
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
        let Some(tilted) = observed.tilt(self.task.data.targets()[row], 1.0, belief, scratch)? else {
            return Ok(None);
        };
        if selection == Selection::InformationGain {
            return Ok(tilted.gain());
        }
        let start = self.first_precision(row, &tilted)?;
        Ok(exact_gain(belief, &tilted, &start))
    }

    /// Start of the search for π: half the label, half its probabilities at the tilted mean.
    fn first_precision(&self, row: usize, tilted: &Tilted) -> Result<Vec<f64>, InferenceError> {
        let mut pi = self.task.observed.given(&tilted.belief.mean)?;
        pi.iter_mut().for_each(|p| *p *= 0.5);
        pi[self.task.data.classes[row]] += 0.5;
        Ok(pi.into_iter().map(|p| p.max(LEAST)).collect())
    }

    /// Site that matches the tilted mean and, within the family, the tilted covariance.
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
            Some(start) => start.to_vec(),
            None => self.first_precision(row, &tilted)?,
        };
        let Some(precision) = project(&belief.covariance, &tilted.belief.covariance, &start) else {
            return Ok(None);
        };
        // b = ∂ log Z/∂h + Π ĥ, eq. 11 without an inverse.
        let mut shift = precision_times(&precision, &tilted.belief.mean);
        shift.iter_mut().zip(&tilted.gradient).for_each(|(b, g)| *b += g);
        Ok(shift.iter().all(|b| b.is_finite()).then_some(CoupledSite { precision, shift }))
    }

    /// γ of the liquid set with one more point.
    fn gammas(&self) -> Vec<f64> {
        let liquid = (self.liquid.len() + 1).min(self.task.options.liquid);
        let active = self.sites.len() + self.liquid.len() + 1;
        let weights = self.task.options.reweighting;
        weights.map_or_else(|| vec![1.0; liquid], |weights| weights.factors(active, liquid))
    }

    /// Freezes a site; returns its row if the factor breaks down.
    fn freeze(&mut self, point: LiquidPoint) -> Result<Option<usize>, InferenceError> {
        let LiquidPoint { row, site, kernel, .. } = point;
        let known = |kernel: &[f64]| Mat::from_fn(self.sites.len(), 1, |i, _| kernel[self.sites[i].0]);
        let cross: Vec<Mat<f64>> = kernel.iter().map(|kernel| known(kernel)).collect();
        let own = |c: usize| MatRef::from_column_major_slice(&kernel[c][row..=row], 1, 1);
        let site_of = |c: usize| (&site.precision[c..=c], &site.shift[c..=c]);
        match self.frozen.include(site_of, |c| (cross[c].as_ref(), own(c))) {
            Ok((steps, joint)) => {
                let steps: Vec<_> =
                    steps.iter().zip(&kernel).enumerate().map(|(c, (s, k))| (c, s, k.as_slice())).collect();
                self.stubs.include(&steps, Some(&joint));
                self.sites.push((row, site));
                Ok(None)
            }
            Err(LinalgError::ExtendBreakdown { .. }) => Ok(Some(row)),
            Err(fault) => Err(fault.into()),
        }
    }

    /// Belief of the frozen part about the liquid one, from stubs.
    fn meet_frozen(&mut self) -> Result<(), InferenceError> {
        let rows: Vec<usize> = self.liquid.points.iter().map(|point| point.row).collect();
        self.gathered = self.stubs.gather(&rows, self.frozen.len());
        let kernel = |c: usize, i: usize, j: usize| self.liquid.points[i].kernel[c][rows[j]];
        let g = self.gathered.covariance(&self.gathered, kernel)?;
        let mean = (0..rows.len()).flat_map(|j| self.frozen.belief(&self.gathered, j, |_| 0.0).mean);
        let mean = mean.collect();
        self.since_refresh = 0;
        Ok(self.liquid.set_frozen(g, mean)?)
    }

    /// Sweeps of EP over the liquid set, each in its own order.
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

    /// One EP update.
    fn refine(&mut self, l: usize) -> Result<(), InferenceError> {
        let Some(cavity) = self.liquid.cavity(l)? else {
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
            self.ep.at_rest += 1;
            return Ok(());
        }
        match self.liquid.change(l, site)? {
            Change::Made => self.ep.updates += 1,
            Change::RolledBack => self.ep.rolled_back += 1,
        }
        self.since_refresh += 1;
        if self.since_refresh >= self.task.options.refresh * self.liquid.len() {
            self.liquid.refresh()?;
            self.ep.refreshes += 1;
            self.since_refresh = 0;
        }
        Ok(())
    }
}

impl Classes for CoupledClasses<'_> {
    type Site = LiquidPoint;

    fn open(&self) -> Vec<Target> {
        let active = self.sites.len() + self.liquid.len();
        if active < self.task.full() { vec![None] } else { Vec::new() }
    }

    /// Chosen points are not considered again.
    fn is_free(&self, _row: usize, _target: Target) -> bool {
        true
    }

    fn scores(&self, rows: &[usize], _open: &[Target]) -> Result<Vec<Option<(Target, f64)>>, InferenceError> {
        in_chunks(rows, CHUNK, self.task.model.threading, |rows| {
            let mut scratch = IntegralScratch::default();
            let score = |(&row, belief): (&usize, &ClassBelief)| {
                Ok(self.score(row, belief, &mut scratch)?.map(|score| (None, score)))
            };
            rows.iter().zip(&self.beliefs(rows)?).map(score).collect()
        })
    }

    fn take(&mut self, _row: usize, _target: Target) -> bool {
        true
    }

    fn site(&mut self, row: usize, _target: Target) -> Result<Option<LiquidPoint>, InferenceError> {
        let kernel = self.task.kernels.row(row)?;
        let belief = self.beliefs(&[row])?.swap_remove(0);
        let gamma = self.gammas().last().copied().unwrap_or(1.0);
        let site = self.match_moments(row, gamma, &belief, None)?;
        Ok(site.map(|site| LiquidPoint { row, site, gamma, kernel }))
    }

    fn include(
        &mut self,
        _row: usize,
        _target: Target,
        site: LiquidPoint,
    ) -> Result<Option<usize>, InferenceError> {
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
            self.meet_frozen()?;
        }
        self.ep_phase(rng)?;
        Ok(true)
    }

    /// Restores the full weight of initially weakened likelihoods.
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

/// Gain with the site to be included: ½ (ln|M| + tr(M⁻¹ − I) + gᵀA g), M = I + ΠA.
fn exact_gain(belief: &ClassBelief, tilted: &Tilted, start: &[f64]) -> Option<f64> {
    let a = &belief.covariance;
    let pi = project(a, &tilted.belief.covariance, start)?;
    let (_, factor) = widened(a, &HalfPrecision::new(&pi))?;
    // The trace of M⁻¹ is that of (I + VᵀAV)⁻¹: the squares of the inverse factor.
    let squares = |c: usize| {
        let mut column = vec![0.0; pi.len()];
        column[c] = 1.0;
        factor.half_solve(&mut column);
        inner(&column, &column)
    };
    let trace: f64 = (0..pi.len()).map(squares).sum();
    let moved: Vec<f64> = tilted.belief.mean.iter().zip(&belief.mean).map(|(hat, h)| hat - h).collect();
    Some(0.5 * (factor.log_det() + trace - pi.len() as f64 + inner(&tilted.gradient, &moved)))
}

fn hardly_moved(old: &[f64], new: &[f64]) -> bool {
    let size = new.iter().fold(0.0f64, |size, x| size.max(x.abs()));
    old.iter().zip(new).all(|(old, new)| (old - new).abs() <= CONVERGED * size)
}
