//! From the values of columns with a role to what a likelihood takes.

use super::roles::{Role, Roles, words};
use crate::data::{FILL_OR_DROP, Frame};
use crate::error::CliError;
use gp_likelihoods::{Likelihood, Link};

/// The values of one row, as the table has them; those of roles that no column has are without effect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowRoles {
    /// Weight of the row.
    pub weight: f64,
    /// Offset added to the latent function, before the exposure.
    pub offset: f64,
    /// Exposure of the row.
    pub exposure: f64,
    /// The known part of the variance of its noise.
    pub noise: f64,
}

impl Default for RowRoles {
    fn default() -> Self {
        Self { weight: 1.0, offset: 0.0, exposure: 1.0, noise: 0.0 }
    }
}

impl RowRoles {
    /// Takes over the value of a role.
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

/// Conversion of role values to columns of observations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Adjuster {
    link: Link,
    is_gaussian: bool,
    /// Scale of the target.
    scale: f64,
}

impl Adjuster {
    /// For a likelihood of targets in units of this scale.
    #[must_use]
    pub fn new(likelihood: &dyn Likelihood, scale: f64) -> Self {
        // Several targets are numbers with Gaussian noise.
        let is_gaussian = likelihood.gaussian_noise().is_some() || likelihood.targets() > 1;
        Self { link: likelihood.link(), is_gaussian, scale }
    }

    /// `true` if an offset is subtracted from the target.
    #[must_use]
    pub fn moves_target(&self) -> bool {
        self.link == Link::Identity
    }

    /// Offset of the latent function, in units of the model.
    #[must_use]
    pub fn offset(&self, row: &RowRoles) -> f64 {
        if self.moves_target() { row.offset / self.scale } else { row.offset + row.exposure.ln() }
    }

    /// A number as it would be without its offset: less that, or, under a log link, a multiple of itself.
    #[must_use]
    pub fn bare(&self, y: f64, row: &RowRoles) -> f64 {
        match self.link {
            Link::Identity => y - row.offset,
            Link::Log => y / row.exposure * (-row.offset).exp(),
            _ => y,
        }
    }

    /// The known variance of noise, in the units of the model.
    #[must_use]
    pub fn noise(&self, row: &RowRoles) -> f64 {
        row.noise / (self.scale * self.scale)
    }

    /// Adjustment of an observation from which an offset of the target has been subtracted, as
    /// [`Adjusted`](gp_likelihoods::Adjusted) has it.
    #[must_use]
    pub fn adjustment(&self, row: &RowRoles) -> f64 {
        match (self.is_gaussian, self.moves_target()) {
            (true, _) => self.noise(row),
            (false, true) => 0.0,
            (false, false) => self.offset(row),
        }
    }
}

/// The values of roles in all rows of a table.
#[derive(Clone, Debug, Default)]
pub struct RoleValues(Vec<RowRoles>);

impl RoleValues {
    /// All roles of observations.
    ///
    /// # Errors
    /// Of kind [`Data`](crate::ErrorKind::Data) for a column that is not there or holds words, and a value that is missing or no value
    /// of its role, with its place.
    pub fn of_observations(roles: &Roles, frame: &Frame) -> Result<Self, CliError> {
        Self::read(roles.iter(), frame)
    }

    /// Those that predictions go by.
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

    /// Total weight of the rows.
    #[must_use]
    pub fn weight(&self) -> f64 {
        self.0.iter().map(|row| row.weight).sum()
    }

    /// One entry per row.
    #[must_use]
    pub fn rows(&self) -> &[RowRoles] {
        &self.0
    }
}
