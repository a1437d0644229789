//! Objectives of solvers.

use std::fmt;

/// Function of n numbers to minimise: value and gradient together.
///
/// After a failed evaluation, NaN or infinity, solvers step back. Closures of the right shape are
/// objectives, also borrowing ones: `|x: &[f64], g: &mut [f64]| model.evaluate(x, g)`.
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
    /// Reason for a failed evaluation, shown to users.
    type Error: fmt::Display;

    /// Value at `x`; overwrites `gradient` (same length) with the derivative.
    ///
    /// # Errors
    /// Any failure at `x`.
    fn evaluate(&mut self, x: &[f64], gradient: &mut [f64]) -> Result<f64, Self::Error>;

    /// State besides `x` of later evaluations, for checkpoints; empty for a plain function.
    ///
    /// # Errors
    /// Reason that it cannot be stored.
    fn memory(&self) -> Result<Vec<u8>, String> {
        Ok(Vec::new())
    }

    /// Restores a state from [`memory`](Objective::memory), for the same bits.
    ///
    /// # Errors
    /// Reason that it does not fit.
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
