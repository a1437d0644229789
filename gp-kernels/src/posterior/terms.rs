//! Posterior per kernel term of `f = Σ f_t`.
//!
//! Mean `k_t(x, Z) a`, `a = K_zz⁻¹ E u`; variance `k_t(x, x) − φ_tᵀφ_t + φ_tᵀ V φ_t`, `φ_t = L⁻¹ k_t(Z, x)`. Terms are
//! correlated given data: variances do not add up.

use faer::prelude::ReborrowMut as _;
use faer::{Accum, ColMut, Mat, MatMut, MatRef};
use gp_linalg::product::matmul;

use super::predict::BLOCK;
use super::{InducingPosterior, LatentPrediction, in_blocks};
use crate::error::KernelError;
use crate::evaluate::Evaluator;
use crate::expression::Form;
use crate::kernel::Kernel;

/// Terms of a sum, or the kernel.
pub fn terms(kernel: &dyn Kernel) -> Vec<&dyn Kernel> {
    match kernel.form() {
        Form::Sum => kernel.children().iter().map(AsRef::as_ref).collect(),
        _ => vec![kernel],
    }
}

/// `k_t(x, ·) a` per [term](terms), N×T; `cross(term, B rows, out)` writes covariances (`a.len()`×B).
///
/// # Errors
/// Errors of `cross`.
pub fn term_means(
    kernel: &dyn Kernel,
    a: &[f64],
    x: MatRef<'_, f64>,
    by: &Evaluator,
    cross: impl Fn(&dyn Kernel, MatRef<'_, f64>, MatMut<'_, f64>) -> Result<(), KernelError>,
) -> Result<Mat<f64>, KernelError> {
    let terms = terms(kernel);
    let mut means = Mat::zeros(x.nrows(), terms.len());
    let mut room = Mat::zeros(a.len(), BLOCK.min(x.nrows()));
    let weights = MatRef::from_column_major_slice(a, a.len(), 1);
    for first in (0..x.nrows()).step_by(BLOCK) {
        by.check_stop()?;
        let count = BLOCK.min(x.nrows() - first);
        for (t, term) in terms.iter().enumerate() {
            let mut block = room.as_mut().subcols_mut(0, count);
            cross(*term, x.subrows(first, count), block.rb_mut())?;
            let out = means.as_mut().submatrix_mut(first, t, count, 1);
            matmul(out, Accum::Replace, block.as_ref().transpose(), weights, 1.0, by.threading())?;
        }
    }
    Ok(means)
}

/// Means and variances per [term](terms), by `predict`.
///
/// # Errors
/// Errors of `predict`.
pub fn predict_terms(
    kernel: &dyn Kernel,
    predict: impl Fn(&dyn Kernel) -> Result<LatentPrediction, KernelError>,
) -> Result<Vec<LatentPrediction>, KernelError> {
    terms(kernel).into_iter().map(predict).collect()
}

impl InducingPosterior {
    /// Means and variances per [term](terms) at `x`.
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    pub fn predict_terms(
        &self,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<Vec<LatentPrediction>, KernelError> {
        predict_terms(self.kernel(), |term| self.predict_term(term, x, by))
    }

    fn predict_term(
        &self,
        term: &dyn Kernel,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<LatentPrediction, KernelError> {
        let mut prediction = LatentPrediction::zeros(x.nrows());
        let room = || (Mat::zeros(0, 0), Mat::zeros(0, 0));
        in_blocks(BLOCK, &mut prediction, by, room, |(phi, spread), first, (mean, variance), by| {
            let rows = x.subrows(first, mean.len());
            phi.resize_with(self.mean.len(), rows.nrows(), |_, _| 0.0);
            self.inputs().cross(term, rows, phi.as_mut(), by)?;
            self.prior.factor().half_solve_in_place(phi.as_mut(), by.threading())?;
            by.diagonal(term, rows, variance)?;
            for (variance, phi) in variance.iter_mut().zip(phi.as_ref().col_iter()) {
                *variance = (*variance - phi.squared_norm_l2()).max(0.0);
            }
            self.moments(phi.as_ref(), (mean, variance), spread, by.threading())
        })?;
        Ok(prediction)
    }

    /// Mean at `x` by [terms], N×T.
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    pub fn term_means(&self, x: MatRef<'_, f64>, by: &Evaluator) -> Result<Mat<f64>, KernelError> {
        let mut a = self.mean.clone();
        let column = ColMut::from_slice_mut(&mut a).as_mat_mut();
        self.prior.factor().half_solve_transpose_in_place(column, by.threading())?;
        term_means(self.kernel(), &a, x, by, |term, rows, out| self.inputs().cross(term, rows, out, by))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inducing::InducingInputs;
    use crate::posterior::PosteriorFactor;
    use gp_linalg::JitterPolicy;

    fn posterior(kernel: &str) -> InducingPosterior {
        let z = Mat::from_fn(4, 2, |i, d| (1.3 * i as f64 + 0.7 * d as f64).sin());
        let inputs = InducingInputs::points(z.as_ref()).unwrap();
        let factor = PosteriorFactor::Covariance(Mat::identity(4, 4));
        let mean = vec![0.3, -1.2, 0.8, 0.5];
        let kernel = crate::parse(kernel).unwrap();
        InducingPosterior::new(kernel, inputs, JitterPolicy::ladder(), mean, factor).unwrap()
    }

    #[test]
    fn terms_add_up_to_the_mean() {
        let points = Mat::from_fn(3_000, 2, |i, d| (0.01 * (i + 17 * d) as f64).cos());
        let by = Evaluator::default();
        for (kernel, count) in
            [("1 * rbf + linear + constant + white", 4), ("rbf", 1), ("2 * (rbf + linear)", 1)]
        {
            let posterior = posterior(kernel);
            let means = posterior.term_means(points.as_ref(), &by).unwrap();
            assert_eq!(means.ncols(), count, "{kernel}");
            let expected = posterior.predict(points.as_ref(), &by).unwrap().mean;
            for (i, expected) in expected.iter().enumerate() {
                let sum: f64 = means.row(i).iter().sum();
                assert!((sum - expected).abs() < 1e-12, "{kernel}: {sum} instead of {expected}");
            }
        }
    }

    /// Dense algebra: `k_t − k_tᵀ K⁻¹ k_t + k_tᵀ L⁻ᵀ V L⁻¹ k_t`.
    #[test]
    fn terms_have_variances() {
        use faer::linalg::solvers::Solve as _;
        let points = Mat::from_fn(2_100, 2, |i, d| (0.01 * (i + 17 * d) as f64).cos());
        let (by, kernel) = (Evaluator::default(), "2 * rbf(lengthscale=0.5) + linear + white(variance=0.3)");
        let known = posterior(kernel);
        let prior = known.predict_terms(points.as_ref(), &by).unwrap();
        let lower = Mat::from_fn(4, 4, |i, j| if i < j { 0.0 } else { 0.3 + 0.1 * (i + 2 * j) as f64 });
        let factor = PosteriorFactor::Covariance(lower.clone());
        let inputs = known.inputs().clone();
        let policy = JitterPolicy::ladder();
        let kernel = crate::parse(kernel).unwrap();
        let posterior =
            InducingPosterior::new(kernel.clone(), inputs, policy, known.mean().to_vec(), factor).unwrap();
        let found = posterior.predict_terms(points.as_ref(), &by).unwrap();
        let means = posterior.term_means(points.as_ref(), &by).unwrap();
        let (z, l) = (posterior.inputs().z().as_dyn_stride(), posterior.prior.factor().l());
        for (t, term) in terms(kernel.as_ref()).into_iter().enumerate() {
            let cross = crate::cross(term, z, points.as_ref()).unwrap();
            let own = crate::diagonal(term, points.as_ref()).unwrap();
            let phi = l.to_owned().partial_piv_lu().solve(&cross);
            let spread = lower.transpose() * &phi;
            for i in (0..2_100).step_by(97) {
                assert!((found[t].mean[i] - means[(i, t)]).abs() < 1e-12);
                assert!((prior[t].variance[i] - own[i]).abs() < 1e-12);
                let expected = own[i] - phi.col(i).squared_norm_l2() + spread.col(i).squared_norm_l2();
                assert!((found[t].variance[i] - expected).abs() < 1e-10);
            }
        }
    }

    #[test]
    fn a_term_is_a_function_of_its_kind() {
        let points = Mat::from_fn(5, 2, |i, d| if d == 0 { i as f64 } else { 0.4 });
        let means = posterior("rbf + linear").term_means(points.as_ref(), &Evaluator::default()).unwrap();
        let line = means.col(1);
        let slope = line[1] - line[0];
        assert!((1..5).all(|i| (line[i] - line[i - 1] - slope).abs() < 1e-12));
        assert!((means[(2, 0)] - 2.0 * means[(1, 0)] + means[(0, 0)]).abs() > 1e-3);
    }
}
