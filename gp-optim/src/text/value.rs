//! Numbers with fixed marks, bounds and priors: text to parameter and back.

use std::borrow::Cow;
use std::fmt::Write;

use crate::error::ParameterError;
use crate::number::format_number;
use crate::parameter::Parameter;
use crate::prior::Prior;
use crate::transform::Transform;

/// Numbers with fixed marks, bounds, priors.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Numbers {
    pub(super) values: Vec<f64>,
    pub(super) fixed: Vec<bool>,
    pub(super) vector: bool,
    /// Conditions after the number or closing bracket.
    pub(super) shared: Given,
    /// Conditions inside the brackets, per number.
    pub(super) own: Vec<Given>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Given {
    pub(super) bounds: Option<(f64, f64)>,
    pub(super) prior: Option<Prior>,
}

impl Numbers {
    /// Numbers alone.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// `true` for a bracketed list.
    #[must_use]
    pub fn is_vector(&self) -> bool {
        self.vector
    }

    /// `true` without bounds, prior and `fixed`.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        let is_bare = |given: &Given| *given == Given::default();
        is_bare(&self.shared) && self.own.iter().all(is_bare) && !self.fixed.contains(&true)
    }

    /// Parameter of this name and domain.
    ///
    /// # Errors
    /// Values or bounds outside domain or prior.
    pub fn into_parameter(
        self,
        name: impl Into<Cow<'static, str>>,
        domain: Transform,
    ) -> Result<Parameter, ParameterError> {
        let mut parameter = if self.vector {
            Parameter::vector(name, self.values, domain)?
        } else {
            Parameter::scalar(name, self.values.first().copied().unwrap_or(f64::NAN), domain)?
        };
        if let Some(bounds) = self.shared.bounds {
            parameter.set_transform(transform_between(bounds))?;
        }
        for (i, fixed) in self.fixed.into_iter().enumerate() {
            parameter.fix(i, fixed)?;
        }
        parameter.set_prior(self.shared.prior)?;
        for (i, Given { bounds, prior }) in self.own.into_iter().enumerate() {
            bounds.map_or(Ok(()), |bounds| parameter.set_transform_of(i, transform_between(bounds)))?;
            prior.map_or(Ok(()), |prior| parameter.set_prior_of(i, Some(prior)))?;
        }
        Ok(parameter)
    }
}

fn transform_between((lo, hi): (f64, f64)) -> Transform {
    match (lo.is_finite(), hi.is_finite()) {
        (true, true) => Transform::Interval { lo, hi },
        (true, false) => Transform::Above { lo },
        (false, true) => Transform::Below { hi },
        (false, false) => Transform::Identity,
    }
}

/// Values, marks, bounds and priors as parseable text.
///
/// ```
/// use gp_optim::{Parameter, Prior, Transform, text::value_text};
/// let mut scales = Parameter::vector("lengthscale", vec![0.5, 2.0], Transform::Positive)?;
/// scales.fix(1, true)?;
/// scales.set_prior(Some(Prior::Gamma { shape: 2.0, rate: 1.0 }))?;
/// assert_eq!(value_text(&scales), "[0.5, fixed(2)] ~ gamma(2, 1)");
/// # Ok::<(), gp_optim::ParameterError>(())
/// ```
#[must_use]
pub fn value_text(parameter: &Parameter) -> String {
    let differs = parameter.differs_by_element();
    let number = |(i, value): (usize, &f64)| {
        let mut written = format_number(*value);
        if parameter.is_fixed(i) {
            written = format!("fixed({written})");
        }
        if differs { written + &conditions_text(parameter, i) } else { written }
    };
    let numbers: Vec<String> = parameter.values().iter().enumerate().map(number).collect();
    let text = if parameter.is_vector() { format!("[{}]", numbers.join(", ")) } else { numbers.join("") };
    if differs { text } else { text + &conditions_text(parameter, 0) }
}

fn conditions_text(parameter: &Parameter, element: usize) -> String {
    let (mut text, transform) = (String::new(), parameter.transform_of(element));
    // Writing to a String cannot fail.
    if transform != parameter.domain() {
        let end = |end: f64| if end.is_finite() { format_number(end) } else { "none".to_owned() };
        let (lo, hi) = transform.ends();
        let _ = write!(text, " in [{}, {}]", end(lo), end(hi));
    }
    if let Some(prior) = parameter.prior_of(element) {
        let _ = write!(text, " ~ {prior}");
    }
    text
}
