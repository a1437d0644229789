//! Record of a model in its file, besides the posterior.

use super::functions::StoredApproximation;
use super::tried::{TriedKernels, TriedStarts, one_or_each};
use crate::encode::{Inputs, Roles, Target};
use gp_ep::{EvidenceKind, Spanned};
use gp_kernels::inducing::Coverage;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::ops::Range;

/// Format name of model files.
pub(super) const FORMAT: &str = "gp-model";
/// The newest version this program knows. It goes up whenever an older program would misread the file; a model that an
/// older program can read is written in the version that it knows.
pub(super) const VERSION: u32 = 4;

/// Everything a model is, as it is written.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) format: String,
    pub(super) version: u32,
    /// The program that wrote the file.
    pub(super) writer: String,
    #[serde(flatten)]
    pub(super) about: About,
    pub(super) posterior: StoredApproximation,
    /// The linear model of the same data, where one was fitted.
    pub(super) baseline: Option<StoredApproximation>,
}

/// Record of a model: subject and origin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// The command that made it.
    pub origin: String,
    /// Its columns of input.
    pub inputs: Inputs,
    /// Target of the model.
    pub target: Target,
    /// Columns with a role beside both.
    #[serde(default, skip_serializing_if = "Roles::is_empty")]
    pub roles: Roles,
    /// Distribution of the target in the training data.
    pub summary: TargetSummary,
    /// The targets besides, where it predicts several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<FurtherTarget>,
    /// Record of training.
    pub training: TrainingRecord,
    /// Seed of everything random.
    pub seed: u64,
    /// The effective configuration, by the names of flags.
    pub config: Map<String, Value>,
}

/// One of several targets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FurtherTarget {
    /// The column, and how it becomes an observation.
    pub target: Target,
    /// Its distribution in the training data.
    pub summary: TargetSummary,
    /// Rows that do not miss it.
    pub rows: usize,
}

/// The target without looking at any input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TargetSummary {
    /// Mean and variance, in the units of the data.
    Moments {
        /// The mean of all rows.
        mean: f64,
        /// Their variance.
        variance: f64,
    },
    /// Share of each class.
    Shares(Vec<f64>),
}

/// Record of a model's training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingRecord {
    /// The method, by the name it is asked for.
    pub method: String,
    /// Rows trained on.
    pub rows: usize,
    /// `ln p(y)` in the units of the data, in nats: exact, an estimate or a bound.
    pub objective: f64,
    /// Meaning of the objective.
    pub objective_kind: EvidenceKind,
    /// `true` if training converged.
    pub converged: bool,
    /// Reason for the end.
    pub reason: String,
    /// Iterations of the optimiser.
    pub iterations: u64,
    /// `ln p(y) + ln p(parameters)`, up to the constant of the units, after each iteration.
    pub curve: Vec<f64>,
    /// Observations about the fit that people should see.
    pub warnings: Vec<String>,
    /// Share of prior variance at the training rows explained by the points of each latent function.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub coverage: Vec<Coverage>,
    /// Choices with reasons: task, method and kernel, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// Influence on the fitted function; empty if it does not vary, or has too many inputs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub influence: Vec<Influence>,
    /// Logarithms of the scales of targets, summed over all observations trained on, where these have weights or there are
    /// several targets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_scales: Option<f64>,
    /// Kernels that were tried, where one was searched for: of all targets, or of each.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "one_or_each")]
    pub search: Vec<TriedKernels>,
    /// Starts that were tried, where there were several: of all targets, or of each.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "one_or_each")]
    pub starts: Vec<TriedStarts>,
    /// Rows trained on that do not miss a target, for each of several targets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rows_of_targets: Vec<usize>,
    /// Later updates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub updates: Vec<String>,
    /// Number of rows added.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub updated_rows: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Share of a latent function's variance over the training rows by input and kernel term:
/// [`VarianceShares`](gp_ep::VarianceShares) with names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Influence {
    /// The latent function, or all of them where they mean something only together.
    pub latents: Range<usize>,
    /// The target that it is about, where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Columns of the table, the one that accounts for most first.
    pub inputs: Vec<InputInfluence>,
    /// Terms of the kernel, as shares that add up to 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub terms: Vec<(String, f64)>,
}

/// Influence of one column of the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InputInfluence {
    /// Name of the column.
    pub input: String,
    /// Share of the variance by its own effect.
    pub alone: Spanned,
    /// Share including interactions.
    pub total: Spanned,
}
