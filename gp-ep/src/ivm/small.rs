//! Small dense matrices with a row per latent.

use faer::{Mat, MatMut, MatRef};
use gp_linalg::{Cholesky, JitterPolicy};

/// Sweeps after which rotations have long changed nothing.
const SWEEPS: usize = 30;
/// An eigenvalue below this share of the largest is that of a direction without variance.
const NEGLIGIBLE: f64 = 1e-14;
/// No jitter: a pivot of rounding size is a matrix that has no factor.
const SOUND: JitterPolicy = JitterPolicy { largest: 0.0, ..JitterPolicy::ladder() };

/// The lower factor, where there is one.
pub(super) fn factor(a: &Mat<f64>) -> Option<Cholesky> {
    Cholesky::factor(a.as_ref(), &SOUND).ok()
}

/// `A B`.
pub(super) fn product(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> Mat<f64> {
    let mut out = Mat::zeros(a.nrows(), b.ncols());
    for j in 0..b.ncols() {
        for k in 0..b.nrows() {
            let scale = b[(k, j)];
            out.col_mut(j).iter_mut().zip(a.col(k).iter()).for_each(|(out, a)| *out += a * scale);
        }
    }
    out
}

/// `A x`.
pub(super) fn times(a: MatRef<'_, f64>, x: &[f64]) -> Vec<f64> {
    a.row_iter().map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum()).collect()
}

/// `Σ x y`.
pub(super) fn inner(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// `out ← out + scale x`.
pub(super) fn add(out: &mut [f64], scale: f64, x: &[f64]) {
    out.iter_mut().zip(x).for_each(|(out, x)| *out += scale * x);
}

/// `U diag(values) Uᵀ`.
fn spectral(u: &Mat<f64>, value: impl Fn(usize) -> f64) -> Mat<f64> {
    let scaled = Mat::from_fn(u.nrows(), u.ncols(), |i, a| u[(i, a)] * value(a));
    product(scaled.as_ref(), u.transpose())
}

/// The symmetric root R = S^½ of a covariance matrix S, its pseudo-inverse R⁺ and what derivatives of R need. Unlike a
/// triangular factor it does not depend on the order of latents.
#[derive(Clone, Debug)]
pub(super) struct Root {
    /// Square roots of the eigenvalues, 0 in directions without variance.
    values: Vec<f64>,
    /// The eigenvector of each, a column.
    vectors: Mat<f64>,
    /// R
    pub(super) root: Mat<f64>,
    /// R⁺
    pub(super) inverse: Mat<f64>,
}

impl Root {
    /// From a covariance matrix. `centred` takes the mean of all latents out of each first: S = H A H, H = I − 11ᵀ/Q, which
    /// is all that a likelihood sees that does not change when latents move together.
    pub(super) fn new(covariance: &Mat<f64>, centred: bool) -> Self {
        let mut s = if centred { centre(covariance) } else { covariance.clone() };
        let vectors = eigen(&mut s);
        let found: Vec<f64> = s.diagonal().column_vector().iter().copied().collect();
        let largest = found.iter().copied().fold(0.0, f64::max);
        let kept = |value: &f64| if *value > NEGLIGIBLE * largest { value.sqrt() } else { 0.0 };
        let values: Vec<f64> = found.iter().map(kept).collect();
        let root = spectral(&vectors, |a| values[a]);
        let inverse = spectral(&vectors, |a| if values[a] > 0.0 { 1.0 / values[a] } else { 0.0 });
        Self { values, vectors, root, inverse }
    }

    /// The projector R⁺R onto directions that have variance.
    pub(super) fn projector(&self) -> Mat<f64> {
        spectral(&self.vectors, |a| if self.values[a] > 0.0 { 1.0 } else { 0.0 })
    }

    /// From the derivatives of a scalar by the entries of R to those by the entries of S.
    ///
    /// R dR + dR R = dS, so in the basis of eigenvectors an entry is divided by the sum of the two values.
    pub(super) fn reverse(&self, by_root: &Mat<f64>) -> Mat<f64> {
        let (u, values) = (self.vectors.as_ref(), &self.values);
        let mut inner = product(product(u.transpose(), by_root.as_ref()).as_ref(), u);
        for a in 0..values.len() {
            for b in 0..values.len() {
                let seen = values[a] > 0.0 && values[b] > 0.0;
                inner[(a, b)] = if seen { inner[(a, b)] / (values[a] + values[b]) } else { 0.0 };
            }
        }
        product(product(u, inner.as_ref()).as_ref(), u.transpose())
    }
}

/// H A H.
fn centre(a: &Mat<f64>) -> Mat<f64> {
    let q = a.nrows() as f64;
    let mut out = a.clone();
    for _ in 0..2 {
        let mean: Vec<f64> = out.row_iter().map(|row| row.iter().sum::<f64>() / q).collect();
        out = Mat::from_fn(a.nrows(), a.ncols(), |i, j| out[(j, i)] - mean[j]);
    }
    out
}

/// Jacobi's rotations: eigenvalues are left on the diagonal, eigenvectors are the columns returned.
fn eigen(a: &mut Mat<f64>) -> Mat<f64> {
    let q = a.nrows();
    let mut vectors = Mat::identity(q, q);
    for _ in 0..SWEEPS {
        let squares = |i: usize| a.col(i).iter().map(|x| x * x).sum::<f64>();
        let below = |j: usize| (j + 1..q).map(|i| a[(i, j)] * a[(i, j)]).sum::<f64>();
        let (size, off): (f64, f64) = ((0..q).map(squares).sum(), (0..q).map(below).sum());
        if 2.0 * off <= size * f64::EPSILON * f64::EPSILON * 1e-4 {
            break;
        }
        for i in 0..q {
            (i + 1..q).for_each(|j| rotate(a, &mut vectors, i, j));
        }
    }
    vectors
}

/// The rotation in the plane (i, j) that makes their entry zero.
fn rotate(a: &mut Mat<f64>, vectors: &mut Mat<f64>, i: usize, j: usize) {
    let entry = a[(i, j)];
    if entry == 0.0 {
        return;
    }
    let theta = (a[(j, j)] - a[(i, i)]) / (2.0 * entry);
    let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    let s = t * c;
    let turn = |mut m: MatMut<'_, f64>| {
        for k in 0..m.nrows() {
            let (x, y) = (m[(k, i)], m[(k, j)]);
            (m[(k, i)], m[(k, j)]) = (c * x - s * y, s * x + c * y);
        }
    };
    turn(a.as_mut());
    turn(a.as_mut().transpose_mut());
    turn(vectors.as_mut());
    (a[(i, j)], a[(j, i)]) = (0.0, 0.0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::mat;

    fn a() -> Mat<f64> {
        mat![[2.0, 0.5, -0.3], [0.5, 1.0, 0.2], [-0.3, 0.2, 0.7]]
    }

    #[track_caller]
    fn assert_equal(found: &Mat<f64>, expected: &Mat<f64>) {
        let difference = found - expected;
        assert!(difference.norm_max() < 1e-14, "{found:?} {expected:?}");
    }

    /// The root and its pseudo-inverse, in full and in two dimensions, multiply back to rounding errors.
    #[test]
    fn roots_multiply_back() {
        for centred in [false, true] {
            let s = if centred { centre(&a()) } else { a() };
            let root = Root::new(&a(), centred);
            assert_equal(&product(root.root.as_ref(), root.root.as_ref()), &s);
            let projector = root.projector();
            assert_equal(&product(root.root.as_ref(), root.inverse.as_ref()), &projector);
            let rank: f64 = (0..3).map(|i| projector[(i, i)]).sum();
            assert!((rank - if centred { 2.0 } else { 3.0 }).abs() < 1e-14);
        }
    }

    /// The reverse pass against central differences of Σ X ∘ R; their error is about 1e-10.
    #[test]
    fn the_reverse_pass_is_the_derivative() {
        let x = mat![[0.3, 0.1, 0.2], [0.1, -0.4, 0.5], [0.2, 0.5, 0.6]];
        let value = |a: &Mat<f64>| {
            let root = Root::new(a, true).root;
            (0..3).map(|j| (0..3).map(|i| root[(i, j)] * x[(i, j)]).sum::<f64>()).sum::<f64>()
        };
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
}
