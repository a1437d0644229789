//! Gradients beside differences of what they are derivatives of.
//!
//! Both are by the numbers that a solver moves: free values through their transforms, log priors included.

use super::Problem;
use super::{ivm, power_ep};
use crate::error::CliError;
use gp_ep::power_ep::{GradientKind, Level};
use gp_ep::{
    BatchEp, EpOptions, ExactGp, ExactWorkspace, Observations, Powers, RegressionWorkspace, SparseRegression,
};
use gp_kernels::Evaluator;
use gp_optim::{MinimiseOptions, ParameterSetMut};
use gp_variational::Savigp;
use gp_variational::savigp::Bound;
use serde::Serialize;

/// One derivative, found in two ways.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GradientCheck {
    /// The value it is by, such as `kernel.rbf.lengthscale[1]`.
    pub parameter: String,
    /// As the method computes it.
    pub gradient: f64,
    /// As differences of the objective have it.
    pub difference: f64,
    /// How far apart they are, as a share of the larger one; less where both are within the rounding of differences.
    pub relative_error: f64,
}

/// The step of differences: for terms of the fifth order of some 1e-12, and roundings of some 1e-10.
const STEP: f64 = 1e-3;
/// Rounding of an objective, as a share of it; sums over rows and factors of matrices gather some.
const ROUNDING: f64 = 1e-12;
/// A difference that is all rounding has a relative error of this size at most.
const OF_ROUNDING: f64 = 1e-4;
/// Iterations that move a variational posterior away from the prior, where some derivatives are 0 by symmetry.
const WARM_UP: u64 = 5;

/// Every free value of a model, whose natural values have these names. `objective` also writes its gradient by all natural
/// values, where there is room for it.
fn compare<M: ParameterSetMut + Clone>(
    model: &M,
    names: &[String],
    mut objective: impl FnMut(&M, Option<&mut [f64]>) -> Result<f64, CliError>,
) -> Result<Vec<GradientCheck>, CliError> {
    let (mut natural, mut gradient) = (vec![0.0; model.parameter_count()], vec![0.0; model.free_count()]);
    let value = objective(model, Some(&mut natural))? + model.log_prior();
    model.add_log_prior_gradient(&mut natural)?;
    model.chain_gradient(&natural, &mut gradient)?;
    let mut start = vec![0.0; gradient.len()];
    model.write_free(&mut start)?;
    let mut trial = model.clone();
    let mut at = |place: usize, step: f64| -> Result<f64, CliError> {
        let mut moved = start.clone();
        moved[place] += step;
        trial.set_free(&moved)?;
        Ok(objective(&trial, None)? + trial.log_prior())
    };
    let floor = ROUNDING * (1.0 + value.abs()) / STEP / OF_ROUNDING;
    let mut checks = Vec::with_capacity(gradient.len());
    for (place, (&gradient, parameter)) in gradient.iter().zip(free_names(model, names)).enumerate() {
        let near = at(place, STEP)? - at(place, -STEP)?;
        let far = at(place, 2.0 * STEP)? - at(place, -2.0 * STEP)?;
        let difference = (8.0 * near - far) / (12.0 * STEP);
        let size = gradient.abs().max(difference.abs()) + floor;
        let relative_error = (gradient - difference).abs() / size;
        checks.push(GradientCheck { parameter, gradient, difference, relative_error });
    }
    Ok(checks)
}

/// Names of free values, from those of all.
fn free_names<M: ParameterSetMut>(model: &M, names: &[String]) -> Vec<String> {
    let (mut all, mut free) = (names.iter(), Vec::new());
    model.visit(&mut |parameter| {
        let own = all.by_ref().take(parameter.len()).enumerate();
        free.extend(own.filter(|(i, _)| !parameter.is_fixed(*i)).map(|(_, name)| name.clone()));
    });
    free
}

pub(super) fn exact(problem: &Problem) -> Result<Vec<GradientCheck>, CliError> {
    let noise = super::exact::gaussian(problem.likelihood.as_ref())?;
    let (points, targets) = problem.rows.whole()?;
    let data = Observations::new(points, targets)?;
    let kernel = problem.kernels.first().ok_or_else(power_ep::no_latent)?.clone_box();
    let gp = ExactGp::new(kernel, noise);
    let mut workspace = ExactWorkspace::new(Evaluator::default().threading());
    compare(&gp, &gp.parameter_names(), |gp: &ExactGp, gradient: Option<&mut [f64]>| match gradient {
        None => Ok(gp.log_marginal_likelihood(&data, &mut workspace)?),
        Some(gradient) => Ok(gp.log_marginal_likelihood_gradient(&data, &mut workspace, gradient)?),
    })
}

pub(super) fn closed_form(problem: &Problem, power: f64) -> Result<Vec<GradientCheck>, CliError> {
    let noise = super::exact::gaussian(problem.likelihood.as_ref())?;
    let (points, targets) = problem.rows.whole()?;
    let data = Observations::new(points, targets)?;
    let process = problem.processes()?.into_iter().next().ok_or_else(power_ep::no_latent)?;
    let model = SparseRegression::new(process, noise, Powers::Same(power));
    let mut workspace = RegressionWorkspace::new();
    let evaluate = |model: &SparseRegression, gradient: Option<&mut [f64]>| match gradient {
        None => Ok(model.log_marginal_likelihood(&data, &mut workspace)?),
        Some(gradient) => Ok(model.log_marginal_likelihood_gradient(&data, &mut workspace, gradient)?),
    };
    compare(&model, &model.parameter_names(), evaluate)
}

/// Log Z, sites at rest, and its gradient there.
pub(super) fn at_rest(problem: &Problem, level: Level) -> Result<Vec<GradientCheck>, CliError> {
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
            Some(gradient) => state.log_z_gradient(model, GradientKind::AtRest, gradient),
        }?)
    };
    compare(&model, &model.parameter_names(), evaluate)
}

/// The bound by everything, the posterior among it, which some iterations have moved away from the prior.
pub(super) fn bound(mut model: Savigp, problem: &Problem) -> Result<Vec<GradientCheck>, CliError> {
    let data = &problem.rows;
    if let Some(components @ 2..) = problem.settings.components {
        model.set_posterior(model.posterior().split(components, problem.settings.seed)?)?;
    }
    model.train(data, &MinimiseOptions { max_iterations: WARM_UP, ..MinimiseOptions::default() }, |_| {})?;
    let mut bound = Bound::new(&model, data)?;
    let evaluate = |model: &Savigp, gradient: Option<&mut [f64]>| {
        Ok(match gradient {
            None => bound.value(model),
            Some(gradient) => bound.gradient(model, gradient),
        }?)
    };
    compare(&model, &model.parameter_names(), evaluate)
}

/// The criterion with one active set, turned into a bound.
pub(super) fn criterion(problem: &Problem) -> Result<Vec<GradientCheck>, CliError> {
    let model = ivm::model(problem)?;
    let (points, targets) = problem.rows.whole()?;
    let data = Observations::new(points, targets)?;
    let posterior = model.build(&data, &ivm::options(problem))?.posterior;
    compare(&model, &model.parameter_names(), |model: &gp_ep::ivm::Ivm, gradient: Option<&mut [f64]>| {
        let criterion = match gradient {
            None => model.criterion(&data, &posterior)?,
            Some(gradient) => {
                let criterion = model.criterion_gradient(&data, &posterior, gradient)?;
                gradient.iter_mut().for_each(|g| *g = -*g);
                criterion
            }
        };
        Ok(-criterion)
    })
}
