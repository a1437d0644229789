//! Distances of inducing inputs, and condition of their covariance.

use crate::error::ExperimentError;
use crate::harness::Outcome;
use faer::{Mat, MatRef, Side};
use gp_kernels::Kernel;

/// Maximum close distance, in length-scales.
const CLOSE: f64 = 0.1;

/// Adds `closest` (distance), `close` (points close to an earlier one), `condition` (log₁₀ without jitter,
/// limited by rounding).
pub(super) fn describe(
    outcome: Outcome,
    kernel: &dyn Kernel,
    points: MatRef<'_, f64>,
) -> Result<Outcome, ExperimentError> {
    let gram = gp_kernels::gram(kernel, points)?;
    let count = points.nrows();
    let pairs = (0..count).flat_map(|i| (0..i).map(move |j| (i, j)));
    let closest = pairs.map(|(i, j)| distance(&gram, i, j)).fold(f64::INFINITY, f64::min);
    let close = count - kept(&gram).len();
    Ok(outcome.with("closest", closest).with("close", close as f64).with("condition", log_condition(&gram)?))
}

/// Points not close to earlier kept ones.
pub(super) fn apart(kernel: &dyn Kernel, points: MatRef<'_, f64>) -> Result<Vec<usize>, ExperimentError> {
    Ok(kept(&gp_kernels::gram(kernel, points)?))
}

fn kept(gram: &Mat<f64>) -> Vec<usize> {
    (0..gram.nrows()).fold(Vec::new(), |mut kept, i| {
        if kept.iter().all(|&j| distance(gram, i, j) >= CLOSE) {
            kept.push(i);
        }
        kept
    })
}

/// `√(−2 ln r)` for correlation r: length-scales of an RBF.
fn distance(gram: &Mat<f64>, i: usize, j: usize) -> f64 {
    let correlation = gram[(i, j)] / (gram[(i, i)] * gram[(j, j)]).sqrt();
    (-2.0 * correlation.clamp(f64::MIN_POSITIVE, 1.0).ln()).sqrt()
}

fn log_condition(gram: &Mat<f64>) -> Result<f64, ExperimentError> {
    let values = gram
        .self_adjoint_eigenvalues(Side::Lower)
        .map_err(|cause| ExperimentError::Baseline { method: "eigenvalues", what: format!("{cause:?}") })?;
    let largest = values.iter().copied().fold(0.0, f64::max);
    let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
    Ok((largest / smallest.max(f64::EPSILON * largest)).log10())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Length-scale 2: distances 0.5, 0.04 and 0.54.
    #[test]
    fn distances_are_in_length_scales() {
        let kernel = gp_kernels::parse("3 * rbf(lengthscale=2)").unwrap();
        let points = Mat::from_fn(3, 1, |i, _| [0.0, 1.0, 1.08][i]);
        let found = describe(Outcome::default(), kernel.as_ref(), points.as_ref()).unwrap().scores;
        assert!((found["closest"] - 0.04).abs() < 1e-9 && found["close"] == 1.0, "{found:?}");
        assert_eq!(apart(kernel.as_ref(), points.as_ref()).unwrap(), [0, 1]);
        let far = Mat::from_fn(2, 1, |i, _| 1e3 * i as f64);
        let found = describe(Outcome::default(), kernel.as_ref(), far.as_ref()).unwrap().scores;
        assert!(found["closest"] > 30.0 && found["close"] == 0.0 && found["condition"] == 0.0, "{found:?}");
    }

    /// Correlation r: eigenvalues 1 ± r.
    #[test]
    fn the_condition_of_two_points_is_known_and_limited() {
        let kernel = gp_kernels::parse("rbf(lengthscale=1)").unwrap();
        let condition = |distance: f64| {
            let points = Mat::from_fn(2, 1, |i, _| distance * i as f64);
            describe(Outcome::default(), kernel.as_ref(), points.as_ref()).unwrap().scores["condition"]
        };
        let r = (-0.5f64).exp();
        assert!((condition(1.0) - ((1.0 + r) / (1.0 - r)).log10()).abs() < 1e-12);
        assert!((condition(0.0) + f64::EPSILON.log10()).abs() < 0.5);
    }
}
