//! Passes over observations that several schedules share: lanes of shards, and what is added up over them.

use super::gradient::Moving;
use super::model::PowerEp;
use super::point::Tally;
use super::posterior::WhitenedPosterior;
use super::rules::EpOptions;
use super::shard::{Shard, SumOf, blocks};
use super::sums::Layout;
use crate::error::{EpError, check_count};
use gp_kernels::Evaluator;
use gp_kernels::data::{
    DataError, DataSource, Lanes, LocalReduction, Reduction, Rows, for_each, lane_count_of, lane_rows,
};
use gp_kernels::inducing::{InducingPrior, PriorGradients, SparseProcess};
use gp_kernels::posterior::{InducingPosterior, PosteriorFactor};
use gp_linalg::Threading;

/// Some observations on their lanes, projected, and room for sums over them.
#[derive(Debug)]
pub(super) struct Passes {
    pub(super) reduction: Box<dyn Reduction>,
    pub(super) layout: Layout,
    pub(super) lanes: Lanes<Shard>,
    pub(super) priors: Vec<InducingPrior>,
    pub(super) evaluator: Evaluator,
    /// Sums of the reverse pass: by parameters of the observation model, and a tally; by latent.
    pub(super) flat: Vec<f64>,
    pub(super) totals: Vec<PriorGradients>,
    pub(super) moving: Vec<Moving>,
    pub(super) threading: Threading,
}

impl Passes {
    /// Room for this many observations of a source that fits the model.
    pub(super) fn new(
        model: &PowerEp,
        data: &dyn DataSource,
        capacity: usize,
        reduction: Option<Box<dyn Reduction>>,
    ) -> Result<Self, EpError> {
        check_data(model, data)?;
        let reduction = reduction.unwrap_or_else(|| Box::new(LocalReduction));
        let layout = Layout::new(model.counts());
        let lanes = lane_count_of(capacity, model.processes().len());
        // One lane has all threads to itself; several have one each.
        let inner = if lanes == 1 { model.threading() } else { Threading::Here };
        let lanes = Lanes::with_count(lanes, model.threading(), reduction.as_ref(), |lane| {
            Shard::new(model, &layout, data, lane_rows(lane, lanes, capacity).len(), inner)
        });
        let evaluator = Evaluator::new(model.threading());
        let (priors, flat, totals, moving) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let threading = model.threading();
        Ok(Self { reduction, layout, lanes, priors, evaluator, flat, totals, moving, threading })
    }

    /// Posteriors that know nothing yet.
    pub(super) fn prior_posteriors(&self) -> Vec<WhitenedPosterior> {
        self.layout.counts().iter().map(|&count| WhitenedPosterior::prior(count)).collect()
    }

    /// Deals these observations to the lanes.
    pub(super) fn read(
        &mut self,
        model: &PowerEp,
        data: &dyn DataSource,
        rows: &Rows<'_>,
    ) -> Result<(), EpError> {
        let lanes = self.lanes.count();
        self.lanes.for_each(|lane, shard| {
            let part = rows.part(lane_rows(lane, lanes, rows.len()));
            shard.read(model, data, &part)
        })
    }

    /// Factors `K_zz`, in the same memory where there is some.
    pub(super) fn refresh_priors(&mut self, model: &PowerEp) -> Result<(), EpError> {
        let (jitter, by) = (model.jitter(), &self.evaluator);
        if self.priors.is_empty() {
            let prior = |process: &SparseProcess| InducingPrior::new(process, jitter, by);
            self.priors = model.processes().iter().map(prior).collect::<Result<_, _>>()?;
            return Ok(());
        }
        self.lanes.change(Shard::forget_projections);
        for_each(model.threading(), &mut self.priors, |p, prior| {
            Ok(prior.refresh(&model.processes()[p], jitter, by)?)
        })
    }

    /// Projects the observations on the lanes.
    pub(super) fn project(&mut self) -> Result<(), EpError> {
        let priors = &self.priors;
        self.lanes.for_each(|_, shard| shard.project(priors))
    }

    /// New sites for all observations on the lanes, the sums of those, and the tally of the old ones.
    pub(super) fn refine(
        &mut self,
        model: &PowerEp,
        options: &EpOptions,
        sum_of: SumOf,
        posteriors: &[WhitenedPosterior],
        sums: &mut [f64],
    ) -> Result<Tally, EpError> {
        let layout = &self.layout;
        self.lanes.for_each(|_, shard| refine(shard, model, options, (layout, sum_of), posteriors))?;
        self.lanes.sum(|shard| &shard.partial, sums, self.reduction.as_ref())?;
        Ok(self.layout.tally(sums))
    }

    /// Sums of sites.
    pub(super) fn accumulate(
        &mut self,
        model: &PowerEp,
        sum_of: SumOf,
        sums: &mut [f64],
    ) -> Result<(), EpError> {
        let layout = &self.layout;
        self.lanes.for_each(|_, shard| {
            shard.partial.fill(0.0);
            blocks(shard.places).try_for_each(|block| shard.accumulate(model, (layout, sum_of), &block))
        })?;
        Ok(self.lanes.sum(|shard| &shard.partial, sums, self.reduction.as_ref())?)
    }

    /// Proposes half of the way instead, and adds up again.
    pub(super) fn halve(&mut self, model: &PowerEp, sum_of: SumOf, sums: &mut [f64]) -> Result<(), EpError> {
        self.lanes.change(|shard| {
            for (proposed, site) in shard.proposed.iter_mut().zip(&shard.sites) {
                *proposed = site.towards(*proposed, 0.5);
            }
        });
        self.accumulate(model, sum_of, sums)
    }

    /// The tally of the present sites alone.
    pub(super) fn evaluate(
        &mut self,
        model: &PowerEp,
        posteriors: &[WhitenedPosterior],
        sums: &mut [f64],
    ) -> Result<Tally, EpError> {
        let layout = &self.layout;
        self.lanes.for_each(|_, shard| evaluate(shard, model, layout, posteriors))?;
        self.lanes.sum(|shard| &shard.partial, sums, self.reduction.as_ref())?;
        let tally = self.layout.tally(sums);
        check_proper(tally)?;
        Ok(tally)
    }
}

/// The posterior over the inducing values of one latent function, as it is handed out.
pub(super) fn posterior(
    model: &PowerEp,
    posteriors: &[WhitenedPosterior],
    latent: usize,
) -> Result<InducingPosterior, EpError> {
    let Some(whitened) = posteriors.get(latent) else {
        let (what, axis) = ("model", "latent functions");
        return Err(EpError::Shape { what, axis, expected: latent + 1, found: posteriors.len() });
    };
    let process = &model.processes()[model.process_of(latent)];
    Ok(InducingPosterior::new(
        process.kernel().clone_box(),
        process.inputs().clone(),
        *model.jitter(),
        whitened.mean().to_vec(),
        PosteriorFactor::Precision(whitened.factor().clone()),
    )?)
}

/// Makes posteriors those of a weight for each latent times these sums. On an error they must not be used before they
/// are set again.
pub(super) fn set_posteriors(
    posteriors: &mut [WhitenedPosterior],
    (layout, threading): (&Layout, Threading),
    sums: &[f64],
    weight: impl Fn(usize) -> f64 + Sync,
) -> Result<(), EpError> {
    for_each(threading, posteriors, |q, posterior| {
        let (sites, shift) = layout.latent(sums, q);
        posterior.set(sites, shift, weight(q))
    })
}

/// Makes posteriors those of new sums or, where one of these would not be proper, leaves those of the old ones.
pub(super) fn move_posteriors(
    posteriors: &mut [WhitenedPosterior],
    by: (&Layout, Threading),
    (old, new): (&[f64], &[f64]),
) -> Result<(), EpError> {
    let done = set_posteriors(posteriors, by, new, |_| 1.0);
    if done.is_err() {
        set_posteriors(posteriors, by, old, |_| 1.0)?;
    }
    done
}

/// `½ ηᵀB⁻¹η − ½ ln|B|`, over latents.
pub(super) fn log_normaliser(posteriors: &[WhitenedPosterior]) -> f64 {
    posteriors.iter().map(WhitenedPosterior::log_normaliser).sum()
}

/// Fails where some factor has no cavity.
pub(super) fn check_proper(tally: Tally) -> Result<(), EpError> {
    if tally.improper == 0.0 {
        Ok(())
    } else {
        Err(EpError::ImproperCavity { count: tally.improper as usize })
    }
}

/// Fails for data that do not fit the model.
fn check_data(model: &PowerEp, data: &dyn DataSource) -> Result<(), EpError> {
    if data.count() == 0 {
        return Err(DataError::NoData.into());
    }
    check_count("targets", "columns", model.factors().outputs(), data.outputs())?;
    for process in model.processes() {
        check_count("inputs", "columns", process.inputs().dim(), data.dim())?;
    }
    model.weights().check(data.count())?;
    model.powers().check(data.count())
}

/// One lane's part of a sweep: new sites, their sums, and the tally of the old ones.
fn refine(
    shard: &mut Shard,
    model: &PowerEp,
    options: &EpOptions,
    (layout, sum_of): (&Layout, SumOf),
    posteriors: &[WhitenedPosterior],
) -> Result<(), EpError> {
    shard.partial.fill(0.0);
    let (factors, level) = (model.factors(), model.level());
    let mut tally = Tally::default();
    for block in blocks(shard.places) {
        shard.marginals(posteriors, &block)?;
        for place in block.clone() {
            let (point, scratch, proposed) = shard.point(factors, level, &block, place);
            scratch.refine(point, options.step, options.negative, proposed, &mut tally)?;
        }
        shard.accumulate(model, (layout, sum_of), &block)?;
    }
    layout.set_tally(&mut shard.partial, tally);
    Ok(())
}

/// One lane's tally.
fn evaluate(
    shard: &mut Shard,
    model: &PowerEp,
    layout: &Layout,
    posteriors: &[WhitenedPosterior],
) -> Result<(), EpError> {
    shard.partial.fill(0.0);
    let mut tally = Tally::default();
    for block in blocks(shard.places) {
        shard.marginals(posteriors, &block)?;
        for place in block.clone() {
            let (point, scratch, _) = shard.point(model.factors(), model.level(), &block, place);
            scratch.evaluate(point, &mut tally)?;
        }
    }
    layout.set_tally(&mut shard.partial, tally);
    Ok(())
}
