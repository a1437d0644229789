//! How the epochs of a run compare.

use super::options::DescentOptions;
use serde::{Deserialize, Serialize};

/// Mean values of epochs, the best among them, and for how long nothing has been better.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Watch {
    /// Σ value · terms and Σ terms over the batches of this epoch that could be evaluated.
    sum: f64,
    terms: f64,
    last: Option<f64>,
    best: Option<f64>,
    idle: u64,
    stage: usize,
    epochs_in_stage: u64,
}

/// What to make of a batch.
pub(super) enum Verdict {
    Going { epochs_in_stage: u64 },
    Plateau,
}

impl Watch {
    pub(super) fn epoch_value(&self) -> Option<f64> {
        self.last
    }

    pub(super) fn stage(&self) -> usize {
        self.stage
    }

    /// Starts the next stage, in which everything may improve again.
    pub(super) fn next_stage(&mut self) {
        (self.stage, self.epochs_in_stage, self.idle) = (self.stage + 1, 0, 0);
    }

    /// Adds a batch with its value, if it has one, and its number of terms.
    #[expect(clippy::cast_precision_loss, reason = "no table has 2⁵³ rows")]
    pub(super) fn batch(
        &mut self,
        value: Option<f64>,
        terms: usize,
        ends_epoch: bool,
        options: &DescentOptions,
    ) -> Verdict {
        if let Some(value) = value {
            self.sum += value * terms as f64;
            self.terms += terms as f64;
        }
        if !ends_epoch {
            return Verdict::Going { epochs_in_stage: self.epochs_in_stage };
        }
        self.epochs_in_stage += 1;
        self.close_epoch(options.value_tolerance);
        if self.idle >= options.plateau {
            return Verdict::Plateau;
        }
        Verdict::Going { epochs_in_stage: self.epochs_in_stage }
    }

    fn close_epoch(&mut self, tolerance: f64) {
        // An epoch without a single value, or with values whose sum overflows, says nothing about a plateau.
        let mean = self.sum / self.terms;
        (self.sum, self.terms) = (0.0, 0.0);
        if !mean.is_finite() {
            return;
        }
        self.last = Some(mean);
        match self.best {
            Some(best) if best - mean <= tolerance * mean.abs().max(1.0) => self.idle += 1,
            _ => (self.best, self.idle) = (Some(mean), 0),
        }
    }
}
