//! Gaussian belief about a latent value.

use crate::error::{LikelihoodError, check};

/// Belief `N(mean, variance)` about one latent value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Latent {
    mean: f64,
    variance: f64,
}

impl Latent {
    /// Belief; variance 0: known exactly.
    ///
    /// # Errors
    /// [`LikelihoodError::Argument`] for non-finite numbers, negative variance.
    pub fn new(mean: f64, variance: f64) -> Result<Self, LikelihoodError> {
        check("latent mean", mean, mean.is_finite(), "finite")?;
        let sound = variance >= 0.0 && variance.is_finite();
        check("latent variance", variance, sound, "finite and not negative")?;
        Ok(Self { mean, variance })
    }

    /// Mean, finite.
    #[must_use]
    pub fn mean(self) -> f64 {
        self.mean
    }

    /// Variance, finite and not negative.
    #[must_use]
    pub fn variance(self) -> f64 {
        self.variance
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_beliefs_are_refused_by_name() {
        let text = |mean, variance| Latent::new(mean, variance).unwrap_err().to_string();
        assert_eq!(text(f64::NAN, 1.0), "latent mean is NaN, but must be finite");
        assert_eq!(text(0.0, -1e-3), "latent variance is -0.001, but must be finite and not negative");
        assert_eq!(text(0.0, f64::INFINITY), "latent variance is inf, but must be finite and not negative");
        assert!(Latent::new(0.0, 0.0).is_ok());
    }
}
