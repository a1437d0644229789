//! A run with coupled classes: selection, inclusion, EP on the liquid set, one step after the other (seed 002 §D.1).

use super::kernel_rows::KernelRows;
use super::liquid::{Change, Liquid, LiquidPoint, frozen_covariance, frozen_cross};
use super::model::Ivm;
use super::observation::{Belief, Moments, ObservationModel};
use super::options::{IvmOptions, Selection};
use super::posterior::IvmPosterior;
use super::projection::{Projector, precision_times};
use super::representation::{ActiveSet, dot};
use super::run::{EpCounts, Inclusion, IvmRun, Phase, Stage};
use super::score;
use super::select::{Reason, Selector, ranked};
use super::solid::{RestrictedSite, Solid};
use super::stubs::Stubs;
use crate::error::EpError;
use crate::exact::Observations;
use faer::Mat;
use gp_linalg::{LinalgError, Threading};
use rand::RngExt;
use rayon::prelude::*;
use std::sync::Arc;

/// Candidates whose beliefs are computed together.
const CHUNK: usize = 32;
/// A site at rest: no π and no b would change by more than this share of the largest.
const AT_REST: f64 = 1e-10;

/// Stubs of some points: d × C·w, classes outside.
pub(super) type Gathered = (Mat<f64>, Mat<f64>);

pub(super) struct CoupledRun<'a> {
    model: &'a Ivm,
    observed: ObservationModel<'a>,
    data: &'a Observations<'a>,
    labels: &'a [usize],
    options: &'a IvmOptions,
    kernels: KernelRows<'a>,
    selector: Selector,
    pub(super) solid: Solid,
    stubs: Stubs,
    pub(super) liquid: Liquid,
    /// Stubs of the liquid points.
    gathered: Gathered,
    moments: Moments,
    projector: Projector,
    inclusions: Vec<Inclusion>,
    refused: Vec<usize>,
    ep: EpCounts,
    since_refresh: usize,
}

pub(super) type Watch<'w> = dyn FnMut(&Stage<'_>) -> Result<(), EpError> + 'w;

impl<'a> CoupledRun<'a> {
    pub(super) fn new(
        model: &'a Ivm,
        data: &'a Observations<'a>,
        labels: &'a [usize],
        options: &'a IvmOptions,
    ) -> Result<Self, EpError> {
        let (points, classes) = (data.len(), model.classes());
        let active = options.active.min(points);
        let count = options.candidate_count(points, classes, model.coupling());
        Ok(Self {
            model,
            observed: model.observation_model(),
            data,
            labels,
            options,
            kernels: KernelRows::new(&model.kernels, data.inputs(), model.threading)?,
            selector: Selector::new(options, points, count),
            solid: Solid::new(classes, active),
            stubs: Stubs::new(points, classes, active, true, model.threading),
            liquid: Liquid::new(classes),
            gathered: (Mat::zeros(0, 0), Mat::zeros(0, 0)),
            moments: Moments::default(),
            projector: Projector::default(),
            inclusions: Vec::new(),
            refused: Vec::new(),
            ep: EpCounts::default(),
            since_refresh: 0,
        })
    }

    pub(super) fn run(mut self, watch: &mut Watch<'_>) -> Result<IvmRun, EpError> {
        while self.inclusions.len() < self.options.active.min(self.data.len()) && self.step(watch)? {}
        if self.inclusions.is_empty() {
            return Err(EpError::ImproperPosterior);
        }
        if self.options.reweighting.is_some() {
            self.liquid.points.iter_mut().for_each(|point| point.gamma = 1.0);
            self.ep_phase()?;
        }
        let posterior = IvmPosterior::new(self.model, self.data.inputs(), self.active_set())?;
        let memory = self.model.memory(self.data.len(), self.options);
        let Self { inclusions, refused, ep, .. } = self;
        Ok(IvmRun { posterior, inclusions, refused, ep, memory })
    }

    /// One point looked for and taken in, or sorted out; false when there is none.
    pub(super) fn step(&mut self, watch: &mut Watch<'_>) -> Result<bool, EpError> {
        let Some(choice) = self.choose()? else {
            return Ok(false);
        };
        self.watch(Phase::Selection, watch)?;
        if self.include(choice, watch)? {
            self.ep_phase()?;
            self.watch(Phase::Ep, watch)?;
        }
        Ok(true)
    }

    #[cfg(test)]
    pub(super) fn inclusions_len(&self) -> usize {
        self.inclusions.len()
    }

    pub(super) fn active_set(&self) -> ActiveSet {
        let frozen = self.solid.rows.iter().copied().zip(&self.solid.sites);
        let liquid = self.liquid.points.iter().map(|point| (point.row, &point.site));
        ActiveSet::coupled(self.model.classes(), frozen.chain(liquid))
    }

    fn watch(&self, phase: Phase, watch: &mut Watch<'_>) -> Result<(), EpError> {
        let set = || self.active_set();
        let (active, inputs) = (self.inclusions.len(), self.data.inputs());
        watch(&Stage { phase, active, model: self.model, inputs, set: &set })
    }

    /// The next point: one of each class first, then by the rule.
    fn choose(&mut self) -> Result<Option<Inclusion>, EpError> {
        let seen = |class: usize| self.inclusions.iter().any(|inclusion| self.labels[inclusion.row] == class);
        let unseen: Vec<bool> = (0..self.observed.likelihood.support().classes()).map(|c| !seen(c)).collect();
        let labels = self.labels;
        let drawn = |row, reason| Inclusion { row, latent: None, reason, score: None, scored: 0 };
        if self.options.selection == Selection::Random {
            return Ok(self.selector.draw(|_| true).map(|row| drawn(row, Reason::Drawn)));
        }
        if unseen.contains(&true)
            && let Some(row) = self.selector.draw(|row| unseen[labels[row]])
        {
            return Ok(Some(drawn(row, Reason::First)));
        }
        let rows = self.selector.candidates();
        let ranking = ranked(&rows, &self.scores(&rows)?);
        let order: Vec<usize> = ranking.iter().map(|(row, _)| *row).collect();
        self.selector.retain(&order);
        Ok(ranking.first().map(|&(row, score)| Inclusion {
            row,
            latent: None,
            reason: Reason::Score,
            score: Some(score),
            scored: rows.len(),
        }))
    }

    fn scores(&self, rows: &[usize]) -> Result<Vec<Option<f64>>, EpError> {
        let chunk = |rows: &[usize]| -> Result<Vec<Option<f64>>, EpError> {
            let beliefs = self.beliefs(rows)?;
            let mut scorer = score::Scorer::new(self.observed, self.selector.selection());
            rows.iter().zip(&beliefs).map(|(&row, belief)| scorer.score(self.labels[row], belief)).collect()
        };
        let found: Result<Vec<_>, EpError> = match self.model.threading {
            Threading::Here => rows.chunks(CHUNK).map(chunk).collect(),
            Threading::Pool => rows.par_chunks(CHUNK).map(chunk).collect(),
        };
        Ok(found?.into_iter().flatten().collect())
    }

    /// Stubs of some points, classes outside.
    pub(super) fn gather(&self, rows: &[usize]) -> Gathered {
        let (d, classes) = (self.solid.len(), self.model.classes());
        let (mut m, mut q) = (Mat::zeros(d, classes * rows.len()), Mat::zeros(d, classes * rows.len()));
        for c in 0..classes {
            for (j, &row) in rows.iter().enumerate() {
                let column = c * rows.len() + j;
                self.stubs.gather(row, c, m.col_as_slice_mut(column), q.col_as_slice_mut(column));
            }
        }
        (m, q)
    }

    /// Beliefs about some points under all sites there are.
    pub(super) fn beliefs(&self, rows: &[usize]) -> Result<Vec<Belief>, EpError> {
        let (classes, width) = (self.model.classes(), rows.len());
        let (m, q) = self.gather(rows);
        let frozen = |j: usize| {
            let mut belief = Belief { mean: vec![0.0; classes], covariance: vec![0.0; classes * classes] };
            let column = |c: usize| (m.col_as_slice(c * width + j), q.col_as_slice(c * width + j));
            for c in 0..classes {
                let (m_c, q_c) = column(c);
                belief.mean[c] = dot(m_c, &self.solid.classes[c].beta) + dot(q_c, &self.solid.beta);
                for k in 0..=c {
                    let joint = dot(q_c, column(k).1);
                    belief.covariance[c * classes + k] = joint;
                    belief.covariance[k * classes + c] = joint;
                }
                belief.covariance[c * classes + c] += self.kernels.diagonals[c][rows[j]] - dot(m_c, m_c);
            }
            belief
        };
        let mut beliefs: Vec<Belief> = (0..width).map(frozen).collect();
        if self.liquid.len() > 0 {
            let own = (self.gathered.0.as_ref(), self.gathered.1.as_ref());
            let kernel = |c: usize, l: usize, j: usize| self.liquid.points[l].kernel[c][rows[j]];
            let cross = frozen_cross(own, (m.as_ref(), q.as_ref()), classes, kernel)?;
            self.liquid.condition(cross, &mut beliefs)?;
        }
        Ok(beliefs)
    }

    /// Takes a point in, or sorts it out: false.
    fn include(&mut self, choice: Inclusion, watch: &mut Watch<'_>) -> Result<bool, EpError> {
        self.selector.remove(choice.row);
        let kernel = self.kernels.row(choice.row)?;
        let belief = self.beliefs(&[choice.row])?.swap_remove(0);
        let gammas = self.gammas();
        let gamma = gammas.last().copied().unwrap_or(1.0);
        let Some(site) = self.site(choice.row, gamma, &belief, None)? else {
            self.refused.push(choice.row);
            return Ok(false);
        };
        self.watch(Phase::Inclusion, watch)?;
        if self.options.liquid == 0 {
            if !self.freeze(choice.row, &site, &kernel)? {
                self.refused.push(choice.row);
                return Ok(false);
            }
            self.inclusions.push(choice);
            return self.watch(Phase::StubUpdate, watch).map(|()| true);
        }
        if self.liquid.len() == self.options.liquid {
            self.freeze_first()?;
        }
        self.watch(Phase::StubUpdate, watch)?;
        self.liquid.points.push(LiquidPoint { row: choice.row, site, gamma, kernel });
        self.liquid.points.iter_mut().zip(gammas).for_each(|(point, gamma)| point.gamma = gamma);
        self.inclusions.push(choice);
        self.meet_frozen()?;
        Ok(true)
    }

    /// γ of the liquid set once there is a point more.
    fn gammas(&self) -> Vec<f64> {
        let liquid = (self.liquid.len() + 1).min(self.options.liquid);
        let active = self.inclusions.len() + 1;
        self.options.reweighting.map_or_else(|| vec![1.0; liquid], |weights| weights.factors(active, liquid))
    }

    /// The oldest liquid point's site stays what it is from now on. One whose factor breaks down is taken out of the
    /// active set.
    fn freeze_first(&mut self) -> Result<(), EpError> {
        let first = self.liquid.points.remove(0);
        if !self.freeze(first.row, &first.site, &first.kernel)? {
            self.refused.push(first.row);
            self.inclusions.retain(|inclusion| inclusion.row != first.row);
        }
        Ok(())
    }

    fn freeze(
        &mut self,
        row: usize,
        site: &RestrictedSite,
        kernel: &[Arc<Vec<f64>>],
    ) -> Result<bool, EpError> {
        let slices: Vec<&[f64]> = kernel.iter().map(|row| row.as_slice()).collect();
        match self.solid.include(row, site, &slices) {
            Ok((classes, joint)) => {
                self.stubs.include(&classes, &joint, kernel);
                Ok(true)
            }
            Err(LinalgError::ExtendBreakdown { .. }) => Ok(false),
            Err(fault) => Err(fault.into()),
        }
    }

    /// The belief of the frozen part about the liquid one, from the stubs.
    fn meet_frozen(&mut self) -> Result<(), EpError> {
        let classes = self.model.classes();
        let rows: Vec<usize> = self.liquid.points.iter().map(|point| point.row).collect();
        self.gathered = self.gather(&rows);
        let (m, q) = (&self.gathered.0, &self.gathered.1);
        let kernel = |c: usize, i: usize, j: usize| self.liquid.points[i].kernel[c][rows[j]];
        let g = frozen_covariance(m.as_ref(), q.as_ref(), classes, kernel)?;
        let mean = (0..classes * rows.len()).map(|column| {
            let class = &self.solid.classes[column / rows.len()];
            dot(m.col_as_slice(column), &class.beta) + dot(q.col_as_slice(column), &self.solid.beta)
        });
        let mean = mean.collect();
        self.since_refresh = 0;
        Ok(self.liquid.set_frozen(g, mean)?)
    }

    /// The site that gives a belief the tilted mean, and as much of the tilted covariance as the family can.
    pub(super) fn site(
        &mut self,
        row: usize,
        gamma: f64,
        belief: &Belief,
        start: Option<&[f64]>,
    ) -> Result<Option<RestrictedSite>, EpError> {
        let y = self.data.targets()[row];
        if !self.observed.tilt(y, gamma, belief, &mut self.moments)? {
            return Ok(None);
        }
        let mut precision = match start {
            Some(start) => start.to_vec(),
            None => score::first_precision(&self.observed, self.labels[row], &mut self.moments)?,
        };
        let tilted = &self.moments.tilted;
        if !self.projector.project(&belief.covariance, &tilted.covariance, &mut precision) {
            return Ok(None);
        }
        let mut shift = vec![0.0; precision.len()];
        // b = ∂ log Z/∂h + Π ĥ, eq. 11 without an inverse.
        precision_times(&precision, &tilted.mean, &mut shift);
        shift.iter_mut().zip(&self.moments.gradient).for_each(|(b, g)| *b += g);
        Ok(shift.iter().all(|b| b.is_finite()).then_some(RestrictedSite { precision, shift }))
    }

    /// Sweeps of EP over the liquid set, each in an order of its own.
    pub(super) fn ep_phase(&mut self) -> Result<(), EpError> {
        let count = self.liquid.len();
        if count < 2 {
            return Ok(());
        }
        for _ in 0..self.options.sweeps {
            let mut order: Vec<usize> = (0..count).collect();
            for last in (1..count).rev() {
                order.swap(last, self.selector.rng.random_range(0..=last));
            }
            order.into_iter().try_for_each(|l| self.refine(l))?;
        }
        Ok(())
    }

    /// One EP update.
    fn refine(&mut self, l: usize) -> Result<(), EpError> {
        let Some(cavity) = self.liquid.cavity(l)? else {
            self.ep.skipped += 1;
            return Ok(());
        };
        let (row, gamma) = (self.liquid.points[l].row, self.liquid.points[l].gamma);
        let old = self.liquid.points[l].site.clone();
        let Some(site) = self.site(row, gamma, &cavity, Some(&old.precision))? else {
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
        if self.since_refresh >= self.options.refresh * self.liquid.len() {
            self.liquid.refresh()?;
            self.ep.refreshes += 1;
            self.since_refresh = 0;
        }
        Ok(())
    }
}

fn hardly_moved(old: &[f64], new: &[f64]) -> bool {
    let size = new.iter().fold(0.0f64, |size, x| size.max(x.abs()));
    old.iter().zip(new).all(|(old, new)| (old - new).abs() <= AT_REST * size)
}
