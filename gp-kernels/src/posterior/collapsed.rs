//! Predictions by one triangular product.
//!
//! Variance `k_** − ‖T k_*‖²`, lower triangular `T = W L⁻¹`, `WᵀW = I − V`; mean `k_*ᵀa`, `a = L⁻ᵀm`.
//!
//! T is not used for posteriors wider than the prior, or so narrow that rounding of `I − V` matters.

use faer::prelude::ReborrowMut as _;
use faer::{Accum, Mat, MatMut, MatRef};
use gp_linalg::product::{gram_of_lower, matmul};
use gp_linalg::{Cholesky, JitterPolicy, LinalgError, Threading};

use super::{InducingPosterior, LatentPrediction, PosteriorFactor, in_blocks, unexplained};
use crate::error::KernelError;
use crate::evaluate::Evaluator;

const BLOCK: usize = 1024;
/// Largest `tr V⁻¹` for which T is used.
const NARROWEST: f64 = 1e8;
/// Jitter of `I − V`, singular in directions without data.
const ROUNDING: JitterPolicy = JitterPolicy { first: 1e-15, step: 10.0, largest: 1e-12, pivot_floor: 0.0 };

#[derive(Clone, Debug)]
pub(super) struct Collapsed {
    t: Cholesky,
    a: Vec<f64>,
}

impl Collapsed {
    fn of(posterior: &InducingPosterior) -> Result<Option<Self>, LinalgError> {
        let (count, l) = (posterior.mean.len(), posterior.prior.factor());
        let Some(v) = covariance(&posterior.factor)? else { return Ok(None) };
        // Tᵀ = L⁻ᵀ Wᵀ
        let mut t = remainder(&v)?.transpose().to_owned();
        l.half_solve_transpose_in_place(t.as_mut(), Threading::Here)?;
        let mut a = posterior.mean.clone();
        let column = MatMut::from_column_major_slice_mut(&mut a, count, 1);
        l.half_solve_transpose_in_place(column, Threading::Here)?;
        let mut found = Self { t: Cholesky::with_capacity(count), a };
        found.t.set_factor(t.transpose())?;
        Ok(Some(found))
    }
}

/// V, lower triangle; None if too narrow.
fn covariance(factor: &PosteriorFactor) -> Result<Option<Mat<f64>>, LinalgError> {
    let threading = Threading::Here;
    let squares = |matrix: MatRef<'_, f64>| matrix.squared_norm_l2();
    match factor {
        PosteriorFactor::Precision(b) => {
            let (n, mut half_inverse) = (b.dim(), Mat::zeros(b.dim(), b.dim()));
            b.half_inverse_into(half_inverse.as_mut(), threading)?;
            let mut v = Mat::zeros(n, n);
            gram_of_lower(v.as_mut(), Accum::Replace, half_inverse.as_ref(), 1.0, threading)?;
            Ok((squares(b.l()) <= NARROWEST).then_some(v))
        }
        PosteriorFactor::Covariance(l) => {
            let (mut of_l, mut half_inverse) = (Cholesky::empty(), Mat::zeros(l.nrows(), l.nrows()));
            of_l.set_factor(l.as_ref())?;
            of_l.half_inverse_into(half_inverse.as_mut(), threading)?;
            let mut v = Mat::zeros(l.nrows(), l.nrows());
            matmul(v.as_mut(), Accum::Replace, l.as_ref(), l.transpose(), 1.0, threading)?;
            Ok((squares(half_inverse.as_ref()) <= NARROWEST).then_some(v))
        }
    }
}

/// W from lower V, factored from the last row up; adds rounding error, for `I − V = 0`.
fn remainder(v: &Mat<f64>) -> Result<Mat<f64>, LinalgError> {
    let (n, across) = (v.nrows(), |i: usize| v.nrows() - 1 - i);
    let reversed = Mat::from_fn(n, n, |i, j| {
        let one = if i == j { 1.0 + n as f64 * f64::EPSILON } else { 0.0 };
        if i >= j { one - v[(across(j), across(i))] } else { 0.0 }
    });
    let factor = Cholesky::factor(reversed.as_ref(), &ROUNDING)?;
    Ok(Mat::from_fn(n, n, |i, j| if i >= j { factor.l()[(across(j), across(i))] } else { 0.0 }))
}

impl InducingPosterior {
    /// T and a, cached, if used.
    fn collapsed(&self) -> Result<Option<&Collapsed>, KernelError> {
        if self.collapsed.get().is_none() {
            let found = match Collapsed::of(self) {
                Err(LinalgError::Stopped) => return Err(KernelError::Stopped),
                found => found.ok().flatten(),
            };
            // Another thread may have stored the same numbers first.
            let _ = self.collapsed.set(found);
        }
        Ok(self.collapsed.get().and_then(Option::as_ref))
    }

    /// T and a of all, if all use T.
    pub(super) fn all_collapsed<'a>(alike: &[&'a Self]) -> Result<Option<Vec<&'a Collapsed>>, KernelError> {
        alike.iter().map(|of| of.collapsed().transpose()).collect::<Option<Result<_, _>>>().transpose()
    }

    pub(super) fn predict_collapsed(
        &self,
        alike: &[&Collapsed],
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<Vec<LatentPrediction>, KernelError> {
        let functions = alike.len();
        // Ordered by block of points, then by function.
        let mut all = LatentPrediction::zeros(x.nrows() * functions);
        let room = || [Mat::zeros(0, 0), Mat::zeros(0, 0)];
        in_blocks(BLOCK * functions, &mut all, by, room, |[cross, copy], first, (mean, variance), by| {
            let rows = x.subrows(first / functions, mean.len() / functions);
            let (inducing, count) = (self.mean.len(), rows.nrows());
            cross.resize_with(inducing, count, |_, _| 0.0);
            self.inputs().cross(self.kernel(), rows, cross.as_mut(), by)?;
            let (prior, others) = variance.split_at_mut(count);
            by.diagonal(self.kernel(), rows, prior)?;
            others.chunks_mut(count).for_each(|variance| variance.copy_from_slice(prior));
            let outputs = mean.chunks_mut(count).zip(variance.chunks_mut(count));
            for (place, (of, (mean, variance))) in alike.iter().zip(outputs).enumerate() {
                of.means(cross.as_ref(), mean, by)?;
                if place + 1 == functions {
                    return of.explain(cross.as_mut(), variance, by);
                }
                copy.resize_with(inducing, count, |_, _| 0.0);
                copy.copy_from(&*cross);
                of.explain(copy.as_mut(), variance, by)?;
            }
            Ok(())
        })?;
        Ok(super::predict::apart(all, BLOCK, functions))
    }
}

impl Collapsed {
    /// `k_*ᵀa`.
    fn means(&self, cross: MatRef<'_, f64>, mean: &mut [f64], by: &Evaluator) -> Result<(), KernelError> {
        let a = MatRef::from_column_major_slice(&self.a, self.a.len(), 1);
        let mean = MatMut::from_column_major_slice_mut(mean, cross.ncols(), 1);
        Ok(matmul(mean, Accum::Replace, cross.transpose(), a, 1.0, by.threading())?)
    }

    /// Subtracts explained variances; overwrites `k_*`.
    fn explain(
        &self,
        mut cross: MatMut<'_, f64>,
        variance: &mut [f64],
        by: &Evaluator,
    ) -> Result<(), KernelError> {
        self.t.mul_l_in_place(cross.rb_mut(), by.threading())?;
        for (variance, column) in variance.iter_mut().zip(cross.as_ref().col_iter()) {
            *variance = unexplained(*variance, column.squared_norm_l2());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inducing::InducingInputs;
    use crate::parse;

    /// Covariance `V = A Aᵀ/scale`, A lower triangular.
    fn posterior(by_precision: bool, scale: f64) -> InducingPosterior {
        let z = Mat::from_fn(9, 2, |i, d| ((i * (5 + 2 * d)) as f64).sin());
        let root = 1.0 / scale.sqrt();
        let a = Mat::from_fn(9, 9, |i, j| match i.cmp(&j) {
            std::cmp::Ordering::Less => 0.0,
            std::cmp::Ordering::Equal => root * (0.5 + 0.04 * i as f64),
            std::cmp::Ordering::Greater => root * 0.05 * ((i + 3 * j) as f64).cos(),
        });
        let factor = if by_precision {
            let v = &a * a.transpose();
            let of_v = Cholesky::factor(v.as_ref(), &JitterPolicy::none()).unwrap();
            let mut b = Mat::identity(9, 9);
            of_v.solve_in_place(b.as_mut(), Threading::Here).unwrap();
            PosteriorFactor::Precision(Cholesky::factor(b.as_ref(), &JitterPolicy::none()).unwrap())
        } else {
            PosteriorFactor::Covariance(a)
        };
        let mean = (0..9).map(|m| (m as f64).sin()).collect();
        let kernel = parse("1.3 * rbf(lengthscale=0.7) + linear(lengthscale=2)").unwrap();
        let inputs = InducingInputs::points(z.as_ref()).unwrap();
        InducingPosterior::new(kernel, inputs, JitterPolicy::ladder(), mean, factor).unwrap()
    }

    /// Joint predictions use two solves.
    #[track_caller]
    fn compare_with_joint(posterior: &InducingPosterior) {
        let (x, by) = (Mat::from_fn(40, 2, |i, d| ((i * (3 + d)) as f64).cos()), Evaluator::default());
        let found = posterior.predict(x.as_ref(), &by).unwrap();
        let (mean, covariance) = posterior.predict_joint(x.as_ref(), &by).unwrap();
        for i in 0..40 {
            assert!((found.mean[i] - mean[i]).abs() < 1e-10, "{} {}", found.mean[i], mean[i]);
            let expected = covariance[(i, i)];
            assert!((found.variance[i] - expected).abs() < 1e-10, "{} {expected}", found.variance[i]);
        }
    }

    #[test]
    fn predictions_are_those_by_two_solves() {
        for by_precision in [false, true] {
            let posterior = posterior(by_precision, 1.0);
            assert!(posterior.collapsed().unwrap().is_some());
            compare_with_joint(&posterior);
        }
    }

    #[test]
    fn posteriors_without_a_factor_are_predicted_by_solves() {
        for scale in [0.1, 1e10] {
            for by_precision in [false, true] {
                let posterior = posterior(by_precision, scale);
                assert!(posterior.collapsed().unwrap().is_none());
                compare_with_joint(&posterior);
            }
        }
    }

    /// `V = I`: no variance is explained.
    #[test]
    fn the_prior_has_its_own_variances() {
        let kernel = parse("1.3 * rbf(lengthscale=0.7)").unwrap();
        let z = Mat::from_fn(6, 1, |i, _| i as f64);
        let inputs = InducingInputs::points(z.as_ref()).unwrap();
        let prior = InducingPosterior::prior(kernel, inputs, JitterPolicy::ladder()).unwrap();
        assert!(prior.collapsed().unwrap().is_some());
        let found = prior.predict(z.as_ref(), &Evaluator::default()).unwrap();
        assert!(found.mean.iter().all(|mean| *mean == 0.0));
        assert!(found.variance.iter().all(|variance| (variance - 1.3).abs() < 1e-10), "{found:?}");
    }
}
