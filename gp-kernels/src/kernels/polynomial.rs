//! Polynomials of bounded degree.

use gp_optim::Parameter;

use crate::dot::{DotProduct, DotProfile, Inner, InnerGradients};
use crate::error::KernelError;
use crate::expression::{KernelArguments, KernelSetting};

/// `k = (u + c)^degree`
#[derive(Clone, Copy, Debug)]
pub struct Power {
    degree: i32,
}

/// `(Σ_d x_d z_d / ℓ_d² + offset)^degree`.
pub type Polynomial = DotProduct<Power>;

/// Limit against overflow.
const MAX_DEGREE: usize = 16;

impl Power {
    /// Degree 1 to 16.
    ///
    /// # Errors
    /// [`KernelError::Setting`] for other degrees.
    pub fn new(degree: usize) -> Result<Self, KernelError> {
        match i32::try_from(degree) {
            Ok(small) if (1..=MAX_DEGREE).contains(&degree) => Ok(Self { degree: small }),
            _ => Err(KernelError::Setting {
                kernel: Self::NAME.to_owned(),
                setting: "degree",
                allowed: format!("a whole number from 1 to {MAX_DEGREE}"),
                found: degree.to_string(),
            }),
        }
    }
}

impl DotProfile for Power {
    const NAME: &'static str = "polynomial";
    const SUMMARY: &'static str = "(Σ x z / lengthscale² + offset)^degree: polynomials";
    const ALIASES: &'static [&'static str] = &["poly"];

    fn parameters() -> Vec<Parameter> {
        vec![Parameter::positive("offset")]
    }

    fn from_arguments(arguments: &mut KernelArguments<'_>) -> Result<Self, KernelError> {
        Self::new(arguments.whole_number("degree", 2)?)
    }

    fn settings(&self) -> Vec<KernelSetting> {
        vec![KernelSetting::new("degree", self.degree)]
    }

    fn apply(&self, own: &[Parameter], u: &mut [f64], _inner: Inner<'_>) {
        let offset = own[0].value();
        u.iter_mut().for_each(|u| *u = (*u + offset).powi(self.degree));
    }

    fn reverse(
        &self,
        own: &[Parameter],
        u: &mut [f64],
        _inner: Inner<'_>,
        upstream: &[f64],
        grads: InnerGradients<'_>,
    ) -> f64 {
        let offset = own[0].value();
        let mut total = 0.0;
        for (u, g) in u.iter_mut().zip(upstream) {
            let base = *u + offset;
            let lower = base.powi(self.degree - 1);
            total += g * lower * base;
            *u = g * f64::from(self.degree) * lower;
            grads.own[0] += *u;
        }
        total
    }
}
