//! Moment matching by sites `Π = diag π − π πᵀ/(1ᵀπ)` (Seeger & Jordan 2004 §4.3, Appendix C).
//!
//! Sites match the tilted mean; π minimises the relative entropy `f = −log|A⁻¹ + Π| + tr(Â Π)`, whose second term is
//! concave up to a linear one. A monotone double loop replaces it by its tangent at `x = π/(1ᵀπ)` and minimises the
//! convex rest over ln π. Since the loop is slow near a minimum, descent on f follows.
//!
//! Newton steps: with `w_c = e_c − x`, `∂Π/∂π_c = w_c w_cᵀ` and `N = (A⁻¹ + Π)⁻¹`, the derivatives of f by π are
//! `w_cᵀ(Â − N)w_c` and `(w_cᵀ N w_d)² − 2 w_cᵀ(Â − N)w_d/(1ᵀπ)`; with a tangent, Â in the second is 0.
//!
//! With `V = D^½ (I − y yᵀ)`, `D = diag π`, `y = √x`: `Π = V Vᵀ`, `Vᵀ u = √π ∘ (u − xᵀu)`. The factor of `I + Vᵀ A V`
//! (eigenvalues ≥ 1) replaces A⁻¹.

use super::numbers::Column;
use super::small::{Factor, Square, inner};

/// Bounds of ln π, where a site has no effect or fixes the value.
const BOUNDS: (f64, f64) = (-23.0, 23.0);
/// Largest change of ln π per step.
const LONGEST: f64 = 3.0;
/// Maximum steps per round, rounds, final steps.
const INNER: usize = 4;
const OUTER: usize = 4;
const LAST: usize = 60;
/// Tolerances of gradients by ln π: round, final.
const SLOPPY: f64 = 1e-2;
const ACCURATE: f64 = 1e-11;
/// Relative change of the tangent that ends rounds.
const NEAR: f64 = 3e-2;
/// Powers of ten added to indefinite Hessians, relative to their largest diagonal entry.
const RAISED: (i32, i32) = (-8, 8);

#[derive(Clone, Debug)]
pub(super) struct HalfPrecision {
    /// √π and x.
    roots: Column,
    shares: Column,
}

impl HalfPrecision {
    pub(super) fn new(pi: &[f64]) -> Self {
        let total: f64 = pi.iter().sum();
        Self { roots: pi.iter().map(|p| p.sqrt()).collect(), shares: pi.iter().map(|p| p / total).collect() }
    }

    /// `u ← Vᵀ u`.
    pub(super) fn contract(&self, u: &mut [f64]) {
        let mean = inner(&self.shares, u);
        u.iter_mut().zip(&self.roots).for_each(|(u, root)| *u = root * (*u - mean));
    }

    /// `S V`
    pub(super) fn times(&self, s: &Square) -> Square {
        let mut out = s.clone();
        out.rows_mut().for_each(|row| self.contract(row));
        out
    }

    /// `Vᵀ S V` from S V, for symmetric S.
    pub(super) fn within(&self, sv: &Square) -> Square {
        self.times(&sv.transpose())
    }
}

pub(super) fn precision_times(pi: &[f64], x: &[f64]) -> Column {
    let mean = inner(pi, x) / pi.iter().sum::<f64>();
    pi.iter().zip(x).map(|(p, x)| p * (x - mean)).collect()
}

/// `A V` and factor of `I + VᵀAV`; None for invalid A.
pub(super) fn widened(a: &Square, v: &HalfPrecision) -> Option<(Square, Factor)> {
    let av = v.times(a);
    let mut b = v.within(&av);
    b.add_to_diagonal(1.0);
    Some((av, b.factor()?))
}

/// `(A⁻¹ + Π)⁻¹ = A − A V (I + Vᵀ A V)⁻¹ Vᵀ A`, and `ln|I + AΠ|`.
fn new_covariance(a: &Square, pi: &[f64]) -> Option<(Square, f64)> {
    let (mut av, factor) = widened(a, &HalfPrecision::new(pi))?;
    av.rows_mut().for_each(|row| factor.half_solve(row));
    Some((a.plus_products(&av, -1.0), factor.log_det()))
}

/// Local minimum of f; None for invalid A.
pub(super) fn project(a: &Square, tilted: &Square, start: &[f64]) -> Option<Column> {
    let problem = Problem { a, tilted };
    let mut t: Column = start.iter().map(|p| p.ln().clamp(BOUNDS.0, BOUNDS.1)).collect();
    let mut before: Column = t.iter().map(|_| f64::INFINITY).collect();
    for _ in 0..OUTER {
        let x = shares(&t).1;
        let tangent = tilted.times(&x);
        let size = tangent.iter().fold(0.0f64, |size, x| size.max(x.abs()));
        let moved = tangent.iter().zip(&before).map(|(new, old)| (new - old).abs()).fold(0.0, f64::max);
        if moved <= NEAR * size {
            break;
        }
        let linear = problem.tangent(&x, &tangent);
        t = problem.minimise(t, Some(&linear), (SLOPPY, INNER))?;
        before = tangent;
    }
    let t = problem.minimise(t, None, (ACCURATE, LAST))?;
    Some(t.iter().map(|t| t.exp()).collect())
}

fn shares(t: &[f64]) -> (Column, Column) {
    let pi: Column = t.iter().map(|t| t.exp()).collect();
    let total: f64 = pi.iter().sum();
    let x = pi.iter().map(|p| p / total).collect();
    (pi, x)
}

/// `w_cᵀ S w_d` for all c and d, `w_c = e_c − x`.
fn from_mean(s: &Square, x: &[f64]) -> Square {
    let work = s.times(x);
    let mean = inner(&work, x);
    Square::from_fn(x.len(), |i, j| s[(i, j)] - work[i] - work[j] + mean)
}

#[derive(Clone, Copy)]
struct Problem<'a> {
    a: &'a Square,
    tilted: &'a Square,
}

struct Place {
    t: Column,
    pi: Column,
    x: Column,
    value: f64,
    gradient: Column,
    /// `(A⁻¹ + Π)⁻¹`
    new: Square,
}

impl Problem<'_> {
    /// Linear part `diag Â − 2 q + (qᵀx) 1` of a tangent with slope `q = Â x`.
    fn tangent(&self, x: &[f64], slope: &[f64]) -> Column {
        let constant = inner(slope, x);
        slope.iter().enumerate().map(|(c, q)| self.tilted[(c, c)] - 2.0 * q + constant).collect()
    }

    /// `−log|I + Vᵀ A V| + bᵀπ` for tangent b, else f, with gradient by ln π.
    fn at(&self, t: Column, tangent: Option<&[f64]>) -> Option<Place> {
        let (pi, x) = shares(&t);
        let own = || self.tangent(&x, &self.tilted.times(&x));
        let linear = tangent.map_or_else(own, Column::of);
        let (new, log_det) = new_covariance(self.a, &pi)?;
        let work = new.times(&x);
        let mean = inner(&work, &x);
        let slope = |c: usize| pi[c] * (linear[c] - new[(c, c)] + 2.0 * work[c] - mean);
        let (gradient, value) = ((0..t.len()).map(slope).collect(), inner(&linear, &pi) - log_det);
        Some(Place { t, pi, x, value, gradient, new })
    }

    /// Newton steps over ln π with backtracking.
    fn minimise(
        &self,
        t: Column,
        tangent: Option<&[f64]>,
        (accuracy, steps): (f64, usize),
    ) -> Option<Column> {
        let mut place = self.at(t, tangent)?;
        for _ in 0..steps {
            if place.gradient.iter().all(|g| g.abs() <= accuracy) {
                break;
            }
            let Some(lower) = self.search(&place, tangent) else { break };
            place = lower;
        }
        Some(place.t)
    }

    /// Backtracked Newton step; None at rounding level.
    fn search(&self, from: &Place, tangent: Option<&[f64]>) -> Option<Place> {
        let step = self.step(from, tangent.is_none())?;
        let slope = inner(&step, &from.gradient);
        (0..20).find_map(|halvings| {
            let share = 0.5f64.powi(halvings);
            let moved = from.t.iter().zip(&step).map(|(t, s)| (t + share * s).clamp(BOUNDS.0, BOUNDS.1));
            let found = self.at(moved.collect(), tangent)?;
            (found.value <= from.value + 1e-4 * share * slope).then_some(found)
        })
    }

    /// `−H⁻¹ g`, at most [`LONGEST`]; raises an indefinite H.
    fn step(&self, from: &Place, exact: bool) -> Option<Column> {
        let (n, total) = (from_mean(&from.new, &from.x), from.pi.iter().sum::<f64>());
        let hat = exact.then(|| from_mean(self.tilted, &from.x));
        let hessian = Square::from_fn(n.size(), |c, d| {
            let rest = hat.as_ref().map_or(0.0, |hat| hat[(c, d)]) - n[(c, d)];
            let entry = from.pi[c] * from.pi[d] * (n[(c, d)] * n[(c, d)] - 2.0 * rest / total);
            if c == d { entry + from.gradient[c].max(0.0) } else { entry }
        });
        let largest = (0..hessian.size()).fold(0.0f64, |most, c| most.max(hessian[(c, c)].abs()));
        let raised = |exponent: i32| {
            let mut hessian = hessian.clone();
            hessian.add_to_diagonal(largest * 10f64.powi(exponent));
            hessian.factor()
        };
        let found = hessian.clone().factor().or_else(|| (RAISED.0..=RAISED.1).find_map(raised))?;
        let mut step: Column = from.gradient.iter().map(|g| -g).collect();
        found.solve(&mut step);
        let longest = step.iter().fold(0.0f64, |longest, s| longest.max(s.abs()));
        step.iter_mut().for_each(|s| *s *= (LONGEST / longest).min(1.0));
        Some(step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: [f64; 9] = [2.0, 0.5, -0.3, 0.5, 1.0, 0.2, -0.3, 0.2, 0.7];

    fn matrix(a: &[f64]) -> Square {
        Square::from_rows(3, a)
    }

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

    #[test]
    fn halves_and_covariances_are_those_of_the_dense_matrix() {
        let pi = [0.7, 1e-3, 5.0];
        // Rows of V.
        let identity = Square::from_fn(3, |i, j| if i == j { 1.0 } else { 0.0 });
        let half = HalfPrecision::new(&pi).times(&identity);
        for j in 0..3 {
            let mut unit = [0.0; 3];
            unit[j] = 1.0;
            let applied = precision_times(&pi, &unit);
            for i in 0..3 {
                let entry: f64 = (0..3).map(|k| half[(i, k)] * half[(j, k)]).sum();
                assert!((entry - applied[i]).abs() < 1e-14);
            }
        }
        let (new, _) = new_covariance(&matrix(&A), &pi).unwrap();
        let close = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-14;
        assert!(new.rows().flatten().zip(&dense(&pi)).all(close));
    }

    /// Starts avoid other minima of f, some at infinity.
    #[test]
    fn a_site_of_the_family_is_recovered() {
        for truth in [[0.7, 0.2, 1.5], [0.01, 0.02, 3.0], [40.0, 1.0, 0.3]] {
            for start in [[1.0; 3], [10.0 * truth[0], truth[1], 0.1 * truth[2]]] {
                let pi = project(&matrix(&A), &matrix(&dense(&truth)), &start).unwrap();
                let pi = [pi[0], pi[1], pi[2]];
                // Large π are poorly determined, so Π is compared. f is accurate to about 1e-16, Π to its square root.
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

    /// At the minimum of f, the variance of `u_c − xᵀu` is matched.
    #[test]
    fn variances_of_differences_from_the_mean_are_matched() {
        let mut tilted = dense(&[0.5, 0.5, 0.5]);
        tilted[1] += 0.02;
        tilted[3] += 0.02;
        let pi = project(&matrix(&A), &matrix(&tilted), &[1.0, 0.5, 0.5]).unwrap();
        let none = project(&matrix(&A.map(|a| -a)), &matrix(&tilted), &[1.0; 3]);
        assert!(none.is_none(), "no covariance matrix");
        let (new, total) = (dense(&pi), pi.iter().sum::<f64>());
        for c in 0..3 {
            let w: Vec<f64> = (0..3).map(|k| if k == c { 1.0 } else { 0.0 } - pi[k] / total).collect();
            let variance = |s: &[f64]| (0..9).map(|ij| w[ij / 3] * s[ij] * w[ij % 3]).sum::<f64>();
            assert!((variance(&new) - variance(&tilted)).abs() < 1e-8, "class {c}, {pi:?}");
        }
    }
}
