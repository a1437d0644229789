//! The posterior mean by terms of the kernel: where the prior is a sum of independent functions, how much of the mean each
//! of them accounts for.
//!
//! The mean is `k(x, Z) a` with the weights `a = K_zz⁻¹ E u`. A sum of kernels makes it a sum of `k_t(x, Z) a`, the
//! posterior means of the functions whose sum the latent function is.

use faer::prelude::ReborrowMut as _;
use faer::{Accum, ColMut, Mat, MatMut, MatRef};
use gp_linalg::product::matmul;

use super::InducingPosterior;
use crate::error::KernelError;
use crate::evaluate::Evaluator;
use crate::expression::Form;
use crate::kernel::Kernel;

/// Rows whose covariances are in memory at a time.
const BLOCK: usize = 2048;

/// The terms of a sum of kernels; the kernel itself where it is none.
pub fn terms(kernel: &dyn Kernel) -> Vec<&dyn Kernel> {
    match kernel.form() {
        Form::Sum => kernel.children().iter().map(AsRef::as_ref).collect(),
        _ => vec![kernel],
    }
}

/// `k_t(x, ·) a` of every [term](terms) of a kernel at the rows of `x`: N×T. `cross` fills a matrix (`a.len()`×B) with the
/// covariances of a term with some rows.
///
/// # Errors
/// Those of `cross`.
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
        by.go_on()?;
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

impl InducingPosterior {
    /// What each [term](terms) of the kernel adds to the mean at the rows of `x`: N×T.
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

    /// A linear term is a straight function.
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
