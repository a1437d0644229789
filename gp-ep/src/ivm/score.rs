//! What an observation would tell (seed 002 §4.4).
//!
//! The score is the divergence of the belief after inclusion from that before, in nats, and the largest wins; the seed's
//! text has its negative, which the choice of the largest would turn round.

use super::observation::{Belief, Moments, ObservationModel};
use super::options::Selection;
use super::projection::{Projector, half_precision};
use super::select::entropy;
use super::symmetric::product;
use crate::error::EpError;
use gp_likelihoods::small_factor::{factorise, solve};

/// The start of π is half the label and half what is predicted for it, at least this.
const LEAST: f64 = 1e-3;

/// Scores of observations, in memory that is kept.
pub(super) struct Scorer<'m> {
    observed: ObservationModel<'m>,
    selection: Selection,
    moments: Moments,
    projector: Projector,
    probabilities: Vec<f64>,
}

impl<'m> Scorer<'m> {
    pub(super) fn new(observed: ObservationModel<'m>, selection: Selection) -> Self {
        let probabilities = vec![0.0; observed.likelihood.support().classes()];
        let (moments, projector) = (Moments::default(), Projector::default());
        Self { observed, selection, moments, projector, probabilities }
    }

    /// The score of an observation of this class under a belief about its latents; nothing where there is none.
    pub(super) fn score(&mut self, class: usize, belief: &Belief) -> Result<Option<f64>, EpError> {
        match self.selection {
            Selection::InformationGain => {
                Ok(if self.tilt(class, belief)? { self.moments.gain() } else { None })
            }
            Selection::ExactInformationGain => self.exact(class, belief),
            Selection::MaxEntropy => {
                self.observed.probabilities(belief, &mut self.moments, &mut self.probabilities)?;
                Ok(Some(entropy(&self.probabilities)))
            }
            Selection::Random => Ok(None),
        }
    }

    fn tilt(&mut self, class: usize, belief: &Belief) -> Result<bool, EpError> {
        let label = self.observed.likelihood.support().label(class);
        self.observed.tilt(label, 1.0, belief, &mut self.moments)
    }

    /// With the site that would be put in: ½ (ln|M| + tr(M⁻¹ − I) + gᵀA g), M = I + ΠA.
    fn exact(&mut self, class: usize, belief: &Belief) -> Result<Option<f64>, EpError> {
        if !self.tilt(class, belief)? {
            return Ok(None);
        }
        let mut pi = first_precision(&self.observed, class, &mut self.moments)?;
        if !self.projector.project(&belief.covariance, &self.moments.tilted.covariance, &mut pi) {
            return Ok(None);
        }
        let gradient = &self.moments.gradient;
        let moved: f64 = gradient
            .iter()
            .zip(self.moments.tilted.mean.iter().zip(&belief.mean))
            .map(|(g, (hat, h))| g * (hat - h))
            .sum();
        Ok(Some(divergence(&belief.covariance, &pi) + 0.5 * moved))
    }
}

/// ½ (ln|I + VᵀAV| − tr (I + VᵀAV)⁻¹VᵀAV).
fn divergence(a: &[f64], pi: &[f64]) -> f64 {
    let q = pi.len();
    let (mut v, mut av, mut vav) = (Vec::new(), Vec::new(), Vec::new());
    half_precision(pi, &mut v);
    product(a, &v, q, &mut av);
    for ij in 0..q * q {
        vav.push((0..q).map(|k| v[k * q + ij / q] * av[k * q + ij % q]).sum::<f64>());
    }
    let mut factor = vav.clone();
    (0..q).for_each(|i| factor[i * q + i] += 1.0);
    factorise(&mut factor, q, 0.0);
    let log_det: f64 = (0..q).map(|i| 2.0 * factor[i * q + i].ln()).sum();
    // tr(I − B⁻¹) with B = I + VᵀAV: q less the squares of L⁻¹.
    let mut kept = 0.0;
    for i in 0..q {
        let mut unit = vec![0.0; q];
        unit[i] = 1.0;
        solve(&factor, &mut unit);
        kept += unit.iter().map(|x| x * x).sum::<f64>();
    }
    0.5 * (log_det - (q as f64 - kept))
}

/// Where the search for π starts: half the label, half its probabilities at the tilted mean.
pub(super) fn first_precision(
    observed: &ObservationModel<'_>,
    class: usize,
    moments: &mut Moments,
) -> Result<Vec<f64>, EpError> {
    let mut pi = vec![0.0; observed.latents()];
    let mean = moments.tilted.mean.clone();
    observed.given(&mean, moments, &mut pi)?;
    for (c, p) in pi.iter_mut().enumerate() {
        *p = (0.5 * *p + if c == class { 0.5 } else { 0.0 }).max(LEAST);
    }
    Ok(pi)
}
