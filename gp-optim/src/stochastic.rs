//! Objectives that are sums over data, seen through some of their terms.

use crate::Objective;
use crate::solvers::Batch;
use std::fmt;

/// A real function of n numbers that is, up to parts which do not depend on data, a sum of N terms.
///
/// An evaluation looks at the terms of one batch only and returns an unbiased estimate: the sum of the batch's
/// terms times [`Batch::weight`], plus, unweighted, whatever does not depend on data (a prior, a divergence).
/// With all terms in the batch, the weight is 1 and the estimate is exact.
///
/// Every closure of the right shape is such an objective. Failures are as for [`Objective`].
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
    /// Why an evaluation failed; its text reaches the user.
    type Error: fmt::Display;

    /// The estimate of the value at `x` from one batch. Every entry of `gradient`, as long as `x`, is overwritten
    /// with the derivative of that estimate.
    ///
    /// # Errors
    /// Whatever keeps the batch from being evaluated at `x`.
    fn evaluate_batch(
        &mut self,
        x: &[f64],
        batch: Batch<'_>,
        gradient: &mut [f64],
    ) -> Result<f64, Self::Error>;

    /// As [`Objective::memory`].
    ///
    /// # Errors
    /// What keeps it from being written down, in words.
    fn memory(&self) -> Result<Vec<u8>, String> {
        Ok(Vec::new())
    }

    /// As [`Objective::recall`].
    ///
    /// # Errors
    /// What does not fit, in words.
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

/// An [`Objective`] without terms, for solvers that ask for batches: one term, which is everything.
///
/// Goes with [`Batches::whole`](crate::Batches::whole)`(1)`.
#[derive(Clone, Debug)]
pub struct Whole<O>(
    /// The objective.
    pub O,
);

impl<O: Objective> StochasticObjective for Whole<O> {
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
