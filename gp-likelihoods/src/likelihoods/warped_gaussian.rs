//! Gaussian noise on a transformed observation.

mod warp;

use gp_optim::{Parameter, Transform};
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

use crate::density::Density;
use crate::derivatives::{LatentDerivatives, ObservationMoments};
use crate::entry::LikelihoodEntry;
use crate::error::{LikelihoodError, check_count};
use crate::gaussian;
use crate::latent::Latent;
use crate::likelihood::Described;
use crate::parameters_in;
use crate::quadrature::Panels;
use crate::scalar::Scalar;
use crate::special::{HALF_LN_TAU, standard_normal_cdf, standard_normal_quantile};
use crate::support::Support;
use crate::workspace::Workspace;

pub use warp::WarpTerm;
use warp::{Warp, warped};

/// Standard deviations; mass 2e-19 beyond.
const REACH: i32 = 9;

/// `p(y | f) = N(t(y); f, σ²) t′(y)`, warp `t(y) = y + Σ_i a_i tanh(b_i (y + c_i))` (Bonilla et al. 2019
/// §9.3.2, after Snelson, Rasmussen and Ghahramani 2003).
///
/// Parameters: vectors `height` (`a > 0`), `steepness` (`b > 0`), `shift` (`c`), one value per term; `variance`.
#[derive(Clone, Debug, PartialEq)]
pub struct WarpedGaussian {
    params: [Parameter; 4],
}

impl WarpedGaussian {
    /// Noise with warp terms and variance.
    ///
    /// # Errors
    /// [`LikelihoodError::Parameter`] without terms, unless heights, steepnesses, variance > 0, shifts finite.
    pub fn new(terms: &[WarpTerm], variance: f64) -> Result<Self, LikelihoodError> {
        let vector = |name: &'static str, of: fn(&WarpTerm) -> f64, transform| {
            Parameter::vector(name, terms.iter().map(of).collect(), transform)
        };
        Ok(Self {
            params: [
                vector("height", |term| term.height, Transform::Positive)?,
                vector("steepness", |term| term.steepness, Transform::Positive)?,
                vector("shift", |term| term.shift, Transform::Identity)?,
                Parameter::scalar("variance", variance, Transform::Positive)?,
            ],
        })
    }

    /// Registry entry; setting `terms`, default 3.
    #[must_use]
    pub fn entry() -> LikelihoodEntry {
        LikelihoodEntry::new("warped_gaussian", "real numbers, Gaussian about f once warped", |arguments| {
            let terms = arguments.whole_number("terms", 3)?;
            check_count("number of terms", terms, (1..=100).contains(&terms), "from 1 to 100")?;
            // Bends at distance 1, for standardised data; equal terms would stay equal in training.
            let term = |k: usize| WarpTerm {
                height: 0.5,
                steepness: 1.0,
                shift: k as f64 - 0.5 * (terms as f64 - 1.0),
            };
            Ok(Box::new(Self::new(&(0..terms).map(term).collect::<Vec<_>>(), 1.0)?))
        })
        .with_aliases(&["warped"])
    }

    /// Noise variance σ² on t(y).
    #[must_use]
    pub fn variance(&self) -> f64 {
        self.params[3].value()
    }

    fn warp(&self) -> Warp<'_> {
        let [height, steepness, shift, _] = &self.params;
        Warp { height: height.values(), steepness: steepness.values(), shift: shift.values() }
    }

    /// Adds `power · ln t′(y)` to an integral over noise on t(y).
    fn add_warp(&self, y: f64, power: f64, by_noise: f64, out: &mut LatentDerivatives) {
        let (warp, by_warped) = (self.warp(), -out.by_mean[0]);
        let terms = warp.height.len();
        let slope = warp.slope(y);
        out.value += power * slope.ln();
        out.by_params.clear();
        out.by_params.resize(3 * terms + 1, by_noise);
        for term in 0..terms {
            for (kind, (by_value, by_slope)) in warp.by_term(term, y).into_iter().enumerate() {
                out.by_params[kind * terms + term] = by_warped * by_value + power * by_slope / slope;
            }
        }
    }

    /// None for a warp too steep for panels.
    fn moments(
        &self,
        mean: f64,
        variance: f64,
        panels: &mut Panels,
        edges: &mut Vec<f64>,
    ) -> Option<ObservationMoments> {
        let (warp, deviation) = (self.warp(), variance.sqrt());
        let middle = warp.inverse(mean);
        edges.clear();
        edges.extend((-REACH..=REACH).map(|k| warp.inverse(mean + deviation * f64::from(k))));
        let integrals = panels.adapt(edges, 1e-12, |y| {
            let standard = (warp.value(y) - mean) / deviation;
            let density = (-0.5 * standard * standard - HALF_LN_TAU).exp() * warp.slope(y) / deviation;
            let away = y - middle;
            [density * away, density * away * away]
        });
        let [shift, square] = integrals.ok()?;
        Some(ObservationMoments { mean: middle + shift, variance: (square - shift * shift).max(0.0) })
    }
}

impl Described for WarpedGaussian {
    fn name(&self) -> &'static str {
        "warped_gaussian"
    }

    fn settings(&self) -> Vec<(&'static str, usize)> {
        vec![("terms", self.params[0].len())]
    }

    parameters_in! { params }

    fn support(&self) -> Support {
        Support::Real
    }

    fn is_log_concave(&self) -> bool {
        true
    }
}

impl Density for WarpedGaussian {
    fn log_p<S: Scalar>(&self, y: &[f64], f: impl Fn(usize) -> S, theta: impl Fn(usize) -> S) -> S {
        let terms = self.params[0].len();
        let (value, bending) = warped(y[0], terms, &theta);
        let (variance, residual) = (theta(3 * terms), f(0) - value);
        bending.ln_1p() - (variance.ln() + residual * (residual / variance)) * 0.5 - HALF_LN_TAU
    }

    fn bend(&self, y: &[f64]) -> Option<f64> {
        Some(self.warp().value(y[0]))
    }

    fn moments_given(&self, f: &[f64], out: &mut [ObservationMoments]) {
        let unknown = ObservationMoments { mean: f64::NAN, variance: f64::NAN };
        let found = self.moments(f[0], self.variance(), &mut Panels::default(), &mut Vec::new());
        out[0] = found.unwrap_or(unknown);
    }

    fn cdf_given(&self, _output: usize, y: f64, f: &[f64]) -> f64 {
        standard_normal_cdf((self.warp().value(y) - f[0]) / self.variance().sqrt())
    }

    fn sample_given(&self, f: &[f64], rng: &mut dyn Rng, out: &mut [f64]) -> Option<()> {
        let standard: f64 = StandardNormal.sample(rng);
        out[0] = self.warp().inverse(f[0] + self.variance().sqrt() * standard);
        out[0].is_finite().then_some(())
    }

    fn expected_closed_form(
        &self,
        y: &[f64],
        q: &[Latent],
        _ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> bool {
        let found = gaussian::expected_log_density(self.warp().value(y[0]), q[0], self.variance());
        out.set(found.value, found.by_mean, found.by_latent_variance, &[]);
        self.add_warp(y[0], 1.0, found.by_variance, out);
        true
    }

    fn tilted_closed_form(
        &self,
        y: &[f64],
        q: &[Latent],
        power: f64,
        _ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> bool {
        let residual = self.warp().value(y[0]) - q[0].mean();
        let found = gaussian::tilted(residual, q[0].variance(), self.variance(), power);
        out.set(found.log_z, found.by_mean, found.by_latent_variance, &[]);
        self.add_warp(y[0], power, found.by_variance, out);
        true
    }

    fn predictive_closed_form(
        &self,
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut [ObservationMoments],
    ) -> bool {
        let variance = q[0].variance() + self.variance();
        let found = self.moments(q[0].mean(), variance, &mut ws.panels, &mut ws.edges);
        found.map(|found| out[0] = found).is_some()
    }

    fn cdf_closed_form(&self, q: &[Latent], _output: usize, y: f64) -> Option<f64> {
        let deviation = (q[0].variance() + self.variance()).sqrt();
        Some(standard_normal_cdf((self.warp().value(y) - q[0].mean()) / deviation))
    }

    fn quantile_closed_form(&self, q: &[Latent], _output: usize, probability: f64) -> Option<f64> {
        let deviation = (q[0].variance() + self.variance()).sqrt();
        let standard = standard_normal_quantile(probability).ok()?;
        Some(self.warp().inverse(q[0].mean() + deviation * standard))
    }
}
