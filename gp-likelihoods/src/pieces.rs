//! Likelihoods of several factors.

mod of_any;
pub(crate) mod room;
mod whole;

pub(crate) use whole::{expected_by_pieces, tilted_by_pieces};

use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::slopes::Slopes;
use crate::workspace::Workspace;

/// Likelihood as several factors, its *pieces*, each of some of the latents.
///
/// Expectation propagation approximates every piece separately, by integrals over its own latents.
/// Implement the trait and return it from [`Described::pieces`](crate::Described::pieces); for one factor
/// per latent, [`Separable`](crate::Separable) does so. Integrals of the whole may be sums over pieces, so
/// a piece must not ask for an integral of the whole.
///
/// Every `dyn Likelihood` has pieces: those it declares, or itself as the only one.
pub trait Pieces {
    /// Number of pieces, at least one, equal for all observations.
    fn piece_count(&self) -> usize;

    /// Number of latents of a piece, at least one, equal for all observations.
    fn touched_count(&self, piece: usize) -> usize;

    /// Latent in one slot (from 0) of a piece; may depend on the (checked) observation.
    fn touched_latent(&self, y: &[f64], piece: usize, slot: usize) -> usize;

    /// `true` if `ln p(y | f)` is the sum of the pieces' logarithms. Otherwise inference replaces the model
    /// by the product of the pieces.
    fn multiply_to_density(&self) -> bool {
        true
    }

    /// [`Likelihood::tilted`](crate::Likelihood::tilted) of one piece. `q` and the slopes by means and variances are in the order of
    /// its slots; slopes by parameters are by all of the likelihood's.
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
        out: &mut Slopes,
    ) -> Result<(), LikelihoodError>;

    /// [`Likelihood::expected_log_density`](crate::Likelihood::expected_log_density) of one piece, laid out as in
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
        out: &mut Slopes,
    ) -> Result<(), LikelihoodError>;
}
