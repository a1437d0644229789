//! Kernels: those that were asked for, or the usual one.

use super::plan::{GAUSSIAN, usage};
use super::spec::FitSpec;
use super::task::Observed;
use crate::error::{CliError, ErrorKind};
use crate::method::Method;
use gp_kernels::{Kernel, Registry};
use gp_optim::format_number;

/// One length-scale for each input up to so many inputs.
const ARD_INPUTS: usize = 64;

/// One kernel for each latent function: those given, the only one given for all, or the usual one.
pub(super) fn kernels(
    spec: &FitSpec,
    method: &dyn Method,
    observed: &Observed,
    dim: usize,
) -> Result<Vec<Box<dyn Kernel>>, CliError> {
    let latents = observed.likelihood.latents();
    let registry = Registry::built_in();
    let texts = match spec.kernel.as_slice() {
        [] => vec![usual_kernel(method, observed, dim)],
        some => some.to_vec(),
    };
    if texts.len() != 1 && texts.len() != latents {
        return Err(usage(format!(
            "--kernel was given {} times; there are {latents} latent functions",
            texts.len()
        )));
    }
    let parse = |text: &String| {
        registry
            .parse_for(text, dim)
            .map_err(|cause| CliError::caused(ErrorKind::Usage, "--kernel cannot be used", cause))
    };
    (0..latents).map(|latent| parse(&texts[latent.min(texts.len() - 1)])).collect()
}

/// A smooth function with a length-scale for each input, and a straight one, so that nothing is lost where the truth is
/// straight. In units of their spread, points are √D apart and more.
///
/// Labels and counts say less than numbers do, and where a straight line tells all labels apart, nothing bounds the
/// function: there, weak priors hold variances near 1 and length-scales near √D, within a factor of 7 or so.
fn usual_kernel(method: &dyn Method, observed: &Observed, dim: usize) -> String {
    let length = (dim as f64).sqrt();
    let around = |value: f64| format!(" ~ log_normal({}, 1)", format_number(value.ln()));
    let number = |value: f64| format_number(value);
    let ard = match dim {
        2..=ARD_INPUTS => format!("[{}]", vec![number(length); dim].join(", ")),
        _ => number(length),
    };
    if observed.likelihood.name() != GAUSSIAN {
        let (one, prior) = (around(1.0), around(length));
        return format!(
            "1{one} * rbf(lengthscale={ard}{prior}) + linear(lengthscale={}{prior}) + constant(variance=1{one})",
            number(length)
        );
    }
    let mut text = format!("1 * rbf(lengthscale={ard}) + linear(lengthscale={})", number(3.0 * length));
    if method.name() == "fitc" {
        // Training draws inducing inputs together that it has no use for.
        text.push_str(" + white(variance=fixed(1e-8))");
    }
    text
}
