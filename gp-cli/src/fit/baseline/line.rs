//! Linear function of the inputs as a latent posterior.
//!
//! Kernel: linear with long length-scale ℓ, plus constant. Inducing inputs 0 and ℓ w/|w| have covariance
//! `[1 1; 1 2]`: x has whitened coordinates 1 and `x·w/(|w| ℓ)`; whitened mean `(b, |w| ℓ)` gives `b + w·x`. Residual
//! variance `≤ |x|²/ℓ²` is negligible.

use crate::error::CliError;
use faer::Mat;
use gp_kernels::Kernel;
use gp_kernels::algebra::Sum;
use gp_kernels::inducing::InducingInputs;
use gp_kernels::kernels::constant::Constant;
use gp_kernels::kernels::linear::{Identity, Linear};
use gp_kernels::posterior::{InducingPosterior, PosteriorFactor};
use gp_linalg::JitterPolicy;

/// Length-scale ℓ: ℓ² ≪ 1/ε; the variance 1/ℓ² is negligible.
const LENGTH: f64 = 1e5;

/// Function `level + slopes·x`.
pub(super) fn line(level: f64, slopes: &[f64]) -> Result<InducingPosterior, CliError> {
    let steepness = slopes.iter().map(|slope| slope * slope).sum::<f64>().sqrt();
    // A constant function has no direction: any is correct.
    let towards = |d: usize| match steepness {
        0.0 => f64::from(u8::from(d == 0)),
        _ => slopes[d] / steepness,
    };
    let inputs = Mat::from_fn(2, slopes.len(), |row, d| if row == 0 { 0.0 } else { LENGTH * towards(d) });
    let mut linear = Linear::new(Identity);
    for parameter in linear.parameters_mut() {
        parameter.set(0, LENGTH)?;
    }
    let kernel = Sum::of(vec![Box::new(linear), Box::new(Constant::new())])?;
    let known = PosteriorFactor::Covariance(Mat::zeros(2, 2));
    let mean = vec![level, steepness * LENGTH];
    let inputs = InducingInputs::points(inputs.as_ref())?;
    Ok(InducingPosterior::new(kernel, inputs, JitterPolicy::none(), mean, known)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gp_kernels::Evaluator;

    #[test]
    fn it_is_the_straight_function() {
        let points = Mat::from_fn(5, 3, |i, d| (i as f64 - 2.0) * (d as f64 + 0.3) + 0.1 * (d * d) as f64);
        for slopes in [[0.4, -1.3, 7.0], [0.0, 0.0, 0.0], [1e-6, 0.0, -30.0]] {
            let found = line(-0.7, &slopes).unwrap().predict(points.as_ref(), &Evaluator::default()).unwrap();
            for (i, (mean, variance)) in found.mean.iter().zip(&found.variance).enumerate() {
                let expected = -0.7 + (0..3).map(|d| slopes[d] * points[(i, d)]).sum::<f64>();
                // Rounding in 1 + x·w/(|w| ℓ): 1e-16 ℓ of the slope.
                assert!((mean - expected).abs() < 1e-9, "{mean} instead of {expected}");
                assert!(*variance < 1e-8, "{variance}");
            }
        }
    }
}
