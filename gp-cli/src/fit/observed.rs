//! Observed target.

use super::task::Task;
use crate::data::Frame;
use crate::encode::{ColumnSurvey, Roles, Survey, Target, observations};
use crate::error::{CliError, ErrorKind};
use crate::model::{FurtherTarget, TargetSummary};
use crate::standardise::Standardiser;
use gp_likelihoods::{Adjusted, Likelihood};

/// Target, task, roles and likelihood.
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
    /// Total weight per target; without weights, row count.
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
    /// All targets, the first included.
    #[must_use]
    pub fn targets(&self) -> Vec<FurtherTarget> {
        let (target, summary) = (self.target.clone(), self.summary.clone());
        [FurtherTarget { target, summary, rows: self.rows }].into_iter().chain(self.others.clone()).collect()
    }

    /// Weighted sum of log scales: log density in scaled units less that in data units.
    #[must_use]
    pub fn log_scales(&self) -> f64 {
        let targets = [&self.target].into_iter().chain(self.others.iter().map(|of| &of.target));
        targets.zip(&self.weights).map(|(target, weight)| weight * target.scale().scale.ln()).sum()
    }

    /// Likelihood with any role columns added.
    #[must_use]
    pub fn adjusted(&self) -> Box<dyn Likelihood> {
        let plain = self.likelihood.clone();
        if self.roles.adjust() { Box::new(Adjusted::new(plain)) } else { plain }
    }

    /// Row-wise observations of a table.
    ///
    /// # Errors
    /// As [`observations`](crate::encode::observations()).
    pub fn encode(&self, frame: &Frame) -> Result<Vec<f64>, CliError> {
        let all = self.targets();
        let targets: Vec<&Target> = all.iter().map(|of| &of.target).collect();
        observations(frame, &targets, &self.roles, self.likelihood.as_ref())
    }
}

pub(super) fn check_range(
    survey: &Survey,
    column: &ColumnSurvey,
    Standardiser { scale, .. }: Standardiser,
) -> Result<(), CliError> {
    if (scale * scale).is_normal() {
        return Ok(());
    }
    let beyond = format!("{scale:.1e}, whose square is beyond the range of numbers");
    let is_outlier = |giant: f64| {
        column.outlier().is_some_and(|outlier| outlier.numbers.iter().any(|(number, _)| *number == giant))
    };
    let Some((giant, _)) = column.giant().filter(|(giant, _)| is_outlier(*giant)) else {
        let (source, name) = (survey.source(), column.name());
        let times = if scale < 1.0 { "multiply it by" } else { "divide it by" };
        let factor = if scale < 1.0 { scale.recip() } else { scale };
        let factor = if factor.is_finite() { format!("{factor:.0e}") } else { "1e300".to_owned() };
        let what = format!("its numbers have a spread of {beyond}; rescale the column: {times} {factor}");
        return Err(CliError::new(ErrorKind::Data, format!("`{source}`, column {name}: {what}")));
    };
    let what = format!(
        "{giant:e} is too large: the spread of the column is {beyond}; correct it, leave its row out, or rescale the column"
    );
    Err(survey.fault(column, &what))
}
