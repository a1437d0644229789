//! Coverage of data.

use super::{InducingInputs, InducingPrior, SharedPoints};
use crate::error::KernelError;
use crate::evaluate::Evaluator;
use crate::kernel::Kernel;
use faer::MatRef;
use gp_linalg::JitterPolicy;
use serde::{Deserialize, Serialize};

const CHUNK: usize = 1024;

/// Explained share of prior variance, `1 − s_i/k_ii`, in [0, 1].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Coverage {
    /// `1 − Σ s_i/Σ k_ii` over all points.
    pub mean: f64,
    /// Minimum over points.
    pub worst: f64,
    /// First row of the minimum.
    pub worst_row: usize,
}

impl Coverage {
    /// Coverage of `x` (N×D), 1 at prior variance 0.
    ///
    /// # Errors
    /// As [`InducingPrior::new`], [`InducingPrior::project`]; [`KernelError::NoInducingInputs`].
    pub fn new(
        kernel: &dyn Kernel,
        inputs: &InducingInputs,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<Self, KernelError> {
        if inputs.count() == 0 {
            return Err(KernelError::NoInducingInputs);
        }
        let prior = InducingPrior::of(kernel.clone_box(), inputs.clone(), &JitterPolicy::ladder(), by)?;
        let (mut left, mut all) = (0.0, 0.0);
        let mut found = Self { mean: 1.0, worst: 1.0, worst_row: 0 };
        for start in (0..x.nrows()).step_by(CHUNK) {
            let rows = x.subrows(start, CHUNK.min(x.nrows() - start));
            let mut variance = vec![0.0; rows.nrows()];
            let projection = prior.project(&SharedPoints::new(rows), 0, by)?;
            by.diagonal(kernel, rows, &mut variance)?;
            for (row, (s, k)) in projection.residual().iter().zip(&variance).enumerate() {
                (left, all) = (left + s, all + k);
                let share = if *k > 0.0 { (1.0 - s / k).max(0.0) } else { 1.0 };
                if share < found.worst {
                    (found.worst, found.worst_row) = (share, start + row);
                }
            }
        }
        if all > 0.0 {
            found.mean = (1.0 - left / all).max(0.0);
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coverage(kernel: &str, z: &[f64], x: &[f64]) -> Coverage {
        let kernel = crate::parse(kernel).unwrap();
        let inputs = InducingInputs::points(MatRef::from_column_major_slice(z, z.len(), 1)).unwrap();
        let x = MatRef::from_column_major_slice(x, x.len(), 1);
        Coverage::new(kernel.as_ref(), &inputs, x, &Evaluator::default()).unwrap()
    }

    /// With one inducing input, `1 − s/k = (k_xz/k)²`.
    #[test]
    fn one_inducing_input_by_hand() {
        let found = coverage("2 * rbf(lengthscale=1.5)", &[0.0], &[0.0, 1.0, -2.0]);
        let share = |x: f64| (-x * x / 2.25_f64).exp();
        assert!((found.worst - share(2.0)).abs() < 1e-14);
        assert_eq!(found.worst_row, 2);
        assert!((found.mean - (1.0 + share(1.0) + share(2.0)) / 3.0).abs() < 1e-14);
    }

    /// 1 at inducing inputs, 0 far away, less than 1 with white noise.
    #[test]
    fn the_ends_of_the_scale() {
        let places: Vec<f64> = (0..1500).map(|i| f64::from(i % 7)).collect();
        let near = coverage("rbf(lengthscale=0.5)", &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &places);
        assert!(near.mean > 1.0 - 1e-12 && near.worst > 1.0 - 1e-12, "{near:?}");
        let far = coverage("rbf(lengthscale=0.5)", &[50.0], &places);
        assert!(far.mean < 1e-12 && far.worst < 1e-12 && far.worst_row == 0, "{far:?}");
        let noisy = coverage("3 * rbf(lengthscale=0.5) + white(variance=1)", &[0.0], &[0.0]);
        // k_zz = 4, k_xz = 3: 3²/4 of 4.
        assert!((noisy.mean - 9.0 / 16.0).abs() < 1e-14, "{noisy:?}");
    }
}
