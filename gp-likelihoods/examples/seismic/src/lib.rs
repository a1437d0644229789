//! Sound reflection times at four layers (Bonilla et al. 2019 eq. 43): an external likelihood.
#![doc = include_str!("../README.md")]

use gp_likelihoods::special::{HALF_LN_TAU, standard_normal_cdf};
use gp_likelihoods::{Density, Described, LikelihoodEntry, ObservationMoments, Scalar, Support};
use rand::{Rng, RngExt};
use rand_distr::StandardNormal;

const LAYERS: usize = 4;
/// Prior means (m, m/s); `SHARES`: relative standard deviations.
const DEPTHS: [f64; LAYERS] = [200.0, 500.0, 1600.0, 2200.0];
const VELOCITIES: [f64; LAYERS] = [1950.0, 2300.0, 2750.0, 3650.0];
const SHARES: [f64; 2] = [0.15, 0.1];
/// Standard deviations of times (s).
const NOISE: [f64; LAYERS] = [0.025, 0.05, 0.075, 0.1];

/// `y_p = y_{p−1} + 2 (d_p − d_{p−1})/v_p + ε_p`, `ε_p ~ N(0, NOISE_p²)`. Latents: 4 depths d, 4 velocities
/// v, standardised to N(0, 1).
#[derive(Clone, Copy, Debug)]
pub struct Seismic;

impl Seismic {
    /// Registry entry: `Registry::built_in().with(Seismic::entry())`.
    pub fn entry() -> LikelihoodEntry {
        LikelihoodEntry::new("seismic", "reflection times at four layers", |_| Ok(Box::new(Self)))
    }
}

/// Two-way time through layer p.
fn delay<S: Scalar>(p: usize, f: impl Fn(usize) -> S) -> S {
    let depth = |p: usize| (f(p) * SHARES[0] + 1.0) * DEPTHS[p];
    let thickness = if p == 0 { depth(0) } else { depth(p) - depth(p - 1) };
    thickness * 2.0 / ((f(LAYERS + p) * SHARES[1] + 1.0) * VELOCITIES[p])
}

impl Described for Seismic {
    fn name(&self) -> &'static str {
        "seismic"
    }
    fn latents(&self) -> usize {
        2 * LAYERS
    }
    fn outputs(&self) -> usize {
        LAYERS
    }
    fn support(&self) -> Support {
        Support::Real
    }
}

impl Density for Seismic {
    fn log_p<S: Scalar>(&self, y: &[f64], f: impl Fn(usize) -> S, _theta: impl Fn(usize) -> S) -> S {
        (0..LAYERS).fold(S::constant(0.0), |sum, p| {
            let r = (delay(p, &f) - (y[p] - if p == 0 { 0.0 } else { y[p - 1] })) / NOISE[p];
            sum - r * r * 0.5 - (HALF_LN_TAU + NOISE[p].ln())
        })
    }
    fn moments_given(&self, f: &[f64], out: &mut [ObservationMoments]) {
        let mut sum = ObservationMoments::default();
        for (p, slot) in out.iter_mut().enumerate() {
            sum.mean += delay(p, |k| f[k]);
            sum.variance += NOISE[p] * NOISE[p]; // errors add up on the way down
            *slot = sum;
        }
    }
    fn cdf_given(&self, output: usize, y: f64, f: &[f64]) -> f64 {
        let mut all = [ObservationMoments::default(); LAYERS];
        self.moments_given(f, &mut all);
        standard_normal_cdf((y - all[output].mean) / all[output].variance.sqrt())
    }
    fn sample_given(&self, f: &[f64], rng: &mut dyn Rng, out: &mut [f64]) -> Option<()> {
        let steps = (0..LAYERS).map(|p| delay(p, |k| f[k]) + NOISE[p] * rng.sample::<f64, _>(StandardNormal));
        out.iter_mut().zip(steps).fold(0.0, |time, (slot, step)| {
            *slot = time + step;
            *slot
        });
        out.iter().all(|time| time.is_finite()).then_some(())
    }
}
