//! A label among C classes as C − 1 factors: the latent of the label beats that of each other class (seed 000 §2).

use super::factors::Factors;
use crate::error::EpError;
use gp_likelihoods::{BernoulliProbit, Latent, Likelihood, PairwiseProbit, Slopes, Support, Workspace};
use gp_optim::Parameter;

/// The factors `Φ((f_y − f_c)/√noise)`, c ≠ y, of a label y from 0 to C − 1; with noise 0 they are steps, and the
/// noise is that of the kernels (`white`).
///
/// At the level of projections each factor integrates over `f_y` and `f_c` by itself, as seed 000 has it. At the
/// latent level `f_y` is one number for all of them: another approximation, multi-class generalised FITC.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairwiseFactors {
    classes: usize,
    noise: f64,
    pair: PairwiseProbit,
}

impl PairwiseFactors {
    /// Factors for this many classes and this variance of the noise on differences.
    ///
    /// # Errors
    /// [`EpError::Shape`] for fewer than two classes; [`EpError::Likelihood`] for a noise that is negative or not
    /// finite.
    pub fn new(classes: usize, noise: f64) -> Result<Self, EpError> {
        if classes < 2 {
            let (what, axis) = ("multi-class model", "classes");
            return Err(EpError::Shape { what, axis, expected: 2, found: classes });
        }
        Ok(Self { classes, noise, pair: PairwiseProbit::new(noise)? })
    }

    /// What `integral` says of `u = (f_y − f_c)/√noise`, as of f_y and f_c.
    fn through_difference(
        &self,
        q: &[Latent],
        out: &mut Slopes,
        integral: impl FnOnce(Latent, &mut Slopes) -> Result<(), EpError>,
    ) -> Result<(), EpError> {
        if self.noise == 0.0 {
            return Err(EpError::Unsupported {
                what: "powers below 1 of a step function: give the factors noise",
            });
        }
        let root = self.noise.sqrt();
        let mean = (q[0].mean() - q[1].mean()) / root;
        integral(Latent::new(mean, (q[0].variance() + q[1].variance()) / self.noise)?, out)?;
        let (g, k) = (out.by_mean[0] / root, out.by_variance[0] / self.noise);
        let value = out.value;
        out.reset(2, 0);
        out.value = value;
        out.by_mean.copy_from_slice(&[g, -g]);
        out.by_variance.fill(k);
        Ok(())
    }
}

/// The class of an observation that has been checked.
fn label(y: &[f64]) -> usize {
    y[0] as usize
}

impl Factors for PairwiseFactors {
    fn latents(&self) -> usize {
        self.classes
    }

    fn outputs(&self) -> usize {
        1
    }

    fn pieces(&self) -> usize {
        self.classes - 1
    }

    fn touched(&self) -> usize {
        2
    }

    fn latent(&self, y: &[f64], piece: usize, slot: usize) -> usize {
        let label = label(y);
        if slot == 0 { label } else { piece + usize::from(piece >= label) }
    }

    fn check(&self, y: &[f64]) -> Result<(), EpError> {
        Ok(Support::Classes(self.classes).check(y[0])?)
    }

    fn tilted(
        &self,
        _y: &[f64],
        _piece: usize,
        q: &[Latent],
        power: f64,
        ws: &mut Workspace,
        out: &mut Slopes,
    ) -> Result<(), EpError> {
        if power < 1.0 {
            return self.through_difference(q, out, |u, out| {
                Ok(BernoulliProbit.tilted(&[1.0], &[u], power, ws, out)?)
            });
        }
        let pair = self.pair.tilted(q[0], q[1])?;
        out.reset(2, 0);
        out.value = pair.log_z;
        out.by_mean.copy_from_slice(&pair.by_mean);
        out.by_variance.copy_from_slice(&pair.by_variance);
        Ok(())
    }

    fn expected(
        &self,
        _y: &[f64],
        _piece: usize,
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut Slopes,
    ) -> Result<(), EpError> {
        self.through_difference(q, out, |u, out| {
            Ok(BernoulliProbit.expected_log_density(&[1.0], &[u], ws, out)?)
        })
    }

    fn parameters(&self) -> &[Parameter] {
        &[]
    }

    fn parameters_mut(&mut self) -> &mut [Parameter] {
        &mut []
    }

    fn clone_box(&self) -> Box<dyn Factors> {
        Box::new(*self)
    }
}
