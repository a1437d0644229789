//! What a solver makes small.

use std::fmt;

/// A real function of n numbers that gives its value and its gradient together.
///
/// Evaluation may fail: the error says why, and a solver treats the point as one to step back from. A NaN or an
/// infinity, in the value or anywhere in the gradient, is taken the same way.
///
/// Every closure of the right shape is an objective. To keep hold of one that is not a closure, lend it:
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
    /// Why an evaluation failed; its text reaches the user.
    type Error: fmt::Display;

    /// The value at `x`. Every entry of `gradient`, as long as `x`, is overwritten with the derivative there.
    ///
    /// # Errors
    /// Whatever keeps the function from being evaluated at `x`.
    fn evaluate(&mut self, x: &[f64], gradient: &mut [f64]) -> Result<f64, Self::Error>;

    /// What evaluations to come depend on besides `x`, for checkpoints. A function depends on nothing else.
    ///
    /// # Errors
    /// What keeps it from being written down, in words.
    fn memory(&self) -> Result<Vec<u8>, String> {
        Ok(Vec::new())
    }

    /// Takes up what [`memory`](Objective::memory) once gave, so that evaluations to come have the same bits.
    ///
    /// # Errors
    /// What does not fit, in words.
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
