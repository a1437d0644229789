//! Likelihoods that are products of pieces.

mod of_any;
pub(crate) mod room;
mod whole;

pub(crate) use whole::{expected_by_pieces, tilted_by_pieces};

use crate::derivatives::LatentDerivatives;
use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::workspace::Workspace;

/// Likelihood as a product of factors, its *pieces*, each of some of the latents.
///
/// Expectation propagation approximates each piece separately, by integrals over its own latents. Return
/// the implementation from [`Described::pieces`](crate::Described::pieces). For one factor per latent,
/// implement [`Separable`](crate::Separable) instead. Integrals of the full likelihood may be sums over
/// pieces, so a piece must not call them.
///
/// Every `dyn Likelihood` implements this trait; without declared pieces, the likelihood is its only piece.
pub trait Pieces {
    /// Number of pieces, at least 1, the same for all observations.
    fn piece_count(&self) -> usize;

    /// Number of latents of a piece, at least 1, the same for all observations.
    fn touched_count(&self, piece: usize) -> usize;

    /// Index of the latent in one slot (from 0) of a piece. It may depend on the (checked) observation.
    fn touched_latent(&self, y: &[f64], piece: usize, slot: usize) -> usize;

    /// `true` if `ln p(y | f)` is the sum of the log pieces. Otherwise inference replaces the density by
    /// the product of pieces.
    fn multiply_to_density(&self) -> bool {
        true
    }

    /// [`Likelihood::tilted`](crate::Likelihood::tilted) of one piece. `q` and the derivatives by means and
    /// variances are in the order of its slots; derivatives by parameters are by all of the likelihood's.
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
