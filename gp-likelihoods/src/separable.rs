//! Likelihoods with a factor for each latent.

use std::ops::Range;

use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::likelihood::{Described, Likelihood, parameter_count};
use crate::pieces::Pieces;
use crate::slopes::Slopes;
use crate::workspace::Workspace;

/// A likelihood whose density is a product with one factor per latent, `p(y | f) = Π_q p_q(y | f_q)`.
///
/// Whoever implements it has [`Pieces`], and returns `Some(self)` from [`Described::pieces`]: every integral is then one
/// over a single latent.
pub trait Separable: Described {
    /// The factor of one latent.
    fn factor(&self, latent: usize) -> Factor<'_>;
}

/// What an observation says of one latent.
#[derive(Clone, Debug)]
pub struct Factor<'a> {
    /// A likelihood of one latent.
    pub likelihood: &'a dyn Likelihood,
    /// The outputs that it looks at.
    pub outputs: Range<usize>,
    /// Where its parameter values begin among those of the whole.
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
        out: &mut Slopes,
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
        out: &mut Slopes,
    ) -> Result<(), LikelihoodError> {
        let factor = self.factor(piece);
        factor.likelihood.expected_log_density(factor.seen(y), q, ws, out)?;
        factor.place(self, out);
        Ok(())
    }
}

impl Factor<'_> {
    fn seen<'y>(&self, y: &'y [f64]) -> &'y [f64] {
        // No outputs where there are too few of them, which the factor then refuses.
        y.get(self.outputs.clone()).unwrap_or_default()
    }

    /// From slopes by its own parameters to those by all of the likelihood's.
    fn place(&self, whole: &impl Described, out: &mut Slopes) {
        let count = parameter_count(whole.parameters());
        out.by_params.resize(count, 0.0);
        out.by_params.rotate_right(self.first_param.min(count));
    }
}
