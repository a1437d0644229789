//! One evaluation: three passes over the lanes, and what is done between them.

use super::blocks::Blocks;
use super::lane::{Lane, Share};
use super::model::SparseRegression;
use super::shard::{At, Gradients, Posterior, Sums};
use crate::error::{EpError, check_count};
use crate::exact::Observations;
use gp_kernels::data::{DataError, Lanes, LocalReduction};
use gp_kernels::inducing::{InducingPrior, PriorGradients};
use gp_kernels::{Evaluator, parameter_count};
use gp_linalg::{Cholesky, Threading};
use std::f64::consts::TAU;

/// Memory for evaluations of the log marginal likelihood. It fits itself to the model and the data it is used with;
/// repeated evaluations of the same sizes on the calling thread allocate nothing.
#[derive(Debug, Default)]
pub struct RegressionWorkspace {
    state: Option<State>,
}

/// What memory is made for.
#[derive(Debug, PartialEq)]
struct Shape {
    observations: usize,
    dim: usize,
    inputs: (usize, usize, bool),
    params: usize,
    blocks: Option<Blocks>,
    threading: Threading,
}

#[derive(Debug)]
struct State {
    shape: Shape,
    /// For `K_zz`.
    evaluator: Evaluator,
    prior: InducingPrior,
    lanes: Lanes<Lane>,
    sums: Sums,
    posterior: Posterior,
    gradients: Gradients,
}

impl RegressionWorkspace {
    /// An empty workspace.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// `log Z`, and everything that predictions and gradients need.
    pub(super) fn evaluate(
        &mut self,
        model: &SparseRegression,
        data: &Observations<'_>,
    ) -> Result<f64, EpError> {
        check_factors(model, data.len())?;
        let state = match self.state.take() {
            Some(state) if state.shape.fits(model, data) => state,
            _ => State::new(model, data)?,
        };
        let state = self.state.insert(state);
        let value = state.evaluate(model, data)?;
        if value.is_finite() { Ok(value) } else { Err(EpError::Overflow { value }) }
    }

    /// The gradient in natural units at the point that was evaluated last, over `gradient`.
    pub(super) fn add_up_gradient(
        &mut self,
        model: &SparseRegression,
        gradient: &mut [f64],
    ) -> Result<(), EpError> {
        self.state
            .as_mut()
            .map_or(Err(DataError::NoData.into()), |state| state.add_up_gradient(model, gradient))
    }

    /// The mean of v and the factor of its precision, once something has been evaluated.
    pub(super) fn into_posterior(self) -> Option<(Vec<f64>, Cholesky)> {
        self.state.map(|state| (state.posterior.mean, state.posterior.precision))
    }
}

/// Blocks and powers are those of this many observations.
fn check_factors(model: &SparseRegression, observations: usize) -> Result<(), EpError> {
    let Some(blocks) = model.blocks() else { return model.powers().check(observations) };
    check_count("partition into blocks", "entries", observations, blocks.observations())?;
    model.powers().check(blocks.count())
}

impl Shape {
    fn of(model: &SparseRegression, data: &Observations<'_>) -> Self {
        let inputs = model.process().inputs();
        Self {
            observations: data.len(),
            dim: data.inputs().ncols(),
            inputs: (inputs.count(), inputs.dim(), inputs.windows().is_some()),
            params: parameter_count(model.process().kernel()),
            blocks: model.blocks().cloned(),
            threading: model.threading(),
        }
    }

    /// Whether this is the shape of the model and the data.
    fn fits(&self, model: &SparseRegression, data: &Observations<'_>) -> bool {
        let inputs = model.process().inputs();
        (self.observations, self.dim) == (data.len(), data.inputs().ncols())
            && self.inputs == (inputs.count(), inputs.dim(), inputs.windows().is_some())
            && self.params == parameter_count(model.process().kernel())
            && self.blocks.as_ref() == model.blocks()
            && self.threading == model.threading()
    }
}

impl State {
    fn new(model: &SparseRegression, data: &Observations<'_>) -> Result<Self, EpError> {
        let (process, threading) = (model.process(), model.threading());
        let (count, evaluator) = (process.inputs().count(), Evaluator::new(threading));
        let prior = InducingPrior::new(process, model.jitter(), &evaluator)?;
        let mut shares = Share::all(model, data.len()).into_iter().map(Some).collect::<Vec<_>>();
        let busy = shares.iter().flatten().filter(|share| !share.rows.is_empty()).count();
        // Lanes share the threads among them; a lane that is alone has them for itself.
        let inside = if busy > 1 { Threading::Here } else { threading };
        let lanes = Lanes::new(data.len(), threading, &LocalReduction, |lane| {
            let none = || Share { rows: Vec::new(), factors: 0..0, sizes: None };
            let share = shares.get_mut(lane).and_then(Option::take).unwrap_or_else(none);
            Lane::new(model, share, data.inputs().ncols(), inside)
        });
        Ok(Self {
            shape: Shape::of(model, data),
            prior,
            lanes,
            sums: Sums::zeros(count),
            posterior: Posterior { precision: Cholesky::with_capacity(count), mean: vec![0.0; count] },
            gradients: Gradients { prior: PriorGradients::zeros(process), noise: 0.0 },
            evaluator,
        })
    }

    fn evaluate(&mut self, model: &SparseRegression, data: &Observations<'_>) -> Result<f64, EpError> {
        self.prior.refresh(model.process(), model.jitter(), &self.evaluator)?;
        let at = At { model, prior: &self.prior };
        self.lanes.for_each(|_, lane| lane.absorb(at, data))?;
        self.lanes.sum(|lane| lane.sums.as_slice(), self.sums.as_mut_slice(), &LocalReduction)?;
        let log_scale = self.posterior.solve(model, &mut self.sums)?;
        let posterior = &self.posterior;
        self.lanes.for_each(|_, lane| lane.explain(posterior))?;
        let mut misfit = [0.0];
        self.lanes.sum(|lane| std::slice::from_ref(&lane.misfit), &mut misfit, &LocalReduction)?;
        let prior_misfit: f64 = posterior.mean.iter().map(|m| m * m).sum();
        let quadratic = prior_misfit + misfit[0];
        let logs = data.len() as f64 * TAU.ln() + log_scale + posterior.precision.log_det();
        Ok(-0.5 * (logs + quadratic))
    }

    fn add_up_gradient(&mut self, model: &SparseRegression, gradient: &mut [f64]) -> Result<(), EpError> {
        let (at, posterior) = (At { model, prior: &self.prior }, &self.posterior);
        self.lanes.for_each(|_, lane| lane.reverse(at, posterior))?;
        let Gradients { prior: sums, noise } = &mut self.gradients;
        self.lanes.sum(|lane| lane.gradients.prior.as_slice(), sums.as_mut_slice(), &LocalReduction)?;
        let noise = std::slice::from_mut(noise);
        self.lanes.sum(|lane| std::slice::from_ref(&lane.gradients.noise), noise, &LocalReduction)?;
        self.prior.finish_reverse(sums, &self.evaluator)?;
        let all = sums.params().iter().chain(sums.inputs()).chain(&*noise);
        gradient.iter_mut().zip(all).for_each(|(out, g)| *out = *g);
        Ok(())
    }
}

impl Posterior {
    /// From the sums of the first pass to `B = L_B L_Bᵀ` and `m = B⁻¹ Φ D⁻¹ y`; returns what the first pass has put
    /// into log Z.
    fn solve(&mut self, model: &SparseRegression, sums: &mut Sums) -> Result<f64, EpError> {
        let parts = sums.parts_mut();
        let mut precision = parts.gram;
        (0..precision.nrows()).for_each(|i| precision[(i, i)] += 1.0);
        self.precision.refactor(precision.as_ref(), model.jitter())?;
        self.mean.copy_from_slice(parts.shift);
        self.precision.solve_in_place(super::shard::column_mut(&mut self.mean), Threading::Here)?;
        Ok(*parts.log_scale)
    }
}
