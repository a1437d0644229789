//! Cosine kernel: plane waves.

use gp_optim::Parameter;

use crate::metrics::Phase;
use crate::radial::{Profile, Radial};
use crate::trig::{cos_pi, sin_pi};

/// `κ(s) = cos 2πs`
#[derive(Clone, Copy, Debug, Default)]
pub struct PlaneWave;

/// `cos(2π Σ_d (x_d − z_d) / p_d)`, of rank 2.
pub type Cosine = Radial<PlaneWave>;

impl Profile for PlaneWave {
    const NAME: &'static str = "cosine";
    const SUMMARY: &'static str = "cos(2π Σ (x - z)/period): one sine wave of unknown phase";
    const ALIASES: &'static [&'static str] = &["cos"];
    type Metric = Phase;

    fn apply(&self, _own: &[Parameter], s: &mut [f64]) {
        s.iter_mut().for_each(|s| *s = cos_pi(2.0 * *s));
    }

    fn reverse(&self, _own: &[Parameter], s: &mut [f64], upstream: &[f64], _own_grad: &mut [f64]) -> f64 {
        let mut inner = 0.0;
        for (s, g) in s.iter_mut().zip(upstream) {
            inner += g * cos_pi(2.0 * *s);
            *s = -2.0 * std::f64::consts::PI * g * sin_pi(2.0 * *s);
        }
        inner
    }
}
