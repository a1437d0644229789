//! Random and quasi-random nodes.

use rand::{Rng, RngExt};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::{Distribution, StandardNormal};

use super::Cubature;
use super::cubature::check_size;
use crate::error::LikelihoodError;
use crate::small_factor::{factorise, solve};
use crate::special::standard_normal_quantile;

const BITS: f64 = 53.0;
/// Second moment below which nodes do not cover a direction.
const MIN_PIVOT: f64 = 0.1;

impl Cubature {
    /// Independent draws of equal weight; error: one standard deviation over √count.
    ///
    /// # Errors
    /// [`LikelihoodError::Count`] for no dimension, no node, above 2²⁰.
    pub fn random(count: usize, dimensions: usize, seed: u64) -> Result<Self, LikelihoodError> {
        check_draws(count, dimensions)?;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let nodes = (0..count * dimensions).map(|_| StandardNormal.sample(&mut rng)).collect();
        Ok(Self::of(dimensions, nodes, vec![1.0 / count as f64; count]))
    }

    /// Halton nodes of equal weight (even number ≥ `count`), digits randomly permuted.
    ///
    /// Pairs `±t`, whitened to `E t tᵀ = I`: odd and quadratic functions are exact.
    ///
    /// # Errors
    /// [`LikelihoodError::Count`] for no dimension, no node, above 2²⁰.
    pub fn quasi_random(count: usize, dimensions: usize, seed: u64) -> Result<Self, LikelihoodError> {
        check_draws(count, dimensions)?;
        let half = count.div_ceil(2);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut nodes = vec![0.0; 2 * half * dimensions];
        for (j, base) in primes().take(dimensions).enumerate() {
            let column = normal_column(half, base, &mut rng)?;
            for (i, t) in column.into_iter().enumerate() {
                nodes[2 * i * dimensions + j] = t;
                nodes[(2 * i + 1) * dimensions + j] = -t;
            }
        }
        whiten(&mut nodes, dimensions);
        Ok(Self::of(dimensions, nodes, vec![0.5 / half as f64; 2 * half]))
    }
}

/// Transforms nodes to `E t tᵀ = I`, if enough.
fn whiten(nodes: &mut [f64], dimensions: usize) {
    let (q, count) = (dimensions, nodes.len() / dimensions);
    let mut moments = vec![0.0; q * q];
    for t in nodes.chunks_exact(q) {
        for i in 0..q {
            (0..=i).for_each(|j| moments[i * q + j] += t[i] * t[j] / count as f64);
        }
    }
    if factorise(&mut moments, q, MIN_PIVOT) {
        nodes.chunks_exact_mut(q).for_each(|t| solve(&moments, t));
    }
}

fn check_draws(count: usize, dimensions: usize) -> Result<(), LikelihoodError> {
    crate::error::check_count("number of nodes", count, count > 0, "at least 1")?;
    check_size(dimensions, Some(count))
}

fn normal_column(count: usize, base: usize, rng: &mut dyn Rng) -> Result<Vec<f64>, LikelihoodError> {
    let permutations = digit_permutations(base, rng);
    let mut column = Vec::with_capacity(count);
    for index in 0..count {
        column.push(standard_normal_quantile(radical_inverse(index, base, &permutations))?);
    }
    Ok(column)
}

fn digit_permutations(base: usize, rng: &mut dyn Rng) -> Vec<Vec<usize>> {
    let places = (BITS / (base as f64).log2()).ceil() as usize;
    let mut shuffled = || {
        let mut digits: Vec<usize> = (0..base).collect();
        for last in (1..base).rev() {
            digits.swap(last, rng.random_range(0..=last));
        }
        digits
    };
    (0..places).map(|_| shuffled()).collect()
}

/// Number kept away from 0 and 1.
fn radical_inverse(mut index: usize, base: usize, permutations: &[Vec<usize>]) -> f64 {
    let (mut place, mut sum) = (1.0, 0.0);
    for permutation in permutations {
        place /= base as f64;
        sum += place * permutation[index % base] as f64;
        index /= base;
    }
    sum.clamp(f64::EPSILON, 1.0 - f64::EPSILON)
}

fn primes() -> impl Iterator<Item = usize> {
    (2..).filter(|&n: &usize| (2..).take_while(|k| k * k <= n).all(|k| n % k != 0))
}
