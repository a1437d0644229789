//! Start for labels with inputs of one kind, such as pixels: one length-scale, or one each.
//!
//! One each must gain ½ (D − 1) ln N nats (Bayesian information criterion) in regression on labels, with fixed noise:
//! vanishing noise would fit any labels.
//!
//! Several classes keep the regression's length-scale: sparse EP prefers longer ones, which predict worse.

use super::labels::{self, NOISE, ROWS};
use super::{LENGTH_SCALE, placed, quick};
use crate::error::CliError;
use crate::fit::kernels::ARD_INPUTS;
use crate::fit::sample::Sample;
use crate::fit::spec::FitSpec;
use crate::method::{Problem, TrainingRows};
use gp_ep::DataSource as _;
use gp_kernels::{Kernel, KernelExt as _};
use gp_likelihoods::Gaussian;
use gp_optim::Parameter;

const VARIANCE: &str = "variance";
/// Initial variance of several classes: descent is faster.
const LARGE: f64 = 100.0;
pub(super) const FITS: usize = 2;

/// `true` for labels, few inputs, and default kernels with one length-scale.
pub(super) fn is_wanted(problem: &Problem) -> bool {
    let mut is_one = false;
    let mut kernel = problem.kernels[0].clone_box();
    change(kernel.as_mut(), LENGTH_SCALE, &mut |length| is_one = !length.is_vector());
    is_one && problem.likelihood.support().classes() > 0 && (2..=ARD_INPUTS).contains(&problem.sizes().dim)
}

/// Fixes several classes' length-scale, as [`settle`] does without ARD.
pub(super) fn fix_length(problem: &mut Problem) {
    if problem.likelihood.latents() > 1 {
        for kernel in &mut problem.kernels {
            change(kernel.as_mut(), LENGTH_SCALE, &mut |lengths| lengths.fix_all(true));
        }
    }
}

/// Sets the length-scale (fixed for several classes), or one per input.
pub(super) fn settle(problem: &mut Problem, spec: &FitSpec, sample: &TrainingRows) -> Result<(), CliError> {
    let few = Sample::at_most(sample, ROWS, spec.seed)?.rows;
    let dim = problem.sizes().dim;
    let each = one_each(problem.kernels[0].as_ref(), dim)?;
    let (mut gain, mut logs) = (0.0, Vec::new());
    for regression in regressions(problem, each.as_ref(), &few)? {
        gain += regression.gain;
        logs.push(regression.log_length);
    }
    let count = logs.len() as f64;
    if logs.is_empty() {
        return Ok(());
    }
    if gain / count > 0.5 * (dim as f64 - 1.0) * (few.count() as f64).ln() {
        problem.kernels = vec![each; problem.kernels.len()];
        return labels::settle(problem, spec, sample);
    }
    let length = (logs.iter().sum::<f64>() / count).exp();
    let several = problem.likelihood.latents() > 1;
    for kernel in &mut problem.kernels {
        change(kernel.as_mut(), LENGTH_SCALE, &mut |lengths| {
            if lengths.free_len() > 0 && lengths.set_values(&[length]).is_ok() && several {
                lengths.fix_all(true);
            }
        });
        if several {
            set_free(kernel.as_mut(), VARIANCE, LARGE)?;
        }
    }
    Ok(())
}

struct LengthFit {
    log_length: f64,
    /// Log evidence of ARD over one length-scale.
    gain: f64,
}

fn regressions(problem: &Problem, each: &dyn Kernel, few: &TrainingRows) -> Result<Vec<LengthFit>, CliError> {
    let (points, _) = few.whole()?;
    let placed = placed(problem, few)?;
    let mut noise = Gaussian::new(NOISE)?;
    noise.parameters_mut().iter_mut().for_each(|parameter| parameter.fix_all(true));
    let mut found = Vec::new();
    for numbers in labels::numbers(problem, few)? {
        let rows = TrainingRows::in_memory(points.to_owned(), numbers);
        let by = |kernel: &dyn Kernel| quick((problem, &placed), kernel, noise.clone(), &rows);
        let (Some(one), Some(each)) = (by(problem.kernels[0].as_ref())?, by(each)?) else { continue };
        let mut log_length = f64::NAN;
        let mut kernel = one.model.process(0).kernel().clone_box();
        change(kernel.as_mut(), LENGTH_SCALE, &mut |length| log_length = length.value().ln());
        found.push(LengthFit { log_length, gain: each.log_evidence - one.log_evidence });
    }
    Ok(found)
}

pub(super) fn one_each(kernel: &dyn Kernel, dim: usize) -> Result<Box<dyn Kernel>, CliError> {
    let (mut each, mut done) = (kernel.clone_box(), Ok(()));
    change(each.as_mut(), LENGTH_SCALE, &mut |length| {
        done = length.repeated(dim).map(|repeated| *length = repeated);
    });
    done?;
    Ok(each)
}

fn set_free(kernel: &mut dyn Kernel, name: &str, value: f64) -> Result<(), CliError> {
    let mut done = Ok(());
    change(kernel, name, &mut |parameter| {
        if parameter.free_len() > 0 {
            done = parameter.set_values(&[value]);
        }
    });
    Ok(done?)
}

/// Changes the first parameter of this name, in the smooth term.
pub(super) fn change(kernel: &mut dyn Kernel, name: &str, change: &mut dyn FnMut(&mut Parameter)) {
    let mut is_done = false;
    kernel.for_each_parameter_mut(&mut |parameter| {
        if !is_done && parameter.name() == name {
            change(parameter);
            is_done = true;
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_free_variance_of_the_smooth_function_changes() {
        let started = |text: &str| {
            let mut kernel = gp_kernels::parse(text).unwrap();
            set_free(kernel.as_mut(), VARIANCE, LARGE).unwrap();
            let mut values = Vec::new();
            kernel.for_each_parameter(&mut |parameter| values.push(parameter.value()));
            values
        };
        assert_eq!(started("10 * rbf(lengthscale=3) + constant(variance=2)"), [LARGE, 3.0, 2.0]);
        assert_eq!(started("fixed(10) * rbf(lengthscale=3) + constant(variance=2)"), [10.0, 3.0, 2.0]);
    }
}
