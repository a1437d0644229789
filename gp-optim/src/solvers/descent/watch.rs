//! Mean values of epochs.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Watch {
    /// `Σ value · terms` and `Σ terms`.
    sum: f64,
    terms: f64,
    means: Vec<f64>,
    best: Option<f64>,
    idle: u64,
}

impl Watch {
    pub(super) fn epoch_value(&self) -> Option<f64> {
        self.means.last().copied()
    }

    pub(super) fn course(&self) -> Vec<f64> {
        if self.means.is_empty() && self.terms > 0.0 {
            return vec![self.sum / self.terms];
        }
        self.means.clone()
    }

    pub(super) fn idle(&self) -> u64 {
        self.idle
    }

    pub(super) fn forget_idle(&mut self) {
        self.idle = 0;
    }

    pub(super) fn batch(&mut self, value: f64, terms: f64) {
        self.sum += value * terms;
        self.terms += terms;
    }

    /// Idle unless the mean is `tolerance · max(|mean|, 1)` below the best.
    pub(super) fn close_epoch(&mut self, tolerance: f64) {
        // Ignores epochs without values or with an infinite sum.
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
