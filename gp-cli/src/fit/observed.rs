//! Target with its task, roles and likelihood.

use super::task::Task;
use crate::data::Frame;
use crate::encode::{ColumnSurvey, Roles, Survey, Target, observations};
use crate::error::{CliError, ErrorKind};
use crate::model::{FurtherTarget, TargetSummary};
use crate::standardise::Standardiser;
use gp_likelihoods::{Adjusted, Likelihood};

/// Target with its task, roles and likelihood.
#[derive(Debug)]
pub struct Observed {
    /// Kind of the target.
    pub task: Task,
    /// Reason for this task.
    pub reason: String,
    /// Conversion of values to observations.
    pub target: Target,
    /// Role columns.
    pub roles: Roles,
    /// Total weight per target of the rows that have it; without weights, their number.
    pub weights: Vec<f64>,
    /// Distribution of the target.
    pub summary: TargetSummary,
    /// Number of rows with a target.
    pub rows: usize,
    /// Further targets, if several.
    pub others: Vec<FurtherTarget>,
    /// Likelihood with initial parameters.
    pub likelihood: Box<dyn Likelihood>,
}

impl Observed {
    /// All targets.
    #[must_use]
    pub fn targets(&self) -> Vec<FurtherTarget> {
        let (target, summary) = (self.target.clone(), self.summary.clone());
        [FurtherTarget { target, summary, rows: self.rows }].into_iter().chain(self.others.clone()).collect()
    }

    /// Weighted sum of log scales over all observations: log density in scaled units minus log density in data
    /// units.
    #[must_use]
    pub fn log_scales(&self) -> f64 {
        let targets = [&self.target].into_iter().chain(self.others.iter().map(|of| &of.target));
        targets.zip(&self.weights).map(|(target, weight)| weight * target.scale().scale.ln()).sum()
    }

    /// The likelihood, with role columns added if there are any.
    #[must_use]
    pub fn adjusted(&self) -> Box<dyn Likelihood> {
        let plain = self.likelihood.clone();
        if self.roles.adjust() { Box::new(Adjusted::new(plain)) } else { plain }
    }

    /// Observations of a table, row by row.
    ///
    /// # Errors
    /// As [`observations`](crate::encode::observations()).
    pub fn encode(&self, frame: &Frame) -> Result<Vec<f64>, CliError> {
        let all = self.targets();
        let targets: Vec<&Target> = all.iter().map(|of| &of.target).collect();
        observations(frame, &targets, &self.roles, self.likelihood.as_ref())
    }
}

/// Checks that the squared scale is representable, for variances in squared units of the target.
pub(super) fn check_range(
    survey: &Survey,
    column: &ColumnSurvey,
    Standardiser { scale, .. }: Standardiser,
) -> Result<(), CliError> {
    if (scale * scale).is_normal() {
        return Ok(());
    }
    let name = column.name();
    let Some((giant, _)) = column.giant() else {
        let what = format!(
            "the numbers of column {name} have a spread of {scale:.1e}, whose square is beyond the range of numbers: give them in other units"
        );
        return Err(CliError::new(ErrorKind::Data, what));
    };
    let what = format!(
        "{giant:e} is too large: the spread of the column is {scale:.1e}, whose square is beyond the range of numbers; correct it, leave its row out, or give the column in other units"
    );
    Err(survey.fault(column, &what))
}
