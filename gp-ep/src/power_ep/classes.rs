//! Models of classes.

use super::model::PowerEp;
use crate::error::InferenceError;
use faer::Mat;
use gp_kernels::algebra::{Scaled, Sum};
use gp_kernels::inducing::{InducingInputs, SparseProcess};
use gp_likelihoods::MulticlassProbit;
use gp_optim::{Parameter, Transform};

impl PowerEp {
    /// One latent per class, [`MulticlassProbit::in_pairs`]: one factor per pair, sites on projections, α = 1
    /// (Villacampa-Calvo & Hernández-Lobato 2017).
    ///
    /// Two classes: one latent, their difference, with summed kernels and all inducing inputs.
    ///
    /// # Errors
    /// As [`MulticlassProbit::with_noise`]; for two classes, incompatible inputs.
    pub fn of_classes(processes: Vec<SparseProcess>, noise: f64) -> Result<Self, InferenceError> {
        match <[SparseProcess; 2]>::try_from(processes) {
            Ok([first, second]) => {
                let likelihood = MulticlassProbit::of_difference(noise)?.into();
                Self::new(vec![difference(&first, &second)?], likelihood)
            }
            Err(processes) => {
                let likelihood = MulticlassProbit::with_noise(processes.len(), noise)?.in_pairs();
                Self::new(processes, likelihood.into())
            }
        }
    }

    /// [`of_classes`](Self::of_classes) with a shared process, computed once.
    pub fn of_alike_classes(
        classes: usize,
        process: SparseProcess,
        noise: f64,
    ) -> Result<Self, InferenceError> {
        if classes == 2 {
            // The covariance of f_1 − f_0 is twice that of each.
            let mut twice = Parameter::scalar(Scaled::PARAMETER, 2.0, Transform::Positive)?;
            twice.fix_all(true);
            let kernel = Box::new(Scaled::new(twice, process.kernel().clone_box())?);
            let likelihood = MulticlassProbit::of_difference(noise)?.into();
            return Self::new(vec![process.with_kernel(kernel)], likelihood);
        }
        Self::new(vec![process], MulticlassProbit::with_noise(classes, noise)?.in_pairs().into())
    }
}

/// `f_1 − f_0` for independent functions.
fn difference(first: &SparseProcess, second: &SparseProcess) -> Result<SparseProcess, InferenceError> {
    let kernel = Sum::of(vec![first.kernel().clone_box(), second.kernel().clone_box()])?;
    let (z, more) = (first.inputs(), second.inputs());
    if z.windows().is_some() || more.windows().is_some() {
        return Err(InferenceError::Unsupported { what: "two classes with inducing windows" });
    }
    let inputs = if z.values() == more.values() {
        z.clone()
    } else {
        let (a, b) = (z.z(), more.z());
        crate::error::check_count("inducing inputs of the second class", "columns", a.ncols(), b.ncols())?;
        let both = |i: usize, j: usize| if i < a.nrows() { a[(i, j)] } else { b[(i - a.nrows(), j)] };
        InducingInputs::points(Mat::from_fn(a.nrows() + b.nrows(), a.ncols(), both).as_ref())?
    };
    let process = SparseProcess::new(kernel, inputs)?;
    let fixed = !first.trains_inputs() && !second.trains_inputs();
    Ok(if fixed { process.with_fixed_inputs() } else { process })
}
