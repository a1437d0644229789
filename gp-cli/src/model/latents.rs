//! Beliefs about the latent values of some points.

use gp_ep::ivm::LatentBelief;
use gp_kernels::posterior::LatentPrediction;

/// Beliefs about the latent values of some points.
#[derive(Clone, Debug, PartialEq)]
pub struct Latents {
    functions: Vec<LatentPrediction>,
    /// What the first is made of.
    behind: Behind,
}

/// What there is to know about the latent values of points beyond mean and variance of each.
#[derive(Clone, Debug, PartialEq)]
enum Behind {
    /// Nothing: they are independent Gaussians.
    Gaussian,
    /// A mixture: component by component, one a latent function.
    Components(Vec<LatentPrediction>),
    /// Latents of a point are correlated.
    Correlated(Vec<LatentBelief>),
}

impl Latents {
    /// Independent Gaussians.
    pub(super) fn gaussian(functions: Vec<LatentPrediction>) -> Self {
        Self { functions, behind: Behind::Gaussian }
    }

    /// Mixtures, with their means and variances, and what they are made of.
    pub(super) fn mixture(functions: Vec<LatentPrediction>, components: Vec<LatentPrediction>) -> Self {
        Self { functions, behind: Behind::Components(components) }
    }

    /// Gaussians with a covariance matrix a point.
    pub(super) fn correlated(latents: usize, beliefs: Vec<LatentBelief>) -> Self {
        let of = |q: usize| LatentPrediction {
            mean: beliefs.iter().map(|belief| belief.mean[q]).collect(),
            variance: beliefs.iter().map(|belief| belief.covariance[q * (latents + 1)].max(0.0)).collect(),
        };
        let functions = (0..latents).map(of).collect();
        Self { functions, behind: Behind::Correlated(beliefs) }
    }

    /// Means and variances, one entry for each latent function.
    #[must_use]
    pub fn functions(&self) -> &[LatentPrediction] {
        &self.functions
    }

    /// The number of points.
    #[must_use]
    pub fn len(&self) -> usize {
        self.functions.first().map_or(0, |function| function.mean.len())
    }

    /// Whether there is no point.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Means and variances, component by component, one a latent function.
    pub(super) fn components(&self) -> &[LatentPrediction] {
        match &self.behind {
            Behind::Components(parts) => parts,
            Behind::Gaussian | Behind::Correlated(_) => &self.functions,
        }
    }

    /// Beliefs with covariances, where latents are correlated.
    pub(super) fn joint(&self) -> &[LatentBelief] {
        match &self.behind {
            Behind::Correlated(beliefs) => beliefs,
            Behind::Gaussian | Behind::Components(_) => &[],
        }
    }
}
