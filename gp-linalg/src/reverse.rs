//! Reverse-mode derivatives of factorisations and solves.
//!
//! `x̄` is the derivative of a scalar by `x`. Functions turn derivatives by a result into those by its arguments.
//!
//! - Only lower triangles of `L` and `L̄` are read or written.
//! - `Ā` of a symmetric A is symmetric and full (with [`Accum::Add`], already on entry): `dJ = Σᵢⱼ Āᵢⱼ dAᵢⱼ`.
//! - [`cholesky_reverse`] overwrites `Ā`: sum all derivatives through L in `L̄`, convert once, then add others by A.
//!
//! ```
//! use gp_linalg::faer::{Accum, Mat, mat};
//! use gp_linalg::{Cholesky, JitterPolicy, Threading, reverse};
//!
//! // J = ln det A, so Ā = A⁻¹.
//! let a = mat![[2.0, 1.0], [1.0, 2.0]];
//! let cholesky = Cholesky::factor(a.as_ref(), &JitterPolicy::none())?;
//! let mut l_bar = Mat::zeros(2, 2);
//! reverse::log_det_reverse_factor(cholesky.l(), 1.0, l_bar.as_mut(), Accum::Replace)?;
//! let mut a_bar = Mat::zeros(2, 2);
//! reverse::cholesky_reverse(cholesky.l(), l_bar.as_ref(), a_bar.as_mut(), Threading::Here)?;
//! assert!((a_bar - mat![[2.0, -1.0], [-1.0, 2.0]] * gp_linalg::faer::Scale(1.0 / 3.0)).norm_max() < 1e-15);
//! # Ok::<(), gp_linalg::LinalgError>(())
//! ```

use crate::error::{LinalgError, check_extent};
use crate::product::{product_lower, symmetrise_lower};
use crate::threading::Threading;
use crate::triangular;
use crate::upper_state::clear_upper_vector_state;
use faer::linalg::triangular_inverse::invert_lower_triangular;
use faer::reborrow::ReborrowMut as _;
use faer::{Accum, MatMut, MatRef, Par};

/// Reusable memory for [`log_det_reverse`].
#[derive(Debug, Clone, Default)]
pub struct ReverseScratch {
    inverse: Vec<f64>,
}

impl ReverseScratch {
    /// Empty scratch; the first use allocates.
    pub fn new() -> Self {
        Self::default()
    }

    fn zeros(&mut self, n: usize) -> MatMut<'_, f64> {
        self.inverse.clear();
        self.inverse.resize(n * n, 0.0);
        MatMut::from_column_major_slice_mut(&mut self.inverse, n, n)
    }
}

/// Reverse of `A = L Lᵀ`: `Ā = ½ L⁻ᵀ (P + Pᵀ) L⁻¹`, `P`: lower triangle of `LᵀL̄`, halved diagonal. All `n×n`.
///
/// # Errors
/// [`LinalgError::DimensionMismatch`]
pub fn cholesky_reverse(
    l: MatRef<'_, f64>,
    l_bar: MatRef<'_, f64>,
    mut a_bar: MatMut<'_, f64>,
    threading: Threading,
) -> Result<(), LinalgError> {
    const OPERATION: &str = "cholesky_reverse";
    check_square(OPERATION, "l", l, l.nrows())?;
    check_square(OPERATION, "l_bar", l_bar, l.nrows())?;
    check_square(OPERATION, "a_bar", a_bar.as_ref(), l.nrows())?;
    a_bar.fill(0.0);
    a_bar.copy_from_triangular_lower(l_bar);
    triangular::multiply_transpose(l, a_bar.rb_mut(), threading);
    // Mirroring gives P + Pᵀ, since the diagonal is not halved.
    symmetrise_lower(a_bar.rb_mut())?;
    triangular::solve_transpose(l, a_bar.rb_mut(), threading);
    triangular::solve_transpose(l, a_bar.rb_mut().transpose_mut(), threading);
    for j in 0..l.nrows() {
        for i in j..l.nrows() {
            a_bar[(i, j)] *= 0.5;
        }
    }
    symmetrise_lower(a_bar)
}

/// Reverse of `J = ln det A`: `Ā = [Ā +] adjoint · A⁻¹`; `adjoint`: derivative by J.
///
/// # Errors
/// [`LinalgError::DimensionMismatch`]
pub fn log_det_reverse(
    l: MatRef<'_, f64>,
    adjoint: f64,
    mut a_bar: MatMut<'_, f64>,
    accum: Accum,
    scratch: &mut ReverseScratch,
    threading: Threading,
) -> Result<(), LinalgError> {
    const OPERATION: &str = "log_det_reverse";
    check_square(OPERATION, "l", l, l.nrows())?;
    check_square(OPERATION, "a_bar", a_bar.as_ref(), l.nrows())?;
    let mut inverse = scratch.zeros(l.nrows());
    invert_lower_triangular(inverse.rb_mut(), l, Par::Seq);
    clear_upper_vector_state();
    let inverse = inverse.as_ref();
    product_lower(a_bar.rb_mut(), accum, inverse.transpose(), inverse, adjoint, threading);
    symmetrise_lower(a_bar)
}

/// Reverse of `J = ln det(L Lᵀ)`: `L̄ᵢᵢ = [L̄ᵢᵢ +] 2 adjoint / Lᵢᵢ`; [`Accum::Replace`] zeroes the rest.
///
/// # Errors
/// [`LinalgError::DimensionMismatch`]
pub fn log_det_reverse_factor(
    l: MatRef<'_, f64>,
    adjoint: f64,
    mut l_bar: MatMut<'_, f64>,
    accum: Accum,
) -> Result<(), LinalgError> {
    const OPERATION: &str = "log_det_reverse_factor";
    check_square(OPERATION, "l", l, l.nrows())?;
    check_square(OPERATION, "l_bar", l_bar.as_ref(), l.nrows())?;
    if accum == Accum::Replace {
        l_bar.fill(0.0);
    }
    for i in 0..l.nrows() {
        l_bar[(i, i)] += 2.0 * adjoint / l[(i, i)];
    }
    Ok(())
}

/// Reverse of `X = A⁻¹B` (n×k): `B̄ = A⁻¹X̄` replaces `X̄`, `Ā = [Ā] − ½ (B̄Xᵀ + XB̄ᵀ)`.
///
/// # Errors
/// [`LinalgError::DimensionMismatch`]
pub fn solve_reverse(
    l: MatRef<'_, f64>,
    x: MatRef<'_, f64>,
    mut x_bar: MatMut<'_, f64>,
    mut a_bar: MatMut<'_, f64>,
    accum: Accum,
    threading: Threading,
) -> Result<(), LinalgError> {
    const OPERATION: &str = "solve_reverse";
    check_square(OPERATION, "l", l, l.nrows())?;
    check_square(OPERATION, "a_bar", a_bar.as_ref(), l.nrows())?;
    check_pair(OPERATION, l, x, x_bar.as_ref())?;
    triangular::solve(l, x_bar.rb_mut(), threading);
    triangular::solve_transpose(l, x_bar.rb_mut(), threading);
    let b_bar = x_bar.as_ref();
    product_lower(a_bar.rb_mut(), accum, b_bar, x.transpose(), -0.5, threading);
    product_lower(a_bar.rb_mut(), Accum::Add, x, b_bar.transpose(), -0.5, threading);
    symmetrise_lower(a_bar)
}

/// Reverse of `X = L⁻¹B` (`n×k`): `B̄ = L⁻ᵀX̄` replaces `X̄`, lower triangle of `L̄ = [L̄] − B̄Xᵀ`.
///
/// # Errors
/// [`LinalgError::DimensionMismatch`]
pub fn half_solve_reverse(
    l: MatRef<'_, f64>,
    x: MatRef<'_, f64>,
    mut x_bar: MatMut<'_, f64>,
    l_bar: MatMut<'_, f64>,
    accum: Accum,
    threading: Threading,
) -> Result<(), LinalgError> {
    const OPERATION: &str = "half_solve_reverse";
    check_square(OPERATION, "l", l, l.nrows())?;
    check_square(OPERATION, "l_bar", l_bar.as_ref(), l.nrows())?;
    check_pair(OPERATION, l, x, x_bar.as_ref())?;
    triangular::solve_transpose(l, x_bar.rb_mut(), threading);
    product_lower(l_bar, accum, x_bar.as_ref(), x.transpose(), -1.0, threading);
    Ok(())
}

/// Reverse of `J = bᵀA⁻¹b`: `b̄ = 2 adjoint A⁻¹b` (overwritten), `Ā = [Ā] − adjoint (A⁻¹b)(A⁻¹b)ᵀ`.
///
/// `half`: `L⁻¹b`, the scratch of [`Cholesky::inv_quad_form`](crate::Cholesky::inv_quad_form).
///
/// # Errors
/// [`LinalgError::DimensionMismatch`]
pub fn inv_quad_reverse(
    l: MatRef<'_, f64>,
    half: &[f64],
    adjoint: f64,
    b_bar: &mut [f64],
    mut a_bar: MatMut<'_, f64>,
    accum: Accum,
) -> Result<(), LinalgError> {
    const OPERATION: &str = "inv_quad_reverse";
    let n = l.nrows();
    check_square(OPERATION, "l", l, n)?;
    check_square(OPERATION, "a_bar", a_bar.as_ref(), n)?;
    check_extent(OPERATION, "length of half", n, half.len())?;
    check_extent(OPERATION, "length of b_bar", n, b_bar.len())?;
    b_bar.copy_from_slice(half);
    let mut solved = MatMut::from_column_major_slice_mut(&mut *b_bar, n, 1);
    triangular::solve_transpose(l, solved.rb_mut(), Threading::Here);
    let solved = solved.as_ref();
    product_lower(a_bar.rb_mut(), accum, solved, solved.transpose(), -adjoint, Threading::Here);
    b_bar.iter_mut().for_each(|value| *value *= 2.0 * adjoint);
    symmetrise_lower(a_bar)
}

fn check_square(
    operation: &'static str,
    what: &'static str,
    matrix: MatRef<'_, f64>,
    dim: usize,
) -> Result<(), LinalgError> {
    check_extent(operation, what, dim, matrix.nrows())?;
    check_extent(operation, what, dim, matrix.ncols())
}

fn check_pair(
    operation: &'static str,
    l: MatRef<'_, f64>,
    x: MatRef<'_, f64>,
    x_bar: MatRef<'_, f64>,
) -> Result<(), LinalgError> {
    check_extent(operation, "rows of x", l.nrows(), x.nrows())?;
    check_extent(operation, "rows of x_bar", l.nrows(), x_bar.nrows())?;
    check_extent(operation, "columns of x_bar", x.ncols(), x_bar.ncols())
}
