//! Sums over data as objectives, evaluated on mini-batches.

use crate::Objective;
use crate::solvers::Batch;
use std::fmt;

/// Objective with a sum over N terms.
///
/// Unbiased: the batch's terms times [`Batch::weight`], plus data-independent parts.
///
/// Closures and failures as for [`Objective`].
///
/// ```
/// use gp_optim::{Batch, Batches, StochasticObjective};
/// use std::convert::Infallible;
///
/// // ½ Σ (x − yᵢ)²
/// let data = [1.0, 2.0, 6.0];
/// let mut squares = |x: &[f64], batch: Batch<'_>, gradient: &mut [f64]| {
///     let errors = batch.indices.iter().map(|&i| x[0] - data[i]);
///     gradient[0] = batch.weight * errors.clone().sum::<f64>();
///     Ok::<f64, Infallible>(0.5 * batch.weight * errors.map(|e| e * e).sum::<f64>())
/// };
/// let mut gradient = [0.0];
/// let value = squares.evaluate_batch(&[3.0], Batches::whole(3)?.draw(), &mut gradient);
/// assert_eq!((value, gradient), (Ok(7.0), [0.0]));
/// # Ok::<(), gp_optim::OptimError>(())
/// ```
pub trait StochasticObjective {
    /// Reason for a failure, for users.
    type Error: fmt::Display;

    /// Estimate at `x`; overwrites `gradient`.
    ///
    /// # Errors
    /// Any failure at `x`.
    fn evaluate_batch(
        &mut self,
        x: &[f64],
        batch: Batch<'_>,
        gradient: &mut [f64],
    ) -> Result<f64, Self::Error>;

    /// State, as [`Objective::memory`].
    ///
    /// # Errors
    /// Reason, in words.
    fn memory(&self) -> Result<Vec<u8>, String> {
        Ok(Vec::new())
    }

    /// Restores, as [`Objective::recall`].
    ///
    /// # Errors
    /// Reason, in words.
    fn recall(&mut self, memory: &[u8]) -> Result<(), String> {
        let _ = memory;
        Ok(())
    }
}

impl<F, E> StochasticObjective for F
where
    F: FnMut(&[f64], Batch<'_>, &mut [f64]) -> Result<f64, E>,
    E: fmt::Display,
{
    type Error = E;

    fn evaluate_batch(&mut self, x: &[f64], batch: Batch<'_>, gradient: &mut [f64]) -> Result<f64, E> {
        self(x, batch, gradient)
    }
}

/// [`Objective`] as one term, for [`Batches::whole`](crate::Batches::whole)`(1)`.
#[derive(Clone, Debug)]
pub struct FullBatch<O>(
    /// Wrapped objective.
    pub O,
);

impl<O: Objective> StochasticObjective for FullBatch<O> {
    type Error = O::Error;

    fn evaluate_batch(
        &mut self,
        x: &[f64],
        _batch: Batch<'_>,
        gradient: &mut [f64],
    ) -> Result<f64, O::Error> {
        self.0.evaluate(x, gradient)
    }

    fn memory(&self) -> Result<Vec<u8>, String> {
        self.0.memory()
    }

    fn recall(&mut self, memory: &[u8]) -> Result<(), String> {
        self.0.recall(memory)
    }
}
