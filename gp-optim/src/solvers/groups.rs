//! Named groups of parameters.

mod restricted;
mod schedule;
mod staged;
mod staged_lbfgs;

pub use schedule::{Schedule, Stage};
pub use staged::{Staged, StagedRun, minimise_in_stages, minimise_in_stages_with};
pub use staged_lbfgs::StagedLbfgs;

use super::descent::RateStage;
use super::error::GroupError;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Parameter vector in consecutive named groups.
///
/// ```
/// use gp_optim::Groups;
///
/// let mut groups = Groups::new();
/// groups.push("kernel", 2)?;
/// groups.push("inducing", 3)?;
/// groups.set_rate("kernel", 0.1)?;
/// assert_eq!(groups.rates(), [0.1, 0.1, 1.0, 1.0, 1.0]);
/// groups.train("inducing", false)?;
/// assert_eq!(groups.rates(), [0.1, 0.1, 0.0, 0.0, 0.0]);
/// assert!(groups.train("inducer", true).unwrap_err().to_string().contains("`kernel`, `inducing`"));
/// # Ok::<(), gp_optim::GroupError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Groups {
    groups: Vec<Group>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Group {
    name: String,
    len: usize,
    trained: bool,
    rate: f64,
}

impl Groups {
    /// No groups.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a trained group of `len` parameters, step factor 1.
    ///
    /// # Errors
    /// [`GroupError::Duplicate`] or [`GroupError::Empty`].
    pub fn push(&mut self, name: impl Into<String>, len: usize) -> Result<(), GroupError> {
        let name = name.into();
        if self.groups.iter().any(|group| group.name == name) {
            return Err(GroupError::Duplicate { name });
        }
        if len == 0 {
            return Err(GroupError::Empty { name });
        }
        self.groups.push(Group { name, len, trained: true, rate: 1.0 });
        Ok(())
    }

    /// Total number of parameters.
    #[must_use]
    pub fn parameters(&self) -> usize {
        self.groups.iter().map(|group| group.len).sum()
    }

    /// Names of trained groups, in order.
    pub fn trained(&self) -> impl Iterator<Item = &str> {
        self.groups.iter().filter(|group| group.trained).map(|group| group.name.as_str())
    }

    /// Trains or fixes a group.
    ///
    /// # Errors
    /// [`GroupError::Unknown`].
    pub fn train(&mut self, name: &str, trained: bool) -> Result<(), GroupError> {
        self.find(name).map(|index| self.groups[index].trained = trained)
    }

    /// Sets a group's positive step factor.
    ///
    /// # Errors
    /// [`GroupError::Unknown`] or [`GroupError::Rate`].
    pub fn set_rate(&mut self, name: &str, rate: f64) -> Result<(), GroupError> {
        let index = self.find(name)?;
        if !(rate.is_finite() && rate > 0.0) {
            return Err(GroupError::Rate { name: name.to_owned(), value: rate });
        }
        self.groups[index].rate = rate;
        Ok(())
    }

    /// Positions of a group's parameters.
    ///
    /// # Errors
    /// [`GroupError::Unknown`].
    pub fn range(&self, name: &str) -> Result<Range<usize>, GroupError> {
        let index = self.find(name)?;
        let start = self.groups[..index].iter().map(|group| group.len).sum();
        Ok(start..start + self.groups[index].len)
    }

    /// Step factor per parameter; 0 if untrained.
    #[must_use]
    pub fn rates(&self) -> Vec<f64> {
        self.rates_where(|group| group.trained)
    }

    /// First-order stage of these groups, if trained.
    ///
    /// # Errors
    /// [`GroupError::Unknown`].
    pub fn stage(&self, epochs: u64, names: &[&str]) -> Result<RateStage, GroupError> {
        names.iter().try_for_each(|name| self.find(name).map(|_| ()))?;
        let rates = self.rates_where(|group| group.trained && names.contains(&group.name.as_str()));
        Ok(RateStage { epochs, rates })
    }

    /// One stage per trained group.
    #[must_use]
    pub fn alternating(&self, epochs: u64) -> Vec<RateStage> {
        let alone = |name: &str| RateStage {
            epochs,
            rates: self.rates_where(|group| group.trained && group.name == name),
        };
        self.trained().map(alone).collect()
    }

    fn rates_where(&self, moves: impl Fn(&Group) -> bool) -> Vec<f64> {
        let rate = |group: &Group| if moves(group) { group.rate } else { 0.0 };
        self.groups.iter().flat_map(|group| std::iter::repeat_n(rate(group), group.len)).collect()
    }

    fn find(&self, name: &str) -> Result<usize, GroupError> {
        self.groups.iter().position(|group| group.name == name).ok_or_else(|| {
            let names: Vec<String> = self.groups.iter().map(|group| format!("`{}`", group.name)).collect();
            GroupError::Unknown { name: name.to_owned(), known: names.join(", ") }
        })
    }
}
