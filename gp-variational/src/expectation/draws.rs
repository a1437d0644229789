//! Standard normal draws by seed, observation and component.

use super::{Draws, Sampling};
use gp_ep::InferenceError;
use gp_likelihoods::quadrature::Cubature;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

const SETS: usize = 32;

#[derive(Debug, Default)]
pub(crate) struct Nodes {
    sets: Vec<Cubature>,
    made_for: Option<(usize, usize, u64)>,
    /// Renews all draws when changed.
    pub(crate) epoch: u64,
}

impl Nodes {
    pub(crate) fn prepare(&mut self, sampling: &Sampling, latents: usize) -> Result<(), InferenceError> {
        let wanted = (sampling.samples, latents, sampling.seed);
        if sampling.draws == Draws::Random || self.made_for == Some(wanted) {
            return Ok(());
        }
        self.sets.clear();
        for set in 0..SETS as u64 {
            let seed = scramble(sampling.seed.wrapping_add(set));
            self.sets.push(Cubature::quasi_random(sampling.samples, latents, seed)?);
        }
        self.made_for = Some(wanted);
        Ok(())
    }

    /// S×Q standard normal numbers, by sample.
    pub(crate) fn draw(
        &self,
        sampling: &Sampling,
        (row, component): (usize, usize),
        latents: usize,
        out: &mut Vec<f64>,
    ) {
        out.clear();
        let key = scramble(scramble(self.epoch ^ scramble(sampling.seed)) ^ component as u64);
        match sampling.draws {
            Draws::Random => {
                let mut rng = ChaCha8Rng::seed_from_u64(key);
                rng.set_stream(row as u64);
                let count = sampling.samples * latents;
                out.extend((0..count).map(|_| Distribution::<f64>::sample(&StandardNormal, &mut rng)));
            }
            Draws::QuasiRandom => {
                let bits = scramble(key ^ row as u64);
                let Some(set) = self.sets.get(bits as usize % SETS) else { return };
                let signs = scramble(bits);
                let sign = |q: usize| if signs >> (q % 64) & 1 == 0 { 1.0 } else { -1.0 };
                for (node, _) in set.iter() {
                    out.extend(node.iter().enumerate().map(|(q, t)| sign(q) * t));
                }
            }
        }
    }
}

/// Finaliser of SplitMix64, bijective.
fn scramble(x: u64) -> u64 {
    let mut z = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
