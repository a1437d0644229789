//! EP with a site for every factor of every observation, all of them updated at once with damping.

use super::model::PowerEp;
use super::point::Tally;
use super::posterior::WhitenedPosterior;
use super::rules::EpOptions;
use super::shard::{Shard, blocks};
use super::site::Site;
use super::sums::Layout;
use crate::data::{DataSource, Lanes, LocalReduction, Reduction, Rows, lane_count, lane_rows};
use crate::error::EpError;
use gp_kernels::Evaluator;
use gp_kernels::inducing::{InducingPrior, PriorGradients};
use gp_kernels::posterior::{InducingPosterior, PosteriorFactor};
use gp_linalg::Threading;

/// Halvings of a sweep that would leave no proper posterior.
const MAX_HALVINGS: u32 = 20;

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

/// The state of EP on all of a source of observations: sites, projections, posterior.
///
/// It keeps M numbers an observation, and works with a model that may change between calls:
/// [`refresh`](BatchEp::refresh) after kernels or inducing inputs did.
#[derive(Debug)]
pub struct BatchEp {
    pub(super) reduction: Box<dyn Reduction>,
    pub(super) layout: Layout,
    pub(super) lanes: Lanes<Shard>,
    pub(super) priors: Vec<InducingPrior>,
    pub(super) posteriors: Vec<WhitenedPosterior>,
    /// Sums of the present sites, and of the proposed ones.
    pub(super) sums: Vec<f64>,
    pub(super) proposed: Vec<f64>,
    pub(super) evaluator: Evaluator,
    /// Sums of the reverse pass, flat and by latent.
    pub(super) flat: Vec<f64>,
    pub(super) totals: Vec<PriorGradients>,
    sites: usize,
}

impl BatchEp {
    /// EP before its first sweep: all sites are 1, so that the posterior is the prior.
    ///
    /// # Errors
    /// As [`refresh`](Self::refresh); [`EpError::Likelihood`] with the row of an observation there cannot be;
    /// [`EpError::Option`] for a power that is none.
    pub fn new(model: &PowerEp, data: &dyn DataSource) -> Result<Self, EpError> {
        Self::with_reduction(model, data, Box::new(LocalReduction))
    }

    /// [`new`](Self::new) on some of the lanes only, the others being somebody else's.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_reduction(
        model: &PowerEp,
        data: &dyn DataSource,
        reduction: Box<dyn Reduction>,
    ) -> Result<Self, EpError> {
        check_data(model, data)?;
        let layout = Layout::new(model.processes().iter().map(|process| process.inputs().count()).collect());
        let (count, lanes) = (data.count(), lane_count(data.count()));
        // One lane has all threads to itself; several have one each.
        let inner = if lanes == 1 { model.threading() } else { Threading::Here };
        let lanes = Lanes::new(count, model.threading(), reduction.as_ref(), |lane| {
            Shard::new(model, &layout, data, lane_rows(lane, lanes, count).len(), inner)
        });
        let mut ep = Self {
            reduction,
            lanes,
            priors: Vec::new(),
            posteriors: layout.counts().iter().map(|&count| WhitenedPosterior::prior(count)).collect(),
            sums: vec![0.0; layout.len()],
            proposed: vec![0.0; layout.len()],
            layout,
            evaluator: Evaluator::new(model.threading()),
            flat: Vec::new(),
            totals: Vec::new(),
            sites: count * model.sites_per_observation(),
        };
        let lanes = ep.lanes.count();
        ep.lanes.for_each(|lane, shard| {
            let rows = Rows::Range(lane_rows(lane, lanes, count));
            shard.read(model.factors(), model.powers(), data, &rows)
        })?;
        ep.refresh(model)?;
        Ok(ep)
    }

    /// Projects all data anew after kernels or inducing inputs have changed, and rebuilds the posterior from the sites
    /// as they are.
    ///
    /// # Errors
    /// [`EpError::Kernel`] for inputs the kernel cannot take or a `K_zz` that cannot be factored;
    /// [`EpError::Linalg`] where these sites leave no proper posterior.
    pub fn refresh(&mut self, model: &PowerEp) -> Result<(), EpError> {
        refresh_priors(&mut self.priors, model, &self.evaluator)?;
        let priors = &self.priors;
        self.lanes.for_each(|_, shard| shard.project(model, priors))?;
        self.rebuild(model)
    }

    /// Forgets all sites.
    ///
    /// # Errors
    /// None that a state that once was sound can give.
    pub fn reset(&mut self, model: &PowerEp) -> Result<(), EpError> {
        self.lanes.for_each(|_, shard| {
            shard.sites.fill(Site::default());
            Ok(())
        })?;
        self.rebuild(model)
    }

    /// The posterior of the sites as they are.
    fn rebuild(&mut self, model: &PowerEp) -> Result<(), EpError> {
        self.lanes.for_each(|_, shard| {
            shard.proposed.copy_from_slice(&shard.sites);
            Ok(())
        })?;
        self.accumulate(model)?;
        self.adopt()
    }

    /// Sums of the proposed sites.
    fn accumulate(&mut self, model: &PowerEp) -> Result<(), EpError> {
        let layout = &self.layout;
        self.lanes.for_each(|_, shard| {
            shard.partial.fill(0.0);
            blocks(shard.places)
                .try_for_each(|block| shard.accumulate(model.factors(), model.level(), layout, &block))
        })?;
        self.lanes.sum(|shard| &shard.partial, &mut self.proposed, self.reduction.as_ref())
    }

    /// Makes the proposed sites the present ones, if their posterior is proper.
    fn adopt(&mut self) -> Result<(), EpError> {
        for (q, posterior) in self.posteriors.iter_mut().enumerate() {
            let (sites, shift) = self.layout.latent(&self.proposed, q);
            posterior.set(sites, shift, 1.0)?;
        }
        std::mem::swap(&mut self.sums, &mut self.proposed);
        self.lanes.for_each(|_, shard| {
            shard.sites.copy_from_slice(&shard.proposed);
            Ok(())
        })
    }

    /// One update of all sites at once.
    ///
    /// # Errors
    /// [`EpError::Likelihood`] from the observation model; [`EpError::ImproperPosterior`] where not even a tiny part of
    /// the update leaves a proper posterior.
    pub fn sweep(&mut self, model: &PowerEp, options: &EpOptions) -> Result<Sweep, EpError> {
        options.check()?;
        let (layout, posteriors) = (&self.layout, &self.posteriors);
        self.lanes.for_each(|_, shard| refine(shard, model, options, layout, posteriors))?;
        self.lanes.sum(|shard| &shard.partial, &mut self.proposed, self.reduction.as_ref())?;
        let tally = self.layout.tally(&self.proposed);
        let log_z = tally.log_z + self.prior_part();
        let mut halvings = 0;
        while let Err(error) = self.adopt() {
            if !matches!(error, EpError::Linalg(_)) {
                return Err(error);
            }
            halvings += 1;
            if halvings > MAX_HALVINGS {
                self.restore()?;
                return Err(EpError::ImproperPosterior);
            }
            self.halve(model)?;
        }
        Ok(Sweep {
            log_z,
            change: (tally.change / self.sites as f64).sqrt(),
            improper: tally.improper as usize,
            negative: tally.negative as usize,
            halvings,
        })
    }

    /// Proposes half of the way instead.
    fn halve(&mut self, model: &PowerEp) -> Result<(), EpError> {
        self.lanes.for_each(|_, shard| {
            for (proposed, site) in shard.proposed.iter_mut().zip(&shard.sites) {
                *proposed = site.towards(*proposed, 0.5);
            }
            Ok(())
        })?;
        self.accumulate(model)
    }

    /// The posterior of the present sites again, after a proposal failed.
    fn restore(&mut self) -> Result<(), EpError> {
        for (q, posterior) in self.posteriors.iter_mut().enumerate() {
            let (sites, shift) = self.layout.latent(&self.sums, q);
            posterior.set(sites, shift, 1.0)?;
        }
        Ok(())
    }

    /// The part of log Z that no single observation has: `½ ηᵀB⁻¹η − ½ ln|B|`, over latents.
    pub(super) fn prior_part(&self) -> f64 {
        self.posteriors.iter().map(WhitenedPosterior::log_normaliser).sum()
    }

    /// Sweeps until sites and log Z are at rest.
    ///
    /// # Errors
    /// As [`sweep`](Self::sweep). Not to converge is no error: the answer says so.
    pub fn converge(&mut self, model: &PowerEp, options: &EpOptions) -> Result<Convergence, EpError> {
        options.check()?;
        let mut last = f64::NAN;
        let mut done = Convergence {
            converged: false,
            sweeps: 0,
            last: Sweep { log_z: f64::NAN, change: f64::INFINITY, improper: 0, negative: 0, halvings: 0 },
            negative: 0,
            improper: 0,
            halvings: 0,
        };
        while done.sweeps < options.max_sweeps && !done.converged {
            let sweep = self.sweep(model, options)?;
            done.sweeps += 1;
            done.negative += sweep.negative;
            done.improper += sweep.improper;
            done.halvings += sweep.halvings;
            let rest = (sweep.log_z - last).abs() <= options.log_z_tolerance * (1.0 + last.abs());
            done.converged = rest && sweep.improper == 0 && sweep.change <= options.tolerance;
            (done.last, last) = (sweep, sweep.log_z);
        }
        Ok(done)
    }

    /// The estimate of `ln p(y)` with the sites as they are.
    ///
    /// # Errors
    /// [`EpError::ImproperCavity`] where it is not defined, otherwise what the observation model reports.
    pub fn log_z(&mut self, model: &PowerEp) -> Result<f64, EpError> {
        let (layout, posteriors) = (&self.layout, &self.posteriors);
        self.lanes.for_each(|_, shard| evaluate(shard, model, layout, posteriors))?;
        self.lanes.sum(|shard| &shard.partial, &mut self.proposed, self.reduction.as_ref())?;
        let tally = self.layout.tally(&self.proposed);
        check_proper(tally)?;
        Ok(tally.log_z + self.prior_part())
    }

    /// `ln p(y_i | all other observations)`, one number for each observation of this process, with the sites as they
    /// are: the site is taken out and the factor put in.
    ///
    /// # Errors
    /// [`EpError::ImproperCavity`] where a site cannot be taken out, otherwise what the observation model reports.
    pub fn leave_one_out(&mut self, model: &PowerEp) -> Result<Vec<f64>, EpError> {
        let posteriors = &self.posteriors;
        self.lanes.for_each(|_, shard| leave_one_out(shard, model, posteriors))?;
        let all =
            self.lanes.states().iter().flat_map(|shard| shard.values.iter().copied()).collect::<Vec<f64>>();
        match all.iter().filter(|value| value.is_nan()).count() {
            0 => Ok(all),
            count => Err(EpError::ImproperCavity { count }),
        }
    }

    /// The sites, observation by observation, of this process.
    pub fn sites(&self) -> impl Iterator<Item = Site> {
        self.lanes.states().iter().flat_map(|shard| shard.sites.iter().copied())
    }

    /// The posterior over the inducing values of one latent function.
    ///
    /// # Errors
    /// [`EpError::Shape`] for a latent there is not.
    pub fn posterior(&self, model: &PowerEp, latent: usize) -> Result<InducingPosterior, EpError> {
        posterior(model, &self.posteriors, latent)
    }
}

/// The posterior over the inducing values of one latent function, as it is handed out.
pub(super) fn posterior(
    model: &PowerEp,
    posteriors: &[WhitenedPosterior],
    latent: usize,
) -> Result<InducingPosterior, EpError> {
    let (Some(process), Some(whitened)) = (model.processes().get(latent), posteriors.get(latent)) else {
        let (what, axis) = ("model", "latent functions");
        return Err(EpError::Shape { what, axis, expected: latent + 1, found: posteriors.len() });
    };
    Ok(InducingPosterior::new(
        process.kernel().clone_box(),
        process.inputs().clone(),
        model.jitter().clone(),
        whitened.mean().to_vec(),
        PosteriorFactor::Precision(whitened.factor().clone()),
    )?)
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
pub(super) fn check_data(model: &PowerEp, data: &dyn DataSource) -> Result<(), EpError> {
    if data.count() == 0 {
        return Err(EpError::NoData);
    }
    crate::error::check_count("targets", "columns", model.factors().outputs(), data.outputs())?;
    model.powers().check(data.count())
}

/// Factors all `K_zz` anew, in the same memory where there is some.
pub(super) fn refresh_priors(
    priors: &mut Vec<InducingPrior>,
    model: &PowerEp,
    evaluator: &Evaluator,
) -> Result<(), EpError> {
    for (q, process) in model.processes().iter().enumerate() {
        match priors.get_mut(q) {
            Some(prior) => prior.refresh(process.kernel(), process.inputs(), model.jitter(), evaluator)?,
            None => priors.push(InducingPrior::new(
                process.kernel(),
                process.inputs(),
                model.jitter(),
                evaluator,
            )?),
        }
    }
    Ok(())
}

/// One lane's part of a sweep: new sites, their sums, and the tally of the old ones.
fn refine(
    shard: &mut Shard,
    model: &PowerEp,
    options: &EpOptions,
    layout: &Layout,
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
        shard.accumulate(factors, level, layout, &block)?;
    }
    layout.set_tally(&mut shard.partial, tally);
    Ok(())
}

/// One lane's part of log Z. The proposed sites are overwritten.
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

/// One lane's predictive log densities.
fn leave_one_out(
    shard: &mut Shard,
    model: &PowerEp,
    posteriors: &[WhitenedPosterior],
) -> Result<(), EpError> {
    shard.values.clear();
    for block in blocks(shard.places) {
        shard.marginals(posteriors, &block)?;
        for place in block.clone() {
            let (point, scratch, _) = shard.point(model.factors(), model.level(), &block, place);
            let value = scratch.leave_one_out(point)?;
            shard.values.push(value);
        }
    }
    Ok(())
}
