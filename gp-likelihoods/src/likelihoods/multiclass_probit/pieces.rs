//! Pieces: label against each other class.

use super::pair::{PairIntegral, PairwiseProbit};
use super::{MulticlassProbit, known};
use crate::classes;
use crate::derivatives::LatentDerivatives;
use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::likelihood::Described;
use crate::pieces::Pieces;
use crate::workspace::Workspace;

impl MulticlassProbit {
    /// A single latent's sign depends on the label.
    pub(super) fn pair(
        &self,
        y: &[f64],
        q: &[Latent],
        power: Option<f64>,
        ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> Result<(), LikelihoodError> {
        let sign = 2.0 * y[0] - 1.0;
        let rivals = match *q {
            [only] if self.difference => [Latent::new(sign * only.mean(), only.variance())?, known(0.0)?],
            [label, other] if !self.difference => [label, other],
            _ => return Err(wrong_count(q.len())),
        };
        let pair = PairwiseProbit::new(self.noise())?;
        let PairIntegral { value, by_mean, by_variance, by_noise } = pair.integral(rivals, power, ws, out)?;
        out.reset(q.len(), self.params.len());
        out.value = value;
        if self.difference {
            out.by_mean[0] = sign * by_mean;
        } else {
            out.by_mean.copy_from_slice(&[by_mean, -by_mean]);
        }
        out.by_variance.fill(by_variance);
        out.by_params.fill(by_noise);
        Ok(())
    }
}

fn wrong_count(value: usize) -> LikelihoodError {
    LikelihoodError::Count { what: "number of latents", value, allowed: "those that a piece touches" }
}

impl Pieces for MulticlassProbit {
    fn piece_count(&self) -> usize {
        self.classes - 1
    }

    fn touched_count(&self, _piece: usize) -> usize {
        self.latents().min(2)
    }

    fn touched_latent(&self, y: &[f64], piece: usize, slot: usize) -> usize {
        let label = classes::index(y[0]);
        match slot {
            _ if self.difference => 0,
            0 => label,
            _ => piece + usize::from(piece >= label),
        }
    }

    fn multiply_to_density(&self) -> bool {
        self.classes == 2 && self.label_noise == 0.0
    }

    fn tilted_piece(
        &self,
        y: &[f64],
        _piece: usize,
        q: &[Latent],
        power: f64,
        ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> Result<(), LikelihoodError> {
        self.pair(y, q, Some(power), ws, out)
    }

    fn expected_piece(
        &self,
        y: &[f64],
        _piece: usize,
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> Result<(), LikelihoodError> {
        self.pair(y, q, None, ws, out)
    }
}
