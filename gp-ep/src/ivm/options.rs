//! Options of a run.

use crate::error::InferenceError;
use gp_likelihoods::quadrature::Cubature;
use serde::{Deserialize, Serialize};

/// Choice of the next active point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Selection {
    /// Largest divergence of the tilted moments from the belief.
    #[default]
    InformationGain,
    /// Largest divergence of the belief after inclusion, with the actual site (Seeger & Jordan 2004 eq.
    /// 14).
    ExactInformationGain,
    /// Largest entropy of the predicted class.
    MaxEntropy,
    /// Random point.
    Random,
}

/// Coupling of classes in the posterior.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Coupling {
    /// Sites diag π − π πᵀ/(1ᵀπ) on one active set for all classes: couplings of the likelihood to second
    /// order.
    Coupled,
    /// Diagonal sites, and one active set per class (Seeger & Jordan 2004 §6). With one latent, the binary
    /// IVM.
    Independent,
}

/// Integration rule over the latents of one observation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Rule {
    /// Product Gauss–Hermite with 9 nodes per dimension for two classes, 7 for three, 5 for four, 3 for
    /// five and six; 1024 quasi-random nodes beyond.
    #[default]
    Automatic,
    /// Product Gauss–Hermite with this many nodes per dimension.
    Product(usize),
    /// McNamee and Stenger's rule of degree 5, with negative weights from five classes on.
    Symmetric,
    /// Quasi-random nodes.
    QuasiRandom {
        /// Number of nodes.
        nodes: usize,
        /// Random seed.
        seed: u64,
    },
}

impl Rule {
    pub(super) fn cubature(self, classes: usize) -> Result<Cubature, InferenceError> {
        Ok(match (self, classes) {
            // One latent is left to the likelihood itself.
            (Self::Automatic, 1) => Cubature::product(1, 1)?,
            (Self::Automatic, 2) => Cubature::product(9, 2)?,
            (Self::Automatic, 3) => Cubature::product(7, 3)?,
            (Self::Automatic, 4) => Cubature::product(5, 4)?,
            (Self::Automatic, 5 | 6) => Cubature::product(3, classes)?,
            (Self::Automatic, _) => Cubature::quasi_random(1024, classes, 0)?,
            (Self::Product(order), _) => Cubature::product(order, classes)?,
            (Self::Symmetric, _) => Cubature::symmetric(classes)?,
            (Self::QuasiRandom { nodes, seed }, _) => Cubature::quasi_random(nodes, classes, seed)?,
        })
    }
}

/// Initial weakening of the likelihoods of recent points: latents times γ ≤ 1 (Seeger & Jordan 2004 §D.5).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reweighting {
    /// γ of the very first point, in (0, 1].
    pub start: f64,
    /// Rate: with d active points the last has γ = 1 − (1 − start) exp(−rate·(d − 1)); positive.
    pub rate: f64,
    /// Points before the last over which γ grows linearly to 1: at least 1, below the size of the liquid
    /// set.
    pub span: usize,
}

impl Reweighting {
    /// γ of each liquid point, next to be frozen first, the last ones of d active points.
    pub(super) fn factors(&self, active: usize, liquid: usize) -> Vec<f64> {
        let last = 1.0 - (1.0 - self.start) * (-self.rate * (active as f64 - 1.0)).exp();
        let slope = (1.0 - last) / self.span as f64;
        (1..=liquid).map(|j| (last + (liquid - j) as f64 * slope).min(1.0)).collect()
    }
}

/// Final sites of the active set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum FinalSites {
    /// Moment-matched sites as included, from the labels of the active points.
    #[default]
    Matched,
    /// Sites of least criterion, from the labels of all rows; some ten further passes over the data.
    AtRest,
}

/// Options of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct IvmOptions {
    /// Size of the active set, per class if independent.
    pub active: usize,
    /// Choice of points.
    pub selection: Selection,
    /// Number of last included points whose sites EP moves; 0 fixes every site at inclusion. Ignored for
    /// independent classes.
    pub liquid: usize,
    /// EP sweeps after each inclusion.
    pub sweeps: usize,
    /// Site updates, in units of the liquid set, after which its belief is recomputed.
    pub refresh: usize,
    /// Points scored per inclusion. None: all for independent classes, else N over the larger of the number
    /// of classes and the liquid set's size, at least 50.
    pub candidates: Option<usize>,
    /// Share of best candidates kept for the next inclusion, in [0, 1); others are drawn.
    pub retained: f64,
    /// Initial weakening of likelihoods; none by default.
    pub reweighting: Option<Reweighting>,
    /// Final sites.
    pub sites: FinalSites,
    /// Seed of all draws.
    pub seed: u64,
}

impl Default for IvmOptions {
    fn default() -> Self {
        Self {
            active: 100,
            selection: Selection::default(),
            liquid: 20,
            sweeps: 2,
            refresh: 2,
            candidates: None,
            retained: 0.5,
            reweighting: None,
            sites: FinalSites::default(),
            seed: 0,
        }
    }
}

impl IvmOptions {
    pub(super) fn check(&self) -> Result<(), InferenceError> {
        let fault = |what, value, allowed| Err(InferenceError::Option { what, value, allowed });
        for (what, value) in [("active set size", self.active), ("refresh interval", self.refresh)] {
            if value == 0 {
                return fault(what, 0.0, "at least 1");
            }
        }
        if self.candidates == Some(0) {
            return fault("number of candidates", 0.0, "at least 1");
        }
        if !(0.0..1.0).contains(&self.retained) {
            return fault("retained share of candidates", self.retained, "at least 0 and below 1");
        }
        let Some(weights) = self.reweighting else {
            return Ok(());
        };
        if !(weights.start > 0.0 && weights.start <= 1.0) {
            return fault("first reweighting factor", weights.start, "above 0 and at most 1");
        }
        if !(weights.rate > 0.0 && weights.rate.is_finite()) {
            return fault("rate of reweighting", weights.rate, "above 0 and finite");
        }
        if weights.span == 0 || weights.span >= self.liquid {
            return fault("span of reweighting", weights.span as f64, "at least 1 and below the liquid set");
        }
        Ok(())
    }

    pub(super) fn candidate_count(&self, points: usize, classes: usize, coupling: Coupling) -> usize {
        let usual = match coupling {
            Coupling::Coupled => (points / classes.max(self.liquid)).max(50),
            Coupling::Independent => points,
        };
        self.candidates.unwrap_or(usual).min(points)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seeger & Jordan 2004 §D.5: from `start` towards 1, the oldest of a full liquid set at 1.
    #[test]
    fn reweighting_grows_to_one() {
        let weights = Reweighting { start: 0.2, rate: 0.05, span: 4 };
        assert!((weights.factors(1, 1)[0] - 0.2).abs() < 1e-15);
        for active in [1, 5, 40, 400] {
            let factors = weights.factors(active, 5.min(active));
            assert!(factors.windows(2).all(|pair| pair[0] >= pair[1]), "{factors:?}");
            assert!(active < 5 || factors[0] == 1.0, "{factors:?}");
        }
        assert!(weights.factors(400, 5)[4] > 1.0 - 1e-8);
    }
}
