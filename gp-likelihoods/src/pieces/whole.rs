//! Sums over pieces; tilted normalisers only if no latent is shared.

use super::Pieces;
use super::room::Room;
use crate::derivatives::LatentDerivatives;
use crate::error::{LikelihoodError, check_count};
use crate::latent::Latent;
use crate::likelihood::{Described, parameter_count};
use crate::workspace::Workspace;

/// `false` if pieces do not suffice.
pub(crate) fn expected_by_pieces<L: Described>(
    likelihood: &L,
    y: &[f64],
    q: &[Latent],
    ws: &mut Workspace,
    out: &mut LatentDerivatives,
) -> Result<bool, LikelihoodError> {
    let Some(pieces) = factors(likelihood) else { return Ok(false) };
    let places = Places { pieces, y, q };
    places.add(parameter_count(likelihood.parameters()), ws, out, |piece, q, ws, own| {
        pieces.expected_piece(y, piece, q, ws, own)
    })?;
    Ok(true)
}

pub(crate) fn tilted_by_pieces<L: Described>(
    likelihood: &L,
    y: &[f64],
    q: &[Latent],
    power: f64,
    ws: &mut Workspace,
    out: &mut LatentDerivatives,
) -> Result<bool, LikelihoodError> {
    let Some(pieces) = factors(likelihood) else { return Ok(false) };
    let places = Places { pieces, y, q };
    if !places.are_apart() {
        return Ok(false);
    }
    places.add(parameter_count(likelihood.parameters()), ws, out, |piece, q, ws, own| {
        pieces.tilted_piece(y, piece, q, power, ws, own)
    })?;
    Ok(true)
}

/// Several latents; pieces multiply to the density.
fn factors<L: Described>(likelihood: &L) -> Option<&dyn Pieces> {
    let several = likelihood.latents() > 1;
    likelihood.pieces().filter(|pieces| several && pieces.piece_count() > 1 && pieces.multiply_to_density())
}

#[derive(Clone, Copy)]
struct Places<'a> {
    pieces: &'a dyn Pieces,
    y: &'a [f64],
    q: &'a [Latent],
}

impl<'a> Places<'a> {
    fn touched(self, piece: usize) -> impl Iterator<Item = usize> + 'a {
        (0..self.pieces.touched_count(piece)).map(move |slot| self.pieces.touched_latent(self.y, piece, slot))
    }

    fn are_apart(self) -> bool {
        let count = self.pieces.piece_count();
        let total: usize = (0..count).map(|piece| self.pieces.touched_count(piece)).sum();
        let elsewhere =
            |piece: usize, latent| (0..piece).any(|before| self.touched(before).any(|l| l == latent));
        total <= self.q.len()
            && (0..count).all(|piece| self.touched(piece).all(|latent| !elsewhere(piece, latent)))
    }

    fn add(
        self,
        params: usize,
        ws: &mut Workspace,
        out: &mut LatentDerivatives,
        mut integral: impl FnMut(
            usize,
            &[Latent],
            &mut Workspace,
            &mut LatentDerivatives,
        ) -> Result<(), LikelihoodError>,
    ) -> Result<(), LikelihoodError> {
        let mut room = std::mem::take(&mut ws.of_pieces);
        out.reset(self.q.len(), params);
        let done = (0..self.pieces.piece_count()).try_for_each(|piece| {
            let Room { own, touched } = &mut room;
            touched.clear();
            for latent in self.touched(piece) {
                check_count(
                    "latent of a piece",
                    latent,
                    latent < self.q.len(),
                    "below the number of latents",
                )?;
                touched.push(self.q[latent]);
            }
            integral(piece, touched, ws, own)?;
            out.value += own.value;
            for ((latent, by_mean), by_variance) in
                self.touched(piece).zip(&own.by_mean).zip(&own.by_variance)
            {
                out.by_mean[latent] += by_mean;
                out.by_variance[latent] += by_variance;
            }
            out.by_params.iter_mut().zip(&own.by_params).for_each(|(sum, slope)| *sum += slope);
            Ok(())
        });
        ws.of_pieces = room;
        done
    }
}
