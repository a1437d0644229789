//! Heavy-tailed noise.

use gp_optim::{Parameter, Transform};
use rand::Rng;
use rand_distr::Distribution;
use std::f64::consts::PI;
use std::sync::OnceLock;

use crate::density::Density;
use crate::derivatives::{ObservationMoments, PointDerivatives};
use crate::entry::LikelihoodEntry;
use crate::error::LikelihoodError;
use crate::likelihood::Described;
use crate::link::Link;
use crate::scalar::Scalar;
use crate::special::{digamma, incomplete_beta};
use crate::support::Support;

/// Least squared scale over the target's variance.
const MIN_SCALE: f64 = 1e-6;
/// No variance up to here.
const MIN_DOF: f64 = 2.0;

/// Noise `y = f + √scale · T`, T with `dof` degrees of freedom; parameters `scale`, `dof`.
///
/// Not log-concave: tilted distributions may have two modes.
#[derive(Clone, Debug)]
pub struct StudentT {
    params: [Parameter; 2],
    known: OnceLock<OfParameters>,
}

/// Cached for all nodes.
#[derive(Clone, Copy, Debug)]
struct OfParameters {
    scale: f64,
    dof: f64,
    /// `ln Γ((dof + 1)/2) − ln Γ(dof/2) − ln(π dof scale)/2`
    log_normaliser: f64,
    /// `ψ((dof + 1)/2) − ψ(dof/2)`
    digammas: f64,
}

impl PartialEq for StudentT {
    fn eq(&self, other: &Self) -> bool {
        self.params == other.params
    }
}

impl StudentT {
    /// Noise by squared scale and degrees of freedom.
    ///
    /// # Errors
    /// [`LikelihoodError::Parameter`] unless positive and finite.
    pub fn new(scale: f64, dof: f64) -> Result<Self, LikelihoodError> {
        let scale = Parameter::scalar("scale", scale, Transform::Positive)?;
        let params = [scale, Parameter::scalar("dof", dof, Transform::Positive)?];
        Ok(Self { params, known: OnceLock::new() })
    }

    fn known(&self) -> &OfParameters {
        self.known.get_or_init(|| {
            let [scale, dof] = [0, 1].map(|k| self.params[k].value());
            let digammas = digamma(0.5 * (dof + 1.0)) - digamma(0.5 * dof);
            OfParameters { scale, dof, log_normaliser: log_normaliser(scale, dof), digammas }
        })
    }

    /// Registry entry.
    #[must_use]
    pub fn entry() -> LikelihoodEntry {
        LikelihoodEntry::new("student_t", "real numbers about f, with outliers", |_| {
            Ok(Box::new(Self::new(1.0, 4.0)?))
        })
        .with_aliases(&["student", "t"])
    }
}

impl Described for StudentT {
    fn name(&self) -> &'static str {
        "student_t"
    }

    fn parameters(&self) -> &[Parameter] {
        &self.params
    }

    fn parameters_mut(&mut self) -> &mut [Parameter] {
        self.known = OnceLock::new();
        &mut self.params
    }

    fn least_values(&self, variance: f64) -> Vec<(&'static str, f64)> {
        vec![("scale", MIN_SCALE * variance), ("dof", MIN_DOF)]
    }

    fn support(&self) -> Support {
        Support::Real
    }

    fn link(&self) -> Link {
        Link::Identity
    }

    fn grows_with_latent(&self) -> bool {
        true
    }
}

fn log_normaliser<S: Scalar>(scale: S, dof: S) -> S {
    ((dof + 1.0) * 0.5).ln_gamma() - (dof * 0.5).ln_gamma() - (dof * scale * PI).ln() * 0.5
}

/// `ln(1 + residual²/spread)`, even if the ratio overflows.
fn log_1p_ratio<S: Scalar>(residual: S, spread: S) -> S {
    // Divides first, because the squared residual may overflow.
    let ratio = residual * (residual / spread);
    if ratio.value().is_finite() {
        return ratio.ln_1p();
    }
    let size = if residual.value() < 0.0 { -residual } else { residual };
    size.ln() * 2.0 - spread.ln()
}

impl Density for StudentT {
    fn log_p<S: Scalar>(&self, y: &[f64], f: impl Fn(usize) -> S, theta: impl Fn(usize) -> S) -> S {
        let (scale, dof, residual) = (theta(0), theta(1), f(0) - y[0]);
        log_normaliser(scale, dof) - (dof + 1.0) * 0.5 * log_1p_ratio(residual, dof * scale)
    }

    fn slopes_closed_form(&self, y: &[f64], f: &[f64], out: &mut PointDerivatives) -> bool {
        let OfParameters { scale, dof, log_normaliser, .. } = *self.known();
        let (residual, spread) = (f[0] - y[0], dof * scale);
        let ratio = residual * (residual / spread);
        out.value = log_normaliser - 0.5 * (dof + 1.0) * log_1p_ratio(residual, spread);
        // First and second derivative of −(dof + 1)/2 · ln(1 + r²/s) by r; for large r, without r², which overflows.
        let pull = if ratio.is_finite() { residual / spread / (1.0 + ratio) } else { 1.0 / residual };
        out.by_latent[0] = -(dof + 1.0) * pull;
        let bend = if ratio.is_finite() {
            (1.0 - ratio) / (1.0 + ratio) / (1.0 + ratio) / spread
        } else {
            -pull * pull
        };
        out.by_latent_twice[0] = -(dof + 1.0) * bend;
        true
    }

    fn params_closed_form(&self, y: &[f64], f: &[f64], out: &mut [f64]) -> bool {
        let OfParameters { scale, dof, digammas, .. } = *self.known();
        let residual = f[0] - y[0];
        let ratio = residual * (residual / (dof * scale));
        // Derivatives of −(dof + 1)/2 · ln(1 + ratio) by ln scale, and by ln dof without that of the factor.
        let pull = if ratio.is_finite() { ratio / (1.0 + ratio) } else { 1.0 };
        let by_log = 0.5 * ((dof + 1.0) * pull - 1.0);
        out[0] = by_log / scale;
        out[1] = 0.5 * (digammas - log_1p_ratio(residual, dof * scale)) + by_log / dof;
        true
    }

    fn bend(&self, y: &[f64]) -> Option<f64> {
        Some(y[0])
    }

    fn moments_given(&self, f: &[f64], out: &mut [ObservationMoments]) {
        let [scale, dof] = [0, 1].map(|k| self.params[k].value());
        let mean = if dof > 1.0 { f[0] } else { f64::NAN };
        let variance = if dof > 2.0 { scale * dof / (dof - 2.0) } else { f64::INFINITY };
        out[0] = ObservationMoments { mean, variance };
    }

    fn cdf_given(&self, _output: usize, y: f64, f: &[f64]) -> f64 {
        let [scale, dof] = [0, 1].map(|k| self.params[k].value());
        let residual = y - f[0];
        let ratio = residual * (residual / scale);
        let tail = 0.5 * incomplete_beta(0.5 * dof, 0.5, 1.0 / (1.0 + ratio / dof));
        if residual < 0.0 { tail } else { 1.0 - tail }
    }

    fn sample_given(&self, f: &[f64], rng: &mut dyn Rng, out: &mut [f64]) -> Option<()> {
        let [scale, dof] = [0, 1].map(|k| self.params[k].value());
        let standard = rand_distr::StudentT::new(dof).ok()?;
        out[0] = f[0] + scale.sqrt() * standard.sample(rng);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Likelihood as _;

    #[test]
    fn residuals_whose_squares_are_no_numbers_have_a_density() {
        let t = StudentT::new(1.0, 4.0).unwrap();
        let mut slopes = PointDerivatives::default();
        for r in [1e160, -1e160] {
            t.log_density_slopes(&[0.0], &[r], &mut slopes).unwrap();
            let expected = log_normaliser(1.0, 4.0) - 2.5 * (2.0 * 1e160f64.ln() - 4f64.ln());
            assert!((slopes.value - expected).abs() < 1e-9, "{}", slopes.value);
            assert!((slopes.by_latent[0] + 5.0 / r).abs() < 1e-14 * (5.0 / r).abs());
            let mut value = [0.0];
            t.log_densities(&[0.0], &[r], &mut value).unwrap();
            assert!((value[0] - expected).abs() < 1e-9);
        }
    }
}
