//! Change of units of a parameter.

use super::Parameter;
use crate::error::ParameterError;

impl Parameter {
    /// Values, bounds, priors times a positive factor per element.
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
    /// [`ParameterError::MixedUnits`] for different factors of one number, [`ParameterError::WrongLength`], invalid
    /// values.
    pub fn scaled(&self, factors: &[f64]) -> Result<Self, ParameterError> {
        if self.is_vector() || factors.is_empty() {
            self.check_length("factors", self.len(), factors.len())?;
        }
        if !self.is_vector() && factors.iter().any(|other| *other != factors[0]) {
            return Err(ParameterError::MixedUnits { name: self.name.to_string() });
        }
        let values = self.values.iter().zip(factors).map(|(value, factor)| value * factor).collect();
        let mut scaled = Self::build(self.name.clone(), values, self.vector, self.domain)?;
        for (index, &factor) in factors.iter().enumerate().take(self.len()) {
            scaled.set_transform_of(index, self.transform_of(index).scaled(factor))?;
            scaled.set_prior_of(index, self.prior_of(index).map(|prior| prior.scaled(factor)))?;
        }
        scaled.fixed.clone_from(&self.fixed);
        scaled.held = self.held;
        Ok(scaled)
    }
}
