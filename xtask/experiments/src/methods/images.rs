//! Models of image classes for Bonilla et al. 2019.

use super::savigp::sampled;
use crate::data::{Part, Task};
use crate::error::ExperimentError;
use gp_kernels::Kernel;
use gp_kernels::inducing::SparseProcess;
use gp_kernels::placement::{KMeans, Placement};
use gp_likelihoods::{BernoulliLogit, Softmax};
use gp_variational::Savigp;

/// Minimum k-means images: total, per inducing input.
const AMONG: usize = 5000;
const FOR_EACH: usize = 10;
/// Samples per multi-class label (Bonilla et al. 2019).
const SAMPLES: usize = 100;

/// RBF for pixels in [0, 1]: amplitude 1, length-scale 0.3 √D.
pub(crate) fn default(dim: usize) -> Result<Box<dyn Kernel>, ExperimentError> {
    Ok(gp_kernels::parse(&format!("1 * rbf(lengthscale={})", 0.3 * (dim as f64).sqrt()))?)
}

/// Free inducing inputs at k-means centres of the first images.
pub(crate) fn process(
    images: &Part,
    inducing: usize,
    kernel: Box<dyn Kernel>,
) -> Result<SparseProcess, ExperimentError> {
    let some = AMONG.max(FOR_EACH * inducing).min(images.len());
    let placed =
        KMeans::new().place(kernel.as_ref(), images.inputs.as_ref().subrows(0, some), inducing, 1)?;
    Ok(SparseProcess::new(kernel, placed.inputs)?)
}

/// Full Gaussian. Binary: one latent, logistic likelihood, quadrature. Classes: a latent each, initially
/// equal; softmax with `SAMPLES` quasi-random samples.
pub(crate) fn model(process: SparseProcess, task: Task) -> Result<Savigp, ExperimentError> {
    model_by(process, task, SAMPLES)
}

pub(crate) fn model_by(
    process: SparseProcess,
    task: Task,
    samples: usize,
) -> Result<Savigp, ExperimentError> {
    let Task::Classes(classes) = task else {
        return Ok(Savigp::new(vec![process], Box::new(BernoulliLogit))?);
    };
    let model = Savigp::new(vec![process; classes], Box::new(Softmax::new(classes)?))?;
    Ok(model.with_expectation(sampled(samples))?)
}
