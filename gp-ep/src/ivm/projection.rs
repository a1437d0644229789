//! Moment matching onto sites Π = diag π − π πᵀ/(1ᵀπ) (seed 002 §4.3, Appendix C).
//!
//! The site of an observation has to be of this form, that of the second derivative of a log softmax, and cannot match
//! all of the tilted covariance Â. The mean is matched exactly, and π minimises
//! `f = −log|A⁻¹ + Π| + tr(Â Π)`, the part of the relative entropy that depends on it. The second term is concave up to a
//! linear one; it is replaced by its tangent at the present x = π/(1ᵀπ), the convex rest is minimised over ln π, and so on:
//! a double loop that cannot go up. It comes near a minimum in a few rounds and then creeps (after 200 of them a π of a
//! case below was still 5 % off), so it is run to low accuracy, and the end is made on f itself, going down as well.
//!
//! Steps are Newton's. With `w_c = e_c − x` it is ∂Π/∂π_c = w_c w_cᵀ and ∂²Π/∂π_c∂π_d = −(w_c w_dᵀ + w_d w_cᵀ)/(1ᵀπ), so
//! with N = (A⁻¹ + Π)⁻¹ the derivatives of f are `w_cᵀ(Â − N)w_c` and `(w_cᵀ N w_d)² − 2 w_cᵀ(Â − N)w_d/(1ᵀπ)`; those of f
//! with a tangent have 0 for Â in the second. (The seed, without this, found second derivatives messy and took BFGS.)
//!
//! With `V = D^½ (I − y yᵀ)`, D = diag π, y = √x, it is `Π = V Vᵀ`, so that everything is computed from the factor of
//! `I + Vᵀ A V`, whose eigenvalues are at least 1, and A is never inverted.

use super::symmetric::{product, times};
use gp_likelihoods::small_factor::{factorise, solve, solve_transposed};

/// Bounds of ln π: a site of less precision says nothing, one of more is a value known exactly.
const BOUNDS: (f64, f64) = (-23.0, 23.0);
/// Largest change of any ln π in one step.
const LONGEST: f64 = 3.0;
/// Steps within a round at most, rounds, and steps of the end.
const INNER: usize = 4;
const OUTER: usize = 4;
const LAST: usize = 60;
/// Norms of gradients by ln π at which a round ends, and at which all is done.
const SLOPPY: f64 = 1e-2;
const ACCURATE: f64 = 1e-11;
/// The change of the tangent, relative to its size, after which the double loop has come near.
const NEAR: f64 = 3e-2;
/// What is added to the diagonal of second derivatives first where they have no factor, relative to the largest; then ten
/// times as much.
const SHIFT: f64 = 1e-8;

/// What stands for the concave part of f.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Concave {
    /// A tangent from before.
    Tangent,
    /// Itself.
    Exact,
}

/// V = D^½ (I − y yᵀ), row by row, with Π = V Vᵀ.
pub(super) fn half_precision(pi: &[f64], out: &mut Vec<f64>) {
    let total: f64 = pi.iter().sum();
    out.clear();
    for (i, p) in pi.iter().enumerate() {
        // √p_i (δ − √p_i √p_j/1ᵀπ).
        out.extend(pi.iter().map(|r| -p * r.sqrt() / total));
        out[i * (pi.len() + 1)] += p.sqrt();
    }
}

/// Π x for Π = diag π − π πᵀ/(1ᵀπ).
pub(super) fn precision_times(pi: &[f64], x: &[f64], out: &mut [f64]) {
    let total: f64 = pi.iter().sum();
    let mean = pi.iter().zip(x).map(|(p, x)| p * x).sum::<f64>() / total;
    out.iter_mut().zip(pi.iter().zip(x)).for_each(|(out, (p, x))| *out = p * (x - mean));
}

/// Memory of the double loop.
#[derive(Clone, Debug, Default)]
pub(super) struct Projector {
    pi: Vec<f64>,
    x: Vec<f64>,
    v: Vec<f64>,
    av: Vec<f64>,
    factor: Vec<f64>,
    /// (A⁻¹ + Π)⁻¹
    new: Vec<f64>,
    tangent: Vec<f64>,
    linear: Vec<f64>,
    t: Vec<f64>,
    trial: Vec<f64>,
    gradient: Vec<f64>,
    trial_gradient: Vec<f64>,
    step: Vec<f64>,
    /// w_cᵀ N w_d, and the same with Â.
    inner: Vec<f64>,
    inner_tilted: Vec<f64>,
    hessian: Vec<f64>,
    work: Vec<f64>,
}

impl Projector {
    /// Moves `pi` from its start to a local minimum of f for the belief's covariance A and the tilted Â. Rounding may have
    /// made an A that is none: then false, and `pi` says nothing.
    pub(super) fn project(&mut self, a: &[f64], tilted: &[f64], pi: &mut [f64]) -> bool {
        let q = pi.len();
        self.t.clear();
        self.t.extend(pi.iter().map(|p| p.ln().clamp(BOUNDS.0, BOUNDS.1)));
        self.tangent.clear();
        self.tangent.resize(q, f64::INFINITY);
        for _ in 0..OUTER {
            self.unpack(false);
            if self.set_tangent(tilted) <= NEAR {
                break;
            }
            self.minimise((a, tilted), Concave::Tangent, (SLOPPY, INNER));
        }
        self.minimise((a, tilted), Concave::Exact, (ACCURATE, LAST));
        pi.iter_mut().zip(&self.t).for_each(|(p, t)| *p = t.exp());
        self.trial.clone_from(&self.t);
        self.evaluate((a, tilted), Concave::Exact).is_finite()
    }

    /// The tangent q = Â x at the x at hand, b = diag Â − 2 q + (qᵀx) 1; returns how far q moved, relative to its size.
    fn set_tangent(&mut self, tilted: &[f64]) -> f64 {
        let q = self.t.len();
        self.work.resize(q, 0.0);
        times(tilted, &self.x, &mut self.work);
        let size = self.work.iter().fold(0.0f64, |size, x| size.max(x.abs()));
        let moved = |(new, old): (&f64, &f64)| (new - old).abs();
        let change = self.work.iter().zip(&self.tangent).map(moved).fold(0.0, f64::max);
        self.tangent.copy_from_slice(&self.work);
        let constant: f64 = self.tangent.iter().zip(&self.x).map(|(q, x)| q * x).sum();
        self.linear.clear();
        self.linear.extend((0..q).map(|c| tilted[c * q + c] - 2.0 * self.tangent[c] + constant));
        change / size
    }

    /// π and x from ln π at `trial`, or at the present place.
    fn unpack(&mut self, trial: bool) {
        let t = if trial { &self.trial } else { &self.t };
        self.pi.clear();
        self.pi.extend(t.iter().map(|t| t.exp()));
        let total: f64 = self.pi.iter().sum();
        self.x.clear();
        self.x.extend(self.pi.iter().map(|p| p / total));
    }

    /// −log|I + Vᵀ A V| + bᵀπ at `trial`, and the gradient by ln π there: f with a tangent, or f itself, which has the
    /// value and the gradient that its tangent has where it touches.
    fn evaluate(&mut self, (a, tilted): (&[f64], &[f64]), concave: Concave) -> f64 {
        let q = self.trial.len();
        self.unpack(true);
        if concave == Concave::Exact {
            self.set_tangent(tilted);
        }
        if !self.set_new_covariance(a) {
            // No step leads here.
            return f64::INFINITY;
        }
        let log_det: f64 = (0..q).map(|i| 2.0 * self.factor[i * q + i].ln()).sum();
        let Self { pi, x, new, linear, trial_gradient, work, .. } = self;
        work.resize(q, 0.0);
        times(new, x, work);
        let mean: f64 = work.iter().zip(&*x).map(|(v, x)| v * x).sum();
        trial_gradient.clear();
        trial_gradient.extend((0..q).map(|c| pi[c] * (linear[c] - new[c * q + c] + 2.0 * work[c] - mean)));
        linear.iter().zip(&*pi).map(|(b, p)| b * p).sum::<f64>() - log_det
    }

    /// (A⁻¹ + Π)⁻¹ = A − A V (I + Vᵀ A V)⁻¹ Vᵀ A for the π at hand; false if I + VᵀAV, at least I for any covariance matrix
    /// A, has no factor.
    fn set_new_covariance(&mut self, a: &[f64]) -> bool {
        let q = self.pi.len();
        half_precision(&self.pi, &mut self.v);
        product(a, &self.v, q, &mut self.av);
        self.factor.clear();
        self.factor.resize(q * q, 0.0);
        for (v, av) in self.v.chunks_exact(q).zip(self.av.chunks_exact(q)) {
            for (i, v) in v.iter().enumerate() {
                self.factor[i * q..][..q].iter_mut().zip(av).for_each(|(entry, av)| *entry += v * av);
            }
        }
        (0..q).for_each(|i| self.factor[i * (q + 1)] += 1.0);
        if !factorise(&mut self.factor, q, f64::EPSILON) {
            return false;
        }
        for row in self.av.chunks_exact_mut(q) {
            solve(&self.factor, row);
        }
        self.new.clear();
        self.new.extend_from_slice(a);
        for (i, left) in self.av.chunks_exact(q).enumerate() {
            for (j, right) in self.av.chunks_exact(q).enumerate() {
                self.new[i * q + j] -= left.iter().zip(right).map(|(x, y)| x * y).sum::<f64>();
            }
        }
        true
    }

    /// Newton's steps over ln π with backtracking.
    fn minimise(&mut self, problem: (&[f64], &[f64]), concave: Concave, (accuracy, steps): (f64, usize)) {
        self.trial.clone_from(&self.t);
        let mut value = self.evaluate(problem, concave);
        if !value.is_finite() {
            return;
        }
        std::mem::swap(&mut self.gradient, &mut self.trial_gradient);
        for _ in 0..steps {
            if self.gradient.iter().all(|g| g.abs() <= accuracy) {
                return;
            }
            let slope = self.find_step(problem.1, concave);
            let Some(found) = self.search(problem, concave, (value, slope)) else {
                return;
            };
            value = found;
            self.t.clone_from(&self.trial);
            std::mem::swap(&mut self.gradient, &mut self.trial_gradient);
        }
    }

    /// Second derivatives by ln π where f was evaluated last.
    fn set_hessian(&mut self, tilted: &[f64], concave: Concave) {
        let q = self.t.len();
        from_mean(&self.new, &self.x, &mut self.work, &mut self.inner);
        from_mean(tilted, &self.x, &mut self.work, &mut self.inner_tilted);
        let total: f64 = self.pi.iter().sum();
        self.hessian.clear();
        for c in 0..q {
            for d in 0..q {
                let (n, hat) = (self.inner[c * q + d], self.inner_tilted[c * q + d]);
                let rest = if concave == Concave::Exact { hat - n } else { -n };
                let entry = self.pi[c] * self.pi[d] * (n * n - 2.0 * rest / total);
                self.hessian.push(if c == d { entry + self.gradient[c].max(0.0) } else { entry });
            }
        }
    }

    /// The step −H⁻¹ g, no longer than [`LONGEST`], and the slope along it. Where H has no factor its diagonal is raised.
    fn find_step(&mut self, tilted: &[f64], concave: Concave) -> f64 {
        let q = self.t.len();
        self.set_hessian(tilted, concave);
        let largest = (0..q).map(|c| self.hessian[c * (q + 1)].abs()).fold(f64::MIN_POSITIVE, f64::max);
        let mut shift = 0.0;
        loop {
            self.factor.clone_from(&self.hessian);
            (0..q).for_each(|c| self.factor[c * (q + 1)] += shift);
            if factorise(&mut self.factor, q, f64::EPSILON * largest) {
                break;
            }
            shift = if shift == 0.0 { SHIFT * largest } else { 10.0 * shift };
        }
        self.step.clone_from(&self.gradient);
        solve(&self.factor, &mut self.step);
        solve_transposed(&self.factor, &mut self.step);
        let longest = self.step.iter().fold(0.0f64, |longest, s| longest.max(s.abs()));
        let scale = -(LONGEST / longest).min(1.0);
        self.step.iter_mut().for_each(|s| *s *= scale);
        self.step.iter().zip(&self.gradient).map(|(s, g)| s * g).sum()
    }

    /// Halves the step until the value falls; nothing when it does not, as at the limit of rounding.
    fn search(
        &mut self,
        problem: (&[f64], &[f64]),
        concave: Concave,
        (value, slope): (f64, f64),
    ) -> Option<f64> {
        let mut share = 1.0;
        for _ in 0..20 {
            self.trial.clear();
            let moved = self.t.iter().zip(&self.step).map(|(t, s)| (t + share * s).clamp(BOUNDS.0, BOUNDS.1));
            self.trial.extend(moved);
            let found = self.evaluate(problem, concave);
            if found <= value + 1e-4 * share * slope {
                return Some(found);
            }
            share *= 0.5;
        }
        None
    }
}

/// w_cᵀ S w_d for all c and d, w_c = e_c − x.
fn from_mean(s: &[f64], x: &[f64], work: &mut Vec<f64>, out: &mut Vec<f64>) {
    let q = x.len();
    work.resize(q, 0.0);
    times(s, x, work);
    let mean: f64 = work.iter().zip(x).map(|(v, x)| v * x).sum();
    out.clear();
    for (row, v) in s.chunks_exact(q).zip(&*work) {
        out.extend(row.iter().zip(&*work).map(|(s, w)| s - v - w + mean));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: [f64; 9] = [2.0, 0.5, -0.3, 0.5, 1.0, 0.2, -0.3, 0.2, 0.7];

    /// (A⁻¹ + Π)⁻¹ by solving with the dense matrix: X (A⁻¹ + Π) = I is X (I + A Π)ᵀ … here (I + A Π)⁻¹ A.
    fn dense(pi: &[f64]) -> Vec<f64> {
        let total: f64 = pi.iter().sum();
        let precision = |i: usize, j: usize| if i == j { pi[i] } else { 0.0 } - pi[i] * pi[j] / total;
        let mut left = [[0.0; 6]; 3];
        for i in 0..3 {
            for j in 0..3 {
                let identity = if i == j { 1.0 } else { 0.0 };
                left[i][j] = identity + (0..3).map(|k| A[3 * i + k] * precision(k, j)).sum::<f64>();
                left[i][3 + j] = A[3 * i + j];
            }
        }
        for k in 0..3 {
            let pivot = left[k];
            for i in (0..3).filter(|&i| i != k) {
                let share = left[i][k] / pivot[k];
                (0..6).for_each(|j| left[i][j] -= share * pivot[j]);
            }
        }
        (0..9).map(|ij| left[ij / 3][3 + ij % 3] / left[ij / 3][ij / 3]).collect()
    }

    /// V Vᵀ = Π, and the new covariance is that of dense elimination.
    #[test]
    fn halves_and_covariances_are_those_of_the_dense_matrix() {
        let pi = [0.7, 1e-3, 5.0];
        let (mut projector, mut half, mut applied) = (Projector::default(), Vec::new(), [0.0; 3]);
        half_precision(&pi, &mut half);
        for j in 0..3 {
            let mut unit = [0.0; 3];
            unit[j] = 1.0;
            precision_times(&pi, &unit, &mut applied);
            for i in 0..3 {
                let entry: f64 = (0..3).map(|k| half[3 * i + k] * half[3 * j + k]).sum();
                assert!((entry - applied[i]).abs() < 1e-14);
            }
        }
        projector.pi = pi.to_vec();
        assert!(projector.set_new_covariance(&A));
        assert!(projector.new.iter().zip(dense(&pi)).all(|(a, b)| (a - b).abs() < 1e-14));
    }

    /// A site of the family is found again from the covariance it leaves. f has other minima, some at infinity; from even
    /// numbers and from within a factor of ten it is not led there.
    #[test]
    fn a_site_of_the_family_is_recovered() {
        for truth in [[0.7, 0.2, 1.5], [0.01, 0.02, 3.0], [40.0, 1.0, 0.3]] {
            for start in [[1.0; 3], [10.0 * truth[0], truth[1], 0.1 * truth[2]]] {
                let mut pi = start;
                assert!(Projector::default().project(&A, &dense(&truth), &mut pi));
                // A large π says hardly more than that it is large: what is compared is Π. Steps end where f falls no
                // more, at differences of 1e-16 of a value near one, so Π is right to about the root of that.
                let entry = |pi: &[f64; 3], i: usize, j: usize| {
                    let own = if i == j { pi[i] } else { 0.0 };
                    own - pi[i] * pi[j] / pi.iter().sum::<f64>()
                };
                let size = entry(&truth, 0, 0).max(entry(&truth, 1, 1)).max(entry(&truth, 2, 2));
                for ij in 0..9 {
                    let difference = entry(&pi, ij / 3, ij % 3) - entry(&truth, ij / 3, ij % 3);
                    assert!(difference.abs() < 1e-6 * size, "{pi:?} for {truth:?} from {start:?}");
                }
            }
        }
    }

    /// At the minimum the variance of u_c − xᵀu is matched for every class: what stationarity of f says.
    #[test]
    fn variances_of_differences_from_the_mean_are_matched() {
        let mut tilted = dense(&[0.5, 0.5, 0.5]);
        tilted[1] += 0.02;
        tilted[3] += 0.02;
        let (mut projector, mut pi) = (Projector::default(), [1.0, 0.5, 0.5]);
        assert!(projector.project(&A, &tilted, &mut pi));
        assert!(!projector.project(&A.map(|a| -a), &tilted, &mut [1.0; 3]), "no covariance matrix");
        let (new, total) = (dense(&pi), pi.iter().sum::<f64>());
        for c in 0..3 {
            let w: Vec<f64> = (0..3).map(|k| if k == c { 1.0 } else { 0.0 } - pi[k] / total).collect();
            let variance = |s: &[f64]| (0..9).map(|ij| w[ij / 3] * s[ij] * w[ij % 3]).sum::<f64>();
            assert!((variance(&new) - variance(&tilted)).abs() < 1e-8, "class {c}, {pi:?}");
        }
    }
}
