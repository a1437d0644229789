//! Models of image classes for the items of Bonilla et al. 2019.

use super::savigp::sampled;
use crate::data::{Part, Task};
use crate::error::ExperimentError;
use gp_kernels::Kernel;
use gp_kernels::inducing::SparseProcess;
use gp_kernels::placement::{KMeans, Placement};
use gp_likelihoods::{BernoulliLogit, Softmax};
use gp_variational::Savigp;

/// Least number of images for k-means of inducing inputs: in total, and per inducing input.
const AMONG: usize = 5000;
const FOR_EACH: usize = 10;
/// Number of samples per multi-class label, as in Bonilla et al. 2019.
const SAMPLES: usize = 100;

/// Default kernel of images with pixels between 0 and 1: an RBF of amplitude 1 and a single length-scale of 0.3 √D.
pub(crate) fn usual(dim: usize) -> Result<Box<dyn Kernel>, ExperimentError> {
    Ok(gp_kernels::parse(&format!("1 * rbf(lengthscale={})", 0.3 * (dim as f64).sqrt()))?)
}

/// Latent with inducing inputs at k-means centres of the first images; inducing inputs are free.
///
/// # Errors
/// For invalid inputs.
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

/// Model with one full Gaussian posterior. Binary tasks have one latent and a logistic likelihood with quadrature.
/// Others have one latent per class, initially equal, and softmax with `SAMPLES` quasi-random samples.
///
/// # Errors
/// For a softmax of fewer than two classes.
pub(crate) fn model(process: SparseProcess, task: Task) -> Result<Savigp, ExperimentError> {
    model_by(process, task, SAMPLES)
}

/// [`model`] with this many samples.
///
/// # Errors
/// As [`model`].
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
