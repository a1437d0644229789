//! Sparse regression in three passes over the observations.

use super::blocks::Blocks;
use super::blockwise::BlockFactors;
use super::lane::{LaneFactors, Share, take};
use super::model::SparseRegression;
use super::pointwise::PointFactors;
use super::posterior::RegressionPosterior;
use super::pulled::Pulled;
use crate::error::{InferenceError, check_count};
use crate::noisy::NoisyTarget;
use crate::power_ep::WhitenedPosterior;
use gp_kernels::data::{DataError, DataSource, Rows};
use gp_kernels::parameter_count;
use gp_kernels::passes::{Passes, Sums};
use gp_linalg::Threading;
use gp_optim::{ParameterSet as _, StopSignal};
use std::f64::consts::TAU;

/// Reusable memory for any model and data.
#[derive(Debug, Default)]
pub struct RegressionWorkspace {
    stop_signal: StopSignal,
    state: Option<(Shape, Grouped)>,
}

#[derive(Debug)]
struct Shape {
    observations: usize,
    dim: usize,
    outputs: usize,
    inputs: (usize, usize, bool),
    params: usize,
    blocks: Option<Blocks>,
    /// `true` for the reverse pass of `pulled`.
    pulled: bool,
    threading: Threading,
}

#[derive(Debug)]
enum Grouped {
    Points(State<PointFactors>),
    Blocks(State<BlockFactors>),
}

#[derive(Debug)]
struct State<F> {
    passes: Passes<F>,
    shares: Vec<Share>,
    sums: Sums,
    misfit: Sums,
    gradients: Option<Sums>,
    posterior: RegressionPosterior,
    pulled: Option<Pulled>,
}

impl RegressionWorkspace {
    /// Empty workspace.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a signal that stops evaluations between blocks with [`DataError::Stopped`].
    #[must_use]
    pub fn with_stop_signal(self, stop_signal: StopSignal) -> Self {
        Self { stop_signal, ..self }
    }

    pub(super) fn evaluate(
        &mut self,
        model: &SparseRegression,
        data: &dyn DataSource,
    ) -> Result<f64, InferenceError> {
        if data.count() == 0 {
            return Err(DataError::NoData.into());
        }
        check_factors(model, data.count())?;
        let (_, state) = match self.state.take() {
            Some((shape, state)) if shape.fits(model, data) => self.state.insert((shape, state)),
            _ => self.state.insert((Shape::of(model, data), Grouped::new(model, data)?)),
        };
        let value = match state {
            Grouped::Points(state) => state.evaluate(model, data, &self.stop_signal),
            Grouped::Blocks(state) => state.evaluate(model, data, &self.stop_signal),
        }?;
        if value.is_finite() { Ok(value) } else { Err(InferenceError::Overflow { value }) }
    }

    pub(super) fn add_up_gradient(
        &mut self,
        model: &SparseRegression,
        gradient: &mut [f64],
    ) -> Result<(), InferenceError> {
        check_count("gradient", "entries", model.parameter_count(), gradient.len())?;
        match &mut self.state {
            None => Err(DataError::NoData.into()),
            Some((_, Grouped::Points(state))) => state.add_up_gradient(model, gradient),
            Some((_, Grouped::Blocks(state))) => state.add_up_gradient(model, gradient),
        }
    }

    pub(super) fn posterior(&self) -> Result<&WhitenedPosterior, InferenceError> {
        match &self.state {
            None => Err(DataError::NoData.into()),
            Some((_, Grouped::Points(state))) => Ok(&state.posterior.q),
            Some((_, Grouped::Blocks(state))) => Ok(&state.posterior.q),
        }
    }
}

fn check_factors(model: &SparseRegression, observations: usize) -> Result<(), InferenceError> {
    let Some(blocks) = model.blocks() else { return model.powers().check(observations) };
    check_count("partition into blocks", "entries", observations, blocks.observations())?;
    model.powers().check(blocks.count())
}

fn is_pulled(model: &SparseRegression, data: &dyn DataSource) -> bool {
    model.blocks().is_none() && model.powers().are_zero() && data.outputs() == 1
}

impl Shape {
    fn of(model: &SparseRegression, data: &dyn DataSource) -> Self {
        let inputs = model.process(0).inputs();
        Self {
            observations: data.count(),
            dim: data.dim(),
            outputs: data.outputs(),
            inputs: (inputs.count(), inputs.dim(), inputs.windows().is_some()),
            params: parameter_count(model.process(0).kernel()),
            blocks: model.blocks().cloned(),
            pulled: is_pulled(model, data),
            threading: model.threading(),
        }
    }

    fn fits(&self, model: &SparseRegression, data: &dyn DataSource) -> bool {
        let inputs = model.process(0).inputs();
        (self.observations, self.dim, self.outputs) == (data.count(), data.dim(), data.outputs())
            && self.inputs == (inputs.count(), inputs.dim(), inputs.windows().is_some())
            && self.params == parameter_count(model.process(0).kernel())
            && self.blocks.as_ref() == model.blocks()
            && self.pulled == is_pulled(model, data)
            && self.threading == model.threading()
    }
}

impl Grouped {
    fn new(model: &SparseRegression, data: &dyn DataSource) -> Result<Self, InferenceError> {
        if data.outputs() > NoisyTarget::COLUMNS {
            check_count("targets", "columns", NoisyTarget::COLUMNS, data.outputs())?;
        }
        let setup = model.setup(data, data.count());
        let Some(blocks) = model.blocks() else {
            let passes = Passes::new(setup, |_| PointFactors::default())?;
            let mut state = State::new(model, passes, Vec::new());
            state.pulled = is_pulled(model, data).then(|| Pulled::new(model.process(0).inputs().count()));
            return Ok(Self::Points(state));
        };
        let (shares, count) = (Share::all(blocks), model.process(0).inputs().count());
        let mut passes =
            Passes::with_lanes(setup, shares.len(), |lane| BlockFactors::new(&shares[lane], count))?;
        passes.for_each(|lane, own| {
            own.cut_into(shares[lane].sizes.clone());
            Ok::<(), InferenceError>(())
        })?;
        Ok(Self::Blocks(State::new(model, passes, shares)))
    }
}

impl<F: LaneFactors> State<F> {
    fn new(model: &SparseRegression, passes: Passes<F>, shares: Vec<Share>) -> Self {
        let posterior = RegressionPosterior::of(model.process(0).inputs().count());
        let (sums, misfit) = (Sums::zeros(&posterior.layout), Sums::zeros(&posterior.number));
        Self { passes, shares, sums, misfit, gradients: None, posterior, pulled: None }
    }

    fn read(&mut self, data: &dyn DataSource) -> Result<(), InferenceError> {
        let (count, shares) = (data.count(), &self.shares);
        if shares.is_empty() {
            return self.passes.read(data, &Rows::Range(0..count), take);
        }
        self.passes.read_lanes(data, |lane| &shares[lane].rows, take)
    }

    fn evaluate(
        &mut self,
        model: &SparseRegression,
        data: &dyn DataSource,
        stop_signal: &StopSignal,
    ) -> Result<f64, InferenceError> {
        self.passes.set_stop_signal(stop_signal.clone());
        self.read(data)?;
        let Self { passes, sums, misfit, posterior, .. } = self;
        passes.refresh(model.processes(), model.jitter())?;
        F::absorb(passes, model, &posterior.layout, sums)?;
        posterior.solve(model, sums)?;
        F::explain(passes, posterior, misfit)?;
        let prior_misfit: f64 = posterior.q.mean().iter().map(|m| m * m).sum();
        let quadratic = prior_misfit + misfit.numbers[0];
        let log_scale = posterior.layout.extra(&sums.numbers)[0];
        let logs = data.count() as f64 * TAU.ln() + log_scale + posterior.q.factor().log_det();
        Ok(-0.5 * (logs + quadratic))
    }

    fn add_up_gradient(
        &mut self,
        model: &SparseRegression,
        gradient: &mut [f64],
    ) -> Result<(), InferenceError> {
        let zeros = || Sums::with_gradients(&self.posterior.number, model.processes());
        let sums = self.gradients.get_or_insert_with(zeros);
        let suits = Pulled::suits(&self.posterior, self.passes.loaded());
        let pulled = self.pulled.as_mut().filter(|_| suits);
        F::reverse(&mut self.passes, model, &self.posterior, pulled, sums)?;
        let by_noise = self.passes.finish_reverse(sums, gradient)?;
        by_noise.copy_from_slice(&sums.numbers);
        Ok(())
    }
}
