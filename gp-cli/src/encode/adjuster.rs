//! Role values as observation columns.

use super::roles::{Role, Roles, words};
use crate::data::{FILL_OR_DROP, Frame};
use crate::error::CliError;
use gp_likelihoods::{Likelihood, Link};

/// One row's values, in table units; neutral by default.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowRoles {
    /// Row weight.
    pub weight: f64,
    /// Latent offset, without exposure.
    pub offset: f64,
    /// Row exposure.
    pub exposure: f64,
    /// Known noise variance.
    pub noise: f64,
}

impl Default for RowRoles {
    fn default() -> Self {
        Self { weight: 1.0, offset: 0.0, exposure: 1.0, noise: 0.0 }
    }
}

impl RowRoles {
    pub(super) fn set(&mut self, role: Role, value: f64) {
        match role {
            Role::Weights => self.weight = value,
            Role::Offset => self.offset = value,
            Role::Exposure => self.exposure = value,
            Role::NoiseVariance => self.noise = value,
            Role::Blocks | Role::AlphaColumn => {}
        }
    }
}

/// Makes observation columns from role values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Adjuster {
    link: Link,
    is_gaussian: bool,
    scale: f64,
}

impl Adjuster {
    /// For a likelihood and target scale.
    #[must_use]
    pub fn new(likelihood: &dyn Likelihood, scale: f64) -> Self {
        // Several targets have Gaussian noise.
        let is_gaussian = likelihood.gaussian_noise().is_some() || likelihood.targets() > 1;
        Self { link: likelihood.link(), is_gaussian, scale }
    }

    /// `true` if offsets are subtracted from targets.
    #[must_use]
    pub fn moves_target(&self) -> bool {
        self.link == Link::Identity
    }

    /// Latent offset, in model units.
    #[must_use]
    pub fn offset(&self, row: &RowRoles) -> f64 {
        if self.moves_target() { row.offset / self.scale } else { row.offset + row.exposure.ln() }
    }

    /// Target without offset: subtracted under an identity link; divided by exposure and exp(offset) under a log link;
    /// else unchanged.
    #[must_use]
    pub fn bare(&self, y: f64, row: &RowRoles) -> f64 {
        match self.link {
            Link::Identity => y - row.offset,
            Link::Log => y / row.exposure * (-row.offset).exp(),
            _ => y,
        }
    }

    /// Known variance, in model units.
    #[must_use]
    pub fn noise(&self, row: &RowRoles) -> f64 {
        row.noise / (self.scale * self.scale)
    }

    /// Column of [`Adjusted`](gp_likelihoods::Adjusted): known noise if Gaussian, else offset; 0 if subtracted from
    /// the target.
    #[must_use]
    pub fn adjustment(&self, row: &RowRoles) -> f64 {
        match (self.is_gaussian, self.moves_target()) {
            (true, _) => self.noise(row),
            (false, true) => 0.0,
            (false, false) => self.offset(row),
        }
    }
}

/// Values of all rows.
#[derive(Clone, Debug, Default)]
pub struct RoleValues(Vec<RowRoles>);

impl RoleValues {
    /// Roles that change observations.
    ///
    /// # Errors
    /// [`Data`](crate::ErrorKind::Data), with the place, for a missing column, words, or a missing or invalid value.
    pub fn of_observations(roles: &Roles, frame: &Frame) -> Result<Self, CliError> {
        Self::read(roles.iter(), frame)
    }

    /// Roles for predictions.
    ///
    /// # Errors
    /// As [`of_observations`](Self::of_observations).
    pub fn of_predictions(roles: &Roles, frame: &Frame) -> Result<Self, CliError> {
        Self::read(roles.of_predictions(frame), frame)
    }

    fn read<'a>(roles: impl Iterator<Item = (Role, &'a str)>, frame: &Frame) -> Result<Self, CliError> {
        let mut rows = vec![RowRoles::default(); frame.row_count()];
        for (role, name) in roles.filter(|(role, _)| role.adjusts()) {
            let column = frame.require(&[name])?[0];
            frame.refuse_missing(&[column], FILL_OR_DROP)?;
            let numbers = column.numbers().ok_or_else(|| words(frame.source(), role, name))?;
            for (row, (own, &value)) in rows.iter_mut().zip(numbers).enumerate() {
                if let Some(what) = role.fault(value) {
                    return Err(frame.fault(row, name, &what));
                }
                own.set(role, value);
            }
        }
        Ok(Self(rows))
    }

    /// Total row weight.
    #[must_use]
    pub fn weight(&self) -> f64 {
        self.0.iter().map(|row| row.weight).sum()
    }

    /// One per row.
    #[must_use]
    pub fn rows(&self) -> &[RowRoles] {
        &self.0
    }
}
