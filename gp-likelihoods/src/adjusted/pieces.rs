//! Pieces with extra columns.

use super::Adjusted;
use crate::derivatives::LatentDerivatives;
use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::likelihood::Described as _;
use crate::pieces::Pieces;
use crate::workspace::Workspace;

/// Inner pieces, latent shifted by offset.
impl Pieces for Adjusted {
    fn piece_count(&self) -> usize {
        self.own().piece_count()
    }

    fn touched_count(&self, piece: usize) -> usize {
        self.own().touched_count(piece)
    }

    fn touched_latent(&self, y: &[f64], piece: usize, slot: usize) -> usize {
        self.own().touched_latent(y.get(..self.targets()).unwrap_or(y), piece, slot)
    }

    fn multiply_to_density(&self) -> bool {
        self.own().multiply_to_density()
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
        let columns = self.columns(y)?;
        if let Some(noisier) = columns.noisier(self.own()) {
            return noisier.tilted_piece(columns.targets, piece, q, power, ws, out);
        }
        match q {
            [q] if self.latents() == 1 => {
                self.own().tilted_piece(columns.targets, piece, &[columns.shifted(self, *q)?], power, ws, out)
            }
            _ => self.own().tilted_piece(columns.targets, piece, q, power, ws, out),
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
        let columns = self.columns(y)?;
        if let Some(noisier) = columns.noisier(self.own()) {
            return noisier.expected_piece(columns.targets, piece, q, ws, out);
        }
        match q {
            [q] if self.latents() == 1 => {
                self.own().expected_piece(columns.targets, piece, &[columns.shifted(self, *q)?], ws, out)
            }
            _ => self.own().expected_piece(columns.targets, piece, q, ws, out),
        }
    }
}

impl Adjusted {
    fn own(&self) -> &dyn crate::likelihood::Likelihood {
        self.likelihood.as_ref()
    }
}
