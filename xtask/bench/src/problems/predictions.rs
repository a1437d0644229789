//! Problems whose values are predictions at the first rows.

use super::JITTER;
use super::file::Problem;
use crate::error::BenchError;
use crate::rows::predictions::{self, T, T_OF_EXACT, new_points};
use crate::rows::regression;
use faer::{Mat, MatRef};
use gp_ep::{Inference as _, Posterior, Predictor};
use gp_kernels::posterior::PosteriorFactor;
use gp_linalg::{Cholesky, JitterPolicy, Threading};

/// Number of compared rows.
const FEW: usize = 200;

/// `latent_mean`, `latent_variance` at the first rows of `x_new`.
fn moments<F: Posterior>(
    problem: Problem,
    predictor: &Predictor<F>,
    new: MatRef<'static, f64>,
) -> Result<Problem, BenchError> {
    let few = predictor.latents(new.subrows(0, FEW))?.swap_remove(0);
    Ok(problem.matrix("x_new", new).vector("latent_mean", few.mean).vector("latent_variance", few.variance))
}

pub(super) fn sparse() -> Result<Problem, BenchError> {
    let (model, data) = predictions::sparse_model()?;
    let model = model.with_jitter(JITTER);
    let problem = Problem::default().process(model.process(0), &JITTER)?.data(data)?;
    let problem = problem.number("noise", model.noise().variance());
    moments(problem, &model.posterior(data)?, new_points(T))
}

pub(super) fn exact() -> Result<Problem, BenchError> {
    let (model, data) = regression::exact_model()?;
    let problem = Problem::default().kernel(model.kernel()).data(data)?;
    let problem = problem.number("noise", model.noise().variance());
    moments(problem, &model.posterior(data)?, new_points(T_OF_EXACT))
}

/// `probability` of label 1 at the first new rows, under the EP posterior `q_mean`, `q_factor`.
pub(super) fn labels() -> Result<Problem, BenchError> {
    let (mut model, data) = predictions::labels_model()?;
    model.set_jitter(JITTER);
    let predictor = predictions::labels_predictor(&model, data)?;
    let posterior = &predictor.functions().parts()[0];
    let (mean, factor) = (posterior.mean().to_vec(), covariance_factor(posterior.factor())?);
    let (new, count) = (new_points(T), mean.len());
    let few = predictor.class_probabilities(new.subrows(0, FEW))?;
    Ok(Problem::default()
        .process(model.process(0), &JITTER)?
        .data(data)?
        .array("q_mean", &[1, count], mean)
        .array("q_factor", &[1, count, count], rows(factor.as_ref()))
        .matrix("x_new", new)
        .vector("probability", few.col(1).iter().copied().collect()))
}

fn covariance_factor(of: &PosteriorFactor) -> Result<Mat<f64>, BenchError> {
    match of {
        PosteriorFactor::Covariance(factor) => Ok(factor.clone()),
        PosteriorFactor::Precision(precision) => {
            let mut covariance = Mat::identity(precision.dim(), precision.dim());
            precision.solve_in_place(covariance.as_mut(), Threading::Here)?;
            let factor = Cholesky::factor(covariance.as_ref(), &JitterPolicy::none())?;
            let lower = |i, j| if i < j { 0.0 } else { factor.l()[(i, j)] };
            Ok(Mat::from_fn(factor.dim(), factor.dim(), lower))
        }
    }
}

fn rows(of: MatRef<'_, f64>) -> Vec<f64> {
    of.row_iter().flat_map(|row| row.iter().copied()).collect()
}
