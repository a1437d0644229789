//! What training tried before it settled on a start, or on a kernel.

use serde::{Deserialize, Serialize};

/// Starts of training, each tried for a while, and how they were compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TriedStarts {
    /// What the scores are, and after how much training.
    pub by: String,
    /// The starts, the usual one first.
    pub tried: Vec<TriedStart>,
}

/// One start of training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TriedStart {
    /// 0 for the usual start.
    pub start: usize,
    /// What it reached; nothing where training failed.
    pub score: Option<f64>,
    /// Iterations of the optimiser.
    pub iterations: u64,
    /// Whether training came to an end by itself.
    pub converged: bool,
    /// Whether it is the start of the model.
    pub kept: bool,
    /// Why it has no score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// Seconds it took, where that is known: model files do not hold them, for they are others every time.
    #[serde(skip)]
    pub seconds: Option<f64>,
}

impl TriedStarts {
    /// A table for people, a line each.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let head = format!("{} starts by {}", self.tried.len(), self.by);
        std::iter::once(head).chain(self.tried.iter().map(TriedStart::line)).collect()
    }
}

impl TriedStart {
    /// What it is called.
    #[must_use]
    pub fn name(&self) -> String {
        if self.start == 0 { "usual start".to_owned() } else { format!("start {}", self.start) }
    }

    /// How its training ended, in a few words.
    #[must_use]
    pub fn outcome(&self) -> String {
        match &self.fault {
            Some(fault) => format!("failed: {fault}"),
            None if self.converged => format!("converged after {} iterations", self.iterations),
            None => format!("after {} iterations", self.iterations),
        }
    }

    fn line(&self) -> String {
        let score = self.score.map_or_else(|| "–".to_owned(), |score| format!("{score:.3}"));
        let seconds = self.seconds.map_or_else(String::new, |seconds| format!(", {seconds:.1} s"));
        let kept = if self.kept { ", kept" } else { "" };
        format!("{:<12} {score:>12}  {}{seconds}{kept}", self.name(), self.outcome())
    }
}
