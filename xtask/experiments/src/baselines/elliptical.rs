//! Elliptical slice sampling (Murray, Adams and MacKay 2010).

use super::{Chain, WhitenedPosterior};
use crate::error::ExperimentError;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use std::f64::consts::TAU;

/// Maximum shrinkings of a bracket.
const SHRINKS: usize = 200;

/// Chain: every `thin`th of `steps` after `burn_in`.
///
/// # Errors
/// Failed posterior, or no point of a slice found.
pub fn elliptical_slice(
    posterior: &mut WhitenedPosterior<'_>,
    burn_in: usize,
    steps: usize,
    thin: usize,
    seed: u64,
) -> Result<Chain, ExperimentError> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let dim = posterior.dim();
    let (mut v, mut nu, mut trial) = (vec![0.0; dim], vec![0.0; dim], vec![0.0; dim]);
    let mut level = posterior.log_likelihood(&v)?;
    let mut chain = Chain::default();
    for step in 0..burn_in + steps {
        nu.iter_mut().for_each(|x| *x = StandardNormal.sample(&mut rng));
        let threshold = level + rng.random::<f64>().ln();
        let mut angle = rng.random_range(0.0..TAU);
        let (mut low, mut high) = (angle - TAU, angle);
        let mut found = false;
        for _ in 0..SHRINKS {
            let (sine, cosine) = angle.sin_cos();
            trial.iter_mut().zip(v.iter().zip(&nu)).for_each(|(to, (v, nu))| *to = v * cosine + nu * sine);
            let height = posterior.log_likelihood(&trial)?;
            if height > threshold {
                (level, found) = (height, true);
                break;
            }
            if angle < 0.0 {
                low = angle;
            } else {
                high = angle;
            }
            angle = rng.random_range(low..high);
        }
        if !found {
            let what = format!("no point of the slice was found at step {step}");
            return Err(ExperimentError::Baseline { method: "elliptical slice sampling", what });
        }
        std::mem::swap(&mut v, &mut trial);
        if step >= burn_in && (step - burn_in).is_multiple_of(thin) {
            chain.take(posterior.latents(&v)?);
        }
    }
    chain.accepted = 1.0;
    Ok(chain)
}
