//! Tried kernels and starts.

use crate::left_out::counted;
use serde::{Deserialize, Serialize};

/// Comparison of starts after short training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TriedStarts {
    /// Target, if fitted separately.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Kind of scores and amount of training.
    pub by: String,
    /// Default first.
    pub tried: Vec<TriedStart>,
}

/// One start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TriedStart {
    /// Number; 0 is the default.
    pub start: usize,
    /// Score; `None` if training failed.
    pub score: Option<f64>,
    /// Optimiser iterations.
    pub iterations: u64,
    /// `true` if training converged.
    pub converged: bool,
    /// `true` for the chosen start.
    pub kept: bool,
    /// Reason for a missing score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// Training seconds; not stored, for reproducible files.
    #[serde(skip)]
    pub seconds: Option<f64>,
}

/// Serialises one value bare, as in older files, several as a list.
pub(super) mod one_or_each {
    use serde::de::DeserializeOwned;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrEach<T> {
        Each(Vec<T>),
        One(T),
    }

    pub(in crate::model) fn serialize<T: Serialize, S: Serializer>(
        all: &[T],
        to: S,
    ) -> Result<S::Ok, S::Error> {
        if let [one] = all { one.serialize(to) } else { all.serialize(to) }
    }

    pub(in crate::model) fn deserialize<'de, T, D>(from: D) -> Result<Vec<T>, D::Error>
    where
        T: DeserializeOwned,
        D: Deserializer<'de>,
    {
        Ok(match Option::<OneOrEach<T>>::deserialize(from)? {
            None => Vec::new(),
            Some(OneOrEach::One(one)) => vec![one],
            Some(OneOrEach::Each(all)) => all,
        })
    }
}

fn of_target(target: Option<&String>) -> String {
    target.map_or_else(String::new, |name| format!("for {name}, "))
}

impl TriedStarts {
    /// Table heading.
    #[must_use]
    pub fn title(&self) -> String {
        format!("{}{} starts by {}", of_target(self.target.as_ref()), self.tried.len(), self.by)
    }

    /// Table lines.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let head = self.title();
        std::iter::once(head).chain(self.tried.iter().map(TriedStart::line)).collect()
    }
}

impl TriedStart {
    /// Candidate name.
    #[must_use]
    pub fn name(&self) -> String {
        if self.start == 0 { "default start".to_owned() } else { format!("start {}", self.start) }
    }

    /// Training outcome, as text.
    #[must_use]
    pub fn outcome(&self) -> String {
        let iterations = counted(self.iterations as usize, "iteration");
        match &self.fault {
            Some(fault) => format!("failed: {fault}"),
            None if self.converged => format!("converged after {iterations}"),
            None => format!("after {iterations}"),
        }
    }

    fn line(&self) -> String {
        let score = self.score.map_or_else(|| "–".to_owned(), |score| format!("{score:.3}"));
        let seconds = self.seconds.map_or_else(String::new, |seconds| format!(", {seconds:.1} s"));
        let kept = if self.kept { ", kept" } else { "" };
        format!("{:<12} {score:>12}  {}{seconds}{kept}", self.name(), self.outcome())
    }
}

/// Search among kernels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TriedKernels {
    /// Target, if fitted separately.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Kind of scores.
    pub by: String,
    /// In the order tried.
    pub tried: Vec<TriedKernel>,
    /// Reason for stopping.
    pub ended: String,
}

/// Kernel in a search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TriedKernel {
    /// From 1; steps add, remove or change one base kernel.
    pub step: usize,
    /// Expression in data units, parameters omitted except periods.
    pub kernel: String,
    /// Log evidence on compared rows.
    pub evidence: f64,
    /// Number of parameters.
    pub parameters: usize,
    /// Evidence less the penalty for parameters.
    pub score: f64,
    /// `true` for the best kernel.
    pub kept: bool,
}

const SHOWN: usize = 5;

impl TriedKernels {
    /// Table heading.
    #[must_use]
    pub fn title(&self) -> String {
        let of = of_target(self.target.as_ref());
        format!("{of}{} kernels by {}; {}", self.tried.len(), self.by, self.ended)
    }

    /// Chosen kernel.
    #[must_use]
    pub fn found(&self) -> Option<&TriedKernel> {
        self.tried.iter().find(|tried| tried.kept)
    }

    /// Kernels by step, best first.
    #[must_use]
    pub fn steps(&self) -> Vec<Vec<&TriedKernel>> {
        let last = self.tried.iter().map(|tried| tried.step).max().unwrap_or(0);
        let step = |step: usize| {
            let mut own: Vec<&TriedKernel> = self.tried.iter().filter(|tried| tried.step == step).collect();
            own.sort_by(|a, b| b.score.total_cmp(&a.score));
            own
        };
        (1..=last).map(step).collect()
    }

    /// Best kernels per step.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let head = self.title();
        let step = |(place, step): (usize, Vec<&TriedKernel>)| {
            let more = step.len().saturating_sub(SHOWN);
            let more = (more > 0).then(|| format!("step {}: {more} more below these", place + 1));
            step.into_iter().take(SHOWN).map(TriedKernel::line).chain(more).collect::<Vec<_>>()
        };
        std::iter::once(head).chain(self.steps().into_iter().enumerate().flat_map(step)).collect()
    }
}

impl TriedKernel {
    fn line(&self) -> String {
        let kept = if self.kept { ", kept" } else { "" };
        format!("step {}: {:>12.3}  {}{kept}", self.step, self.score, self.kernel)
    }
}
