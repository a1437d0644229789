//! Natural-gradient step from sums, in reused memory.

use super::entropy::Working;
use super::mixture::{Covariance, Mixture, Part};
use super::symmetric::copy_symmetric;
use faer::{Accum, Mat, MatMut};
use gp_ep::InferenceError;
use gp_kernels::data::for_each_pair;
use gp_kernels::passes::Layout;
use gp_linalg::product::matmul_lower;
use gp_linalg::{Cholesky, JitterPolicy, LinalgError, Threading};

/// Results of the last pass.
pub(super) struct Evaluated<'a> {
    /// Observations represented by each loaded one.
    pub(super) weight: f64,
    pub(super) layout: &'a Layout,
    pub(super) sums: &'a [f64],
    pub(super) working: &'a Working,
    pub(super) threading: Threading,
}

/// Memory of steps.
#[derive(Debug)]
pub(super) struct Natural(Vec<Room>);

/// Memory of one latent function.
#[derive(Debug)]
struct Room {
    /// B, the new B, and a triangular matrix.
    precision: Mat<f64>,
    next: Mat<f64>,
    half: Mat<f64>,
    factor: Cholesky,
    mean: Vec<f64>,
    step: Vec<f64>,
    /// Entries below the diagonal of a factor.
    below: Vec<f64>,
}

impl Natural {
    /// Fails for posteriors without such steps.
    pub(super) fn check(posterior: &Mixture) -> Result<(), InferenceError> {
        if posterior.components() == 1 && posterior.covariance() == Covariance::Full {
            return Ok(());
        }
        Err(InferenceError::Unsupported { what: "natural gradients of anything but one full Gaussian" })
    }

    pub(super) fn new(posterior: &Mixture) -> Result<Self, InferenceError> {
        Self::check(posterior)?;
        Ok(Self(posterior.counts().iter().map(|&m| Room::new(m)).collect()))
    }

    /// Sets `to` one step of length `rate` from `from`, at which the sums were made. False if the result is
    /// not proper; `to` is then invalid.
    pub(super) fn step(
        &mut self,
        at: &Evaluated<'_>,
        from: &Mixture,
        to: &mut Mixture,
        rate: f64,
    ) -> Result<bool, InferenceError> {
        let step = |q: usize, room: &mut Room, to: &mut Part| room.step(at, from, to, (q, rate));
        match for_each_pair(at.threading, &mut self.0, to.parts_mut(), step) {
            Ok(()) => Ok(true),
            Err(InferenceError::Linalg(LinalgError::NotPositiveDefinite { .. })) => Ok(false),
            Err(other) => Err(other),
        }
    }
}

impl Room {
    fn new(m: usize) -> Self {
        let square = || Mat::zeros(m, m);
        Self {
            precision: square(),
            next: square(),
            half: square(),
            factor: Cholesky::with_capacity(m),
            mean: vec![0.0; m],
            step: vec![0.0; m],
            below: Vec::with_capacity(m * m / 2),
        }
    }

    fn step(
        &mut self,
        at: &Evaluated<'_>,
        from: &Mixture,
        to: &mut Part,
        (q, rate): (usize, f64),
    ) -> Result<(), InferenceError> {
        let (m, weight) = (from.counts()[q], at.weight);
        let Self { precision, next, half, factor, mean, step, below } = self;
        let part = at.layout.part(at.sums, 0, q);
        // B = L_S⁻ᵀ L_S⁻¹
        identity(half.as_mut());
        if let Some(own) = at.working.factor(0, q) {
            own.half_solve_in_place(half.as_mut(), Threading::Here)?;
        }
        let columns = half.as_ref();
        matmul_lower(precision.as_mut(), Accum::Replace, columns.transpose(), columns, 1.0, Threading::Here)?;
        let (lambda, keep) = (part.matrix(), 1.0 - rate);
        for j in 0..m {
            for i in j..m {
                next[(i, j)] = keep * precision[(i, j)] - 2.0 * rate * weight * lambda[(i, j)];
            }
            next[(j, j)] += rate;
        }
        // B = U Uᵀ with U upper triangular, by the factor of B with rows and columns in reverse order; then
        // S = U⁻ᵀU⁻¹, and its lower factor is U⁻ᵀ.
        copy_symmetric(next.as_ref(), precision.as_mut())?;
        factor.refactor(precision.as_ref().reverse_rows_and_cols(), &JitterPolicy::none())?;
        let slopes = part.shift.iter().zip(from.mean(0, q)).map(|(sum, mean)| weight * sum - mean);
        step.iter_mut().rev().zip(slopes).for_each(|(out, slope)| *out = rate * slope);
        factor.solve_in_place(MatMut::from_column_major_slice_mut(step, m, 1), Threading::Here)?;
        let moved = from.mean(0, q).iter().zip(step.iter().rev()).map(|(mean, step)| mean + step);
        mean.iter_mut().zip(moved).for_each(|(out, x)| *out = x);
        identity(half.as_mut());
        factor.half_solve_in_place(half.as_mut(), Threading::Here)?;
        let lower = half.as_ref().reverse_rows_and_cols().transpose();
        to.set(Covariance::Full, mean, lower, below)
    }
}

fn identity(mut matrix: MatMut<'_, f64>) {
    matrix.fill(0.0);
    (0..matrix.ncols()).for_each(|i| matrix[(i, i)] = 1.0);
}
