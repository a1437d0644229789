//! Arc-cosine kernel (Cho and Saul): infinitely wide networks.

use std::f64::consts::PI;

use gp_optim::Parameter;

use crate::dot::{DotProduct, DotProfile, Inner, InnerGradients};
use crate::error::KernelError;
use crate::expression::{KernelArguments, KernelSetting};

/// `k = c^n J_n(θ) / π`, `cos θ = (u + β) / c`, `c² = (a + β)(b + β)`, bias variance β.
#[derive(Clone, Copy, Debug)]
pub struct Angle {
    order: i32,
}

/// Arc-cosine kernel; `bias` is a variance.
///
/// Order 0 is accurate to 5e-8 for nearly parallel points; Gram matrices of close points need such jitter.
pub type ArcCosine = DotProduct<Angle>;

impl Angle {
    /// Order 0 (threshold), 1 (rectified linear), 2 (rectified quadratic units).
    ///
    /// # Errors
    /// [`KernelError::Setting`] for others.
    pub fn new(order: usize) -> Result<Self, KernelError> {
        match order {
            0 => Ok(Self { order: 0 }),
            1 => Ok(Self { order: 1 }),
            2 => Ok(Self { order: 2 }),
            _ => Err(KernelError::Setting {
                kernel: Self::NAME.to_owned(),
                setting: "order",
                allowed: "0, 1 or 2".to_owned(),
                found: order.to_string(),
            }),
        }
    }

    /// `J_n(θ)` for `c = cos θ`, `s = sin θ`.
    fn angular(&self, theta: f64, c: f64, s: f64) -> f64 {
        let rest = PI - theta;
        match self.order {
            0 => rest,
            1 => s + rest * c,
            _ => 3.0 * s * c + rest * (1.0 + 2.0 * c * c),
        }
    }

    /// `dJ_n/d cos θ`; 0 for order 0, θ = 0, where one-sided slopes cancel.
    fn angular_slope(&self, theta: f64, c: f64, s: f64) -> f64 {
        let rest = PI - theta;
        match self.order {
            0 if s > 0.0 => 1.0 / s,
            0 => 0.0,
            1 => rest,
            _ => 4.0 * (s + rest * c),
        }
    }

    fn pieces(&self, u: f64, a: f64, b: f64) -> Pieces {
        // Two roots, because the product of the two squares may overflow or underflow.
        let length = a.sqrt() * b.sqrt();
        let c = (u / length).clamp(-1.0, 1.0);
        if 1.0 - c < PARALLEL {
            return Pieces { length, c: 1.0, s: 0.0, theta: 0.0 };
        }
        Pieces { length, c, s: ((1.0 - c) * (1.0 + c)).sqrt(), theta: c.acos() }
    }
}

/// Cosines this close to 1 count as 1, against rounding errors.
const PARALLEL: f64 = 1e-14;

struct Pieces {
    length: f64,
    c: f64,
    s: f64,
    theta: f64,
}

impl DotProfile for Angle {
    const NAME: &'static str = "arccos";
    const SUMMARY: &'static str =
        "arc-cosine of order 0, 1 or 2: wide networks of threshold, linear, quadratic units";
    const ALIASES: &'static [&'static str] = &["arc_cosine", "arccosine"];

    fn parameters() -> Vec<Parameter> {
        vec![Parameter::positive("bias")]
    }

    fn from_arguments(arguments: &mut KernelArguments<'_>) -> Result<Self, KernelError> {
        Self::new(arguments.whole_number("order", 1)?)
    }

    fn settings(&self) -> Vec<KernelSetting> {
        vec![KernelSetting::new("order", self.order)]
    }

    fn apply(&self, own: &[Parameter], u: &mut [f64], inner: Inner<'_>) {
        let bias = own[0].value();
        for (u, a) in u.iter_mut().zip(inner.rows) {
            let p = self.pieces(*u + bias, a + bias, inner.col + bias);
            *u = p.length.powi(self.order) * self.angular(p.theta, p.c, p.s) / PI;
        }
    }

    fn reverse(
        &self,
        own: &[Parameter],
        u: &mut [f64],
        inner: Inner<'_>,
        upstream: &[f64],
        grads: InnerGradients<'_>,
    ) -> f64 {
        let bias = own[0].value();
        let b = inner.col + bias;
        let mut total = 0.0;
        for (i, (u, g)) in u.iter_mut().zip(upstream).enumerate() {
            let a = inner.rows[i] + bias;
            let p = self.pieces(*u + bias, a, b);
            let weight = g * p.length.powi(self.order) / PI;
            let value = weight * self.angular(p.theta, p.c, p.s);
            let slope = weight * self.angular_slope(p.theta, p.c, p.s);
            // ∂c/∂u = 1/√(ab) and ∂c/∂a = −c/(2a); the factor in front adds n/(2a) times the value.
            let by_norms = 0.5 * (f64::from(self.order) * value - slope * p.c);
            *u = slope / p.length;
            grads.rows[i] += by_norms / a;
            *grads.col += by_norms / b;
            grads.own[0] += *u + by_norms / a + by_norms / b;
            total += value;
        }
        total
    }
}
