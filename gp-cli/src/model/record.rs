//! What a model file tells about a model besides the posterior.

use super::functions::StoredApproximation;
use super::tried::{TriedKernels, TriedStarts};
use crate::encode::{Inputs, Roles, Target};
use gp_ep::{EvidenceKind, Spanned};
use gp_kernels::inducing::Coverage;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::ops::Range;

/// What every model file calls itself.
pub(super) const FORMAT: &str = "gp-model";
/// The newest version this program knows. It goes up whenever an older program would misread the file; a model that an
/// older program can read is written in the version that it knows.
pub(super) const VERSION: u32 = 3;

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

/// What a model is about and how it came about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// The command that made it.
    pub origin: String,
    /// Its columns of input.
    pub inputs: Inputs,
    /// What it predicts.
    pub target: Target,
    /// Columns with a role beside both.
    #[serde(default, skip_serializing_if = "Roles::is_empty")]
    pub roles: Roles,
    /// How the target was distributed in the data it was trained on.
    pub summary: TargetSummary,
    /// The targets besides, where it predicts several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<FurtherTarget>,
    /// How it was trained.
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
    /// How it was distributed in the data it was trained on.
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

/// How a model was trained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingRecord {
    /// The method, by the name it is asked for.
    pub method: String,
    /// Rows trained on.
    pub rows: usize,
    /// `ln p(y)` in the units of the data, in nats: exact, an estimate or a bound.
    pub objective: f64,
    /// Which of them.
    pub objective_kind: EvidenceKind,
    /// Whether training came to an end by itself.
    pub converged: bool,
    /// Why it ended.
    pub reason: String,
    /// Iterations of the optimiser.
    pub iterations: u64,
    /// `ln p(y) + ln p(parameters)`, up to the constant of the units, after each iteration.
    pub curve: Vec<f64>,
    /// What is worth knowing.
    pub warnings: Vec<String>,
    /// How much of the prior variance at the training rows the points see that each latent function is seen through.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub coverage: Vec<Coverage>,
    /// What was chosen, and why: task, method and kernel, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// What the fitted function depends on; empty where it does not vary, or has so many inputs that looking would take
    /// long.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub influence: Vec<Influence>,
    /// How much the rows trained on weigh, where they have weights; of several targets those that have the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// Kernels that were tried, where one was searched for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<TriedKernels>,
    /// Starts that were tried, where there were several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starts: Option<TriedStarts>,
    /// Rows trained on that do not miss a target, for each of several targets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rows_of_targets: Vec<usize>,
    /// What was taken in afterwards, and how.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub updates: Vec<String>,
    /// How many of the rows that was.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub updated_rows: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// How much of the variance of a latent function over the rows of training each input and each term of its kernel accounts
/// for: [`VarianceShares`](gp_ep::VarianceShares) with names.
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

/// What one column of the table accounts for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InputInfluence {
    /// Name of the column.
    pub input: String,
    /// What it accounts for whatever the others are, as a share of the variance.
    pub alone: Spanned,
    /// What it accounts for together with others.
    pub total: Spanned,
}
