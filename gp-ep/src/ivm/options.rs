//! The choices of a run.

use crate::error::InferenceError;
use gp_likelihoods::quadrature::Cubature;
use serde::{Deserialize, Serialize};

/// How the next point of the active set is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Selection {
    /// The largest divergence of the tilted moments from the belief before inclusion.
    #[default]
    InformationGain,
    /// The largest divergence of the belief after inclusion, with the site that would be put in, from that before
    /// (Seeger & Jordan 2004 eq. 14).
    ExactInformationGain,
    /// The largest entropy of the predicted class.
    MaxEntropy,
    /// At random.
    Random,
}

/// Whether classes are correlated in the posterior.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Coupling {
    /// Sites diag π − π πᵀ/(1ᵀπ) at one active set for all classes: the likelihood's couplings to second order.
    Coupled,
    /// Diagonal sites, and an active set for each class (Seeger & Jordan 2004 §6). With one latent, the binary IVM.
    Independent,
}

/// How integrals over the latents of one observation are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Rule {
    /// A product of Gauss–Hermite rules with 9 nodes a dimension for two classes, 7 for three, 5 for four and 3 for five
    /// and six; 1024 quasi-random nodes beyond.
    #[default]
    Automatic,
    /// A product of Gauss–Hermite rules with this number of nodes a dimension.
    Product(usize),
    /// McNamee and Stenger's rule of degree 5, with negative weights from five classes on.
    Symmetric,
    /// Quasi-random nodes.
    QuasiRandom {
        /// How many.
        nodes: usize,
        /// From which seed.
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

/// Likelihoods of points that came in last, made weaker at first: their latents are multiplied by γ ≤ 1
/// (Seeger & Jordan 2004 §D.5).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reweighting {
    /// γ of the first point of all, in (0, 1].
    pub start: f64,
    /// With d active points the last has γ = 1 − (1 − start) exp(−rate·(d − 1)); positive.
    pub rate: f64,
    /// γ grows linearly to 1 over this many points before the last: at least 1, below the size of the liquid set.
    pub span: usize,
}

impl Reweighting {
    /// γ of each liquid point, the first to be frozen first, with d active points of which these are the last.
    pub(super) fn factors(&self, active: usize, liquid: usize) -> Vec<f64> {
        let last = 1.0 - (1.0 - self.start) * (-self.rate * (active as f64 - 1.0)).exp();
        let slope = (1.0 - last) / self.span as f64;
        (1..=liquid).map(|j| (last + (liquid - j) as f64 * slope).min(1.0)).collect()
    }
}

/// What the final sites of the active set are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum FinalSites {
    /// Those of matching moments, as they came about: what the labels of the active points say.
    #[default]
    Matched,
    /// Those with which the criterion of learning is least: what the labels of all rows say, as far as sites of the active
    /// points can. Some ten passes over the data after the last inclusion.
    AtRest,
}

/// The choices of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct IvmOptions {
    /// Points in the active set, for each class where classes are independent.
    pub active: usize,
    /// How they are chosen.
    pub selection: Selection,
    /// Points of the active set whose sites EP still moves, the last that came in; 0 fixes every site at inclusion. Not
    /// used where classes are independent.
    pub liquid: usize,
    /// Times EP goes over them after each inclusion.
    pub sweeps: usize,
    /// Updates of sites, in units of the liquid set, after which their joint belief is computed from scratch.
    pub refresh: usize,
    /// Points scored for each inclusion; without a number, all of them where classes are independent, and N over the
    /// number of classes or the size of the liquid set, whichever is larger, but at least 50, where they are not.
    pub candidates: Option<usize>,
    /// The share of candidates kept for the next inclusion, those of the largest scores, in [0, 1); others are drawn.
    pub retained: f64,
    /// Weaker likelihoods at first; none unless given.
    pub reweighting: Option<Reweighting>,
    /// What the final sites are.
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
