//! Arithmetic of training, counted before it begins.

/// Evaluations that a quasi-Newton iteration takes, in the mean.
const EVALUATIONS_AN_ITERATION: f64 = 1.1;

/// Arithmetic of training, counted before it begins from the sizes of a problem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Work {
    /// Evaluations of the objective or, for first-order methods, steps: the number that training usually takes.
    pub usual: f64,
    /// The number at most.
    pub most: f64,
    /// Additions and multiplications of one evaluation, in products of matrices and in factors.
    pub products: f64,
    /// Covariances of one evaluation, forward and back.
    pub covariances: f64,
    /// Observations whose integral one evaluation takes, each as often as it does.
    pub integrals: f64,
    /// The kind of these integrals.
    pub integral: Integral,
}

/// An integral over the latent values of one observation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Integral {
    /// The normaliser of a tilted distribution, for this power of the density.
    Tilted(f64),
    /// An expected log density.
    Expected,
    /// Log densities and their slopes at so many samples.
    Sampled(usize),
}

impl Work {
    /// Evaluations of a quasi-Newton method within so many iterations, without any arithmetic yet.
    #[must_use]
    pub fn of_minimising(usual: f64, iterations: u64) -> Self {
        Self::of_evaluations(usual, 1.0 + EVALUATIONS_AN_ITERATION * iterations as f64)
    }

    /// Evaluations, usually and at most, without any arithmetic yet.
    #[must_use]
    pub fn of_evaluations(usual: f64, most: f64) -> Self {
        let usual = usual.min(most);
        Self { usual, most, products: 0.0, covariances: 0.0, integrals: 0.0, integral: Integral::Expected }
    }
}
