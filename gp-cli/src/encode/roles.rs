//! Weights, offsets and other roles.

use crate::data::{Frame, ReadOptions};
use crate::error::{CliError, ErrorKind};
use gp_likelihoods::{Likelihood, Link, Support};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Role, neither input nor target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Row weight.
    Weights,
    /// Added to the latent.
    Offset,
    /// Time, area or people counted.
    Exposure,
    /// Known Gaussian variance, in squared data units.
    NoiseVariance,
    /// Block in the approximation.
    Blocks,
    /// Power of a row's factor.
    AlphaColumn,
}

impl Role {
    /// Flag that sets the role.
    #[must_use]
    pub fn flag(self) -> &'static str {
        match self {
            Self::Weights => "--weights",
            Self::Offset => "--offset",
            Self::Exposure => "--exposure",
            Self::NoiseVariance => "--noise-variance",
            Self::Blocks => "--blocks",
            Self::AlphaColumn => "--alpha-column",
        }
    }

    /// `true` if the role changes observations, not the approximation.
    #[must_use]
    pub fn adjusts(self) -> bool {
        !matches!(self, Self::Blocks | Self::AlphaColumn)
    }

    /// `true` if targets may have own columns.
    #[must_use]
    pub fn is_by_target(self) -> bool {
        matches!(self, Self::Offset | Self::NoiseVariance)
    }

    /// `true` if predictions require it.
    #[must_use]
    pub fn is_for_predictions(self) -> bool {
        matches!(self, Self::Offset | Self::Exposure)
    }

    /// Fault of a value, if any.
    #[must_use]
    pub fn fault(self, value: f64) -> Option<String> {
        let (sound, wanted) = match self {
            Self::Weights => (value > 0.0, "a weight has to be above 0"),
            Self::Offset => (true, "an offset has to be finite"),
            Self::Exposure => (value > 0.0, "an exposure has to be above 0"),
            Self::NoiseVariance => (value >= 0.0, "a variance cannot be negative"),
            Self::AlphaColumn => ((0.0..=1.0).contains(&value), "a power has to be between 0 and 1"),
            // Blocks are distinguished by text.
            Self::Blocks => return None,
        };
        (!(sound && value.is_finite())).then(|| format!("{value} is no value for {}: {wanted}", self.flag()))
    }
}

/// Columns: one, or one per target.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Roles(BTreeMap<Role, Named>);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
enum Named {
    One(String),
    Each(Vec<String>),
}

impl Named {
    fn names(&self) -> &[String] {
        match self {
            Self::One(name) => std::slice::from_ref(name),
            Self::Each(names) => names,
        }
    }
}

impl Roles {
    /// Repeated roles are per target, in order.
    #[must_use]
    pub fn new(columns: impl IntoIterator<Item = (Role, String)>) -> Self {
        let mut roles = BTreeMap::new();
        for (role, name) in columns {
            let named = match roles.remove(&role) {
                None => Named::One(name),
                Some(Named::One(first)) => Named::Each(vec![first, name]),
                Some(Named::Each(mut names)) => {
                    names.push(name);
                    Named::Each(names)
                }
            };
            roles.insert(role, named);
        }
        Self(roles)
    }

    /// Roles of a target (from 0).
    #[must_use]
    pub fn of_target(&self, target: usize) -> Self {
        let own = |(&role, named): (&Role, &Named)| {
            let names = named.names();
            Some((role, names.get(target).or(names.first().filter(|_| names.len() == 1))?.clone()))
        };
        Self::new(self.0.iter().filter_map(own))
    }

    /// Refuses repeated roles, except roles by target with one column per target.
    ///
    /// # Errors
    /// [`Usage`](ErrorKind::Usage).
    pub fn check_targets(&self, targets: usize) -> Result<(), CliError> {
        let several =
            self.0.iter().map(|(role, named)| (role, named.names().len())).filter(|(_, count)| *count > 1);
        for (role, count) in several {
            let flag = role.flag();
            if !role.is_by_target() {
                return Err(CliError::usage(format!("{flag} takes one column, and {count} are named")));
            }
            if count != targets {
                let targets = crate::left_out::counted(targets, "target");
                return Err(CliError::usage(format!(
                    "{flag} names {count} columns, and there {} {targets}; name one for all targets, or one for each in their order",
                    if targets.starts_with("1 ") { "is" } else { "are" }
                )));
            }
        }
        Ok(())
    }

    /// `true` without roles.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Roles and columns, by role.
    pub fn iter(&self) -> impl Iterator<Item = (Role, &str)> {
        self.0.iter().flat_map(|(&role, named)| named.names().iter().map(move |name| (role, name.as_str())))
    }

    /// First column of a role.
    #[must_use]
    pub fn column(&self, role: Role) -> Option<&str> {
        self.columns(role).next()
    }

    /// None, one, or one per target.
    pub fn columns(&self, role: Role) -> impl Iterator<Item = &str> {
        self.0.get(&role).into_iter().flat_map(|named| named.names().iter().map(String::as_str))
    }

    /// `true` if some role changes observations.
    #[must_use]
    pub fn adjust(&self) -> bool {
        self.0.keys().any(|role| role.adjusts())
    }

    /// Flags and columns as text.
    #[must_use]
    pub fn describe(&self) -> Vec<String> {
        self.iter().map(|(role, name)| format!("{} {name}", role.flag())).collect()
    }

    /// Adds columns: numbers, or blocks as written.
    pub fn extend(&self, options: &mut ReadOptions) {
        Self::ask_for(self.iter(), options);
    }

    /// Adds columns that predictions read.
    pub fn extend_for_predictions(&self, options: &mut ReadOptions) {
        let helps = |role: Role| role.is_for_predictions() || role == Role::NoiseVariance;
        Self::ask_for(self.iter().filter(|(role, _)| helps(*role)), options);
    }

    fn ask_for<'a>(columns: impl Iterator<Item = (Role, &'a str)>, options: &mut ReadOptions) {
        for (role, name) in columns {
            options.columns.get_or_insert_default().insert(name.to_owned());
            options.uses.insert(name.to_owned(), role.flag());
            if role == Role::Blocks {
                options.verbatim.insert(name.to_owned());
            } else {
                options.kinds.insert(name.to_owned(), crate::data::Kind::Number);
            }
        }
    }

    /// Required roles, and noise if present.
    pub(super) fn of_predictions<'a>(&'a self, frame: &'a Frame) -> impl Iterator<Item = (Role, &'a str)> {
        let is_there = |name: &str| frame.column(name).is_some();
        self.iter().filter(move |(role, name)| {
            role.is_for_predictions() || (*role == Role::NoiseVariance && is_there(name))
        })
    }

    /// Columns for predicting a table.
    #[must_use]
    pub fn needed_for_predictions<'a>(&'a self, frame: &'a Frame) -> Vec<&'a str> {
        self.of_predictions(frame).map(|(_, name)| name).collect()
    }

    /// Missing noise columns, taken as 0.
    #[must_use]
    pub fn noise_left_out(&self, frame: &Frame) -> Vec<&str> {
        self.columns(Role::NoiseVariance).filter(|name| frame.column(name).is_none()).collect()
    }

    /// Refuses unsuitable roles.
    ///
    /// # Errors
    /// [`Usage`](ErrorKind::Usage), with advice.
    pub fn check_likelihood(&self, likelihood: &dyn Likelihood) -> Result<(), CliError> {
        let (name, latents, targets) = (likelihood.name(), likelihood.latents(), likelihood.targets());
        let moves = likelihood.link() == Link::Identity;
        let mixes = targets > 1 && likelihood.own_latent(0).is_none();
        let objection = |role: Role| match role {
            Role::Offset if mixes => Some(format!(
                "the {targets} targets share the latent functions of {name}, and none of these can be moved for one target alone; subtract the offset from the target"
            )),
            Role::Exposure if targets > 1 => Some(format!(
                "it is for counts and rates, and the {targets} targets of one model have Gaussian noise; fit a model for each"
            )),
            Role::NoiseVariance if mixes => Some(format!(
                "it is for targets with a latent function each, and the {targets} targets share those of {name}; leave out --latents and --likelihood, or fit a model for each target"
            )),
            Role::NoiseVariance if targets > 1 => None,
            Role::Blocks | Role::AlphaColumn if mixes => Some(format!(
                "blocks and powers of rows are those of regression on one latent function, and the {targets} targets share those of {name}; leave out --latents and --likelihood, or fit a model for each target"
            )),
            Role::Offset if latents > 1 && !moves => {
                Some(format!("it is added to one latent function, and the likelihood {name} has {latents}"))
            }
            Role::Offset if likelihood.support() == Support::Real && !moves => Some(format!(
                "under the likelihood {name} it would be in units that are no units of the data; subtract it from the target"
            )),
            Role::Exposure if likelihood.link() != Link::Log => Some(format!(
                "it is for likelihoods with a log link, such as poisson, negative_binomial and gamma, and the likelihood is {name}"
            )),
            Role::NoiseVariance if likelihood.gaussian_noise().is_none() => {
                Some(format!("it is for Gaussian noise, and the likelihood is {name}"))
            }
            _ => None,
        };
        match self.0.keys().find_map(|&role| Some((role, objection(role)?))) {
            None => Ok(()),
            Some((role, why)) => Err(CliError::usage(format!("{}: {why}", role.flag()))),
        }
    }
}

pub(super) fn words(source: &str, role: Role, name: &str) -> CliError {
    let what = format!("`{source}`, column {name} holds words, and {} needs numbers", role.flag());
    CliError::new(ErrorKind::Data, what)
}
