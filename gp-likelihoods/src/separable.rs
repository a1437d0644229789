//! Likelihoods with one factor per latent.

use std::ops::Range;

use crate::derivatives::LatentDerivatives;
use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::likelihood::{Described, Likelihood, parameter_count};
use crate::pieces::Pieces;
use crate::workspace::Workspace;

/// Likelihood `p(y | f) = Π_q p_q(y | f_q)`. Implements [`Pieces`]; return `Some(self)` from [`Described::pieces`].
pub trait Separable: Described {
    /// Factor of one latent.
    fn factor(&self, latent: usize) -> Factor<'_>;
}

/// Factor of a [`Separable`] likelihood.
#[derive(Clone, Debug)]
pub struct Factor<'a> {
    /// Likelihood with one latent.
    pub likelihood: &'a dyn Likelihood,
    /// Range of its outputs.
    pub outputs: Range<usize>,
    /// First parameter index in the full likelihood.
    pub first_param: usize,
}

impl<T: Separable> Pieces for T {
    fn piece_count(&self) -> usize {
        self.latents()
    }

    fn touched_count(&self, _piece: usize) -> usize {
        1
    }

    fn touched_latent(&self, _y: &[f64], piece: usize, _slot: usize) -> usize {
        piece
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
        let factor = self.factor(piece);
        factor.likelihood.tilted(factor.seen(y), q, power, ws, out)?;
        factor.place(self, out);
        Ok(())
    }

    fn expected_piece(
        &self,
        y: &[f64],
        piece: usize,
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> Result<(), LikelihoodError> {
        let factor = self.factor(piece);
        factor.likelihood.expected_log_density(factor.seen(y), q, ws, out)?;
        factor.place(self, out);
        Ok(())
    }
}

impl Factor<'_> {
    fn seen<'y>(&self, y: &'y [f64]) -> &'y [f64] {
        // Empty if there are too few outputs; the factor then returns the error.
        y.get(self.outputs.clone()).unwrap_or_default()
    }

    /// Moves derivatives by own parameters.
    fn place(&self, whole: &impl Described, out: &mut LatentDerivatives) {
        let count = parameter_count(whole.parameters());
        out.by_params.resize(count, 0.0);
        out.by_params.rotate_right(self.first_param.min(count));
    }
}
