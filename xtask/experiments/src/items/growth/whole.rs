//! Evaluations on all rows.

use super::drawn::{Drawn, LENGTHSCALE, points, process};
use super::{Evaluation, Sizes};
use crate::error::ExperimentError;
use gp_ep::exact::ExactWorkspace;
use gp_ep::ivm::{Ivm, IvmOptions};
use gp_ep::{
    ClosedEvidence as _, ExactGp, Inference as _, Observations, Powers, RegressionWorkspace, SparseRegression,
};
use gp_likelihoods::{Gaussian, Softmax};
use gp_linalg::Threading;
use gp_optim::ParameterSet as _;

const NOISE: f64 = 0.1;

fn vfe(sizes: &Sizes) -> Result<SparseRegression, ExperimentError> {
    Ok(SparseRegression::new(process(sizes, 1)?, Gaussian::new(NOISE)?, Powers::Same(0.0)))
}

pub(super) fn regression(
    sizes: &Sizes,
    rows: Drawn,
    threading: Threading,
) -> Result<Evaluation, ExperimentError> {
    let model = vfe(sizes)?.with_threading(threading);
    let (mut workspace, mut gradient) = (RegressionWorkspace::new(), vec![0.0; model.parameter_count()]);
    Ok(Box::new(move || {
        model.log_marginal_likelihood_gradient(&rows.table()?, &mut workspace, &mut gradient)?;
        Ok(())
    }))
}

pub(super) fn exact(sizes: &Sizes, rows: Drawn, threading: Threading) -> Result<Evaluation, ExperimentError> {
    let kernel = process(&Sizes { inducing: 1, ..*sizes }, 1)?.kernel().clone_box();
    let model = ExactGp::new(kernel, Gaussian::new(NOISE)?).with_threading(threading);
    let (mut workspace, mut gradient) = (ExactWorkspace::new(threading), vec![0.0; model.parameter_count()]);
    Ok(Box::new(move || {
        model.log_marginal_likelihood_gradient(&rows.table()?, &mut workspace, &mut gradient)?;
        Ok(())
    }))
}

/// Sparse means and variances of new rows.
#[expect(
    clippy::needless_pass_by_value,
    reason = "the same signature as that of all others, which keep their rows"
)]
pub(super) fn prediction(
    sizes: &Sizes,
    rows: Drawn,
    threading: Threading,
) -> Result<Evaluation, ExperimentError> {
    let predictor = vfe(sizes)?.posterior(&rows.table()?)?.with_threading(threading);
    let new = points(sizes.new, sizes.dim, 7);
    Ok(Box::new(move || {
        predictor.moments(new.as_ref().transpose())?;
        Ok(())
    }))
}

pub(super) fn active_set(
    sizes: &Sizes,
    rows: Drawn,
    threading: Threading,
) -> Result<Evaluation, ExperimentError> {
    let lengthscale = LENGTHSCALE * (sizes.dim as f64).sqrt();
    // Kernels differ, so that no work is shared.
    let kernel = |class: usize| {
        gp_kernels::parse(&format!("{} * rbf(lengthscale={lengthscale})", 2.0 + 0.1 * class as f64))
    };
    let kernels = (0..sizes.classes).map(kernel).collect::<Result<_, _>>()?;
    let model = Ivm::new(kernels, Box::new(Softmax::new(sizes.classes)?))?.with_threading(threading);
    let options = IvmOptions { active: sizes.active, ..IvmOptions::default() };
    Ok(Box::new(move || {
        let data = Observations::new(rows.inputs(), &rows.targets)?;
        model.build_with(&data, &options, |_| Ok(()))?;
        Ok(())
    }))
}
