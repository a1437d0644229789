//! The bound on `ln p(y)` and its gradient, over all of the data or a batch of it.

use super::entropy::Working;
use super::mixture::Mixture;
use super::model::Savigp;
use super::natural::Natural;
use super::shard::{Pass, Shard};
use super::sums::Layout;
use crate::error::{VariationalError, check_count};
use crate::expectation::{Expectation, Nodes};
use faer::Mat;
use gp_kernels::Evaluator;
use gp_kernels::data::{
    DataError, DataSource, Lanes, LocalReduction, Reduction, Rows, for_each, lane_count_of, lane_rows,
};
use gp_kernels::inducing::{InducingPrior, PriorGradients, SparseProcess};
use gp_linalg::Threading;
use gp_optim::ParameterSet;
use serde::{Deserialize, Serialize};

/// How much is kept of a batch's projections between forward and reverse pass, in numbers, over all lanes and latents:
/// 256 megabytes. What is too large is computed twice.
const KEPT: usize = 1 << 25;

/// The bound of a model on a source of observations: memory that lasts from one evaluation to the next.
///
/// It works with a model whose parameters may change between calls, and keeps M numbers for each observation that it
/// has in hand and each latent function.
#[derive(Debug)]
pub struct Bound {
    reduction: Box<dyn Reduction>,
    pub(super) layout: Layout,
    lanes: Lanes<Shard>,
    pub(super) priors: Vec<InducingPrior>,
    pub(super) evaluator: Evaluator,
    pub(super) working: Working,
    nodes: Nodes,
    expectation: Expectation,
    /// Sums over lanes.
    pub(super) sums: Vec<f64>,
    totals: Vec<PriorGradients>,
    /// Parameters of the latent functions that the observations are projected by.
    projected: Vec<f64>,
    /// N, and how many observations are in hand.
    observations: usize,
    loaded: usize,
    capacity: usize,
    /// Room for one symmetric matrix.
    pub(super) room: Mat<f64>,
    /// Made for the first natural-gradient step.
    pub(super) natural: Option<Box<(Natural, Mixture)>>,
}

/// Which samples a bound draws next.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct SamplingMemory {
    epoch: u64,
    expectation: Expectation,
}

impl Bound {
    /// The bound on all of the data.
    ///
    /// # Errors
    /// [`VariationalError::Data`] for no data or data that cannot be read; [`VariationalError::Shape`] for data that do
    /// not fit the model; [`VariationalError::Observation`] for an observation there cannot be.
    pub fn new(model: &Savigp, data: &dyn DataSource) -> Result<Self, VariationalError> {
        Self::with_reduction(model, data, Box::new(LocalReduction))
    }

    /// [`new`](Self::new) on some of the lanes only, the others being somebody else's.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_reduction(
        model: &Savigp,
        data: &dyn DataSource,
        reduction: Box<dyn Reduction>,
    ) -> Result<Self, VariationalError> {
        let mut bound = Self::build(model, data, data.count(), reduction)?;
        bound.load_rows(model, data, &Rows::Range(0..data.count()))?;
        Ok(bound)
    }

    /// Room for batches of at most `capacity` observations, the first of which has yet to be
    /// [loaded](Self::load).
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn for_batches(
        model: &Savigp,
        data: &dyn DataSource,
        capacity: usize,
    ) -> Result<Self, VariationalError> {
        let capacity = capacity.clamp(1, data.count().max(1));
        let mut bound = Self::build(model, data, capacity, Box::new(LocalReduction))?;
        let (lanes, latents) = (bound.lanes.count(), model.processes().len());
        bound
            .lanes
            .change(|shard| shard.keep_projections(KEPT / (lanes * latents), capacity.div_ceil(lanes)));
        Ok(bound)
    }

    fn build(
        model: &Savigp,
        data: &dyn DataSource,
        capacity: usize,
        reduction: Box<dyn Reduction>,
    ) -> Result<Self, VariationalError> {
        check_data(model, data)?;
        let params = gp_likelihoods::parameter_count(model.likelihood().parameters());
        let layout = Layout::new(model.posterior(), params);
        let count = lane_count_of(capacity, model.processes().len());
        // One lane has all threads to itself; several have one each.
        let inner = if count == 1 { model.threading() } else { Threading::Here };
        // A smaller batch may be dealt in another way, but never more to a lane than this.
        let places = capacity.div_ceil(count);
        let lanes = Lanes::with_count(count, model.threading(), reduction.as_ref(), |_| {
            Shard::new(model, &layout, data, places, inner)
        });
        let largest = model.posterior().counts().iter().copied().max().unwrap_or(0);
        Ok(Self {
            reduction,
            sums: vec![0.0; layout.len()],
            layout,
            lanes,
            priors: Vec::new(),
            evaluator: Evaluator::new(model.threading()),
            working: Working::new(model.posterior()),
            nodes: Nodes::default(),
            expectation: *model.expectation(),
            totals: model.processes().iter().map(PriorGradients::zeros).collect(),
            projected: Vec::new(),
            observations: data.count(),
            loaded: 0,
            capacity,
            room: Mat::zeros(largest, largest),
            natural: None,
        })
    }

    /// Takes these observations in hand instead of those it has. Estimates from them are of the bound on all data.
    ///
    /// # Errors
    /// [`VariationalError::Shape`] for a batch that is empty or larger than was said; otherwise as
    /// [`new`](Self::new). There is no batch then.
    pub fn load(
        &mut self,
        model: &Savigp,
        data: &dyn DataSource,
        rows: &[usize],
    ) -> Result<(), VariationalError> {
        check_count("data", "observations", self.observations, data.count())?;
        if rows.is_empty() || rows.len() > self.capacity {
            let (what, axis, expected) = ("batch", "observations", self.capacity);
            return Err(VariationalError::Shape { what, axis, expected, found: rows.len() });
        }
        self.load_rows(model, data, &Rows::List(rows))
    }

    fn load_rows(
        &mut self,
        model: &Savigp,
        data: &dyn DataSource,
        rows: &Rows<'_>,
    ) -> Result<(), VariationalError> {
        self.loaded = 0;
        self.projected.clear();
        let lanes = self.lanes.count();
        self.lanes.for_each(|lane, shard| {
            shard.read(model.likelihood(), data, &rows.part(lane_rows(lane, lanes, rows.len())))
        })?;
        self.loaded = rows.len();
        Ok(())
    }

    /// Draws other samples from now on: for stochastic methods, which want noise that averages out.
    pub fn redraw(&mut self) {
        self.nodes.epoch = self.nodes.epoch.wrapping_add(1);
    }

    /// Which samples come next, and how many: all that evaluations depend on besides model, data and posterior.
    pub(super) fn sampling_memory(&self) -> SamplingMemory {
        SamplingMemory { epoch: self.nodes.epoch, expectation: self.expectation }
    }

    /// Goes on with the samples that come after those of a bound like this one.
    pub(super) fn recall_sampling(&mut self, memory: SamplingMemory) {
        (self.nodes.epoch, self.expectation) = (memory.epoch, memory.expectation);
    }

    /// How expected log densities are found: at first as the model says.
    #[must_use]
    pub fn expectation(&self) -> &Expectation {
        &self.expectation
    }

    /// Finds expected log densities in another way.
    ///
    /// # Errors
    /// As [`Savigp::with_expectation`].
    pub fn set_expectation(
        &mut self,
        model: &Savigp,
        expectation: Expectation,
    ) -> Result<(), VariationalError> {
        expectation.check(model.likelihood())?;
        self.expectation = expectation;
        Ok(())
    }

    /// The bound.
    ///
    /// # Errors
    /// [`VariationalError::Kernel`] for inputs the kernel cannot take or a `K_zz` that cannot be factored;
    /// [`VariationalError::NotFinite`] or what the likelihood reports; [`VariationalError::Data`] before the first
    /// batch.
    pub fn value(&mut self, model: &Savigp) -> Result<f64, VariationalError> {
        self.pass(model, model.posterior(), false)?;
        self.assemble(model, model.posterior())
    }

    /// The bound and, over `gradient`, its derivatives by all parameters in natural units, in the order of
    /// [`Savigp::parameter_names`], fixed ones included, priors left out. Where no latent function has a free
    /// parameter, derivatives by those are not computed and are 0.
    ///
    /// # Errors
    /// As [`value`](Self::value), and [`VariationalError::Shape`] for a gradient of the wrong length.
    pub fn gradient(&mut self, model: &Savigp, gradient: &mut [f64]) -> Result<f64, VariationalError> {
        let front = model.parameter_count() - model.posterior_values();
        check_count("gradient", "entries", model.parameter_count(), gradient.len())?;
        let (of_model, of_posterior) = gradient.split_at_mut(front);
        let value = self.gradient_with(model, model.posterior(), of_model)?;
        self.write_posterior(model.posterior(), of_posterior);
        Ok(value)
    }

    /// The bound with another posterior than the model's, and its derivatives by the parameters of latent functions and
    /// likelihood.
    pub(super) fn gradient_with(
        &mut self,
        model: &Savigp,
        posterior: &Mixture,
        gradient: &mut [f64],
    ) -> Result<f64, VariationalError> {
        let reverse = model.processes().iter().any(|process| process.free_count() > 0);
        self.pass(model, posterior, reverse)?;
        let weight = self.weight();
        let mut rest = gradient;
        self.finish_reverse(model, reverse)?;
        for total in &self.totals {
            let (params, later) = std::mem::take(&mut rest).split_at_mut(total.params().len());
            params.copy_from_slice(total.params());
            let (inputs, later) = later.split_at_mut(total.inputs().len());
            inputs.copy_from_slice(total.inputs());
            rest = later;
        }
        let by_params = &self.sums[self.layout.params()];
        rest.iter_mut().zip(by_params).for_each(|(out, sum)| *out = weight * sum);
        self.assemble(model, posterior)
    }

    /// Whether the last pass has left sums for a posterior of this shape.
    pub(super) fn is_evaluated_for(&self, posterior: &Mixture) -> bool {
        self.loaded > 0 && !self.projected.is_empty() && self.layout.is_for(posterior)
    }

    /// N over the number of observations in hand.
    pub(super) fn weight(&self) -> f64 {
        self.observations as f64 / self.loaded as f64
    }

    /// Sums over the observations in hand.
    pub(super) fn pass(
        &mut self,
        model: &Savigp,
        posterior: &Mixture,
        reverse: bool,
    ) -> Result<(), VariationalError> {
        if self.loaded == 0 {
            return Err(DataError::NoData.into());
        }
        if !self.layout.is_for(posterior) {
            return Err(VariationalError::Unsupported {
                what: "a bound made for a posterior of another shape",
            });
        }
        self.project(model)?;
        self.working.refresh(posterior)?;
        if let Expectation::Sampled(sampling) = &self.expectation {
            self.nodes.prepare(sampling, model.processes().len())?;
        }
        let pass = Pass {
            model,
            posterior,
            expectation: &self.expectation,
            working: &self.working,
            priors: &self.priors,
            nodes: &self.nodes,
            layout: &self.layout,
            weight: self.observations as f64 / self.loaded as f64,
            reverse,
        };
        self.lanes.for_each(|_, shard| shard.pass(pass))?;
        Ok(self.lanes.sum(|shard| &shard.partial, &mut self.sums, self.reduction.as_ref())?)
    }

    /// Factors `K_zz` and projects the observations in hand, where latent functions or observations are others than at
    /// the last call.
    fn project(&mut self, model: &Savigp) -> Result<(), VariationalError> {
        let mut values = self.projected.iter();
        let mut same = true;
        for process in model.processes() {
            process.visit(&mut |parameter| {
                same &= parameter
                    .values()
                    .iter()
                    .all(|x| values.next().is_some_and(|y| x.to_bits() == y.to_bits()));
            });
        }
        if same && values.next().is_none() {
            return Ok(());
        }
        self.projected.clear();
        self.refresh_priors(model)?;
        let priors = &self.priors;
        self.lanes.for_each(|_, shard| shard.project(priors))?;
        for process in model.processes() {
            process.visit(&mut |parameter| self.projected.extend_from_slice(parameter.values()));
        }
        Ok(())
    }

    /// Adds up the lanes' derivatives by kernels and inducing inputs, and takes what concerns `K_zz` through its factor.
    fn finish_reverse(&mut self, model: &Savigp, reverse: bool) -> Result<(), VariationalError> {
        if !reverse {
            self.totals.iter_mut().for_each(PriorGradients::clear);
            return Ok(());
        }
        for (q, total) in self.totals.iter_mut().enumerate() {
            self.lanes.sum(|shard| shard.gradients(q), total.as_mut_slice(), self.reduction.as_ref())?;
        }
        let (priors, by) = (&self.priors, &self.evaluator);
        for_each(model.threading(), &mut self.totals, |q, total| Ok(priors[q].finish_reverse(total, by)?))
    }

    /// Factors `K_zz`, in the same memory where there is some.
    fn refresh_priors(&mut self, model: &Savigp) -> Result<(), VariationalError> {
        let (jitter, by) = (model.jitter(), &self.evaluator);
        if self.priors.is_empty() {
            let prior = |process: &SparseProcess| InducingPrior::new(process, jitter, by);
            self.priors = model.processes().iter().map(prior).collect::<Result<_, _>>()?;
            return Ok(());
        }
        self.lanes.change(Shard::forget_projections);
        for_each(model.threading(), &mut self.priors, |q, prior| {
            Ok(prior.refresh(&model.processes()[q], jitter, by)?)
        })
    }

    /// The variances that sampling gives the entries of the gradient by posterior means, summed, over the squared length
    /// of that gradient: 1 where noise and gradient are as long as each other, 0 without sampling. After a gradient.
    #[must_use]
    pub fn relative_noise(&self) -> f64 {
        let noise = self.weight().powi(2) * self.sums[self.layout.noise()];
        let squares: f64 = self.working.by_mean.iter().flatten().map(|g| g * g).sum();
        if noise == 0.0 { 0.0 } else { noise / squares }
    }
}

/// Fails for data that do not fit the model.
fn check_data(model: &Savigp, data: &dyn DataSource) -> Result<(), VariationalError> {
    if data.count() == 0 {
        return Err(DataError::NoData.into());
    }
    check_count("targets", "columns", model.likelihood().outputs(), data.outputs())?;
    for process in model.processes() {
        check_count("inputs", "columns", process.inputs().dim(), data.dim())?;
    }
    Ok(())
}
