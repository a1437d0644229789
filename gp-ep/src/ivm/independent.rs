//! A run with independent classes: an active set for each latent (seed 002 §6, App. B). With one latent it is the binary
//! informative vector machine.
//!
//! A belief about all points is kept, one mean and one variance a latent, so every point can be scored for every
//! inclusion. The representation of a class is that of [`solid`](super::solid) without what couples classes.

use super::coupled::Watch;
use super::kernel_rows::KernelRows;
use super::model::Ivm;
use super::observation::{Belief, Moments, ObservationModel};
use super::options::{IvmOptions, Selection};
use super::posterior::IvmPosterior;
use super::representation::{ActiveClass, ActiveSet};
use super::run::{EpCounts, Inclusion, IvmRun, Phase, Stage};
use super::select::{Reason, Selector, entropy};
use super::solid::SolidClass;
use super::stubs::Stubs;
use crate::error::EpError;
use crate::exact::Observations;
use gp_linalg::{LinalgError, Threading};
use rayon::prelude::*;

/// Points scored by one task.
const CHUNK: usize = 256;

/// The site of one latent at one point, and the gain of putting it in.
#[derive(Clone, Copy, Debug)]
struct ScalarSite {
    precision: f64,
    shift: f64,
    gain: f64,
}

pub(super) struct IndependentRun<'a> {
    model: &'a Ivm,
    observed: ObservationModel<'a>,
    data: &'a Observations<'a>,
    labels: &'a [usize],
    options: &'a IvmOptions,
    kernels: KernelRows<'a>,
    selector: Selector,
    /// Which points are in the active set of a latent, or were refused there; and in how many.
    taken: Vec<Vec<bool>>,
    times_taken: Vec<usize>,
    classes: Vec<SolidClass>,
    active: Vec<ActiveClass>,
    stubs: Stubs,
    /// By latent, then by point.
    means: Vec<Vec<f64>>,
    variances: Vec<Vec<f64>>,
    new: Vec<f64>,
    inclusions: Vec<Inclusion>,
    refused: Vec<usize>,
}

impl<'a> IndependentRun<'a> {
    pub(super) fn new(
        model: &'a Ivm,
        data: &'a Observations<'a>,
        labels: &'a [usize],
        options: &'a IvmOptions,
    ) -> Result<Self, EpError> {
        let (points, latents) = (data.len(), model.classes());
        let active = options.active.min(points);
        let count = options.candidate_count(points, latents, model.coupling());
        let kernels = KernelRows::new(&model.kernels, data.inputs(), model.threading)?;
        let variances = kernels.diagonals.iter().map(|diagonal| diagonal.to_vec()).collect();
        Ok(Self {
            model,
            observed: model.observation_model(),
            data,
            labels,
            options,
            kernels,
            selector: Selector::new(options, points, count),
            taken: vec![vec![false; points]; latents],
            times_taken: vec![0; points],
            classes: vec![SolidClass::new(active); latents],
            active: vec![ActiveClass::default(); latents],
            stubs: Stubs::new(points, latents, active, false, model.threading),
            means: vec![vec![0.0; points]; latents],
            variances,
            new: vec![0.0; points],
            inclusions: Vec::new(),
            refused: Vec::new(),
        })
    }

    pub(super) fn run(mut self, watch: &mut Watch<'_>) -> Result<IvmRun, EpError> {
        while let Some(choice) = self.choose()? {
            self.watch(Phase::Selection, watch)?;
            self.include(choice, watch)?;
        }
        if self.inclusions.is_empty() {
            return Err(EpError::ImproperPosterior);
        }
        let posterior = IvmPosterior::new(self.model, self.data.inputs(), self.active_set())?;
        let memory = self.model.memory(self.data.len(), self.options);
        let Self { inclusions, refused, .. } = self;
        Ok(IvmRun { posterior, inclusions, refused, ep: EpCounts::default(), memory })
    }

    fn active_set(&self) -> ActiveSet {
        ActiveSet { classes: self.active.clone(), coupled: false }
    }

    fn watch(&self, phase: Phase, watch: &mut Watch<'_>) -> Result<(), EpError> {
        let set = || self.active_set();
        let (active, inputs) = (self.inclusions.len(), self.data.inputs());
        watch(&Stage { phase, active, model: self.model, inputs, set: &set })
    }

    /// The latents whose active set is not full.
    fn open(&self) -> Vec<usize> {
        let full = self.options.active.min(self.data.len());
        (0..self.classes.len()).filter(|&c| self.classes[c].len() < full).collect()
    }

    fn choose(&mut self) -> Result<Option<Inclusion>, EpError> {
        let open = self.open();
        if open.is_empty() {
            return Ok(None);
        }
        // Latents in turn where nothing is scored.
        let turn = self.inclusions.len() + self.refused.len();
        let drawn =
            |row, latent, reason| Inclusion { row, latent: Some(latent), reason, score: None, scored: 0 };
        if self.options.selection == Selection::Random {
            let found = (0..open.len()).map(|k| open[(turn + k) % open.len()]);
            for latent in found {
                let taken = &self.taken[latent];
                if let Some(row) = self.selector.draw(|row| !taken[row]) {
                    return Ok(Some(drawn(row, latent, Reason::Drawn)));
                }
            }
            return Ok(None);
        }
        let seen = |class: usize| self.inclusions.iter().any(|inclusion| self.labels[inclusion.row] == class);
        let unseen: Vec<bool> = (0..self.observed.likelihood.support().classes()).map(|c| !seen(c)).collect();
        let (labels, latent) = (self.labels, open[turn % open.len()]);
        let taken = &self.taken[latent];
        if unseen.contains(&true)
            && let Some(row) = self.selector.draw(|row| unseen[labels[row]] && !taken[row])
        {
            return Ok(Some(drawn(row, latent, Reason::First)));
        }
        self.best(&open)
    }

    /// The point and latent of the largest score.
    fn best(&mut self, open: &[usize]) -> Result<Option<Inclusion>, EpError> {
        let rows = self.selector.candidates();
        let scores = self.scores(&rows, open)?;
        let mut order: Vec<(usize, usize, f64)> = rows
            .iter()
            .zip(&scores)
            .filter_map(|(&row, best)| best.map(|(latent, score)| (row, latent, score)))
            .collect();
        order.sort_by(|a, b| b.2.total_cmp(&a.2).then(a.0.cmp(&b.0)));
        let kept: Vec<usize> = order.iter().map(|(row, _, _)| *row).collect();
        self.selector.retain(&kept);
        Ok(order.first().map(|&(row, latent, score)| Inclusion {
            row,
            latent: Some(latent),
            reason: Reason::Score,
            score: Some(score),
            scored: rows.len(),
        }))
    }

    /// For each row the open latent with the largest score.
    fn scores(&self, rows: &[usize], open: &[usize]) -> Result<Vec<Option<(usize, f64)>>, EpError> {
        let chunk = |rows: &[usize]| -> Result<Vec<Option<(usize, f64)>>, EpError> {
            let (mut moments, mut belief) = (Moments::default(), Belief::default());
            rows.iter().map(|&row| self.score(row, open, &mut belief, &mut moments)).collect()
        };
        let found: Result<Vec<_>, EpError> = match self.model.threading {
            Threading::Here => rows.chunks(CHUNK).map(chunk).collect(),
            Threading::Pool => rows.par_chunks(CHUNK).map(chunk).collect(),
        };
        Ok(found?.into_iter().flatten().collect())
    }

    fn score(
        &self,
        row: usize,
        open: &[usize],
        belief: &mut Belief,
        moments: &mut Moments,
    ) -> Result<Option<(usize, f64)>, EpError> {
        let free = |latent: &&usize| !self.taken[**latent][row];
        self.belief(row, belief);
        if !self.observed.tilt(self.data.targets()[row], 1.0, belief, moments)? {
            return Ok(None);
        }
        let gains =
            open.iter().filter(free).map(|&latent| (latent, scalar_site(belief, moments, latent).gain));
        let best = gains.reduce(|best, other| if other.1 > best.1 { other } else { best });
        if self.options.selection != Selection::MaxEntropy {
            return Ok(best.filter(|(_, gain)| *gain > 0.0));
        }
        let mut probabilities = vec![0.0; self.observed.likelihood.support().classes()];
        self.observed.probabilities(belief, moments, &mut probabilities)?;
        Ok(best.filter(|(_, gain)| *gain > 0.0).map(|(latent, _)| (latent, entropy(&probabilities))))
    }

    fn belief(&self, row: usize, belief: &mut Belief) {
        let latents = self.classes.len();
        belief.mean.clear();
        belief.mean.extend(self.means.iter().map(|means| means[row]));
        belief.covariance.clear();
        belief.covariance.resize(latents * latents, 0.0);
        // Rounding may leave a variance below zero where nothing is left to be known.
        (0..latents).for_each(|c| belief.covariance[c * latents + c] = self.variances[c][row].max(0.0));
    }

    fn include(&mut self, choice: Inclusion, watch: &mut Watch<'_>) -> Result<(), EpError> {
        let (row, latent) = (choice.row, choice.latent.unwrap_or(0));
        self.taken[latent][row] = true;
        self.times_taken[row] += 1;
        if self.times_taken[row] == self.classes.len() {
            self.selector.remove(row);
        }
        let (mut belief, mut moments) = (Belief::default(), Moments::default());
        self.belief(row, &mut belief);
        let usable = self.observed.tilt(self.data.targets()[row], 1.0, &belief, &mut moments)?;
        let site = scalar_site(&belief, &moments, latent);
        if !usable || site.precision <= 0.0 {
            self.refused.push(row);
            return Ok(());
        }
        let kernel = self.kernels.one(row, latent)?;
        let known: Vec<f64> = self.active[latent].rows.iter().map(|&i| kernel[i]).collect();
        let included = self.classes[latent].include((site.precision, site.shift), &known, kernel[row]);
        let step = match included {
            Ok(step) => step,
            Err(LinalgError::ExtendBreakdown { .. }) => {
                self.refused.push(row);
                return Ok(());
            }
            Err(fault) => return Err(fault.into()),
        };
        self.watch(Phase::Inclusion, watch)?;
        self.stubs.append(latent, &step, &kernel, &mut self.new);
        let beta = self.classes[latent].beta.last().copied().unwrap_or(0.0);
        let (means, variances) = (&mut self.means[latent], &mut self.variances[latent]);
        for ((mean, variance), mu) in means.iter_mut().zip(variances).zip(&self.new) {
            *mean += beta * mu;
            *variance -= mu * mu;
        }
        let set = &mut self.active[latent];
        set.rows.push(row);
        set.precision.push(site.precision);
        set.shift.push(site.shift);
        self.inclusions.push(choice);
        self.watch(Phase::StubUpdate, watch)
    }
}

/// π = (1/â − 1/a)₊, b = g + π ĥ, and the gain ½ (ln m + 1/m − 1 + g² a) with m = 1 + π a; 0 where π is.
fn scalar_site(belief: &Belief, moments: &Moments, latent: usize) -> ScalarSite {
    let q = belief.mean.len();
    let (a, hat) = (belief.covariance[latent * (q + 1)], moments.tilted.covariance[latent * (q + 1)]);
    let g = moments.gradient[latent];
    let precision = if hat > 0.0 && hat < a { 1.0 / hat - 1.0 / a } else { 0.0 };
    let m = 1.0 + precision * a;
    let gain = if precision > 0.0 { 0.5 * (m.ln() + 1.0 / m - 1.0 + g * g * a) } else { 0.0 };
    ScalarSite { precision, shift: g + precision * moments.tilted.mean[latent], gain }
}
