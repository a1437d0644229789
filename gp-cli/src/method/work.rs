//! Operation counts of training, for time estimates.

/// Mean evaluations per quasi-Newton iteration.
const EVALUATIONS_AN_ITERATION: f64 = 1.1;

/// Operation counts of training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Work {
    /// Typical evaluations or steps.
    pub typical: f64,
    /// Maximum evaluations or steps.
    pub most: f64,
    /// Multiply-adds of products and factorisations per evaluation.
    pub products: f64,
    /// Covariance values with gradients per evaluation.
    pub covariances: f64,
    /// Integrals over observations per evaluation.
    pub integrals: f64,
    /// Kind of integral.
    pub integral: Integral,
    /// Normalisers of tilted distributions per evaluation, besides `integrals`.
    pub tilts: f64,
    /// Uncertainty factor of evaluations or their work, at least 1.
    pub unsure: f64,
}

/// Integral over the latents of one observation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Integral {
    /// Normaliser of a tilted distribution, for this power.
    Tilted(f64),
    /// Expected log density.
    Expected,
    /// Log densities and gradients at this many samples.
    Sampled(usize),
}

impl Work {
    /// Quasi-Newton training; operation counts are zero.
    #[must_use]
    pub fn of_minimising(typical: f64, iterations: u64) -> Self {
        Self::of_evaluations(typical, 1.0 + EVALUATIONS_AN_ITERATION * iterations as f64)
    }

    /// `typical` and `most` evaluations; operation counts are zero.
    #[must_use]
    pub fn of_evaluations(typical: f64, most: f64) -> Self {
        let typical = typical.min(most);
        Self {
            typical,
            most,
            products: 0.0,
            covariances: 0.0,
            integrals: 0.0,
            integral: Integral::Expected,
            tilts: 0.0,
            unsure: 1.0,
        }
    }
}
