//! Deserialised parameters, checked before use.

use super::Parameter;
use super::own::Conditions;
use crate::error::ParameterError;
use crate::prior::Prior;
use crate::transform::Transform;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename = "Parameter", deny_unknown_fields)]
pub(super) struct Unchecked {
    name: String,
    values: Vec<f64>,
    vector: bool,
    domain: Transform,
    transform: Transform,
    prior: Option<Prior>,
    fixed: Vec<bool>,
    #[serde(default)]
    own: Option<Vec<Conditions>>,
}

impl TryFrom<Unchecked> for Parameter {
    type Error = ParameterError;

    fn try_from(read: Unchecked) -> Result<Self, Self::Error> {
        let mut parameter = Self::build(read.name.into(), read.values, read.vector, read.domain)?;
        if read.own.is_none() {
            parameter.set_transform(read.transform)?;
        }
        let expected = if read.vector { parameter.len() } else { 1 };
        parameter.check_length("values", expected, parameter.len())?;
        parameter.check_length("fixed flags", parameter.len(), read.fixed.len())?;
        if let Some(prior) = read.prior {
            prior.validate()?;
        }
        parameter.prior = read.prior;
        read.own.map_or(Ok(()), |own| parameter.read_own(own))?;
        parameter.held = read.fixed.iter().filter(|fixed| **fixed).count();
        parameter.fixed = read.fixed;
        Ok(parameter)
    }
}
