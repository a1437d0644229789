//! Likelihoods that are several factors.

mod whole;

pub(crate) use whole::{Room, expected_by_pieces, tilted_by_pieces};

use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::likelihood::Likelihood;
use crate::slopes::Slopes;
use crate::workspace::Workspace;

/// A likelihood as several factors, its *pieces*, each of which touches some of the latents.
///
/// Expectation propagation approximates every piece by itself, with integrals over the latents that this one touches. The
/// author of a likelihood implements the trait and returns it from [`Described::pieces`](crate::Described::pieces);
/// for one factor per latent, [`Separable`](crate::Separable) does. Integrals of the whole are sums of those of pieces where
/// mathematics allows it, so a piece must not ask for an integral of the whole.
///
/// A caller asks the likelihood: every `dyn Likelihood` has pieces, those that it says or itself as the only one, which
/// touches all latents.
pub trait Pieces {
    /// Pieces of an observation, at least one, the same number for every observation.
    fn piece_count(&self) -> usize;

    /// Latents that a piece touches, at least one, the same number for every observation.
    fn touched_count(&self, piece: usize) -> usize;

    /// The latent in one slot (from 0) of those that a piece touches; it may depend on the observation, which has been
    /// checked.
    fn touched_latent(&self, y: &[f64], piece: usize, slot: usize) -> usize;

    /// Whether `ln p(y | f)` is the sum of the pieces' logarithms. Where it is not, the product of the pieces is another
    /// model of the observation, which is inferred in place of the whole.
    fn multiply_to_density(&self) -> bool {
        true
    }

    /// [`Likelihood::tilted`] of one piece: `q` has the latents that it touches, in the order of slots, and so have
    /// the slopes by means and variances. Those by parameters are by all of the likelihood's.
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

    /// [`Likelihood::expected_log_density`] of one piece, with latents and slopes as in
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
    /// The latents that the pieces of an observation touch, slot by slot of piece after piece.
    pub fn touched_latents<'a>(&'a self, y: &'a [f64]) -> impl Iterator<Item = usize> + 'a {
        let slots = move |piece: usize| (0..self.touched_count(piece)).map(move |slot| (piece, slot));
        let all = (0..self.piece_count()).flat_map(slots);
        all.map(move |(piece, slot)| self.touched_latent(y, piece, slot))
    }

    /// The number of `touched_latents`, the same for every observation.
    pub fn touched_total(&self) -> usize {
        (0..self.piece_count()).map(|piece| self.touched_count(piece)).sum()
    }
}
