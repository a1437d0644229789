//! Bound on `ln p(y)` and gradient, on data or a batch.

use super::entropy::Working;
use super::mixture::Mixture;
use super::model::Savigp;
use super::rule::{Components, LaneEstimates, Rule, gram, layout, params};
use super::steps::Natural;
use crate::expectation::{Expectation, Nodes};
use gp_ep::{InferenceError, check_count};
use gp_kernels::data::{DataError, DataSource, Rows};
use gp_kernels::passes::{Layout, Pass, Passes, Sums};
use gp_linalg::Threading;
use gp_optim::{ParameterSet, StopSignal};
use serde::{Deserialize, Serialize};

/// Bound on observations. Parameters may change between calls.
///
/// Memory: M numbers per loaded observation and latent, up to [`HELD`](gp_kernels::passes::HELD).
#[derive(Debug)]
pub struct Bound {
    passes: Passes<LaneEstimates>,
    pub(super) layout: Layout,
    pub(super) working: Working,
    nodes: Nodes,
    expectation: Expectation,
    pub(super) sums: Sums,
    /// N of all data.
    observations: usize,
    pub(super) natural: Option<Box<(Natural, Mixture)>>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct SamplingMemory {
    epoch: u64,
    expectation: Expectation,
}

impl Bound {
    /// Bound on all data.
    ///
    /// # Errors
    /// [`InferenceError::Data`], [`InferenceError::Shape`] or [`InferenceError::Observation`].
    pub fn new(model: &Savigp, data: &dyn DataSource) -> Result<Self, InferenceError> {
        let mut bound = Self::build(model, data, data.count())?;
        bound.load_rows(model, data, &Rows::Range(0..data.count()))?;
        Ok(bound)
    }

    /// Bound for batches of up to `capacity` observations; [`load`](Self::load) one first.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn for_batches(
        model: &Savigp,
        data: &dyn DataSource,
        capacity: usize,
    ) -> Result<Self, InferenceError> {
        let capacity = capacity.clamp(1, data.count().max(1));
        Self::build(model, data, capacity)
    }

    fn build(model: &Savigp, data: &dyn DataSource, capacity: usize) -> Result<Self, InferenceError> {
        let setup = model.passes_over(data, capacity, None)?;
        let layout =
            layout(model.posterior(), gp_likelihoods::parameter_count(model.likelihood().parameters()));
        Ok(Self {
            passes: Passes::new(setup, |_| LaneEstimates::default())?,
            sums: Sums::with_gradients(&layout, model.processes()),
            layout,
            working: Working::new(model.posterior()),
            nodes: Nodes::default(),
            expectation: *model.expectation(),
            observations: data.count(),
            natural: None,
        })
    }

    /// Loads a batch, to estimate the bound on all data.
    ///
    /// # Errors
    /// [`InferenceError::Shape`] for an empty or too large batch; as [`new`](Self::new), with none loaded.
    pub fn load(
        &mut self,
        model: &Savigp,
        data: &dyn DataSource,
        rows: &[usize],
    ) -> Result<(), InferenceError> {
        check_count("data", "observations", self.observations, data.count())?;
        if rows.is_empty() || rows.len() > self.passes.capacity() {
            let (what, axis, expected) = ("batch", "observations", self.passes.capacity());
            return Err(InferenceError::Shape { what, axis, expected, found: rows.len() });
        }
        self.load_rows(model, data, &Rows::List(rows))
    }

    fn load_rows(
        &mut self,
        model: &Savigp,
        data: &dyn DataSource,
        rows: &Rows<'_>,
    ) -> Result<(), InferenceError> {
        self.passes.read(data, rows, |_, taken| {
            let checked = model.likelihood().check_observation(taken.target);
            checked.map_err(|fault| InferenceError::Observation { row: taken.row, fault })
        })
    }

    /// Sets a stop signal ([`DataError::Stopped`]), polled between blocks.
    pub fn set_stop_signal(&mut self, stop_signal: StopSignal) {
        self.passes.set_stop_signal(stop_signal);
    }

    /// Renews samples, for stochastic methods.
    pub fn redraw(&mut self) {
        self.nodes.epoch = self.nodes.epoch.wrapping_add(1);
    }

    pub(super) fn sampling_memory(&self) -> SamplingMemory {
        SamplingMemory { epoch: self.nodes.epoch, expectation: self.expectation }
    }

    pub(super) fn recall_sampling(&mut self, memory: SamplingMemory) {
        (self.nodes.epoch, self.expectation) = (memory.epoch, memory.expectation);
    }

    /// Expectation method, initially the model's.
    #[must_use]
    pub fn expectation(&self) -> &Expectation {
        &self.expectation
    }

    /// Sets the expectation method.
    ///
    /// # Errors
    /// As [`Savigp::with_expectation`].
    pub fn set_expectation(
        &mut self,
        model: &Savigp,
        expectation: Expectation,
    ) -> Result<(), InferenceError> {
        expectation.check(model.likelihood())?;
        self.expectation = expectation;
        Ok(())
    }

    /// Value of the bound.
    ///
    /// # Errors
    /// [`InferenceError::Kernel`] for inputs or `K_zz`; [`InferenceError::NotFinite`]; [`InferenceError::Data`] without
    /// batch; errors of the likelihood.
    pub fn value(&mut self, model: &Savigp) -> Result<f64, InferenceError> {
        self.pass(model, model.posterior(), false)?;
        self.assemble(model, model.posterior())
    }

    /// Bound; writes its gradient by all natural values, without priors, ordered as [`Savigp::parameter_names`]; 0 by
    /// latent functions whose parameters are all fixed.
    ///
    /// # Errors
    /// As [`value`](Self::value), and [`InferenceError::Shape`].
    pub fn gradient(&mut self, model: &Savigp, gradient: &mut [f64]) -> Result<f64, InferenceError> {
        let front = model.parameter_count() - model.posterior_values();
        check_count("gradient", "entries", model.parameter_count(), gradient.len())?;
        let (of_model, of_posterior) = gradient.split_at_mut(front);
        let value = self.gradient_with(model, model.posterior(), of_model)?;
        self.write_posterior(model.posterior(), of_posterior);
        Ok(value)
    }

    pub(super) fn gradient_with(
        &mut self,
        model: &Savigp,
        posterior: &Mixture,
        gradient: &mut [f64],
    ) -> Result<f64, InferenceError> {
        let reverse = model.processes().iter().any(|process| process.free_count() > 0);
        self.pass(model, posterior, reverse)?;
        let weight = self.weight();
        let rest = self.passes.finish_reverse(&mut self.sums, gradient)?;
        let extra = self.layout.extra(&self.sums.numbers);
        let by_params = &extra[params(&self.layout, extra)];
        rest.iter_mut().zip(by_params).for_each(|(out, sum)| *out = weight * sum);
        self.assemble(model, posterior)
    }

    pub(super) fn threading(&self) -> Threading {
        self.passes.threading()
    }

    pub(super) fn is_evaluated_for(&self, posterior: &Mixture) -> bool {
        self.passes.is_projected() && self.is_for(posterior)
    }

    fn is_for(&self, posterior: &Mixture) -> bool {
        self.layout.counts() == posterior.counts()
            && self.layout.components() == posterior.components()
            && self.layout.gram() == Some(gram(posterior))
    }

    /// N / loaded observations.
    pub(super) fn weight(&self) -> f64 {
        self.observations as f64 / self.passes.loaded() as f64
    }

    pub(super) fn pass(
        &mut self,
        model: &Savigp,
        posterior: &Mixture,
        reverse: bool,
    ) -> Result<(), InferenceError> {
        if self.passes.loaded() == 0 {
            return Err(DataError::NoData.into());
        }
        if !self.is_for(posterior) {
            return Err(InferenceError::Unsupported {
                what: "a bound made for a posterior of another shape",
            });
        }
        self.passes.project_if_moved::<InferenceError>(model.processes(), model.jitter())?;
        self.working.refresh(posterior, self.passes.threading())?;
        if let Expectation::Sampled(sampling) = &self.expectation {
            self.nodes.prepare(sampling, model.likelihood().latents())?;
        }
        let rule = Rule {
            model,
            expectation: &self.expectation,
            nodes: &self.nodes,
            proportions: &self.working.weights,
            weight: self.weight(),
        };
        let components = Components { posterior, working: &self.working };
        let pass = Pass::new(&self.layout).with_beliefs(&components);
        self.sums.set_reverse(reverse);
        self.passes.run(pass, &mut self.sums, |block, extra| rule.answer(block, extra))
    }

    /// Relative sampling variance of the last gradient by posterior means.
    #[must_use]
    pub fn relative_noise(&self) -> f64 {
        let sums = self.sums.numbers.last().copied().unwrap_or(0.0);
        let noise = self.weight().powi(2) * sums;
        let squares: f64 = self.working.by_mean.iter().flatten().map(|g| g * g).sum();
        if noise == 0.0 { 0.0 } else { noise / squares }
    }
}
