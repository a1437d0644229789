//! The target as the likelihood takes it.

use super::task::Task;
use crate::data::Frame;
use crate::encode::{Roles, Target, observations};
use crate::error::{CliError, ErrorKind};
use crate::model::{FurtherTarget, TargetSummary};
use crate::standardise::Standardiser;
use gp_likelihoods::{Adjusted, Likelihood};

/// The target as the likelihood takes it.
#[derive(Debug)]
pub struct Observed {
    /// Kind of the target.
    pub task: Task,
    /// Reason for the kind of the target.
    pub reason: String,
    /// Conversion of its values to observations.
    pub target: Target,
    /// The columns with a role.
    pub roles: Roles,
    /// Total weight of the rows that have a target, for each: their number unless they have weights.
    pub weights: Vec<f64>,
    /// Its distribution.
    pub summary: TargetSummary,
    /// Rows that do not miss it.
    pub rows: usize,
    /// The targets besides, where there are several.
    pub others: Vec<FurtherTarget>,
    /// Likelihood with the starting parameters of training.
    pub likelihood: Box<dyn Likelihood>,
}

impl Observed {
    /// All targets.
    #[must_use]
    pub fn targets(&self) -> Vec<FurtherTarget> {
        let (target, summary) = (self.target.clone(), self.summary.clone());
        [FurtherTarget { target, summary, rows: self.rows }].into_iter().chain(self.others.clone()).collect()
    }

    /// The logarithms of the scales of all observations, each as often as it weighs: what densities in the units of the data
    /// are less than those in units of scales.
    #[must_use]
    pub fn log_scales(&self) -> f64 {
        let targets = [&self.target].into_iter().chain(self.others.iter().map(|of| &of.target));
        targets.zip(&self.weights).map(|(target, weight)| weight * target.scale().scale.ln()).sum()
    }

    /// The likelihood of observations with the columns that roles make.
    #[must_use]
    pub fn adjusted(&self) -> Box<dyn Likelihood> {
        let plain = self.likelihood.clone();
        if self.roles.adjust() { Box::new(Adjusted::new(plain)) } else { plain }
    }

    /// The observations of a table, row by row.
    ///
    /// # Errors
    /// As [`observations`](crate::encode::observations()).
    pub fn encode(&self, frame: &Frame) -> Result<Vec<f64>, CliError> {
        let all = self.targets();
        let targets: Vec<&Target> = all.iter().map(|of| &of.target).collect();
        observations(frame, &targets, &self.roles, self.likelihood.as_ref())
    }
}

/// Variances of predictions are in units of the target's, squared.
pub(super) fn check_range(name: &str, Standardiser { scale, .. }: Standardiser) -> Result<(), CliError> {
    if (scale * scale).is_normal() {
        return Ok(());
    }
    let what = format!(
        "the numbers of column {name} have a spread of {scale:.1e}, whose square is beyond the range of numbers: \
         give them in other units"
    );
    Err(CliError::new(ErrorKind::Data, what))
}
