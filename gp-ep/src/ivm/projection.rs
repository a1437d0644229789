//! Moment matching onto sites Π = diag π − π πᵀ/(1ᵀπ) (seed 002 §4.3, Appendix C).
//!
//! The site of an observation has to be of this form, that of the second derivative of a log softmax, and cannot match
//! all of the tilted covariance Â. The mean is matched exactly, and π minimises
//! `f = −log|A⁻¹ + Π| + tr(Â Π)`, the part of the relative entropy that depends on it. The second term is concave up to a
//! linear one; it is replaced by its tangent at the present x = π/(1ᵀπ), the convex rest is minimised over ln π, and so on:
//! a double loop that cannot go up. It comes near a minimum in a few rounds and then creeps (after 200 of them a π of a
//! case below was still 5 % off), so it is run to low accuracy, and the end is quasi-Newton on f itself, which only goes
//! down either and is done in some ten steps.
//!
//! With `V = D^½ (I − y yᵀ)`, D = diag π, y = √x, it is `Π = V Vᵀ`, so that everything is computed from the factor of
//! `I + Vᵀ A V`, whose eigenvalues are at least 1, and A is never inverted.

use super::symmetric::{product, times};
use gp_likelihoods::small_factor::{factorise, solve};

/// Bounds of ln π: a site of less precision says nothing, one of more is a value known exactly.
const BOUNDS: (f64, f64) = (-23.0, 23.0);
/// Largest change of any ln π in one step.
const LONGEST: f64 = 2.0;
/// Steps within a round at most, rounds, and steps of the end.
const INNER: usize = 20;
const OUTER: usize = 8;
const LAST: usize = 200;
/// Norms of gradients by ln π at which a round ends, and at which all is done.
const SLOPPY: f64 = 1e-2;
const ACCURATE: f64 = 1e-11;
/// The change of the tangent, relative to its size, after which the double loop has come near.
const NEAR: f64 = 1e-2;

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
        for (j, r) in pi.iter().enumerate() {
            let identity = if i == j { 1.0 } else { 0.0 };
            out.push(p.sqrt() * (identity - (p * r).sqrt() / total));
        }
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
    /// The approximate inverse Hessian.
    hessian: Vec<f64>,
    work: Vec<f64>,
}

impl Projector {
    /// Moves `pi` from its start to a local minimum of f for the belief's covariance A and the tilted Â.
    pub(super) fn project(&mut self, a: &[f64], tilted: &[f64], pi: &mut [f64]) {
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
        self.set_new_covariance(a);
        let log_det: f64 = (0..q).map(|i| 2.0 * self.factor[i * q + i].ln()).sum();
        let Self { pi, x, new, linear, trial_gradient, work, .. } = self;
        work.resize(q, 0.0);
        times(new, x, work);
        let mean: f64 = work.iter().zip(&*x).map(|(v, x)| v * x).sum();
        trial_gradient.clear();
        trial_gradient.extend((0..q).map(|c| pi[c] * (linear[c] - new[c * q + c] + 2.0 * work[c] - mean)));
        linear.iter().zip(&*pi).map(|(b, p)| b * p).sum::<f64>() - log_det
    }

    /// (A⁻¹ + Π)⁻¹ = A − A V (I + Vᵀ A V)⁻¹ Vᵀ A for the π at hand.
    fn set_new_covariance(&mut self, a: &[f64]) {
        let q = self.pi.len();
        half_precision(&self.pi, &mut self.v);
        product(a, &self.v, q, &mut self.av);
        self.factor.clear();
        for ij in 0..q * q {
            let identity = if ij / q == ij % q { 1.0 } else { 0.0 };
            let inner: f64 = (0..q).map(|k| self.v[k * q + ij / q] * self.av[k * q + ij % q]).sum();
            self.factor.push(identity + inner);
        }
        // At least the identity, so there is a factor.
        let sound = factorise(&mut self.factor, q, 0.0);
        debug_assert!(sound, "I + VᵀAV of a covariance matrix A");
        for row in self.av.chunks_exact_mut(q) {
            solve(&self.factor, row);
        }
        self.new.clear();
        for ij in 0..q * q {
            let (i, j) = (ij / q, ij % q);
            self.new.push(a[ij] - (0..q).map(|k| self.av[i * q + k] * self.av[j * q + k]).sum::<f64>());
        }
    }

    /// BFGS over ln π with backtracking.
    fn minimise(&mut self, problem: (&[f64], &[f64]), concave: Concave, (accuracy, steps): (f64, usize)) {
        self.reset_hessian();
        self.trial.clone_from(&self.t);
        let mut value = self.evaluate(problem, concave);
        std::mem::swap(&mut self.gradient, &mut self.trial_gradient);
        for iteration in 0..steps {
            if self.gradient.iter().all(|g| g.abs() <= accuracy) {
                return;
            }
            let mut slope = self.find_step();
            if slope >= 0.0 {
                self.reset_hessian();
                slope = self.find_step();
            }
            let Some(found) = self.search(problem, concave, (value, slope)) else {
                return;
            };
            value = found;
            if iteration == 0 {
                self.scale_hessian();
            }
            self.learn();
            self.t.clone_from(&self.trial);
            std::mem::swap(&mut self.gradient, &mut self.trial_gradient);
        }
    }

    fn reset_hessian(&mut self) {
        let q = self.t.len();
        self.hessian.clear();
        self.hessian.resize(q * q, 0.0);
        (0..q).for_each(|i| self.hessian[i * q + i] = 1.0);
    }

    /// The step −H g, no longer than [`LONGEST`], and the slope along it.
    fn find_step(&mut self) -> f64 {
        self.step.resize(self.t.len(), 0.0);
        times(&self.hessian, &self.gradient, &mut self.step);
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
        for _ in 0..30 {
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

    /// The first curvature seen gives the unit of the inverse Hessian.
    fn scale_hessian(&mut self) {
        let (sy, yy) = self.curvature();
        if sy > 0.0 && yy > 0.0 {
            self.hessian.iter_mut().for_each(|h| *h *= sy / yy);
        }
    }

    fn curvature(&self) -> (f64, f64) {
        let mut sums = (0.0, 0.0);
        for c in 0..self.t.len() {
            let (s, y) = (self.trial[c] - self.t[c], self.trial_gradient[c] - self.gradient[c]);
            sums = (sums.0 + s * y, sums.1 + y * y);
        }
        sums
    }

    /// The update of BFGS: H ← (I − s yᵀ/sᵀy) H (I − y sᵀ/sᵀy) + s sᵀ/sᵀy.
    fn learn(&mut self) {
        let q = self.t.len();
        let (sy, _) = self.curvature();
        if sy <= 1e-300 {
            return;
        }
        for c in 0..q {
            self.step[c] = self.trial[c] - self.t[c];
        }
        self.work.resize(q, 0.0);
        for i in 0..q {
            self.work[i] =
                (0..q).map(|j| self.hessian[i * q + j] * (self.trial_gradient[j] - self.gradient[j])).sum();
        }
        let yhy: f64 = (0..q).map(|i| self.work[i] * (self.trial_gradient[i] - self.gradient[i])).sum();
        for i in 0..q {
            for j in 0..q {
                let (s_i, s_j) = (self.step[i], self.step[j]);
                self.hessian[i * q + j] +=
                    (1.0 + yhy / sy) * s_i * s_j / sy - (self.work[i] * s_j + s_i * self.work[j]) / sy;
            }
        }
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
        projector.set_new_covariance(&A);
        assert!(projector.new.iter().zip(dense(&pi)).all(|(a, b)| (a - b).abs() < 1e-14));
    }

    /// A site of the family is found again from the covariance it leaves. f has other minima, some at infinity; from even
    /// numbers and from within a factor of ten it is not led there.
    #[test]
    fn a_site_of_the_family_is_recovered() {
        for truth in [[0.7, 0.2, 1.5], [0.01, 0.02, 3.0], [40.0, 1.0, 0.3]] {
            for start in [[1.0; 3], [10.0 * truth[0], truth[1], 0.1 * truth[2]]] {
                let mut pi = start;
                Projector::default().project(&A, &dense(&truth), &mut pi);
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
        projector.project(&A, &tilted, &mut pi);
        let (new, total) = (dense(&pi), pi.iter().sum::<f64>());
        for c in 0..3 {
            let w: Vec<f64> = (0..3).map(|k| if k == c { 1.0 } else { 0.0 } - pi[k] / total).collect();
            let variance = |s: &[f64]| (0..9).map(|ij| w[ij / 3] * s[ij] * w[ij % 3]).sum::<f64>();
            assert!((variance(&new) - variance(&tilted)).abs() < 1e-8, "class {c}, {pi:?}");
        }
    }
}
