//! Mean values of epochs.

use serde::{Deserialize, Serialize};

/// Mean values of epochs, the best of them, and the number of epochs since.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Watch {
    /// Σ value · terms and Σ terms over the evaluated batches of the current epoch.
    sum: f64,
    terms: f64,
    /// Mean value of every epoch that has one.
    means: Vec<f64>,
    best: Option<f64>,
    idle: u64,
}

impl Watch {
    pub(super) fn epoch_value(&self) -> Option<f64> {
        self.means.last().copied()
    }

    /// Mean values of all epochs, or of the incomplete first one.
    pub(super) fn course(&self) -> Vec<f64> {
        if self.means.is_empty() && self.terms > 0.0 {
            return vec![self.sum / self.terms];
        }
        self.means.clone()
    }

    /// Epochs in a row without decrease.
    pub(super) fn idle(&self) -> u64 {
        self.idle
    }

    /// Restarts the count of idle epochs, for other parameters.
    pub(super) fn forget_idle(&mut self) {
        self.idle = 0;
    }

    /// Adds a batch: value and number of terms.
    pub(super) fn batch(&mut self, value: f64, terms: f64) {
        self.sum += value * terms;
        self.terms += terms;
    }

    /// Ends an epoch. It is idle if its mean is not below the best by more than `tolerance` · max(|mean|, 1).
    pub(super) fn close_epoch(&mut self, tolerance: f64) {
        // An epoch without values, or with an infinite sum, is ignored.
        let mean = self.sum / self.terms;
        (self.sum, self.terms) = (0.0, 0.0);
        if !mean.is_finite() {
            return;
        }
        self.means.push(mean);
        match self.best {
            Some(best) if best - mean <= tolerance * mean.abs().max(1.0) => self.idle += 1,
            _ => (self.best, self.idle) = (Some(mean), 0),
        }
    }
}
