//! Record of a model in its file, besides the posterior.

use super::approximation::StoredApproximation;
use super::tried::{TriedKernels, TriedStarts, one_or_each};
use crate::encode::{Inputs, Roles, RowMarks, RowSketch, Target, row_sum_of_both};
use gp_ep::{EvidenceKind, Recombined, Spanned, Temperature};
use gp_kernels::inducing::Coverage;
use gp_optim::format_number;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::ops::Range;

pub(super) const FORMAT: &str = "gp-model";
/// Newest supported format version. It increases when older programs would misread a file; models are written
/// in the oldest version that represents them.
pub(super) const VERSION: u32 = 6;

/// Stored form of a model.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) format: String,
    pub(super) version: u32,
    /// Program that wrote the file.
    pub(super) writer: String,
    #[serde(flatten)]
    pub(super) about: About,
    pub(super) posterior: StoredApproximation,
    /// Linear model of the same data, if fitted.
    pub(super) baseline: Option<StoredApproximation>,
}

/// Description of a model: data, origin and training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// Command that wrote it.
    pub origin: String,
    /// Input columns and their encoding.
    pub inputs: Inputs,
    /// Target of the model.
    pub target: Target,
    /// Role columns.
    #[serde(default, skip_serializing_if = "Roles::is_empty")]
    pub roles: Roles,
    /// Distribution of the target in the training data.
    pub summary: TargetSummary,
    /// Further targets, if several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<FurtherTarget>,
    /// Record of training.
    pub training: TrainingRecord,
    /// Random seed.
    pub seed: u64,
    /// Effective configuration, by flag.
    pub config: Map<String, Value>,
}

impl About {
    /// Leaves out the influences of what learned nothing, which earlier versions wrote.
    pub(crate) fn leave_out_idle_shares(&mut self) {
        let (training, further) = (&self.training, self.others.iter().map(|of| &of.target.name));
        let names = [&self.target.name].into_iter().chain(further).enumerate();
        let idle: Vec<String> = names
            .filter(|(place, name)| training.is_idle(*place, name))
            .map(|(_, name)| name.clone())
            .collect();
        let all = training.learned_nothing();
        self.training
            .influence
            .retain(|of| !all && !of.target.as_ref().is_some_and(|name| idle.contains(name)));
    }
}

/// Further target of a model with several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FurtherTarget {
    /// Column and its conversion to observations.
    pub target: Target,
    /// Distribution in the training data.
    pub summary: TargetSummary,
    /// Number of rows that have it.
    pub rows: usize,
}

/// Distribution of the target without inputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TargetSummary {
    /// Mean and variance, in data units.
    Moments {
        /// Mean of all rows.
        mean: f64,
        /// Variance over all rows.
        variance: f64,
    },
    /// Class frequencies.
    Shares(Vec<f64>),
}

/// Record of a model's training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingRecord {
    /// Method name.
    pub method: String,
    /// Power α of Power EP, unless rows have their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alpha: Option<f64>,
    /// Number of rows trained on.
    pub rows: usize,
    /// `ln p(y)` in data units, in nats: exact, an estimate or a bound.
    pub objective: f64,
    /// Meaning of the objective.
    pub objective_kind: EvidenceKind,
    /// `true` if training converged.
    pub converged: bool,
    /// Reason for stopping.
    pub reason: String,
    /// Optimiser iterations.
    pub iterations: u64,
    /// `ln p(y) + ln p(parameters)`, up to a constant of units, after each iteration.
    pub curve: Vec<f64>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
    /// Coverage of the prior variance at training rows by each latent's inducing inputs or active points.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub coverage: Vec<Coverage>,
    /// Choices with reasons: task, method and kernel, as text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// Influence of inputs on the fitted functions; empty if they are constant or have too many inputs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub influence: Vec<Influence>,
    /// Weighted sum of the targets' log scales over all observations, if there are weights or several targets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_scales: Option<f64>,
    /// Temperature of class probabilities, if found on left-out rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<Temperature>,
    /// Kernels tried in a search: for all targets together, or per target.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "one_or_each")]
    pub search: Vec<TriedKernels>,
    /// Starts tried, if several: for all targets together, or per target.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "one_or_each")]
    pub starts: Vec<TriedStarts>,
    /// Training rows per target, if several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rows_of_targets: Vec<usize>,
    /// Descriptions of later updates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub updates: Vec<String>,
    /// Number of rows added by updates.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub updated_rows: usize,
    /// Checksum of the rows trained on, in any order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check_sum: Option<String>,
    /// Smallest checksums of rows trained on, which recognise a part of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sketch: Option<String>,
    /// Rows of the fit and of each update, of an updated model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<TrainedRows>,
    /// `true` if predictions do not depend on the inputs, or are no better than the shares of labels: for all targets, or
    /// for each that was fitted alone. Empty in files of earlier versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub idle: Vec<bool>,
}

/// Rows that a model was fitted to or updated with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrainedRows {
    /// Number of rows.
    pub rows: usize,
    /// Checksum of the rows, in any order.
    pub check_sum: String,
}

/// Start of the reason that a model learned nothing, which alone says so in files of earlier versions.
pub(crate) const NOTHING_LEARNED: &str = "nothing was learned";

/// Warning of a model whose shares are those of an earlier version.
const OLD_SHARES: &str = "the shares of inputs in the variance are left out, because the program that fitted this model could \
                          put them above 100 %; fit again to see them";

impl TrainingRecord {
    /// Adds the rows of an update to those that [`known_rows`](crate::model::Model::known_rows) recognises. Their marks are
    /// `None` if they cannot be computed.
    pub(crate) fn take_in(&mut self, rows: usize, marks: Option<RowMarks>) {
        let sketch = marks.as_ref().zip(self.sketch_of_rows());
        self.sketch = sketch.map(|(new, known)| known.with(&new.sketch).text());
        let check_sum = marks.map(|marks| marks.check_sum);
        if self.updated_rows > 0 && self.parts.is_empty() {
            // Earlier versions kept the checksum of the fit alone.
            self.check_sum = None;
        }
        if let Some(known) = self.check_sum.clone().filter(|_| self.parts.is_empty()) {
            self.parts.push(TrainedRows { rows: self.rows, check_sum: known });
        }
        let both = self.check_sum.as_ref().zip(check_sum.as_ref());
        self.check_sum = both.and_then(|(known, new)| row_sum_of_both(known, new));
        self.parts.extend(check_sum.map(|check_sum| TrainedRows { rows, check_sum }));
        self.rows += rows;
        self.updated_rows += rows;
    }

    /// Sketch of the rows trained on; `None` for models of earlier versions.
    pub(crate) fn sketch_of_rows(&self) -> Option<RowSketch> {
        self.sketch.as_deref().and_then(RowSketch::parse)
    }

    /// `true` if predictions do not depend on the inputs, or are no better than the shares of labels. Of several targets,
    /// those of all.
    #[must_use]
    pub fn learned_nothing(&self) -> bool {
        if self.idle.is_empty() {
            return self.reason.starts_with(NOTHING_LEARNED);
        }
        self.idle.iter().all(|idle| *idle)
    }

    /// `true` if nothing was learned for one of several targets, by its place and name.
    fn is_idle(&self, place: usize, name: &str) -> bool {
        let told = || self.reason.contains(&format!("{name}: {NOTHING_LEARNED}"));
        if self.idle.is_empty() { told() } else { self.idle.get(place).is_some_and(|idle| *idle) }
    }

    /// Leaves out influences with shares above 1, which only earlier versions wrote, and warns of it.
    pub(super) fn leave_out_old_shares(&mut self) {
        let all = self.influence.iter().flat_map(|influence| &influence.inputs);
        if all.flat_map(|input| [input.alone, input.total]).any(|share| share.value.max(share.high) > 1.0) {
            self.influence.clear();
            self.warnings.push(OLD_SHARES.to_owned());
        }
    }

    /// Name of the method for display, with its power.
    #[must_use]
    pub fn method_with_power(&self) -> String {
        method_with_power(&self.method, self.alpha)
    }
}

/// Name of a method with its power, such as `pep (α = 0.5)`. Method ep is `ep` at power 1, and `pep` otherwise.
pub(crate) fn method_with_power(name: &str, alpha: Option<f64>) -> String {
    match (name, alpha) {
        (_, None) | ("ep" | "sep", Some(1.0)) => name.to_owned(),
        ("ep", Some(alpha)) => format!("pep (α = {})", format_number(alpha)),
        (_, Some(alpha)) => format!("{name} (α = {})", format_number(alpha)),
    }
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Shares of a latent function's variance over the training rows, by input and by kernel term:
/// [`VarianceShares`](gp_ep::VarianceShares) with names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Influence {
    /// Latents that these shares describe: one, or all if they are only meaningful together.
    pub latents: Range<usize>,
    /// Target, if several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Table columns, the most influential first.
    pub inputs: Vec<InputInfluence>,
    /// Kernel terms with their shares, which sum to 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub terms: Vec<(String, f64)>,
    /// Variance if inputs are combined anew; None for a single input and for models of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recombined: Option<Recombined>,
}

/// Influence of one table column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InputInfluence {
    /// Name of the column.
    pub input: String,
    /// Share of the variance from its main effect.
    pub alone: Spanned,
    /// Share including interactions.
    pub total: Spanned,
}
