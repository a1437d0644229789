//! Natural-gradient step from sums.

use super::entropy::Working;
use super::mixture::{Covariance, Mixture, Part};
use super::symmetric::copy_symmetric;
use faer::{Accum, Mat, MatMut, MatRef, unzip, zip};
use gp_ep::InferenceError;
use gp_kernels::data::for_each_pair;
use gp_kernels::passes::Layout;
use gp_linalg::product::matmul_lower;
use gp_linalg::{Cholesky, JitterPolicy, LinalgError, Threading};

pub(super) struct Evaluated<'a> {
    /// N / loaded observations.
    pub(super) weight: f64,
    pub(super) layout: &'a Layout,
    pub(super) sums: &'a [f64],
    pub(super) working: &'a Working,
    pub(super) threading: Threading,
}

#[derive(Debug)]
pub(super) struct Natural(Vec<Room>);

#[derive(Debug)]
struct Room {
    /// B, new B, triangular matrix.
    precision: Mat<f64>,
    next: Mat<f64>,
    half: Mat<f64>,
    factor: Cholesky,
    mean: Vec<f64>,
    step: Vec<f64>,
    below: Vec<f64>,
}

impl Natural {
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

    /// Steps from `from`, as evaluated, to `to`. Returns `false` if the new precision is below the share `least` of the
    /// old one in some direction; `to` is then invalid.
    pub(super) fn step(
        &mut self,
        at: &Evaluated<'_>,
        from: &Mixture,
        to: &mut Mixture,
        (rate, least): (f64, f64),
    ) -> Result<bool, InferenceError> {
        let step = |q: usize, room: &mut Room, to: &mut Part| room.step(at, (from, to), q, (rate, least));
        is_proper(for_each_pair(at.threading, &mut self.0, to.parts_mut(), step))
    }

    /// Natural parameters, then their full step: per latent B (lower), B m.
    pub(super) fn naturals(
        &mut self,
        at: &Evaluated<'_>,
        from: &Mixture,
    ) -> Result<(Vec<f64>, Vec<f64>), InferenceError> {
        let length = self.0.iter().map(Room::len).sum();
        let (mut place, mut step) = (Vec::with_capacity(length), Vec::with_capacity(length));
        for (q, room) in self.0.iter_mut().enumerate() {
            room.add_naturals(at, from, q, (&mut place, &mut step))?;
        }
        Ok((place, step))
    }

    /// `false` if improper, with `to` invalid.
    pub(super) fn set(
        &mut self,
        naturals: &[f64],
        to: &mut Mixture,
        threading: Threading,
    ) -> Result<bool, InferenceError> {
        let mut rest = naturals;
        for room in &mut self.0 {
            let (own, later) = rest.split_at(room.len());
            room.read(own);
            rest = later;
        }
        let set = |_: usize, room: &mut Room, to: &mut Part| room.set(to);
        is_proper(for_each_pair(threading, &mut self.0, to.parts_mut(), set))
    }
}

fn is_proper(done: Result<(), InferenceError>) -> Result<bool, InferenceError> {
    match done {
        Ok(()) => Ok(true),
        Err(InferenceError::Linalg(LinalgError::NotPositiveDefinite { .. })) => Ok(false),
        Err(other) => Err(other),
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
        (from, to): (&Mixture, &mut Part),
        q: usize,
        (rate, least): (f64, f64),
    ) -> Result<(), InferenceError> {
        self.look(at, q)?;
        let (m, weight) = (from.counts()[q], at.weight);
        let Self { precision, next, half, factor, mean, step, .. } = self;
        let part = at.layout.part(at.sums, 0, q);
        let (lambda, keep) = (part.matrix(), 1.0 - rate);
        for j in 0..m {
            for i in j..m {
                next[(i, j)] = keep * precision[(i, j)] - 2.0 * rate * weight * lambda[(i, j)];
            }
            next[(j, j)] += rate;
        }
        if least > 0.0 {
            zip!(precision.as_mut(), next.as_ref()).for_each(|unzip!(old, new)| *old = new - least * *old);
            factor_reversed(precision.as_ref(), half.as_mut(), factor)?;
        }
        factor_reversed(next.as_ref(), precision.as_mut(), factor)?;
        let slopes = part.shift.iter().zip(from.mean(0, q)).map(|(sum, mean)| weight * sum - mean);
        step.iter_mut().rev().zip(slopes).for_each(|(out, slope)| *out = rate * slope);
        factor.solve_in_place(MatMut::from_column_major_slice_mut(step, m, 1), Threading::Here)?;
        let moved = from.mean(0, q).iter().zip(step.iter().rev()).map(|(mean, step)| mean + step);
        mean.iter_mut().zip(moved).for_each(|(out, x)| *out = x);
        self.finish(to)
    }

    /// Lower triangle of `B = L_S⁻ᵀ L_S⁻¹`.
    fn look(&mut self, at: &Evaluated<'_>, q: usize) -> Result<(), InferenceError> {
        let Self { precision, half, .. } = self;
        identity(half.as_mut());
        if let Some(own) = at.working.factor(0, q) {
            own.half_solve_in_place(half.as_mut(), Threading::Here)?;
        }
        let columns = half.as_ref();
        matmul_lower(precision.as_mut(), Accum::Replace, columns.transpose(), columns, 1.0, Threading::Here)?;
        Ok(())
    }

    fn finish(&mut self, to: &mut Part) -> Result<(), InferenceError> {
        let Self { half, factor, mean, below, .. } = self;
        identity(half.as_mut());
        factor.half_solve_in_place(half.as_mut(), Threading::Here)?;
        let lower = half.as_ref().reverse_rows_and_cols().transpose();
        to.set(Covariance::Full, mean, lower, below)
    }

    fn len(&self) -> usize {
        let m = self.mean.len();
        m * (m + 1) / 2 + m
    }

    /// Appends B, B m to `place`, their change towards `I − 2Λ`, `(I − 2Λ) m + g − m` to `change`.
    fn add_naturals(
        &mut self,
        at: &Evaluated<'_>,
        from: &Mixture,
        q: usize,
        (place, change): (&mut Vec<f64>, &mut Vec<f64>),
    ) -> Result<(), InferenceError> {
        self.look(at, q)?;
        let Self { precision, next, mean: shift, step: moved, .. } = self;
        let (part, m) = (at.layout.part(at.sums, 0, q), from.mean(0, q));
        let lambda = part.matrix();
        for j in 0..m.len() {
            for i in j..m.len() {
                let whole = f64::from(u8::from(i == j)) - 2.0 * at.weight * lambda[(i, j)];
                next[(i, j)] = whole - precision[(i, j)];
                place.push(precision[(i, j)]);
                change.push(next[(i, j)]);
            }
        }
        multiply_symmetric(precision.as_ref(), m, shift);
        multiply_symmetric(next.as_ref(), m, moved);
        let slopes = part.shift.iter().zip(m).map(|(sum, mean)| at.weight * sum - mean);
        place.extend_from_slice(shift);
        change.extend(moved.iter().zip(slopes).map(|(moved, slope)| moved + slope));
        Ok(())
    }

    /// B into `next`, B m in reverse order into `step`.
    fn read(&mut self, naturals: &[f64]) {
        let m = self.mean.len();
        let (mut lower, shift) = naturals.split_at(naturals.len() - m);
        for j in 0..m {
            let (column, later) = lower.split_at(m - j);
            self.next.col_as_slice_mut(j)[j..].copy_from_slice(column);
            lower = later;
        }
        self.step.iter_mut().rev().zip(shift).for_each(|(out, shift)| *out = *shift);
    }

    fn set(&mut self, to: &mut Part) -> Result<(), InferenceError> {
        let Self { precision, next, factor, mean, step, .. } = self;
        factor_reversed(next.as_ref(), precision.as_mut(), factor)?;
        factor.solve_in_place(MatMut::from_column_major_slice_mut(step, mean.len(), 1), Threading::Here)?;
        mean.iter_mut().zip(step.iter().rev()).for_each(|(out, x)| *out = *x);
        self.finish(to)
    }
}

/// Factors `B = U Uᵀ`, U upper, by reversed rows and columns: `S = U⁻ᵀU⁻¹` has lower factor `U⁻ᵀ`. `room` receives B.
fn factor_reversed(
    lower: MatRef<'_, f64>,
    mut room: MatMut<'_, f64>,
    factor: &mut Cholesky,
) -> Result<(), InferenceError> {
    copy_symmetric(lower, room.as_mut())?;
    factor.refactor(room.as_ref().reverse_rows_and_cols(), &JitterPolicy::none())?;
    Ok(())
}

fn multiply_symmetric(lower: MatRef<'_, f64>, x: &[f64], out: &mut [f64]) {
    out.fill(0.0);
    for j in 0..x.len() {
        out[j] += lower[(j, j)] * x[j];
        for i in j + 1..x.len() {
            out[i] += lower[(i, j)] * x[j];
            out[j] += lower[(i, j)] * x[i];
        }
    }
}

fn identity(mut matrix: MatMut<'_, f64>) {
    matrix.fill(0.0);
    (0..matrix.ncols()).for_each(|i| matrix[(i, i)] = 1.0);
}
