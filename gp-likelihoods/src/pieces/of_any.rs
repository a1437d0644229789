//! Pieces of every `dyn Likelihood`.

use super::Pieces;
use crate::derivatives::LatentDerivatives;
use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::likelihood::Likelihood;
use crate::workspace::Workspace;

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
        out: &mut LatentDerivatives,
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
        out: &mut LatentDerivatives,
    ) -> Result<(), LikelihoodError> {
        match self.pieces() {
            Some(pieces) => pieces.expected_piece(y, piece, q, ws, out),
            None => self.expected_log_density(y, q, ws, out),
        }
    }
}

impl dyn Likelihood + '_ {
    /// Latents of all slots, piece after piece.
    pub fn touched_latents<'a>(&'a self, y: &'a [f64]) -> impl Iterator<Item = usize> + 'a {
        let slots = move |piece: usize| (0..self.touched_count(piece)).map(move |slot| (piece, slot));
        let all = (0..self.piece_count()).flat_map(slots);
        all.map(move |(piece, slot)| self.touched_latent(y, piece, slot))
    }

    /// Number of `touched_latents`, independent of y.
    pub fn touched_total(&self) -> usize {
        (0..self.piece_count()).map(|piece| self.touched_count(piece)).sum()
    }
}
