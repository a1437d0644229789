//! Symmetric square roots of covariance matrices with a row a latent.

/// Sweeps after which rotations have long changed nothing.
const SWEEPS: usize = 30;
/// An eigenvalue below this share of the largest is that of a direction without variance.
const NEGLIGIBLE: f64 = 1e-14;

/// The symmetric root R = S^½ of a covariance matrix S (Q×Q, row by row), its pseudo-inverse R⁺ and what derivatives of R
/// need. Unlike a triangular factor it does not depend on the order of latents.
#[derive(Clone, Debug, Default)]
pub(super) struct Root {
    q: usize,
    /// Square roots of the eigenvalues, 0 in directions without variance.
    values: Vec<f64>,
    /// The eigenvector of value a is column a.
    vectors: Vec<f64>,
    root: Vec<f64>,
    inverse: Vec<f64>,
    work: Vec<f64>,
}

impl Root {
    /// From a covariance matrix. `centred` takes the mean of all latents out of each first: S = H A H, H = I − 11ᵀ/Q, which
    /// is all that a likelihood sees that does not change when latents move together.
    pub(super) fn set(&mut self, covariance: &[f64], q: usize, centred: bool) {
        self.q = q;
        self.work.clear();
        self.work.extend_from_slice(covariance);
        if centred {
            centre(&mut self.work, q);
        }
        eigen(&mut self.work, &mut self.vectors, q);
        let largest = (0..q).map(|a| self.work[a * q + a]).fold(0.0, f64::max);
        let kept = |value: f64| if value > NEGLIGIBLE * largest { value.sqrt() } else { 0.0 };
        self.values.clear();
        self.values.extend((0..q).map(|a| kept(self.work[a * q + a])));
        let inverse = |r: f64| if r > 0.0 { 1.0 / r } else { 0.0 };
        spectral(&mut self.root, &self.vectors, q, |a| self.values[a]);
        spectral(&mut self.inverse, &self.vectors, q, |a| inverse(self.values[a]));
    }

    /// R, row by row.
    pub(super) fn root(&self) -> &[f64] {
        &self.root
    }

    /// R⁺, row by row.
    pub(super) fn inverse(&self) -> &[f64] {
        &self.inverse
    }

    /// The projector R⁺R onto directions that have variance.
    pub(super) fn projector(&self, out: &mut Vec<f64>) {
        spectral(out, &self.vectors, self.q, |a| if self.values[a] > 0.0 { 1.0 } else { 0.0 });
    }

    /// From the derivatives X of a scalar by the entries of R to those by the entries of S, over `by_root`.
    ///
    /// R dR + dR R = dS, so in the basis of eigenvectors an entry is divided by the sum of the two values.
    pub(super) fn reverse(&mut self, by_root: &mut [f64]) {
        let (q, u) = (self.q, &self.vectors);
        self.work.resize(q * q, 0.0);
        self.work.fill(0.0);
        for a in 0..q {
            for b in (0..q).filter(|&b| self.values[a] > 0.0 && self.values[b] > 0.0) {
                let entry: f64 =
                    (0..q * q).map(|ij| u[ij / q * q + a] * by_root[ij] * u[ij % q * q + b]).sum();
                self.work[a * q + b] = entry / (self.values[a] + self.values[b]);
            }
        }
        for (ij, entry) in by_root.iter_mut().enumerate() {
            let (i, j) = (ij / q, ij % q);
            *entry = (0..q * q).map(|ab| u[i * q + ab / q] * self.work[ab] * u[j * q + ab % q]).sum();
        }
    }
}

/// H A H in place.
pub(super) fn centre(a: &mut [f64], q: usize) {
    for row in a.chunks_exact_mut(q) {
        let mean = row.iter().sum::<f64>() / q as f64;
        row.iter_mut().for_each(|value| *value -= mean);
    }
    for j in 0..q {
        let mean = (0..q).map(|i| a[i * q + j]).sum::<f64>() / q as f64;
        (0..q).for_each(|i| a[i * q + j] -= mean);
    }
}

/// U diag(values) Uᵀ.
fn spectral(out: &mut Vec<f64>, vectors: &[f64], q: usize, value: impl Fn(usize) -> f64) {
    out.clear();
    for ij in 0..q * q {
        let (i, j) = (ij / q, ij % q);
        out.push((0..q).map(|a| vectors[i * q + a] * value(a) * vectors[j * q + a]).sum());
    }
}

/// Jacobi's rotations: the eigenvalues are left on the diagonal of `a`, the eigenvectors in the columns of `vectors`.
fn eigen(a: &mut [f64], vectors: &mut Vec<f64>, q: usize) {
    vectors.clear();
    vectors.resize(q * q, 0.0);
    (0..q).for_each(|i| vectors[i * q + i] = 1.0);
    for _ in 0..SWEEPS {
        let size: f64 = a.iter().map(|x| x * x).sum();
        let off: f64 = (0..q * q).filter(|ij| ij / q != ij % q).map(|ij| a[ij] * a[ij]).sum();
        if off <= size * f64::EPSILON * f64::EPSILON * 1e-4 {
            break;
        }
        for i in 0..q {
            (i + 1..q).for_each(|j| rotate(a, vectors, q, i, j));
        }
    }
}

/// The rotation in the plane (i, j) that makes their entry zero.
fn rotate(a: &mut [f64], vectors: &mut [f64], q: usize, i: usize, j: usize) {
    let entry = a[i * q + j];
    if entry == 0.0 {
        return;
    }
    let theta = (a[j * q + j] - a[i * q + i]) / (2.0 * entry);
    let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    let s = t * c;
    for k in 0..q {
        let (x, y) = (a[k * q + i], a[k * q + j]);
        (a[k * q + i], a[k * q + j]) = (c * x - s * y, s * x + c * y);
    }
    for k in 0..q {
        let (x, y) = (a[i * q + k], a[j * q + k]);
        (a[i * q + k], a[j * q + k]) = (c * x - s * y, s * x + c * y);
    }
    (a[i * q + j], a[j * q + i]) = (0.0, 0.0);
    for k in 0..q {
        let (x, y) = (vectors[k * q + i], vectors[k * q + j]);
        (vectors[k * q + i], vectors[k * q + j]) = (c * x - s * y, s * x + c * y);
    }
}

/// `A x`.
pub(super) fn times(a: &[f64], x: &[f64], out: &mut [f64]) {
    let q = x.len();
    for (row, value) in a.chunks_exact(q).zip(out) {
        *value = row.iter().zip(x).map(|(a, x)| a * x).sum();
    }
}

/// `A B` for two Q×Q matrices.
pub(super) fn product(a: &[f64], b: &[f64], q: usize, out: &mut Vec<f64>) {
    out.clear();
    out.resize(q * q, 0.0);
    for (row, out) in a.chunks_exact(q).zip(out.chunks_exact_mut(q)) {
        for (a, row) in row.iter().zip(b.chunks_exact(q)) {
            out.iter_mut().zip(row).for_each(|(out, b)| *out += a * b);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: [f64; 9] = [2.0, 0.5, -0.3, 0.5, 1.0, 0.2, -0.3, 0.2, 0.7];

    /// The root and its pseudo-inverse, in full and in two dimensions, multiply back to rounding errors.
    #[test]
    fn roots_multiply_back() {
        for centred in [false, true] {
            let mut s = A.to_vec();
            if centred {
                centre(&mut s, 3);
            }
            let (mut root, mut square, mut back) = (Root::default(), Vec::new(), Vec::new());
            root.set(&A, 3, centred);
            product(root.root(), root.root(), 3, &mut square);
            assert!(square.iter().zip(&s).all(|(a, b)| (a - b).abs() < 1e-14), "{square:?}");
            let mut projector = Vec::new();
            root.projector(&mut projector);
            product(root.root(), root.inverse(), 3, &mut back);
            assert!(back.iter().zip(&projector).all(|(a, b)| (a - b).abs() < 1e-14), "{back:?}");
            let rank: f64 = (0..3).map(|i| projector[4 * i]).sum();
            assert!((rank - if centred { 2.0 } else { 3.0 }).abs() < 1e-14);
        }
    }

    /// The reverse pass against central differences of Σ X ∘ R; their error is about 1e-10.
    #[test]
    fn the_reverse_pass_is_the_derivative() {
        let x = [0.3, 0.1, 0.2, 0.1, -0.4, 0.5, 0.2, 0.5, 0.6];
        let value = |a: &[f64]| {
            let mut root = Root::default();
            root.set(a, 3, true);
            root.root().iter().zip(&x).map(|(r, x)| r * x).sum::<f64>()
        };
        let mut root = Root::default();
        root.set(&A, 3, true);
        let mut gradient = x;
        root.reverse(&mut gradient);
        for (i, j) in [(0, 0), (1, 0), (2, 1), (2, 2)] {
            let (mut up, mut down) = (A, A);
            let h = 1e-5;
            for (a, sign) in [(&mut up, h), (&mut down, -h)] {
                a[3 * i + j] += sign;
                if i != j {
                    a[3 * j + i] += sign;
                }
            }
            let found = if i == j { gradient[3 * i + j] } else { gradient[3 * i + j] + gradient[3 * j + i] };
            let difference = (value(&up) - value(&down)) / (2.0 * h);
            assert!((found - difference).abs() < 1e-8, "{i} {j}: {found} {difference}");
        }
    }
}
