//! Gradients against finite differences.

use crate::error::CliError;
use gp_optim::ParameterSetMut;
use serde::Serialize;

/// Derivative, analytic and numerical.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GradientCheck {
    /// Name of the value, such as `kernel.rbf.lengthscale[1]`.
    pub parameter: String,
    /// Derivative by the method.
    pub gradient: f64,
    /// Finite difference of the objective.
    pub difference: f64,
    /// Difference of both, relative to the larger; less within rounding.
    pub relative_error: f64,
}

/// Truncation error about 1e-12, rounding 1e-10.
const STEP: f64 = 1e-3;
/// Relative rounding error.
const ROUNDING: f64 = 1e-12;
/// Maximum relative error within rounding.
const OF_ROUNDING: f64 = 1e-4;

/// Compares derivatives of `objective` and log priors by all free values. `names`: of all values. `objective` returns
/// the value and writes the gradient by natural values.
///
/// # Errors
/// Those of the objective; [`Numerical`](crate::ErrorKind::Numerical) for impossible parameter values.
pub fn compare<M: ParameterSetMut + Clone>(
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

fn free_names<M: ParameterSetMut>(model: &M, names: &[String]) -> Vec<String> {
    let (mut all, mut free) = (names.iter(), Vec::new());
    model.visit(&mut |parameter| {
        let own = all.by_ref().take(parameter.len()).enumerate();
        free.extend(own.filter(|(i, _)| !parameter.is_fixed(*i)).map(|(_, name)| name.clone()));
    });
    free
}
