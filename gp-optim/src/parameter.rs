//! Named numbers and vectors for a solver.

mod checks;
mod own;
mod stored;
mod units;

use crate::error::ParameterError;
use crate::number::all_finite;
use crate::prior::Prior;
use crate::transform::Transform;
use checks::{check_prior, check_values};
use own::Conditions;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use stored::Unchecked;

/// Named number or vector. Failed setters change nothing.
///
/// *Natural* values θ lie in the [`Transform`]'s set. Solvers change *free* elements in *unconstrained* coordinates η;
/// slices of free values omit fixed elements.
///
/// ```
/// use gp_optim::{Parameter, Transform};
/// let mut scales = Parameter::vector("lengthscale", vec![1.0, 2.0, 4.0], Transform::Positive)?;
/// scales.fix(1, true)?;
/// let mut eta = [0.0; 2];
/// scales.write_free_unconstrained(&mut eta)?;
/// assert_eq!(eta, [0.0, 4f64.ln()]);
/// scales.set_free_unconstrained(&[0.0, 0.0])?;
/// assert_eq!(scales.values(), [1.0, 2.0, 1.0]);
/// assert!(scales.set(0, -1.0).is_err());
/// # Ok::<(), gp_optim::ParameterError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Parameter {
    name: Cow<'static, str>,
    values: Vec<f64>,
    vector: bool,
    domain: Transform,
    transform: Transform,
    prior: Option<Prior>,
    fixed: Vec<bool>,
    /// Conditions per element, if different; the fields above are the first's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    own: Option<Vec<Conditions>>,
    /// Number of fixed elements.
    #[serde(skip)]
    held: usize,
}

impl Parameter {
    /// Single number, written without brackets.
    ///
    /// # Errors
    /// [`ParameterError::InvalidTransform`] or [`ParameterError::OutOfRange`].
    pub fn scalar(
        name: impl Into<Cow<'static, str>>,
        value: f64,
        transform: Transform,
    ) -> Result<Self, ParameterError> {
        Self::build(name.into(), vec![value], false, transform)
    }

    /// Positive number with value 1.
    #[must_use]
    pub fn positive(name: impl Into<Cow<'static, str>>) -> Self {
        let (values, transform) = (vec![1.0], Transform::Positive);
        let (domain, fixed) = (transform, vec![false]);
        Self {
            name: name.into(),
            values,
            vector: false,
            domain,
            transform,
            prior: None,
            fixed,
            own: None,
            held: 0,
        }
    }

    /// Vector, always written in brackets.
    ///
    /// # Errors
    /// [`ParameterError::Empty`], [`ParameterError::InvalidTransform`] or [`ParameterError::OutOfRange`].
    pub fn vector(
        name: impl Into<Cow<'static, str>>,
        values: Vec<f64>,
        transform: Transform,
    ) -> Result<Self, ParameterError> {
        Self::build(name.into(), values, true, transform)
    }

    fn build(
        name: Cow<'static, str>,
        values: Vec<f64>,
        vector: bool,
        transform: Transform,
    ) -> Result<Self, ParameterError> {
        transform.validate()?;
        if values.is_empty() {
            return Err(ParameterError::Empty { name: name.into_owned() });
        }
        check_values(&name, &values, transform)?;
        let fixed = vec![false; values.len()];
        Ok(Self {
            name,
            values,
            vector,
            domain: transform,
            transform,
            prior: None,
            fixed,
            own: None,
            held: 0,
        })
    }

    /// `count` copies of the first element, with settings.
    ///
    /// # Errors
    /// [`ParameterError::Empty`] for 0.
    pub fn repeated(&self, count: usize) -> Result<Self, ParameterError> {
        if count == 0 {
            return Err(ParameterError::Empty { name: self.name.to_string() });
        }
        let (values, fixed) = (vec![self.value(); count], vec![false; count]);
        let mut repeated = Self { values, fixed, vector: true, own: None, held: 0, ..self.clone() };
        repeated.fix_all(self.is_fixed(0));
        Ok(repeated)
    }

    /// Name of the parameter.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Natural values, at least one.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// First natural value.
    #[must_use]
    pub fn value(&self) -> f64 {
        self.values.first().copied().unwrap_or(f64::NAN)
    }

    /// Number of elements, at least one.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a parameter is never empty")]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// `true` if written in brackets.
    #[must_use]
    pub fn is_vector(&self) -> bool {
        self.vector
    }

    /// Replaces values, even fixed ones.
    ///
    /// # Errors
    /// [`ParameterError::WrongLength`], [`ParameterError::OutOfRange`] or [`ParameterError::OutsidePrior`].
    pub fn set_values(&mut self, values: &[f64]) -> Result<(), ParameterError> {
        self.check_length("values", self.len(), values.len())?;
        for (index, &value) in values.iter().enumerate() {
            self.check_value(index, value)?;
        }
        self.values.copy_from_slice(values);
        Ok(())
    }

    /// Replaces one value, even fixed.
    ///
    /// # Errors
    /// [`ParameterError::NoSuchElement`], [`ParameterError::OutOfRange`] or [`ParameterError::OutsidePrior`].
    pub fn set(&mut self, index: usize, value: f64) -> Result<(), ParameterError> {
        self.check_index(index)?;
        self.check_value(index, value)?;
        self.values[index] = value;
        Ok(())
    }

    /// Transform of the first element.
    #[must_use]
    pub fn transform(&self) -> Transform {
        self.transform
    }

    /// Possible values, set at construction.
    #[must_use]
    pub fn domain(&self) -> Transform {
        self.domain
    }

    /// Sets all bounds, within the domain.
    ///
    /// # Errors
    /// [`ParameterError::InvalidTransform`], [`ParameterError::OutsideDomain`], or [`ParameterError::OutOfRange`] for a
    /// current value.
    pub fn set_transform(&mut self, transform: Transform) -> Result<(), ParameterError> {
        self.check_within_domain(transform)?;
        check_values(&self.name, &self.values, transform)?;
        self.transform = transform;
        self.share(|own| own.transform = transform);
        Ok(())
    }

    /// Prior of the first element.
    #[must_use]
    pub fn prior(&self) -> Option<&Prior> {
        self.prior.as_ref()
    }

    /// Sets or removes all elements' independent prior.
    ///
    /// Outside its support, [`Self::log_prior`] is −∞.
    ///
    /// # Errors
    /// [`ParameterError::PriorArgument`], or [`ParameterError::OutsidePrior`] for a current value.
    pub fn set_prior(&mut self, prior: Option<Prior>) -> Result<(), ParameterError> {
        if let Some(prior) = &prior {
            prior.validate()?;
        }
        for (index, &value) in self.values.iter().enumerate() {
            check_prior(&self.name, index, value, prior.as_ref())?;
        }
        self.prior = prior;
        self.share(|own| own.prior = prior);
        Ok(())
    }

    /// `true` if fixed; `false` if missing.
    #[must_use]
    pub fn is_fixed(&self, index: usize) -> bool {
        self.fixed.get(index).copied().unwrap_or(false)
    }

    /// Fixes (`true`) or frees (`false`) an element.
    ///
    /// # Errors
    /// [`ParameterError::NoSuchElement`].
    pub fn fix(&mut self, index: usize, fixed: bool) -> Result<(), ParameterError> {
        self.check_index(index)?;
        self.held = self.held + usize::from(fixed) - usize::from(self.fixed[index]);
        self.fixed[index] = fixed;
        Ok(())
    }

    /// Fixes or frees all elements.
    pub fn fix_all(&mut self, fixed: bool) {
        self.fixed.fill(fixed);
        self.held = if fixed { self.len() } else { 0 };
    }

    /// Number of free elements.
    #[must_use]
    pub fn free_len(&self) -> usize {
        self.len() - self.held
    }

    /// Writes unconstrained free values ([`Self::free_len`]).
    ///
    /// # Errors
    /// [`ParameterError::WrongLength`].
    pub fn write_free_unconstrained(&self, out: &mut [f64]) -> Result<(), ParameterError> {
        self.check_length("free slots", self.free_len(), out.len())?;
        if self.is_plain() {
            out.copy_from_slice(&self.values);
            return Ok(());
        }
        for (slot, index) in out.iter_mut().zip(self.free_indices()) {
            *slot = self.transform_of(index).to_unconstrained(self.values[index]);
        }
        Ok(())
    }

    /// Sets free elements from unconstrained values.
    ///
    /// # Errors
    /// [`ParameterError::WrongLength`] or [`ParameterError::NotFinite`].
    pub fn set_free_unconstrained(&mut self, unconstrained: &[f64]) -> Result<(), ParameterError> {
        self.check_length("free values", self.free_len(), unconstrained.len())?;
        if !all_finite(unconstrained) {
            let position = unconstrained.iter().position(|eta| !eta.is_finite()).unwrap_or_default();
            let index = self.free_indices().nth(position).unwrap_or(position);
            let value = unconstrained[position];
            return Err(ParameterError::NotFinite { name: self.name.to_string(), index, value });
        }
        if self.is_plain() {
            self.values.copy_from_slice(unconstrained);
            return Ok(());
        }
        let mut given = unconstrained.iter();
        for index in 0..self.len() {
            if let Some(&eta) = (!self.fixed[index]).then(|| given.next()).flatten() {
                self.values[index] = self.transform_of(index).to_natural(eta);
            }
        }
        Ok(())
    }

    /// Converts a gradient from natural to free values.
    ///
    /// # Errors
    /// [`ParameterError::WrongLength`].
    pub fn chain_gradient(
        &self,
        natural_gradient: &[f64],
        free_gradient: &mut [f64],
    ) -> Result<(), ParameterError> {
        self.check_length("gradient entries", self.len(), natural_gradient.len())?;
        self.check_length("free slots", self.free_len(), free_gradient.len())?;
        if self.is_plain() {
            free_gradient.copy_from_slice(natural_gradient);
            return Ok(());
        }
        for (slot, index) in free_gradient.iter_mut().zip(self.free_indices()) {
            let transform = self.transform_of(index);
            let eta = transform.to_unconstrained(self.values[index]);
            *slot = natural_gradient[index] * transform.derivative(eta);
        }
        Ok(())
    }

    /// Log density of free natural values, without Jacobian.
    #[must_use]
    pub fn log_prior(&self) -> f64 {
        if !self.has_prior() {
            return 0.0;
        }
        let density = |index| self.prior_of(index).map(|prior| prior.log_density(self.values[index]));
        self.free_indices().filter_map(density).sum()
    }

    /// Adds the gradient of [`Self::log_prior`] by natural values.
    ///
    /// # Errors
    /// [`ParameterError::WrongLength`].
    pub fn add_log_prior_gradient(&self, natural_gradient: &mut [f64]) -> Result<(), ParameterError> {
        self.check_length("gradient entries", self.len(), natural_gradient.len())?;
        for index in self.free_indices().filter(|_| self.has_prior()) {
            if let Some(prior) = self.prior_of(index) {
                natural_gradient[index] += prior.derivative(self.values[index]);
            }
        }
        Ok(())
    }

    /// `true` if free = natural values: copied whole.
    fn is_plain(&self) -> bool {
        self.transform == Transform::Identity && self.own.is_none() && self.held == 0
    }

    fn has_prior(&self) -> bool {
        self.prior.is_some() || self.own.is_some()
    }

    fn free_indices(&self) -> impl Iterator<Item = usize> {
        self.fixed.iter().enumerate().filter(|&(_, &fixed)| !fixed).map(|(index, _)| index)
    }
}
