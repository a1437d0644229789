//! Objectives of solvers.

use std::fmt;

/// Real function of n numbers with value and gradient together.
///
/// Evaluation may fail: solvers step back from the point, as they do for a NaN or infinity in value or
/// gradient.
///
/// Closures of the right shape are objectives. To keep hold of another type, lend it: `|x: &[f64], g: &mut
/// [f64]| model.evaluate(x, g)`.
///
/// ```
/// use gp_optim::Objective;
/// use std::convert::Infallible;
///
/// let mut parabola = |x: &[f64], gradient: &mut [f64]| {
///     gradient[0] = 2.0 * x[0];
///     Ok::<f64, Infallible>(x[0] * x[0])
/// };
/// let mut gradient = [0.0];
/// assert_eq!(parabola.evaluate(&[3.0], &mut gradient), Ok(9.0));
/// assert_eq!(gradient, [6.0]);
/// ```
pub trait Objective {
    /// Reason for a failed evaluation, shown to the user.
    type Error: fmt::Display;

    /// Value at `x`; overwrites `gradient`, as long as `x`, with the derivative.
    ///
    /// # Errors
    /// Any reason that `x` cannot be evaluated.
    fn evaluate(&mut self, x: &[f64], gradient: &mut [f64]) -> Result<f64, Self::Error>;

    /// State, besides `x`, of later evaluations, for checkpoints; a plain function has none.
    ///
    /// # Errors
    /// Reason that it cannot be stored.
    fn memory(&self) -> Result<Vec<u8>, String> {
        Ok(Vec::new())
    }

    /// Restores the result of [`memory`](Objective::memory), so that later evaluations have the same bits.
    ///
    /// # Errors
    /// Misfit, in words.
    fn recall(&mut self, memory: &[u8]) -> Result<(), String> {
        let _ = memory;
        Ok(())
    }
}

impl<F, E> Objective for F
where
    F: FnMut(&[f64], &mut [f64]) -> Result<f64, E>,
    E: fmt::Display,
{
    type Error = E;

    fn evaluate(&mut self, x: &[f64], gradient: &mut [f64]) -> Result<f64, E> {
        self(x, gradient)
    }
}
