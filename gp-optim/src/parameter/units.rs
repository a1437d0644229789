//! Change of units of a parameter.

use super::Parameter;
use crate::error::ParameterError;

impl Parameter {
    /// Parameter in other units: values, bounds and prior times positive factors, one per element; fixed
    /// marks stay.
    ///
    /// ```
    /// use gp_optim::{Parameter, Transform, text::value_text};
    /// let mut period = Parameter::scalar("period", 2.0, Transform::Positive)?;
    /// period.set_transform(Transform::Interval { lo: 1.0, hi: 4.0 })?;
    /// assert_eq!(value_text(&period.scaled(&[7.0])?), "14 in [7, 28]");
    /// # Ok::<(), gp_optim::ParameterError>(())
    /// ```
    ///
    /// # Errors
    /// [`ParameterError::MixedUnits`] for a shared number, bounds or prior under different factors,
    /// [`ParameterError::WrongLength`] for a wrong number of factors; otherwise as for setting values and
    /// bounds.
    pub fn scaled(&self, factors: &[f64]) -> Result<Self, ParameterError> {
        if self.is_vector() || factors.is_empty() {
            self.check_length("factors", self.len(), factors.len())?;
        }
        let factor = factors[0];
        if factors.iter().any(|other| *other != factor) {
            let shared = [
                ("one number", !self.is_vector()),
                ("bounds", self.transform != self.domain),
                ("a prior", self.prior.is_some()),
            ];
            if let Some((what, _)) = shared.into_iter().find(|(_, is_shared)| *is_shared) {
                return Err(ParameterError::MixedUnits { name: self.name.to_string(), what });
            }
        }
        let values = self.values.iter().zip(factors).map(|(value, factor)| value * factor).collect();
        let mut scaled = Self::build(self.name.clone(), values, self.vector, self.domain)?;
        scaled.set_transform(self.transform.scaled(factor))?;
        scaled.set_prior(self.prior.map(|prior| prior.scaled(factor)))?;
        scaled.fixed.clone_from(&self.fixed);
        scaled.held = self.held;
        Ok(scaled)
    }
}
