//! Gradient checks for this crate's methods.

use super::check::{GradientCheck, compare};
use super::gaussian::gaussian;
use super::problem::Problem;
use super::{ivm_model, power_ep, sparse_regression};
use crate::error::CliError;
use gp_ep::power_ep::{GradientKind, Level};
use gp_ep::{
    BatchEp, ClosedEvidence as _, EpOptions, ExactGp, ExactWorkspace, Inference as _, Learning,
    RegressionWorkspace, SparseRegression,
};
use gp_kernels::Evaluator;
use gp_optim::MinimiseOptions;
use gp_variational::Savigp;
use gp_variational::savigp::{Bound, BoundLearning};

/// Iterations away from the prior, where derivatives vanish by symmetry.
const WARM_UP: u64 = 5;

pub(super) fn exact(problem: &Problem) -> Result<Vec<GradientCheck>, CliError> {
    let noise = gaussian(problem.likelihood.as_ref())?;
    let data = &problem.rows;
    let kernel = problem.kernels.first().ok_or_else(power_ep::no_latent)?.clone_box();
    let gp = ExactGp::new(kernel, noise);
    let mut workspace = ExactWorkspace::new(Evaluator::default().threading());
    compare(&gp, &gp.parameter_names(), |gp: &ExactGp, gradient: Option<&mut [f64]>| match gradient {
        None => Ok(gp.log_marginal_likelihood(data, &mut workspace)?),
        Some(gradient) => Ok(gp.log_marginal_likelihood_gradient(data, &mut workspace, gradient)?),
    })
}

pub(super) fn closed_form(problem: &Problem, power: f64) -> Result<Vec<GradientCheck>, CliError> {
    let data = &problem.rows;
    let model = sparse_regression::model(problem, power)?;
    let mut workspace = RegressionWorkspace::new();
    let evaluate = |model: &SparseRegression, gradient: Option<&mut [f64]>| match gradient {
        None => Ok(model.log_marginal_likelihood(data, &mut workspace)?),
        Some(gradient) => Ok(model.log_marginal_likelihood_gradient(data, &mut workspace, gradient)?),
    };
    compare(&model, &model.parameter_names(), evaluate)
}

pub(super) fn converged(problem: &Problem, level: Level) -> Result<Vec<GradientCheck>, CliError> {
    let model = power_ep::model(problem, level)?;
    let data = &problem.rows;
    let options =
        EpOptions { tolerance: 1e-11, log_z_tolerance: 1e-13, max_sweeps: 3000, ..EpOptions::default() };
    let mut state = BatchEp::new(&model, data)?;
    let evaluate = |model: &gp_ep::PowerEp, gradient: Option<&mut [f64]>| {
        state.refresh(model)?;
        state.converge(model, &options)?;
        Ok(match gradient {
            None => state.log_z(model),
            Some(gradient) => state.log_z_gradient(model, GradientKind::Converged, gradient),
        }?)
    };
    compare(&model, &model.parameter_names(), evaluate)
}

/// Checks bounds after some iterations, posterior parameters included.
pub(super) fn bound(
    mut model: Savigp,
    problem: &Problem,
    components: usize,
) -> Result<Vec<GradientCheck>, CliError> {
    let data = &problem.rows;
    if components > 1 {
        model.set_posterior(model.posterior().split(components, problem.settings.seed)?)?;
    }
    let few = MinimiseOptions { max_iterations: WARM_UP, ..MinimiseOptions::default() };
    model.learn_with(data, Learning::Outer(few), &BoundLearning::all_together(), &mut |_| {})?;
    let mut bound = Bound::new(&model, data)?;
    let evaluate = |model: &Savigp, gradient: Option<&mut [f64]>| {
        Ok(match gradient {
            None => bound.value(model),
            Some(gradient) => bound.gradient(model, gradient),
        }?)
    };
    compare(&model, &model.parameter_names(), evaluate)
}

pub(super) fn criterion(problem: &Problem) -> Result<Vec<GradientCheck>, CliError> {
    let model = ivm_model::model(problem)?;
    let data = &problem.rows;
    let posterior = model.build(data, &ivm_model::options(problem))?.posterior;
    compare(&model, &model.parameter_names(), |model: &gp_ep::ivm::Ivm, gradient: Option<&mut [f64]>| {
        let criterion = match gradient {
            None => model.criterion(data, &posterior)?,
            Some(gradient) => {
                let criterion = model.criterion_gradient(data, &posterior, gradient)?;
                gradient.iter_mut().for_each(|g| *g = -*g);
                criterion
            }
        };
        Ok(-criterion)
    })
}
