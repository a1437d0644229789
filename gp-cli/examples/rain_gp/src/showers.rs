//! Likelihood of showers per day, with missed wet days.

use gp_likelihoods::special::{inverse_mills, log_normal_cdf, standard_normal_cdf, standard_normal_quantile};
use gp_likelihoods::{
    Density, Described, Factor, Latent, LatentDerivatives, LikelihoodEntry, ObservationMoments, Pieces,
    Scalar, Separable, Support, Workspace,
};
use gp_optim::{Parameter, Transform};
use rand::{Rng, RngExt};

/// Showers per day. Latent 0 decides rain, `p(wet) = Φ(f₀)`; further showers follow with probability `σ(f₁)`.
/// A share `missed` of wet days is noted as dry. With `w = (1 − missed) Φ(f₀)`: `p(0 | f) = 1 − w`, and `p(y
/// | f) = w · (1 − σ(f₁)) σ(f₁)^{y−1}` for y ≥ 1. One factor per latent: EP integrates over one at a time.
#[derive(Clone, Debug)]
pub struct Showers {
    noted: Noted,
}

/// Factor of f₀: any shower.
#[derive(Clone, Debug)]
struct Noted {
    missed: [Parameter; 1],
}

/// Factor of f₁: further showers.
#[derive(Clone, Debug)]
struct More;

impl Showers {
    /// For `Registry::built_in().with(Showers::entry())`.
    pub fn entry() -> LikelihoodEntry {
        LikelihoodEntry::new("showers", "counts, 0 on dry days and where they were missed", |_| {
            let missed = Parameter::scalar("missed", 0.05, Transform::Interval { lo: 0.0, hi: 1.0 })?;
            Ok(Box::new(Self { noted: Noted { missed: [missed] } }))
        })
    }

    fn shares(&self, f: &[f64]) -> (f64, f64) {
        (self.noted.probability(f[0]), 1.0 / (1.0 + (-f[1]).exp()))
    }
}

impl Described for Showers {
    fn name(&self) -> &'static str {
        "showers"
    }

    fn parameters(&self) -> &[Parameter] {
        &self.noted.missed
    }

    fn parameters_mut(&mut self) -> &mut [Parameter] {
        &mut self.noted.missed
    }

    fn pieces(&self) -> Option<&dyn Pieces> {
        Some(self)
    }

    fn latents(&self) -> usize {
        2
    }

    fn support(&self) -> Support {
        Support::Counts
    }
}

impl Density for Showers {
    fn log_p<S: Scalar>(&self, y: &[f64], f: impl Fn(usize) -> S, theta: impl Fn(usize) -> S) -> S {
        self.noted.log_p(y, |_| f(0), theta) + More.log_p(y, |_| f(1), |_| S::constant(0.0))
    }

    fn moments_given(&self, f: &[f64], out: &mut [ObservationMoments]) {
        let (noted, again) = self.shares(f);
        let mean = noted * (1.0 + f[1].exp());
        let square = noted * (1.0 + again) * (1.0 + f[1].exp()).powi(2);
        out[0] = ObservationMoments { mean, variance: square - mean * mean };
    }

    fn cdf_given(&self, _output: usize, y: f64, f: &[f64]) -> f64 {
        let (noted, again) = self.shares(f);
        if y < 0.0 { 0.0 } else { 1.0 - noted * again.powf(y.floor()) }
    }

    fn sample_given(&self, f: &[f64], rng: &mut dyn Rng, out: &mut [f64]) -> Option<()> {
        let (noted, again) = self.shares(f);
        out[0] = 0.0;
        if rng.random::<f64>() < noted {
            // The number of showers y has p(y > k) = σᵏ.
            out[0] = 1.0 + ((1.0 - rng.random::<f64>()).ln() / again.ln()).floor();
        }
        out[0].is_finite().then_some(())
    }
}

impl Separable for Showers {
    fn factor(&self, latent: usize) -> Factor<'_> {
        match latent {
            0 => Factor { likelihood: &self.noted, outputs: 0..1, first_param: 0 },
            _ => Factor { likelihood: &More, outputs: 0..1, first_param: 1 },
        }
    }
}

impl Noted {
    fn probability(&self, f: f64) -> f64 {
        (1.0 - self.missed[0].value()) * standard_normal_cdf(f)
    }
}

impl Described for Noted {
    fn name(&self) -> &'static str {
        "noted"
    }

    fn parameters(&self) -> &[Parameter] {
        &self.missed
    }

    fn parameters_mut(&mut self) -> &mut [Parameter] {
        &mut self.missed
    }

    fn support(&self) -> Support {
        Support::Counts
    }
}

impl Density for Noted {
    fn log_p<S: Scalar>(&self, y: &[f64], f: impl Fn(usize) -> S, theta: impl Fn(usize) -> S) -> S {
        let (wet, missed) = (f(0).log_normal_cdf(), theta(0));
        if y[0] > 0.0 {
            return (S::constant(1.0) - missed).ln() + wet;
        }
        let dry = (-f(0)).log_normal_cdf();
        dry + (missed.ln() + wet - dry).log1p_exp()
    }

    /// Latent value above which a dry day is rather a missed wet day.
    fn bend(&self, _y: &[f64]) -> Option<f64> {
        standard_normal_quantile(1.0 - self.missed[0].value()).ok()
    }

    /// `E[Φ(f)] = Φ(z)` with `z = m / √(1 + v)`: closed form for power 1 only.
    fn tilted_closed_form(
        &self,
        y: &[f64],
        q: &[Latent],
        power: f64,
        _: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> bool {
        if power != 1.0 {
            return false;
        }
        let deviation = (1.0 + q[0].variance()).sqrt();
        let (z, missed) = (q[0].mean() / deviation, self.missed[0].value());
        let wet = standard_normal_cdf(z);
        // Logarithm, slope by z, slope by `missed`.
        let (value, slope, by_missed) = if y[0] > 0.0 {
            ((1.0 - missed).ln() + log_normal_cdf(z), inverse_mills(z), -1.0 / (1.0 - missed))
        } else {
            let dry = standard_normal_cdf(-z) + missed * wet;
            (dry.ln(), -(1.0 - missed) * inverse_mills(z) * wet / dry, wet / dry)
        };
        out.set(value, slope / deviation, -0.5 * slope * z / (deviation * deviation), &[by_missed]);
        true
    }

    fn moments_given(&self, f: &[f64], out: &mut [ObservationMoments]) {
        let p = self.probability(f[0]);
        out[0] = ObservationMoments { mean: p, variance: p * (1.0 - p) };
    }

    fn cdf_given(&self, _output: usize, y: f64, f: &[f64]) -> f64 {
        match y {
            y if y < 0.0 => 0.0,
            y if y < 1.0 => 1.0 - self.probability(f[0]),
            _ => 1.0,
        }
    }

    fn sample_given(&self, f: &[f64], rng: &mut dyn Rng, out: &mut [f64]) -> Option<()> {
        out[0] = f64::from(u8::from(rng.random::<f64>() < self.probability(f[0])));
        Some(())
    }
}

impl Described for More {
    fn name(&self) -> &'static str {
        "more"
    }

    fn parameters(&self) -> &[Parameter] {
        &[]
    }

    fn parameters_mut(&mut self) -> &mut [Parameter] {
        &mut []
    }

    fn support(&self) -> Support {
        Support::Counts
    }

    fn is_log_concave(&self) -> bool {
        true
    }
}

impl Density for More {
    fn log_p<S: Scalar>(&self, y: &[f64], f: impl Fn(usize) -> S, _theta: impl Fn(usize) -> S) -> S {
        if y[0] == 0.0 {
            return S::constant(0.0);
        }
        -f(0).log1p_exp() - (-f(0)).log1p_exp() * (y[0] - 1.0)
    }

    fn moments_given(&self, f: &[f64], out: &mut [ObservationMoments]) {
        let more = f[0].exp();
        out[0] = ObservationMoments { mean: 1.0 + more, variance: more * (1.0 + more) };
    }

    fn cdf_given(&self, _output: usize, y: f64, f: &[f64]) -> f64 {
        if y < 1.0 { 0.0 } else { 1.0 - (1.0 / (1.0 + (-f[0]).exp())).powf(y.floor()) }
    }

    fn sample_given(&self, f: &[f64], rng: &mut dyn Rng, out: &mut [f64]) -> Option<()> {
        let again = 1.0 / (1.0 + (-f[0]).exp());
        out[0] = 1.0 + ((1.0 - rng.random::<f64>()).ln() / again.ln()).floor();
        out[0].is_finite().then_some(())
    }
}
