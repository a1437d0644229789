//! What is believed about the latent values of some points.

use super::LatentPrediction;

/// Gaussian beliefs about the Q latent values of each of N points.
#[derive(Clone, Debug, PartialEq)]
pub struct LatentBeliefs {
    functions: Vec<LatentPrediction>,
    /// What the first is made of.
    behind: Behind,
}

/// What there is to know beyond mean and variance of each latent value.
#[derive(Clone, Debug, PartialEq)]
enum Behind {
    /// Nothing: they are independent.
    Independent,
    /// Independent in each component of a mixture: component by component, one per latent function.
    Mixture(Vec<LatentPrediction>),
    /// The latent values of a point are correlated: N covariance matrices Q×Q.
    Correlated(Vec<f64>),
}

impl LatentBeliefs {
    /// Independent Gaussians, one entry for each latent function.
    #[must_use]
    pub fn independent(functions: Vec<LatentPrediction>) -> Self {
        Self { functions, behind: Behind::Independent }
    }

    /// Mixtures, by their means and variances, and what they are made of: component by component, one per latent function.
    #[must_use]
    pub fn mixture(functions: Vec<LatentPrediction>, components: Vec<LatentPrediction>) -> Self {
        Self { functions, behind: Behind::Mixture(components) }
    }

    /// Gaussians whose latent values are correlated within a point: means and a covariance matrix (Q×Q, symmetric) for
    /// each point.
    #[must_use]
    pub fn correlated(means: &[Vec<f64>], covariances: Vec<f64>) -> Self {
        let latents = means.first().map_or(0, Vec::len);
        let variance = |point: usize, q: usize| covariances[(point * latents + q) * latents + q].max(0.0);
        let of = |q: usize| LatentPrediction {
            mean: means.iter().map(|mean| mean[q]).collect(),
            variance: (0..means.len()).map(|point| variance(point, q)).collect(),
        };
        let functions = (0..latents).map(of).collect();
        Self { functions, behind: Behind::Correlated(covariances) }
    }

    /// Means and variances of each latent function, over all components.
    #[must_use]
    pub fn functions(&self) -> &[LatentPrediction] {
        &self.functions
    }

    /// The same without what they are made of.
    #[must_use]
    pub fn into_functions(self) -> Vec<LatentPrediction> {
        self.functions
    }

    /// N
    #[must_use]
    pub fn len(&self) -> usize {
        self.functions.first().map_or(0, |function| function.mean.len())
    }

    /// Whether there is no point.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Means and variances, component by component, one per latent function.
    #[must_use]
    pub fn components(&self) -> &[LatentPrediction] {
        match &self.behind {
            Behind::Mixture(components) => components,
            Behind::Independent | Behind::Correlated(_) => &self.functions,
        }
    }

    /// The means at a point, and their covariance matrix (Q×Q, column by column), where latent values are correlated.
    #[must_use]
    pub fn at(&self, point: usize) -> Option<(Vec<f64>, &[f64])> {
        let Behind::Correlated(covariances) = &self.behind else { return None };
        let size = self.functions.len() * self.functions.len();
        let covariance = covariances.get(point * size..(point + 1) * size)?;
        Some((self.functions.iter().map(|function| function.mean[point]).collect(), covariance))
    }

    /// Whether the latent values of a point are correlated.
    #[must_use]
    pub fn are_correlated(&self) -> bool {
        matches!(self.behind, Behind::Correlated(_))
    }
}
