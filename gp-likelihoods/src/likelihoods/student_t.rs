//! Noise with outliers.

use gp_optim::{Parameter, Transform};
use rand::Rng;
use rand_distr::Distribution;
use std::f64::consts::PI;

use crate::density::Density;
use crate::error::LikelihoodError;
use crate::likelihood::Described;
use crate::registry::LikelihoodEntry;
use crate::scalar::Scalar;
use crate::slopes::ObservationMoments;
use crate::special::{digamma, incomplete_beta};
use crate::support::Support;

/// Student's t about f: `y = f + √scale · T`, with the squared scale `scale` and `dof` degrees of freedom.
///
/// The log density is not concave in f: a far observation says little, and a tilted distribution may have two modes.
#[derive(Clone, Debug, PartialEq)]
pub struct StudentT {
    params: [Parameter; 2],
}

impl StudentT {
    /// Noise with this squared scale and these degrees of freedom.
    ///
    /// # Errors
    /// [`LikelihoodError::Parameter`] unless both are positive and finite.
    pub fn new(scale: f64, dof: f64) -> Result<Self, LikelihoodError> {
        let scale = Parameter::scalar("scale", scale, Transform::Positive)?;
        Ok(Self { params: [scale, Parameter::scalar("dof", dof, Transform::Positive)?] })
    }

    /// `student_t` in expressions and lists.
    #[must_use]
    pub fn entry() -> LikelihoodEntry {
        LikelihoodEntry::new("student_t", "real numbers about f, with outliers", |_| {
            Ok(Box::new(Self::new(1.0, 4.0)?))
        })
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
        &mut self.params
    }

    fn support(&self) -> Support {
        Support::Real
    }

    fn grows_with_latent(&self) -> bool {
        true
    }
}

impl Density for StudentT {
    fn log_p<S: Scalar>(&self, y: &[f64], f: impl Fn(usize) -> S, theta: impl Fn(usize) -> S) -> S {
        let (scale, dof, residual) = (theta(0), theta(1), f(0) - y[0]);
        let half = (dof + 1.0) * 0.5;
        let spread = dof * scale;
        // Quotients before products: a residual's square may leave the range of numbers.
        half.ln_gamma()
            - (dof * 0.5).ln_gamma()
            - (spread * PI).ln() * 0.5
            - half * (residual * (residual / spread)).ln_1p()
    }

    fn params_closed_form(&self, y: &[f64], f: &[f64], out: &mut [f64]) -> bool {
        let [scale, dof] = [0, 1].map(|k| self.params[k].value());
        let residual = f[0] - y[0];
        let ratio = residual * (residual / (dof * scale));
        // Of −(dof + 1)/2 · ln(1 + ratio) by ln scale, and by ln dof but for the factor.
        let pull = if ratio.is_finite() { ratio / (1.0 + ratio) } else { 1.0 };
        let by_log = 0.5 * ((dof + 1.0) * pull - 1.0);
        out[0] = by_log / scale;
        out[1] = 0.5 * (digamma(0.5 * (dof + 1.0)) - digamma(0.5 * dof) - ratio.ln_1p()) + by_log / dof;
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
