//! Bounds and priors per element.

use super::Parameter;
use super::checks::{check_prior, check_value};
use crate::error::ParameterError;
use crate::prior::Prior;
use crate::transform::Transform;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Conditions {
    pub(super) transform: Transform,
    pub(super) prior: Option<Prior>,
}

impl Parameter {
    /// `true` for different bounds or priors.
    #[must_use]
    pub fn differs_by_element(&self) -> bool {
        self.own.is_some()
    }

    /// Transform of an element.
    #[must_use]
    pub fn transform_of(&self, index: usize) -> Transform {
        self.own_of(index).map_or(self.transform, |own| own.transform)
    }

    /// Prior of an element.
    #[must_use]
    pub fn prior_of(&self, index: usize) -> Option<&Prior> {
        self.own_of(index).map_or(self.prior.as_ref(), |own| own.prior.as_ref())
    }

    /// Replaces one element's transform.
    ///
    /// ```
    /// use gp_optim::{Parameter, Transform, text::value_text};
    /// let mut scales = Parameter::vector("lengthscale", vec![1.0, 2.0], Transform::Positive)?;
    /// scales.set_transform_of(1, Transform::Above { lo: 0.5 })?;
    /// assert_eq!(value_text(&scales), "[1, 2 in [0.5, none]]");
    /// # Ok::<(), gp_optim::ParameterError>(())
    /// ```
    ///
    /// # Errors
    /// As [`set_transform`](Self::set_transform); [`ParameterError::NoSuchElement`].
    pub fn set_transform_of(&mut self, index: usize, transform: Transform) -> Result<(), ParameterError> {
        self.check_index(index)?;
        self.check_within_domain(transform)?;
        check_value(&self.name, index, self.values[index], transform)?;
        self.apart(index, |own| own.transform = transform);
        Ok(())
    }

    /// Sets or removes one element's prior.
    ///
    /// # Errors
    /// As [`set_prior`](Self::set_prior); [`ParameterError::NoSuchElement`].
    pub fn set_prior_of(&mut self, index: usize, prior: Option<Prior>) -> Result<(), ParameterError> {
        self.check_index(index)?;
        prior.map_or(Ok(()), |prior| prior.validate())?;
        check_prior(&self.name, index, self.values[index], prior.as_ref())?;
        self.apart(index, |own| own.prior = prior);
        Ok(())
    }

    fn own_of(&self, index: usize) -> Option<&Conditions> {
        self.own.as_ref().and_then(|own| own.get(index))
    }

    fn apart(&mut self, index: usize, change: impl FnOnce(&mut Conditions)) {
        let shared = Conditions { transform: self.transform, prior: self.prior };
        let mut own = self.own.take().unwrap_or_else(|| vec![shared; self.len()]);
        change(&mut own[index]);
        self.set_own(own);
    }

    pub(super) fn share(&mut self, change: impl FnMut(&mut Conditions)) {
        let Some(mut own) = self.own.take() else { return };
        own.iter_mut().for_each(change);
        self.set_own(own);
    }

    /// Keeps conditions only if different.
    fn set_own(&mut self, own: Vec<Conditions>) {
        (self.transform, self.prior) = (own[0].transform, own[0].prior);
        self.own = own.iter().any(|other| *other != own[0]).then_some(own);
    }

    pub(super) fn read_own(&mut self, own: Vec<Conditions>) -> Result<(), ParameterError> {
        self.check_length("bounds", self.len(), own.len())?;
        for (index, Conditions { transform, prior }) in own.into_iter().enumerate() {
            self.set_transform_of(index, transform)?;
            prior.map_or(Ok(()), |prior| prior.validate())?;
            self.apart(index, |own| own.prior = prior);
        }
        Ok(())
    }
}
