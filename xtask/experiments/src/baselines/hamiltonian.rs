//! Hamiltonian Monte Carlo (Neal 2011) in whitened coordinates.

use super::{Chain, WhitenedPosterior};
use crate::error::ExperimentError;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// Target acceptance rate.
const TARGET: f64 = 0.8;

/// Trajectory settings.
#[derive(Clone, Copy, Debug)]
pub struct Leapfrog {
    /// Maximum steps per trajectory (random).
    pub steps: usize,
    /// Initial step size, tuned during burn-in.
    pub length: f64,
}

/// Chain: every `thin`th of `samples` trajectories after `burn_in`.
///
/// # Errors
/// Failed posterior at the start; later failures reject trajectories.
pub fn hamiltonian(
    posterior: &mut WhitenedPosterior<'_>,
    leapfrog: Leapfrog,
    burn_in: usize,
    samples: usize,
    thin: usize,
    seed: u64,
) -> Result<Chain, ExperimentError> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let dim = posterior.dim();
    let mut here = Place { v: vec![0.0; dim], slope: vec![0.0; dim], height: 0.0 };
    here.look(posterior)?;
    let (mut chain, mut length, mut accepted) = (Chain::default(), leapfrog.length, 0usize);
    let mut momentum = vec![0.0; dim];
    for round in 0..burn_in + samples {
        momentum.iter_mut().for_each(|p| *p = StandardNormal.sample(&mut rng));
        let energy = here.height - 0.5 * square(&momentum);
        let mut there = here.clone();
        let steps = rng.random_range(1..=leapfrog.steps);
        let probability = match there.follow(posterior, &mut momentum, steps, length) {
            Ok(()) => (there.height - 0.5 * square(&momentum) - energy).exp().min(1.0),
            Err(_) => 0.0,
        };
        let taken = rng.random::<f64>() < probability;
        if taken {
            here = there;
        }
        if round < burn_in {
            // Robbins–Monro: the step size grows if the acceptance rate is above target.
            let rate = 1.0 / (1.0 + round as f64).sqrt();
            length *= (rate * (probability.max(0.0) - TARGET)).exp();
        } else {
            accepted += usize::from(taken);
            if (round - burn_in).is_multiple_of(thin) {
                chain.take(posterior.latents(&here.v)?);
            }
        }
    }
    chain.accepted = accepted as f64 / samples.max(1) as f64;
    Ok(chain)
}

#[derive(Clone)]
struct Place {
    v: Vec<f64>,
    slope: Vec<f64>,
    height: f64,
}

impl Place {
    fn look(&mut self, posterior: &mut WhitenedPosterior<'_>) -> Result<(), ExperimentError> {
        let log_likelihood = posterior.log_likelihood_gradient(&self.v, &mut self.slope)?;
        self.slope.iter_mut().zip(&self.v).for_each(|(slope, v)| *slope -= v);
        self.height = log_likelihood - 0.5 * square(&self.v);
        Ok(())
    }

    fn follow(
        &mut self,
        posterior: &mut WhitenedPosterior<'_>,
        momentum: &mut [f64],
        steps: usize,
        length: f64,
    ) -> Result<(), ExperimentError> {
        for _ in 0..steps {
            push(momentum, &self.slope, 0.5 * length);
            push(&mut self.v, momentum, length);
            self.look(posterior)?;
            push(momentum, &self.slope, 0.5 * length);
        }
        Ok(())
    }
}

fn push(to: &mut [f64], by: &[f64], share: f64) {
    to.iter_mut().zip(by).for_each(|(to, by)| *to += share * by);
}

fn square(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum()
}
