//! Requested or default kernels.

use super::names;
use super::observed::Observed;
use super::rewritten::Rewritten;
use super::seasons::Season;
use super::spec::{FitSpec, LengthUnits, Standardize};
use crate::encode::Inputs;
use crate::error::{CliError, ErrorKind};
use crate::left_out::counted;
use crate::method::Method;
use gp_kernels::{Kernel, KernelError, Registry};
use gp_likelihoods::Support;
use gp_optim::format_number;

pub(super) const ARD_INPUTS: usize = 64;
/// Maximum D and N D for ARD of numbers.
const WIDE_INPUTS: usize = 512;
const WIDE_VALUES: usize = 5_000_000;
/// Inverse gamma shape: density nearly 1/ℓ for long length-scales.
const LONG: f64 = 0.01;
/// Standard deviation of log parameters under Gaussian noise.
const WIDE: f64 = 2.0;

/// One kernel per latent. `pseudo`: inducing or active points, 0 for all rows.
pub(super) fn kernels(
    spec: &FitSpec,
    registry: &Registry,
    method: &dyn Method,
    observed: &Observed,
    (inputs, pseudo): (&Inputs, usize),
    seasons: &[Season],
) -> Result<Vec<Box<dyn Kernel>>, CliError> {
    let (latents, dim) = (observed.likelihood.latents(), inputs.dim());
    let default = || {
        let shape = Shape {
            dim,
            straight: has_line(spec, observed, inputs, pseudo),
            one_length: shares_a_length(spec, observed, inputs),
        };
        default_kernel(method, observed, shape, (seasons, spec.standardize))
    };
    let default = if spec.kernel.is_empty() { default() } else { String::new() };
    let texts = match spec.kernel.as_slice() {
        [] => vec![Rewritten::unchanged(&default)],
        some => some.iter().map(|text| names::kernel(text, inputs)).collect::<Result<_, _>>()?,
    };
    if texts.len() != 1 && texts.len() != latents {
        return Err(CliError::usage(format!(
            "--kernel was given {} times; the likelihood has {}",
            texts.len(),
            counted(latents, "latent function")
        )));
    }
    let parse = |text: &Rewritten<'_>| match spec.units {
        LengthUnits::Data if !spec.kernel.is_empty() => in_data_units(text, registry, &inputs.units()),
        _ => registry
            .parse_for(&text.text, dim)
            .map_err(|cause| unusable("--kernel cannot be used", text.in_kernel(cause))),
    };
    (0..latents).map(|latent| parse(&texts[latent.min(texts.len() - 1)])).collect()
}

fn in_data_units(
    text: &Rewritten<'_>,
    registry: &Registry,
    units: &[f64],
) -> Result<Box<dyn Kernel>, CliError> {
    registry.parse_in_units(&text.text, units).map_err(|cause| {
        match registry.parse_for(&text.text, units.len()) {
            Ok(_) => unusable(
                "--kernel cannot be used in the units of the data (for those of the model say --units model)",
                text.in_kernel(cause),
            ),
            Err(cause) => unusable("--kernel cannot be used", text.in_kernel(cause)),
        }
    })
}

fn unusable(what: &str, cause: KernelError) -> CliError {
    CliError::caused(ErrorKind::Usage, what, cause)
}

/// `true` if `pseudo` points represent linear functions; several classes need twice as many.
pub(super) fn is_straight(observed: &Observed, dim: usize, pseudo: usize) -> bool {
    let least = if is_one_of_several(observed) { 2 * dim } else { dim };
    pseudo == 0 || pseudo > least
}

/// `true` if the default has a linear term, which slows and worsens fits of classes with one length-scale.
pub(super) fn has_line(spec: &FitSpec, observed: &Observed, inputs: &Inputs, pseudo: usize) -> bool {
    let found = is_one_of_several(observed) && shares_a_length(spec, observed, inputs);
    !found && is_straight(observed, inputs.dim(), pseudo)
}

fn is_one_of_several(observed: &Observed) -> bool {
    let likelihood = observed.likelihood.as_ref();
    matches!(likelihood.support(), Support::Classes(_)) && likelihood.latents() > 1
}

#[derive(Clone, Copy)]
struct Shape {
    dim: usize,
    straight: bool,
    one_length: bool,
}

impl Shape {
    fn lengths(self) -> String {
        let length = format_number(default_length(self.dim));
        match self.dim {
            2..=ARD_INPUTS if !self.one_length => format!("[{}]", vec![length; self.dim].join(", ")),
            _ => length,
        }
    }
}

/// `true` if the default starts with one length-scale: labels, few inputs of one kind. Training tries
/// [ARD](super::start).
pub(super) fn shares_a_length(spec: &FitSpec, observed: &Observed, inputs: &Inputs) -> bool {
    let of_labels = observed.likelihood.support().classes() > 0;
    let few = (2..=ARD_INPUTS).contains(&inputs.dim());
    let is_default = spec.kernel.is_empty() && spec.standardize.inputs();
    is_default && of_labels && few && inputs.are_of_one_kind()
}

/// `true` if ARD trains within minutes.
pub(super) fn is_affordable(rows: usize, dim: usize) -> bool {
    dim <= WIDE_INPUTS && rows.saturating_mul(dim) <= WIDE_VALUES
}

/// Reason for one length-scale; empty for ARD.
pub(super) fn about_one_length(spec: &FitSpec, observed: &Observed, inputs: &Inputs, rows: usize) -> String {
    let dim = inputs.dim();
    if shares_a_length(spec, observed, inputs) {
        return ", one length-scale because inputs are of one kind (one for each if labels depend on few)"
            .to_owned();
    }
    if !spec.kernel.is_empty() || dim <= ARD_INPUTS {
        return String::new();
    }
    let may_change = observed.likelihood.gaussian_noise().is_some() && is_affordable(rows, dim);
    let unless = if may_change { " (one for each if few matter)" } else { "" };
    format!(", one length-scale because of {dim} inputs{unless}")
}

/// RBF with one length-scale per input or [one for all](shares_a_length), plus linear, plus seasons.
///
/// Weak priors, as densities of natural values (a log-normal peaks at e^(m − s²)):
///
/// - Labels, counts: variances near 1, length-scales near √D, within a factor of about 7: separable labels do
///   not bound functions. Several classes: variance near 10, within about 20.
/// - Numbers: short length-scales, which fit noise, cost `exp(−2√D / ℓ)`. Variances of standardised targets:
///   1, within about 50.
fn default_kernel(
    method: &dyn Method,
    observed: &Observed,
    shape: Shape,
    (seasons, standardize): (&[Season], Standardize),
) -> String {
    if !observed.likelihood.is_linear_gaussian() {
        return kernel_of_labels(default_variance(observed), shape, seasons);
    }
    // Mixing weights already carry the scale.
    let has_scale = observed.likelihood.mixing().is_none();
    let mut text = kernel_of_numbers(has_scale, shape, (seasons, standardize));
    if let Some(variance) = method.default_white_noise() {
        text.push_str(&format!(" + white(variance=fixed({}))", format_number(variance)));
    }
    text
}

/// `(median, deviation)`: prior of the RBF variance.
fn kernel_of_labels((median, deviation): (f64, f64), shape: Shape, seasons: &[Season]) -> String {
    let length = default_length(shape.dim);
    let around = |value: f64, deviation: f64| {
        format!(" ~ log_normal({}, {})", format_number(value.ln()), format_number(deviation))
    };
    let (one, prior) = (around(1.0, 1.0), around(length, 1.0));
    let variance = format!("{}{}", format_number(median), around(median, deviation));
    let smooth = format!("{variance} * rbf(lengthscale={}{prior})", shape.lengths());
    let line = match shape.straight {
        true => format!(" + linear(lengthscale={}{prior})", format_number(length)),
        false => String::new(),
    };
    let seasons = terms(seasons, |value| around(value, 1.0));
    format!("{smooth}{line}{seasons} + constant(variance=1{one})")
}

fn kernel_of_numbers(
    has_scale: bool,
    shape: Shape,
    (seasons, standardize): (&[Season], Standardize),
) -> String {
    let default = default_length(shape.dim);
    let near = |mode: f64| match standardize.target() {
        true => format!(" ~ log_normal({}, {})", format_number(mode.ln() + WIDE * WIDE), format_number(WIDE)),
        false => String::new(),
    };
    let long = match standardize.inputs() {
        true => {
            format!(" ~ inverse_gamma({}, {})", format_number(LONG), format_number(2.0 * default))
        }
        false => String::new(),
    };
    let slope = 3.0 * default;
    let line = match (shape.straight, standardize) {
        (false, _) => String::new(),
        (true, Standardize::Both) => {
            format!(" + linear(lengthscale={}{})", format_number(slope), near(slope))
        }
        (true, _) => format!(" + linear(lengthscale={})", format_number(slope)),
    };
    let scale = if has_scale { format!("1{}", near(1.0)) } else { "fixed(1)".to_owned() };
    let smooth = format!("{scale} * rbf(lengthscale={}{long})", shape.lengths());
    format!("{smooth}{line}{}", terms(seasons, near))
}

fn default_length(dim: usize) -> f64 {
    (dim as f64).sqrt()
}

/// Median of the RBF variance and standard deviation of its logarithm, for non-Gaussian likelihoods.
pub(super) fn default_variance(observed: &Observed) -> (f64, f64) {
    if is_one_of_several(observed) { (10.0, 1.5) } else { (1.0, 1.0) }
}

fn terms(seasons: &[Season], prior: impl Fn(f64) -> String) -> String {
    seasons.iter().map(|season| format!(" + {}", season.term(&prior))).collect()
}
