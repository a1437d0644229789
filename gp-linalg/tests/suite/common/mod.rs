//! Test matrices and reference computations.
use gp_linalg::faer::{Mat, MatMut, MatRef};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// Sizes around block edges, and small ones.
pub(crate) const SIZES: [usize; 9] = [0, 1, 2, 3, 5, 10, 50, 200, 513];

pub(crate) fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// Entries uniform in [−1, 1).
pub(crate) fn uniform(nrows: usize, ncols: usize, seed: u64) -> Mat<f64> {
    let mut rng = rng(seed);
    Mat::from_fn(nrows, ncols, |_, _| rng.random_range(-1.0..1.0))
}

/// Symmetric positive definite, eigenvalues from 1 to about 2.
pub(crate) fn well_conditioned(n: usize, seed: u64) -> Mat<f64> {
    let factor = uniform(n, n, seed);
    let scale = 1.0 / (n as f64).max(1.0);
    naive_product(factor.as_ref(), factor.transpose(), scale) + Mat::<f64>::identity(n, n)
}

/// Squared-exponential Gram matrix on [0, 1], plus `noise`.
pub(crate) fn gram(n: usize, lengthscale: f64, noise: f64) -> Mat<f64> {
    let x = |i: usize| i as f64 / (n as f64).max(1.0);
    Mat::from_fn(n, n, |i, j| {
        let distance = (x(i) - x(j)) / lengthscale;
        (-0.5 * distance * distance).exp() + if i == j { noise } else { 0.0 }
    })
}

pub(crate) fn naive_product(a: MatRef<'_, f64>, b: MatRef<'_, f64>, alpha: f64) -> Mat<f64> {
    let a = a.to_owned();
    let mut c = Mat::zeros(a.nrows(), b.ncols());
    for j in 0..b.ncols() {
        let target = c.col_as_slice_mut(j);
        for k in 0..a.ncols() {
            let factor = alpha * b[(k, j)];
            for (sum, value) in target.iter_mut().zip(a.col_as_slice(k)) {
                *sum += factor * value;
            }
        }
    }
    c
}

pub(crate) fn max_abs(a: MatRef<'_, f64>) -> f64 {
    let mut largest = 0.0_f64;
    for j in 0..a.ncols() {
        for i in 0..a.nrows() {
            largest = largest.max(if a[(i, j)].is_nan() { f64::INFINITY } else { a[(i, j)].abs() });
        }
    }
    largest
}

pub(crate) fn norm_one(a: MatRef<'_, f64>) -> f64 {
    (0..a.ncols()).map(|j| (0..a.nrows()).map(|i| a[(i, j)].abs()).sum::<f64>()).fold(0.0, f64::max)
}

pub(crate) fn max_difference(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> f64 {
    assert_eq!((a.nrows(), a.ncols()), (b.nrows(), b.ncols()));
    max_abs((a - b).as_ref())
}

pub(crate) fn same_bits(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> bool {
    (a.nrows(), a.ncols()) == (b.nrows(), b.ncols())
        && (0..a.ncols()).all(|j| (0..a.nrows()).all(|i| a[(i, j)].to_bits() == b[(i, j)].to_bits()))
}

/// Matrix in any layout, with margin.
pub(crate) struct Framed {
    memory: Mat<f64>,
    layout: Layout,
    nrows: usize,
    ncols: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Layout {
    ColumnMajor,
    RowMajor,
    /// Rows from last to first.
    Reversed,
    /// Columns from last to first.
    RowMajorReversed,
}

pub(crate) const LAYOUTS: [Layout; 4] =
    [Layout::ColumnMajor, Layout::RowMajor, Layout::Reversed, Layout::RowMajorReversed];
const FRAME: f64 = 12345.678;

impl Framed {
    pub(crate) fn new(values: MatRef<'_, f64>, layout: Layout) -> Self {
        let (nrows, ncols) = (values.nrows(), values.ncols());
        let (rows, columns) = match layout {
            Layout::ColumnMajor | Layout::Reversed => (nrows + 3, ncols),
            Layout::RowMajor | Layout::RowMajorReversed => (ncols + 3, nrows),
        };
        let mut framed = Self { memory: Mat::full(rows, columns, FRAME), layout, nrows, ncols };
        framed.as_mut().copy_from(values);
        framed
    }

    pub(crate) fn as_mut(&mut self) -> MatMut<'_, f64> {
        let (nrows, ncols) = (self.nrows, self.ncols);
        let memory = self.memory.as_mut();
        match self.layout {
            Layout::ColumnMajor => memory.submatrix_mut(0, 0, nrows, ncols),
            Layout::RowMajor => memory.submatrix_mut(0, 0, ncols, nrows).transpose_mut(),
            Layout::Reversed => memory.submatrix_mut(0, 0, nrows, ncols).reverse_rows_mut(),
            Layout::RowMajorReversed => {
                memory.submatrix_mut(0, 0, ncols, nrows).transpose_mut().reverse_cols_mut()
            }
        }
    }

    pub(crate) fn values(&mut self) -> Mat<f64> {
        self.as_mut().as_ref().to_owned()
    }

    pub(crate) fn frame_is_intact(&mut self) -> bool {
        let inside = self.nrows * self.ncols;
        self.as_mut().fill(0.5);
        let framed = |value: &f64| *value == FRAME;
        let outside: usize =
            (0..self.memory.ncols()).map(|j| self.memory.col(j).iter().filter(|v| framed(v)).count()).sum();
        outside == self.memory.nrows() * self.memory.ncols() - inside
    }
}
