//! Likelihoods of several factors.

mod whole;

pub(crate) use whole::{Room, expected_by_pieces, tilted_by_pieces};

use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::likelihood::Likelihood;
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

    /// [`Likelihood::tilted`] of one piece. `q` and the slopes by means and variances are in the order of
    /// its slots; slopes by parameters are by all of the likelihood's.
    ///
    /// # Errors
    /// As [`Likelihood::tilted`].
    fn tilted_piece(
        &self,
        y: &[f64],
        piece: usize,
        q: &[Latent],
        power: f64,
        ws: &mut Workspace,
        out: &mut Slopes,
    ) -> Result<(), LikelihoodError>;

    /// [`Likelihood::expected_log_density`] of one piece, laid out as in
    /// [`tilted_piece`](Self::tilted_piece).
    ///
    /// # Errors
    /// As [`Likelihood::expected_log_density`].
    fn expected_piece(
        &self,
        y: &[f64],
        piece: usize,
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut Slopes,
    ) -> Result<(), LikelihoodError>;
}

impl Pieces for dyn Likelihood + '_ {
    fn piece_count(&self) -> usize {
        self.pieces().map_or(1, Pieces::piece_count)
    }

    fn touched_count(&self, piece: usize) -> usize {
        self.pieces().map_or_else(|| self.latents(), |pieces| pieces.touched_count(piece))
    }

    fn touched_latent(&self, y: &[f64], piece: usize, slot: usize) -> usize {
        self.pieces().map_or(slot, |pieces| pieces.touched_latent(y, piece, slot))
    }

    fn multiply_to_density(&self) -> bool {
        self.pieces().is_none_or(Pieces::multiply_to_density)
    }

    fn tilted_piece(
        &self,
        y: &[f64],
        piece: usize,
        q: &[Latent],
        power: f64,
        ws: &mut Workspace,
        out: &mut Slopes,
    ) -> Result<(), LikelihoodError> {
        match self.pieces() {
            Some(pieces) => pieces.tilted_piece(y, piece, q, power, ws, out),
            None => self.tilted(y, q, power, ws, out),
        }
    }

    fn expected_piece(
        &self,
        y: &[f64],
        piece: usize,
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut Slopes,
    ) -> Result<(), LikelihoodError> {
        match self.pieces() {
            Some(pieces) => pieces.expected_piece(y, piece, q, ws, out),
            None => self.expected_log_density(y, q, ws, out),
        }
    }
}

impl dyn Likelihood + '_ {
    /// Latents of all pieces of an observation, slot by slot of piece after piece.
    pub fn touched_latents<'a>(&'a self, y: &'a [f64]) -> impl Iterator<Item = usize> + 'a {
        let slots = move |piece: usize| (0..self.touched_count(piece)).map(move |slot| (piece, slot));
        let all = (0..self.piece_count()).flat_map(slots);
        all.map(move |(piece, slot)| self.touched_latent(y, piece, slot))
    }

    /// Number of `touched_latents`, equal for all observations.
    pub fn touched_total(&self) -> usize {
        (0..self.piece_count()).map(|piece| self.touched_count(piece)).sum()
    }
}
