//! Options of a run.

use crate::error::InferenceError;
use gp_likelihoods::quadrature::Cubature;
use serde::{Deserialize, Serialize};

/// Score for the next active point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Selection {
    /// Largest divergence of tilted moments.
    #[default]
    InformationGain,
    /// Largest divergence with the actual site (Seeger & Jordan 2004 eq. 14).
    ExactInformationGain,
    /// Largest entropy of predicted class probabilities.
    MaxEntropy,
    /// Random points.
    Random,
}

/// Correlation of classes in the posterior.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Coupling {
    /// Sites `diag π − π πᵀ/(1ᵀπ)` on one active set (Seeger & Jordan 2004 §4, App. D).
    Coupled,
    /// Sites `diag π` on one active set per latent (Seeger & Jordan 2004 §6, App. B).
    Independent,
}

/// Integration over one observation's latents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Rule {
    /// Gauss–Hermite products with 9, 7, 5, 3, 3 nodes per dimension for 2 to 6 latents, else 1024 quasi-random
    /// nodes.
    #[default]
    Automatic,
    /// Gauss–Hermite product, by nodes per dimension.
    Product(usize),
    /// McNamee–Stenger rule of degree 5; negative weights from five latents.
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
            // With one latent the likelihood integrates.
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

/// Factors γ ≤ 1 on the last points' latents (Seeger & Jordan 2004 §D.5).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reweighting {
    /// γ of the first point, in (0, 1].
    pub start: f64,
    /// Positive growth rate: of d points, the last has `γ = 1 − (1 − start) exp(−rate·(d − 1))`.
    pub rate: f64,
    /// Number of last points over which γ falls linearly from 1; in [1, `liquid`).
    pub span: usize,
}

impl Reweighting {
    /// γ of liquid points, oldest first.
    pub(super) fn factors(&self, active: usize, liquid: usize) -> Vec<f64> {
        let last = 1.0 - (1.0 - self.start) * (-self.rate * (active as f64 - 1.0)).exp();
        let slope = (1.0 - last) / self.span as f64;
        (1..=liquid).map(|j| (last + (liquid - j) as f64 * slope).min(1.0)).collect()
    }
}

/// Final sites of active points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum FinalSites {
    /// Moment-matched to labels of active points.
    #[default]
    Matched,
    /// Minimum of the criterion; about ten more passes.
    Converged,
}

/// Options of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct IvmOptions {
    /// Size of each active set.
    pub active: usize,
    /// Score for choosing points.
    pub selection: Selection,
    /// Number of last points whose sites EP moves, if coupled.
    pub liquid: usize,
    /// EP sweeps over liquid points per inclusion.
    pub sweeps: usize,
    /// Site updates per liquid point between recomputations.
    pub refresh: usize,
    /// Points scored per inclusion. None: all if independent, else `max(50, N / max(C, liquid))`.
    pub candidates: Option<usize>,
    /// Fraction of candidates kept for the next inclusion, the best, in [0, 1).
    pub retained: f64,
    /// Weaker likelihoods of the last points.
    pub reweighting: Option<Reweighting>,
    /// Final sites of active points.
    pub sites: FinalSites,
    /// Random seed.
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
        let default = match coupling {
            Coupling::Coupled => (points / classes.max(self.liquid)).max(50),
            Coupling::Independent => points,
        };
        self.candidates.unwrap_or(default).min(points)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The oldest point of a full liquid set has γ = 1.
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
