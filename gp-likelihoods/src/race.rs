//! Probability that a Gaussian variable is the largest.

mod line;
mod nodes;
pub(crate) mod rivals;

use crate::derivatives::LatentDerivatives;
use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::special::{inverse_mills, log_normal_cdf};
use crate::workspace::Workspace;
use rivals::Rival;

/// Class of the largest noisy Gaussian latent, with label noise (Villacampa-Calvo & Hernández-Lobato 2017 eq.
/// 68 and 13).
///
/// ```
/// use gp_likelihoods::{Latent, Race, Workspace};
/// let latents = [Latent::new(0.5, 0.1)?, Latent::new(0.0, 0.3)?, Latent::new(-2.0, 1.0)?];
/// let mut probabilities = [0.0; 3];
/// Race::new(0.0, 0.01)?.probabilities(&latents, &mut Workspace::new(), &mut probabilities)?;
/// assert!((probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-12);
/// assert!(probabilities[0] > probabilities[1] && probabilities[1] > probabilities[2]);
/// # Ok::<(), gp_likelihoods::LikelihoodError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Race {
    noise: f64,
    label_noise: f64,
}

impl Race {
    /// Noise variance per latent; fraction `label_noise` of uniform labels.
    ///
    /// # Errors
    /// [`LikelihoodError::Argument`] for negative or non-finite noise, `label_noise` outside [0, 1].
    pub fn new(noise: f64, label_noise: f64) -> Result<Self, LikelihoodError> {
        let sound = noise >= 0.0 && noise.is_finite();
        crate::error::check("noise variance", noise, sound, "finite and not negative")?;
        let sound = (0.0..=1.0).contains(&label_noise);
        crate::error::check("label noise", label_noise, sound, "between 0 and 1")?;
        Ok(Self { noise, label_noise })
    }

    /// `ln p(label)`; `slopes` is scratch.
    ///
    /// # Errors
    /// [`LikelihoodError::Unresolved`] if the integral fails.
    pub fn log_probability(
        &self,
        label: usize,
        q: &[Latent],
        ws: &mut Workspace,
        slopes: &mut LatentDerivatives,
    ) -> Result<f64, LikelihoodError> {
        log_win(label, q, self.noise, ws, slopes)?;
        if self.label_noise == 0.0 {
            return Ok(slopes.value);
        }
        Ok(((1.0 - self.label_noise) * slopes.value.exp() + self.label_noise / q.len() as f64).ln())
    }

    /// Class probabilities, normalised to sum 1.
    ///
    /// # Errors
    /// [`LikelihoodError::Count`] unless one slot per class; as [`log_probability`](Self::log_probability).
    pub fn probabilities(
        &self,
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut [f64],
    ) -> Result<(), LikelihoodError> {
        crate::error::check_count("class probabilities", out.len(), out.len() == q.len(), "one per latent")?;
        probabilities(q, self.noise, ws, out)?;
        let share = self.label_noise / q.len() as f64;
        out.iter_mut().for_each(|p| *p = (1.0 - self.label_noise) * *p + share);
        Ok(())
    }
}

/// Orders exactly known latents, and keeps derivatives finite.
const MIN_VARIANCE: f64 = 1e-20;
/// Standard deviations behind, from where winning has probability below 1e-19.
const HOPELESS: f64 = 9.0;
/// `ln P(a_w > a_c for all c ≠ w)`, `a_c ~ N(m_c, v_c + noise)`, with derivatives:
/// `∫ N(u; m_w, v_w) Π_{c≠w} Φ((u − m_c)/√v_c) du`.
pub(crate) fn log_win(
    winner: usize,
    q: &[Latent],
    noise: f64,
    ws: &mut Workspace,
    out: &mut LatentDerivatives,
) -> Result<(), LikelihoodError> {
    let mut rivals = std::mem::take(&mut ws.rivals);
    let variance = |c: usize| (q[c].variance() + noise).max(MIN_VARIANCE);
    let own = variance(winner);
    let rival = |class: usize| {
        let (lead, variance) = (q[class].mean() - q[winner].mean(), variance(class));
        Rival { class, lead, variance, deviation: variance.sqrt() }
    };
    let has_hope = |rival: &Rival| q.len() == 2 || rival.lead > -HOPELESS * (own + rival.variance).sqrt();
    rivals.list.clear();
    rivals.list.extend((0..q.len()).filter(|&c| c != winner).map(rival).filter(has_hope));
    out.reset(q.len(), 0);
    match rivals.list.as_slice() {
        [] => {}
        [rival] => one(winner, own, rival, out),
        several => line::win(winner, own, several, &mut rivals.lanes, out),
    }
    ws.rivals = rivals;
    if out.value.is_nan() {
        let q = &q[winner];
        return Err(LikelihoodError::Unresolved { low: q.mean(), high: q.mean() });
    }
    Ok(())
}

/// `ln Φ(z)` with `z = −lead/√(v_w + v_c)`.
fn one(winner: usize, own: f64, rival: &Rival, out: &mut LatentDerivatives) {
    let deviation = (own + rival.variance).sqrt();
    let z = -rival.lead / deviation;
    let pull = inverse_mills(z) / deviation;
    out.value = log_normal_cdf(z);
    (out.by_mean[winner], out.by_mean[rival.class]) = (pull, -pull);
    let by_variance = -0.5 * pull * z / deviation;
    (out.by_variance[winner], out.by_variance[rival.class]) = (by_variance, by_variance);
}

pub(crate) fn probabilities(
    q: &[Latent],
    noise: f64,
    ws: &mut Workspace,
    out: &mut [f64],
) -> Result<(), LikelihoodError> {
    let mut slopes = std::mem::take(&mut ws.slopes);
    let done = out.iter_mut().enumerate().try_for_each(|(c, slot)| {
        log_win(c, q, noise, ws, &mut slopes)?;
        *slot = slopes.value.exp();
        Ok(())
    });
    ws.slopes = slopes;
    let total: f64 = out.iter().sum();
    out.iter_mut().for_each(|p| *p /= total);
    done
}

#[cfg(test)]
mod tests;
