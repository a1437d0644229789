//! Checks of values, lengths and bounds.

use super::Parameter;
use crate::error::ParameterError;
use crate::prior::Prior;
use crate::transform::Transform;

impl Parameter {
    pub(super) fn check_value(&self, index: usize, value: f64) -> Result<(), ParameterError> {
        check_value(&self.name, index, value, self.transform_of(index))?;
        check_prior(&self.name, index, value, self.prior_of(index))
    }

    pub(super) fn check_within_domain(&self, transform: Transform) -> Result<(), ParameterError> {
        transform.validate()?;
        if transform.is_within(self.domain) {
            return Ok(());
        }
        Err(ParameterError::OutsideDomain {
            name: self.name.to_string(),
            set: transform.to_string(),
            domain: self.domain.to_string(),
        })
    }

    pub(super) fn check_length(
        &self,
        what: &'static str,
        expected: usize,
        found: usize,
    ) -> Result<(), ParameterError> {
        if expected == found {
            return Ok(());
        }
        Err(ParameterError::WrongLength { name: self.name.to_string(), what, expected, found })
    }

    pub(super) fn check_index(&self, index: usize) -> Result<(), ParameterError> {
        if index < self.len() {
            return Ok(());
        }
        Err(ParameterError::NoSuchElement { name: self.name.to_string(), index, len: self.len() })
    }
}

pub(super) fn check_values(name: &str, values: &[f64], transform: Transform) -> Result<(), ParameterError> {
    values.iter().enumerate().try_for_each(|(index, &value)| check_value(name, index, value, transform))
}

pub(super) fn check_value(
    name: &str,
    index: usize,
    value: f64,
    transform: Transform,
) -> Result<(), ParameterError> {
    if transform.contains(value) {
        return Ok(());
    }
    let allowed = transform.allowed(value);
    Err(ParameterError::OutOfRange { name: name.to_owned(), index, value, allowed })
}

pub(super) fn check_prior(
    name: &str,
    index: usize,
    value: f64,
    prior: Option<&Prior>,
) -> Result<(), ParameterError> {
    let Some(prior) = prior else { return Ok(()) };
    let (lower, upper) = prior.support();
    if lower < value && value < upper {
        return Ok(());
    }
    Err(ParameterError::OutsidePrior { name: name.to_owned(), index, value, prior: prior.to_string() })
}
