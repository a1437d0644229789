//! Model record in the file.

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
/// Newest format version, increased when older programs would misread a file.
pub(super) const VERSION: u32 = 6;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) format: String,
    pub(super) version: u32,
    pub(super) writer: String,
    #[serde(flatten)]
    pub(super) about: About,
    pub(super) posterior: StoredApproximation,
    pub(super) baseline: Option<StoredApproximation>,
}

/// Data, origin and training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// Command that wrote the model.
    pub origin: String,
    /// Encoded input columns.
    pub inputs: Inputs,
    /// First target.
    pub target: Target,
    /// Role columns.
    #[serde(default, skip_serializing_if = "Roles::is_empty")]
    pub roles: Roles,
    /// Distribution of training targets.
    pub summary: TargetSummary,
    /// Targets after the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<FurtherTarget>,
    /// Outcome of training.
    pub training: TrainingRecord,
    /// Random seed.
    pub seed: u64,
    /// Effective configuration, by flag.
    pub config: Map<String, Value>,
}

impl About {
    /// Removes influences of idle targets (older versions).
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

/// Target after the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FurtherTarget {
    /// Column, with conversion to observations.
    pub target: Target,
    /// Distribution of training values.
    pub summary: TargetSummary,
    /// Rows with the target.
    pub rows: usize,
}

/// Distribution of training targets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TargetSummary {
    /// In data units.
    Moments {
        /// Mean over rows.
        mean: f64,
        /// Variance over rows.
        variance: f64,
        /// If rows have offsets or exposures.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bare: Option<BareMoments>,
    },
    /// Class frequencies.
    #[serde(rename = "shares")]
    Frequencies(Vec<f64>),
}

/// Distribution of training targets at offset 0 and exposure 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BareMoments {
    /// In data units; under a log link, the rate.
    pub mean: f64,
    /// Variance at this mean.
    pub variance: f64,
    /// Mean exposure of the training rows, which includes exp(offset); 1 under an identity link.
    pub exposure: f64,
}

impl TargetSummary {
    /// Summary of both, with `rows` and `of_more` rows; unchanged if they are of different kinds.
    #[must_use]
    pub fn with(&self, rows: f64, more: &Self, of_more: f64) -> Self {
        match (self, more) {
            (
                Self::Moments { mean, variance, bare },
                Self::Moments { mean: other, variance: spread, bare: more },
            ) => {
                let (mean, variance) = pooled([(rows, *mean, *variance), (of_more, *other, *spread)]);
                let bare = bare.zip(*more).map(|(known, more)| {
                    let (own, new) = (rows * known.exposure, of_more * more.exposure);
                    let (mean, variance) =
                        pooled([(own, known.mean, known.variance), (new, more.mean, more.variance)]);
                    BareMoments { mean, variance, exposure: (own + new) / (rows + of_more) }
                });
                Self::Moments { mean, variance, bare }
            }
            (Self::Frequencies(known), Self::Frequencies(more)) if known.len() == more.len() => {
                let both = known.iter().zip(more);
                Self::Frequencies(both.map(|(a, b)| (rows * a + of_more * b) / (rows + of_more)).collect())
            }
            _ => self.clone(),
        }
    }
}

/// Mean and variance of two groups of (rows, mean, variance).
fn pooled([(a, mean, variance), (b, other, spread)]: [(f64, f64, f64); 2]) -> (f64, f64) {
    let (to_first, to_other) = (a / (a + b), b / (a + b));
    let apart = to_first * to_other * (mean - other).powi(2);
    (to_first * mean + to_other * other, to_first * variance + to_other * spread + apart)
}

/// Outcome of training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingRecord {
    /// Method name.
    pub method: String,
    /// Power α, unless per row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alpha: Option<f64>,
    /// Number of training rows.
    pub rows: usize,
    /// `ln p(y)` in data units, nats: exact, estimated or a bound.
    pub objective: f64,
    /// Meaning of the objective.
    pub objective_kind: EvidenceKind,
    /// `true` if training converged.
    pub converged: bool,
    /// Reason for stopping.
    pub reason: String,
    /// Optimiser iterations.
    pub iterations: u64,
    /// `ln p(y) + ln p(parameters)` per iteration, up to a constant.
    pub curve: Vec<f64>,
    /// Messages for the user.
    pub warnings: Vec<String>,
    /// Coverage per latent by inducing or active points, at training rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub coverage: Vec<Coverage>,
    /// Task, method and kernel, with reasons.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// Input influences; empty for constant functions or many inputs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub influence: Vec<Influence>,
    /// Weighted sum of log target scales, with weights or several targets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_scales: Option<f64>,
    /// Class-probability temperature, if found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<Temperature>,
    /// Kernel search, joint or per target.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "one_or_each")]
    pub search: Vec<TriedKernels>,
    /// Starts, if several; joint or per target.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "one_or_each")]
    pub starts: Vec<TriedStarts>,
    /// Training rows per target, if several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rows_of_targets: Vec<usize>,
    /// Later updates, as text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub updates: Vec<String>,
    /// Rows added by updates.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub updated_rows: usize,
    /// Order-independent checksum of training rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check_sum: Option<String>,
    /// Smallest row checksums, to recognise training rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sketch: Option<String>,
    /// Rows of fit and updates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<TrainedRows>,
    /// `true` if predictions ignore inputs or do not beat class frequencies; joint or per separate target.
    /// Empty in older files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub idle: Vec<bool>,
}

/// Rows of fit or update.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrainedRows {
    /// Number of rows.
    pub rows: usize,
    /// Order-independent checksum.
    pub check_sum: String,
}

/// Start of the reason of idle fits.
pub(crate) const NOTHING_LEARNED: &str = "nothing was learned";

const OLD_SHARES: &str = "the shares of inputs in the variance are left out, because the program that fitted this model could \
                          put them above 100 %; fit again to see them";

impl TrainingRecord {
    /// Adds an update's rows for [`known_rows`](crate::model::Model::known_rows); `marks` may be unavailable.
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

    pub(crate) fn sketch_of_rows(&self) -> Option<RowSketch> {
        self.sketch.as_deref().and_then(RowSketch::parse)
    }

    /// `true` if all targets are `idle`.
    #[must_use]
    pub fn learned_nothing(&self) -> bool {
        if self.idle.is_empty() {
            return self.reason.starts_with(NOTHING_LEARNED);
        }
        self.idle.iter().all(|idle| *idle)
    }

    /// [`learned_nothing`](Self::learned_nothing) for one of several targets.
    fn is_idle(&self, place: usize, name: &str) -> bool {
        let told = || self.reason.contains(&format!("{name}: {NOTHING_LEARNED}"));
        if self.idle.is_empty() { told() } else { self.idle.get(place).is_some_and(|idle| *idle) }
    }

    /// Removes influences with shares above 1 (older versions); warns.
    pub(super) fn leave_out_old_shares(&mut self) {
        let all = self.influence.iter().flat_map(|influence| &influence.inputs);
        if all.flat_map(|input| [input.alone, input.total]).any(|share| share.value.max(share.high) > 1.0) {
            self.influence.clear();
            self.warnings.push(OLD_SHARES.to_owned());
        }
    }

    /// For display, such as `pep (α = 0.5)`.
    #[must_use]
    pub fn method_with_power(&self) -> String {
        method_with_power(&self.method, self.alpha)
    }
}

/// For display; `ep` with power 1, otherwise such as `pep (α = 0.5)`.
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

/// [`VarianceShares`](gp_ep::VarianceShares) with names, over training rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Influence {
    /// One latent, or all if inseparable.
    pub latents: Range<usize>,
    /// Target, if several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Columns, most influential first.
    pub inputs: Vec<InputInfluence>,
    /// Kernel terms and shares, which sum to 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub terms: Vec<(String, f64)>,
    /// Variance of recombined inputs; None for one input or older models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recombined: Option<Recombined>,
}

/// Influence of a table column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InputInfluence {
    /// Column name.
    pub input: String,
    /// Variance share of the main effect.
    pub alone: Spanned,
    /// Share including interactions.
    pub total: Spanned,
}
