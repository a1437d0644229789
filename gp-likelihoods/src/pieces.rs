//! Likelihoods as products of pieces.

mod of_any;
pub(crate) mod room;
mod whole;

pub(crate) use whole::{expected_by_pieces, tilted_by_pieces};

use crate::derivatives::LatentDerivatives;
use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::workspace::Workspace;

/// Likelihood as a product of *pieces*, factors of some latents.
///
/// Expectation propagation approximates each piece by integrals over its own latents. Return the
/// implementation from [`Described::pieces`](crate::Described::pieces); for one factor per latent, implement
/// [`Separable`](crate::Separable) instead. A piece must not call integrals of the full likelihood, which
/// may be sums over pieces. A `dyn Likelihood` without declared pieces is its only piece.
pub trait Pieces {
    /// Number of pieces (≥ 1), the same for all observations.
    fn piece_count(&self) -> usize;

    /// Number of latents of a piece (≥ 1), the same for all observations.
    fn touched_count(&self, piece: usize) -> usize;

    /// Latent index in one slot (from 0) of a piece; may depend on the checked observation.
    fn touched_latent(&self, y: &[f64], piece: usize, slot: usize) -> usize;

    /// `true` if `ln p(y | f)` is the sum of log pieces; otherwise inference replaces the density by their
    /// product.
    fn multiply_to_density(&self) -> bool {
        true
    }

    /// [`Likelihood::tilted`](crate::Likelihood::tilted) of one piece. `q` and derivatives by means and
    /// variances are by slot; derivatives by parameters include all of the likelihood's.
    ///
    /// # Errors
    /// As [`Likelihood::tilted`](crate::Likelihood::tilted).
    fn tilted_piece(
        &self,
        y: &[f64],
        piece: usize,
        q: &[Latent],
        power: f64,
        ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> Result<(), LikelihoodError>;

    /// [`Likelihood::expected_log_density`](crate::Likelihood::expected_log_density) of one piece, laid out
    /// as in [`tilted_piece`](Self::tilted_piece).
    ///
    /// # Errors
    /// As [`Likelihood::expected_log_density`](crate::Likelihood::expected_log_density).
    fn expected_piece(
        &self,
        y: &[f64],
        piece: usize,
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> Result<(), LikelihoodError>;
}
