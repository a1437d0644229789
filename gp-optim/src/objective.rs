//! Objectives of solvers.

use std::fmt;

/// Function to minimise, with its gradient.
///
/// Solvers step back after errors, NaN and infinities. Closures are objectives:
/// `|x: &[f64], g: &mut [f64]| model.evaluate(x, g)`.
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
    /// Reason for a failure, for users.
    type Error: fmt::Display;

    /// Value at `x`; overwrites `gradient`, of equal length.
    ///
    /// # Errors
    /// Any failure at `x`.
    fn evaluate(&mut self, x: &[f64], gradient: &mut [f64]) -> Result<f64, Self::Error>;

    /// Checkpointed state besides `x`; default: none.
    ///
    /// # Errors
    /// Reason, in words.
    fn memory(&self) -> Result<Vec<u8>, String> {
        Ok(Vec::new())
    }

    /// Restores a [`memory`](Objective::memory): evaluations then have equal bits.
    ///
    /// # Errors
    /// Reason, in words.
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
