//! Small matrices, one row per latent, where plain loops beat a library.

use super::numbers::{Column, FEW, Numbers};
use gp_likelihoods::small_factor::{factorise, solve, solve_transposed};
use std::ops::{Index, IndexMut};

const SWEEPS: usize = 30;
/// Eigenvalues of directions without variance, relative to the largest.
const NEGLIGIBLE: f64 = 1e-14;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Square {
    size: usize,
    entries: Numbers<{ FEW * FEW }>,
}

impl Square {
    pub(super) fn zeros(size: usize) -> Self {
        Self { size, entries: Numbers::zeros(size * size) }
    }

    pub(super) fn from_fn(size: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        let mut out = Self::zeros(size);
        for (i, row) in out.rows_mut().enumerate() {
            row.iter_mut().enumerate().for_each(|(j, slot)| *slot = entry(i, j));
        }
        out
    }

    pub(super) fn from_rows(size: usize, entries: &[f64]) -> Self {
        debug_assert_eq!(entries.len(), size * size);
        Self { size, entries: Numbers::of(entries) }
    }

    pub(super) fn size(&self) -> usize {
        self.size
    }

    pub(super) fn row(&self, i: usize) -> &[f64] {
        &self.entries[i * self.size..][..self.size]
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.entries.chunks_exact(self.size)
    }

    pub(super) fn rows_mut(&mut self) -> impl Iterator<Item = &mut [f64]> {
        self.entries.chunks_exact_mut(self.size)
    }

    pub(super) fn transpose(&self) -> Self {
        Self::from_fn(self.size, |i, j| self[(j, i)])
    }

    pub(super) fn add_to_diagonal(&mut self, value: f64) {
        (0..self.size).for_each(|i| self[(i, i)] += value);
    }

    pub(super) fn times(&self, x: &[f64]) -> Column {
        self.rows().map(|row| inner(row, x)).collect()
    }

    pub(super) fn product(&self, b: &Self) -> Self {
        let mut out = Self::zeros(self.size);
        for (row, out) in self.rows().zip(out.rows_mut()) {
            row.iter().zip(b.rows()).for_each(|(a, row)| add(out, *a, row));
        }
        out
    }

    /// `C + Aᵀ B`.
    pub(super) fn plus_transpose_product(&self, a: &Self, b: &Self) -> Self {
        let mut out = self.clone();
        for (a, b) in a.rows().zip(b.rows()) {
            out.rows_mut().zip(a).for_each(|(out, a)| add(out, *a, b));
        }
        out
    }

    /// `A + scale B Bᵀ`, A symmetric.
    pub(super) fn plus_products(&self, b: &Self, scale: f64) -> Self {
        let mut out = self.clone();
        for i in 0..self.size {
            for j in 0..=i {
                out[(i, j)] += scale * inner(b.row(i), b.row(j));
                out[(j, i)] = out[(i, j)];
            }
        }
        out
    }

    pub(super) fn factor(mut self) -> Option<Factor> {
        let diagonal: Column = (0..self.size).map(|i| self[(i, i)]).collect();
        if !factorise(&mut self.entries, self.size, f64::MIN_POSITIVE) {
            return None;
        }
        // Pivots at rounding level mean a singular matrix.
        let floor = self.size as f64 * f64::EPSILON;
        let sound = |(i, entry): (usize, &f64)| self[(i, i)] * self[(i, i)] >= floor * entry;
        diagonal.iter().enumerate().all(sound).then_some(Factor { lower: self })
    }
}

impl Index<(usize, usize)> for Square {
    type Output = f64;

    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.entries[i * self.size + j]
    }
}

impl IndexMut<(usize, usize)> for Square {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        &mut self.entries[i * self.size + j]
    }
}

/// Lower L with `A = L Lᵀ`.
#[derive(Clone, Debug)]
pub(super) struct Factor {
    lower: Square,
}

impl Factor {
    pub(super) fn lower(&self) -> &Square {
        &self.lower
    }

    /// `x ← L⁻¹ x`.
    pub(super) fn half_solve(&self, x: &mut [f64]) {
        solve(&self.lower.entries, x);
    }

    pub(super) fn solve(&self, x: &mut [f64]) {
        solve(&self.lower.entries, x);
        solve_transposed(&self.lower.entries, x);
    }

    pub(super) fn log_det(&self) -> f64 {
        (0..self.lower.size).map(|i| 2.0 * self.lower[(i, i)].ln()).sum()
    }
}

pub(super) fn inner(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

pub(super) fn add(out: &mut [f64], scale: f64, x: &[f64]) {
    out.iter_mut().zip(x).for_each(|(out, x)| *out += scale * x);
}

/// Symmetric `R = S^½` and pseudo-inverse R⁺; permutes with latents.
#[derive(Clone, Debug)]
pub(super) struct Root {
    /// Roots of eigenvalues; 0 in directions without variance.
    values: Column,
    vectors: Square,
    pub(super) root: Square,
    pub(super) inverse: Square,
}

impl Root {
    /// Root of `S = A`; if `centred`, of `S = H A H`, `H = I − 11ᵀ/Q`, for shift-invariant likelihoods.
    pub(super) fn new(covariance: &Square, centred: bool) -> Self {
        let (found, vectors) = if centred { centred_eigen(covariance) } else { eigen(covariance.clone()) };
        let largest = found.iter().copied().fold(0.0, f64::max);
        let kept = |value: &f64| if *value > NEGLIGIBLE * largest { value.sqrt() } else { 0.0 };
        let values: Column = found.iter().map(kept).collect();
        let root = spectral(&vectors, |a| values[a]);
        let inverse = spectral(&vectors, |a| if values[a] > 0.0 { 1.0 / values[a] } else { 0.0 });
        Self { values, vectors, root, inverse }
    }

    /// Projector `R⁺R` onto directions with variance.
    pub(super) fn projector(&self) -> Square {
        spectral(&self.vectors, |a| if self.values[a] > 0.0 { 1.0 } else { 0.0 })
    }

    /// Derivatives by S from those by R, by `R dR + dR R = dS`.
    pub(super) fn reverse(&self, by_root: &Square) -> Square {
        let (u, values) = (&self.vectors, &self.values);
        let u_transpose = u.transpose();
        let mut inner = u.product(by_root).product(&u_transpose);
        for a in 0..values.len() {
            for b in 0..values.len() {
                let seen = values[a] > 0.0 && values[b] > 0.0;
                inner[(a, b)] = if seen { inner[(a, b)] / (values[a] + values[b]) } else { 0.0 };
            }
        }
        u_transpose.product(&inner).product(u)
    }
}

/// `Uᵀ diag(values) U`, eigenvectors in rows.
fn spectral(vectors: &Square, value: impl Fn(usize) -> f64) -> Square {
    let mut out = Square::zeros(vectors.size);
    for (a, vector) in vectors.rows().enumerate() {
        let value = value(a);
        out.rows_mut().zip(vector).for_each(|(row, u)| add(row, value * u, vector));
    }
    out
}

/// Eigenvalues and row eigenvectors of `H A H`; first 0.
fn centred_eigen(a: &Square) -> (Column, Square) {
    let u = helmert(a.size);
    let all = u.product(a).product(&u.transpose());
    let (found, beside) = eigen(Square::from_fn(a.size - 1, |i, j| all[(i + 1, j + 1)]));
    let mut vectors = u.clone();
    for (vector, out) in beside.rows().zip(vectors.rows_mut().skip(1)) {
        out.fill(0.0);
        vector.iter().zip(u.rows().skip(1)).for_each(|(share, row)| add(out, *share, row));
    }
    (std::iter::once(0.0).chain(found.iter().copied()).collect(), vectors)
}

/// Orthonormal rows: constant, then contrasts with earlier entries.
fn helmert(q: usize) -> Square {
    Square::from_fn(q, |i, k| {
        let entry = if i == 0 || k < i { 1.0 } else { -(i as f64) * f64::from(u8::from(k == i)) };
        entry / (if i == 0 { q } else { i * (i + 1) } as f64).sqrt()
    })
}

/// Eigenvalues and row eigenvectors, by Jacobi rotations.
fn eigen(mut a: Square) -> (Column, Square) {
    let q = a.size;
    let mut vectors = Square::zeros(q);
    vectors.add_to_diagonal(1.0);
    for _ in 0..SWEEPS {
        let size: f64 = a.entries.iter().map(|x| x * x).sum();
        let below = |i: usize| a.row(i)[..i].iter().map(|x| x * x).sum::<f64>();
        let off: f64 = (0..q).map(below).sum();
        if 2.0 * off <= size * f64::EPSILON * f64::EPSILON * 1e-4 {
            break;
        }
        for i in 0..q {
            (i + 1..q).for_each(|j| rotate(&mut a, &mut vectors, i, j));
        }
    }
    ((0..q).map(|i| a[(i, i)]).collect(), vectors)
}

/// Zeroes entry (i, j).
fn rotate(a: &mut Square, vectors: &mut Square, i: usize, j: usize) {
    let entry = a[(i, j)];
    if entry == 0.0 {
        return;
    }
    let theta = (a[(j, j)] - a[(i, i)]) / (2.0 * entry);
    // If θ² overflows, t is 0 to rounding.
    let t = theta.signum() / (theta.abs() + (1.0 + theta * theta).sqrt());
    let c = 1.0 / (1.0 + t * t).sqrt();
    let s = t * c;
    let turned = |x: f64, y: f64| (c * x - s * y, s * x + c * y);
    for row in (0..a.size).filter(|&row| row != i && row != j) {
        let (x, y) = turned(a[(row, i)], a[(row, j)]);
        (a[(row, i)], a[(i, row)]) = (x, x);
        (a[(row, j)], a[(j, row)]) = (y, y);
    }
    a[(i, i)] -= t * entry;
    a[(j, j)] += t * entry;
    (a[(i, j)], a[(j, i)]) = (0.0, 0.0);
    let size = vectors.size;
    let (above, below) = vectors.entries.split_at_mut(j * size);
    let (x, y) = (&mut above[i * size..][..size], &mut below[..size]);
    x.iter_mut().zip(y).for_each(|(x, y)| (*x, *y) = turned(*x, *y));
}

/// Dot product by eight partial sums.
pub(super) fn dot(x: &[f64], y: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let ((x, x_rest), (y, y_rest)) = (x.as_chunks::<8>(), y.as_chunks::<8>());
    for (x, y) in x.iter().zip(y) {
        for (lane, (x, y)) in lanes.iter_mut().zip(x.iter().zip(y)) {
            *lane += x * y;
        }
    }
    lanes.iter().sum::<f64>() + x_rest.iter().zip(y_rest).map(|(x, y)| x * y).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: [f64; 9] = [2.0, 0.5, -0.3, 0.5, 1.0, 0.2, -0.3, 0.2, 0.7];

    fn a() -> Square {
        Square::from_rows(3, &A)
    }

    fn centre(a: &Square) -> Square {
        let q = a.size as f64;
        let mut out = a.clone();
        for row in out.rows_mut() {
            let mean = row.iter().sum::<f64>() / q;
            row.iter_mut().for_each(|value| *value -= mean);
        }
        for j in 0..a.size {
            let mean = out.rows().map(|row| row[j]).sum::<f64>() / q;
            out.rows_mut().for_each(|row| row[j] -= mean);
        }
        out
    }

    #[track_caller]
    fn assert_equal(found: &Square, expected: &Square) {
        let close = found.entries.iter().zip(expected.entries.iter()).all(|(a, b)| (a - b).abs() < 1e-14);
        assert!(close, "{found:?} {expected:?}");
    }

    #[test]
    fn roots_multiply_back() {
        for centred in [false, true] {
            let s = if centred { centre(&a()) } else { a() };
            let root = Root::new(&a(), centred);
            assert_equal(&root.root.product(&root.root), &s);
            let projector = root.projector();
            assert_equal(&root.root.product(&root.inverse), &projector);
            let rank: f64 = (0..3).map(|i| projector[(i, i)]).sum();
            assert!((rank - if centred { 2.0 } else { 3.0 }).abs() < 1e-14);
        }
    }

    /// Central differences of `Σ X ∘ R` are accurate to about 1e-10.
    #[test]
    fn the_reverse_pass_is_the_derivative() {
        let x = Square::from_rows(3, &[0.3, 0.1, 0.2, 0.1, -0.4, 0.5, 0.2, 0.5, 0.6]);
        let value = |a: &Square| inner(&Root::new(a, true).root.entries, &x.entries);
        let gradient = Root::new(&a(), true).reverse(&x);
        for (i, j) in [(0, 0), (1, 0), (2, 1), (2, 2)] {
            let (mut up, mut down) = (a(), a());
            let h = 1e-5;
            for (a, sign) in [(&mut up, h), (&mut down, -h)] {
                a[(i, j)] += sign;
                if i != j {
                    a[(j, i)] += sign;
                }
            }
            let found = if i == j { gradient[(i, j)] } else { gradient[(i, j)] + gradient[(j, i)] };
            let difference = (value(&up) - value(&down)) / (2.0 * h);
            assert!((found - difference).abs() < 1e-8, "{i} {j}: {found} {difference}");
        }
    }

    #[test]
    fn factors_solve() {
        let factor = a().factor().unwrap();
        let mut x = a().times(&[1.0, -2.0, 0.3]);
        factor.solve(&mut x);
        assert!(x.iter().zip([1.0, -2.0, 0.3]).all(|(a, b)| (a - b).abs() < 1e-14));
        assert_equal(&factor.lower().product(&factor.lower().transpose()), &a());
        assert!(
            Square::from_rows(2, &[1.0, 2.0, 2.0, 1.0]).factor().is_none(),
            "an indefinite matrix has none"
        );
        assert!(Square::zeros(2).factor().is_none(), "nor a singular one");
    }
}
