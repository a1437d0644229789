//! Latent functions of images and models of their classes, as the items of Bonilla et al. 2019 have them.

use super::savigp::sampled;
use crate::data::{Part, Task};
use crate::error::ExperimentError;
use gp_kernels::Kernel;
use gp_kernels::inducing::SparseProcess;
use gp_kernels::placement::{KMeans, Placement};
use gp_likelihoods::{BernoulliLogit, Softmax};
use gp_variational::Savigp;

/// Among how many images k-means looks for inducing inputs: at least, and for each of them.
const AMONG: usize = 5000;
const FOR_EACH: usize = 10;
/// Samples of the latent values behind a label of several classes, as many as Bonilla et al. 2019 has.
const SAMPLES: usize = 100;

/// The kernel of images whose pixels are between 0 and 1 where a paper has none: a squared exponential of amplitude 1 and one
/// length-scale of 0.3 √D.
///
/// # Errors
/// None.
pub(crate) fn usual(dim: usize) -> Result<Box<dyn Kernel>, ExperimentError> {
    Ok(gp_kernels::parse(&format!("1 * rbf(lengthscale={})", 0.3 * (dim as f64).sqrt()))?)
}

/// A function of images with inducing inputs at the centres of clusters of the first of them, which are free to move.
///
/// # Errors
/// For tables that are no inputs.
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

/// One full Gaussian posterior: over a function with a logistic likelihood by quadrature, or over one function a class,
/// which start as the same, with softmax by quasi-random samples.
///
/// # Errors
/// For a softmax of fewer than two classes.
pub(crate) fn model(process: SparseProcess, task: Task) -> Result<Savigp, ExperimentError> {
    model_by(process, task, SAMPLES)
}

/// The same with so many samples.
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
