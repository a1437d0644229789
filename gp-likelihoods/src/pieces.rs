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
/// EP approximates each piece over its own latents. Return the implementation from
/// [`Described::pieces`](crate::Described::pieces); for one factor per latent, implement
/// [`Separable`](crate::Separable). Pieces must not call integrals of the full likelihood, which may sum over pieces. A
/// `dyn Likelihood` without pieces is a single piece.
pub trait Pieces {
    /// Number of pieces, ≥ 1, independent of y.
    fn piece_count(&self) -> usize;

    /// Latents per piece, ≥ 1, equal for all y.
    fn touched_count(&self, piece: usize) -> usize;

    /// Latent in a slot (from 0) of a piece; may depend on the checked y.
    fn touched_latent(&self, y: &[f64], piece: usize, slot: usize) -> usize;

    /// `true` if pieces multiply to `p(y | f)`; else inference replaces the density by their product.
    fn multiply_to_density(&self) -> bool {
        true
    }

    /// [`Likelihood::tilted`](crate::Likelihood::tilted) of one piece: latents by slot, all parameters.
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

    /// [`Likelihood::expected_log_density`](crate::Likelihood::expected_log_density) of one piece, like
    /// [`tilted_piece`](Self::tilted_piece).
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
