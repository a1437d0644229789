//! Liquid part of the active set, whose sites EP still moves (Seeger & Jordan 2004 §D.4).
//!
//! The latents of L liquid points are N(h, A), with latent c of point l at index l·C + c. A new site `Π_l + ΔΠ`,
//! `b_l + Δb` changes A by rank C. With `A_ll = Q Qᵀ`, `M = A_{·l} Q⁻ᵀ` and `T = I + Qᵀ ΔΠ Q`:
//!
//! - `A' = A + M (T⁻¹ − I) Mᵀ`,
//! - `h' = h + M T⁻¹ Qᵀ (Δb − ΔΠ h_l)`.
//!
//! T is not positive definite if rounding prevents removal of the old site. The next recomputation removes errors.

use super::active_set::CoupledSite;
use super::numbers::Column;
use super::observation::ClassBelief;
use super::projection::{HalfPrecision, precision_times};
use super::small::{Factor, Square, add};
use faer::{Accum, Mat};
use gp_linalg::product::matmul;
use gp_linalg::{LinalgError, Threading};

#[derive(Clone, Debug)]
pub(super) struct LiquidPoint {
    pub(super) row: usize,
    pub(super) site: CoupledSite,
    /// Factor γ on latents in the likelihood.
    pub(super) gamma: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Made,
    /// No change: the downdate broke down.
    RolledBack,
}

#[derive(Clone, Debug)]
pub(super) struct Liquid {
    classes: usize,
    pub(super) points: Vec<LiquidPoint>,
    /// V by point.
    halves: Vec<HalfPrecision>,
    pub(super) covariance: Mat<f64>,
    mean: Vec<f64>,
    /// M, and `M (T⁻¹ − I)`.
    directions: Mat<f64>,
    weighted: Mat<f64>,
}

impl Liquid {
    pub(super) fn new(classes: usize) -> Self {
        Self {
            classes,
            points: Vec::new(),
            halves: Vec::new(),
            covariance: Mat::zeros(0, 0),
            mean: Vec::new(),
            directions: Mat::zeros(0, 0),
            weighted: Mat::zeros(0, 0),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.points.len()
    }

    pub(super) fn set(&mut self, covariance: Mat<f64>, mean: Vec<f64>) {
        self.halves = self.points.iter().map(|point| HalfPrecision::new(&point.site.precision)).collect();
        self.directions = Mat::zeros(mean.len(), self.classes);
        self.weighted = self.directions.clone();
        (self.covariance, self.mean) = (covariance, mean);
    }

    pub(super) fn marginal(&self, l: usize) -> ClassBelief {
        let first = l * self.classes;
        let mean = Column::of(&self.mean[first..first + self.classes]);
        // Only the lower triangle is stored.
        let entry = |i: usize, j: usize| self.covariance[(first + i.max(j), first + i.min(j))];
        ClassBelief { mean, covariance: Square::from_fn(self.classes, entry) }
    }

    /// Belief without site l; None if improper.
    pub(super) fn cavity(&self, l: usize) -> Option<ClassBelief> {
        without(&self.marginal(l), &self.points[l].site.shift, &self.halves[l])
    }

    /// Changes a site unless the downdate breaks down.
    pub(super) fn change(&mut self, l: usize, site: CoupledSite) -> Result<Change, LinalgError> {
        let ClassBelief { mean, covariance } = self.marginal(l);
        let half = HalfPrecision::new(&site.precision);
        let Some(q) = covariance.factor() else { return Ok(Change::RolledBack) };
        let Some(t) = ratio(&q, &half, &self.halves[l]) else { return Ok(Change::RolledBack) };
        let old = &self.points[l].site;
        // Qᵀ (Δb − ΔΠ h), then T⁻¹ times that.
        let (new_pull, old_pull) = (pull(&site, &mean), pull(old, &mean));
        let moved: Column = new_pull.iter().zip(&old_pull).map(|(new, old)| new - old).collect();
        let mut weights = q.lower().transpose().times(&moved);
        t.solve(&mut weights);
        self.spread(l, &q, &t)?;
        let directions = &self.directions;
        weights.iter().enumerate().for_each(|(j, w)| add(&mut self.mean, *w, directions.col_as_slice(j)));
        (self.halves[l], self.points[l].site) = (half, site);
        Ok(Change::Made)
    }

    /// Computes M and adds `M (T⁻¹ − I) Mᵀ` to A.
    fn spread(&mut self, l: usize, q: &Factor, t: &Factor) -> Result<(), LinalgError> {
        let columns = self.covariance.as_ref().subcols(l * self.classes, self.classes);
        self.directions.copy_from(columns);
        solve_from_right(&mut self.directions, q);
        self.weighted.fill(0.0);
        for j in 0..self.classes {
            let mut change = Column::zeros(self.classes);
            change[j] = 1.0;
            t.solve(&mut change);
            change[j] -= 1.0;
            for (i, change) in change.iter().enumerate() {
                add(self.weighted.col_as_slice_mut(j), *change, self.directions.col_as_slice(i));
            }
        }
        let (m, weighted) = (self.directions.as_ref(), self.weighted.as_ref());
        matmul(self.covariance.as_mut(), Accum::Add, weighted, m.transpose(), 1.0, Threading::Here)
    }
}

/// Factor of `T = I + Qᵀ (V'V'ᵀ − V Vᵀ) Q`, if positive definite.
fn ratio(q: &Factor, new: &HalfPrecision, old: &HalfPrecision) -> Option<Factor> {
    let columns = q.lower().transpose();
    let (new, old) = (new.times(&columns), old.times(&columns));
    let mut t = Square::zeros(columns.size());
    t.add_to_diagonal(1.0);
    t.plus_products(&new, 1.0).plus_products(&old, -1.0).factor()
}

fn pull(site: &CoupledSite, mean: &[f64]) -> Column {
    let moved = precision_times(&site.precision, mean);
    site.shift.iter().zip(&moved).map(|(b, moved)| b - moved).collect()
}

/// `X ← X L⁻ᵀ`, by columns.
fn solve_from_right(x: &mut Mat<f64>, factor: &Factor) {
    let l = factor.lower();
    for j in 0..l.size() {
        for k in 0..j {
            for i in 0..x.nrows() {
                x[(i, j)] -= l[(j, k)] * x[(i, k)];
            }
        }
        x.col_as_slice_mut(j).iter_mut().for_each(|entry| *entry /= l[(j, j)]);
    }
}

/// Cavity `Λ = (I − AΠ)⁻¹A`, mean `(I − AΠ)⁻¹(h − A b)`, by the factor of `S = I − VᵀAV`.
fn without(belief: &ClassBelief, shift: &[f64], half: &HalfPrecision) -> Option<ClassBelief> {
    let a = &belief.covariance;
    let mut av = half.times(a);
    let inside = half.within(&av);
    let rest = Square::from_fn(a.size(), |i, j| if i == j { 1.0 } else { 0.0 } - inside[(i, j)]).factor()?;
    let start: Column = belief.mean.iter().zip(&a.times(shift)).map(|(h, x)| h - x).collect();
    // A V S^{−½ᵀ}, and S^{−½} Vᵀ (h − A b).
    av.rows_mut().for_each(|row| rest.half_solve(row));
    let mut middle = start.clone();
    half.contract(&mut middle);
    rest.half_solve(&mut middle);
    let mean = start.iter().zip(&av.times(&middle)).map(|(start, moved)| start + moved).collect();
    Some(ClassBelief { mean, covariance: a.plus_products(&av, 1.0) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::linalg::solvers::Solve as _;

    fn site(scale: f64, shift: f64) -> CoupledSite {
        CoupledSite {
            precision: Column::of(&[scale, 0.5 * scale, 2.0 * scale]),
            shift: Column::of(&[shift, -shift, 0.3]),
        }
    }

    #[track_caller]
    fn assert_close(found: &ClassBelief, expected: &ClassBelief, tolerance: f64) {
        let close = |(a, b): (&f64, &f64)| (a - b).abs() < tolerance;
        assert!(found.mean.iter().zip(&expected.mean).all(close), "{found:?} {expected:?}");
        let entries =
            |belief: &ClassBelief| belief.covariance.rows().flatten().copied().collect::<Vec<f64>>();
        assert!(entries(found).iter().zip(&entries(expected)).all(close), "{found:?} {expected:?}");
    }

    fn correlated(variance: f64) -> Mat<f64> {
        Mat::from_fn(6, 6, |i, j| {
            variance * (if i == j { 1.0 } else { 0.0 } + (-0.3 * (i as f64 - j as f64).abs()).exp())
        })
    }

    /// Two correlated points of three classes.
    fn liquid(variance: f64) -> Liquid {
        let g = correlated(variance);
        let mut liquid = Liquid::new(3);
        for row in 0..2 {
            liquid.points.push(LiquidPoint { row, site: site(0.4, 0.1), gamma: 1.0 });
        }
        refresh(&mut liquid, &g);
        liquid
    }

    /// `A = (I + G Π)⁻¹ G`, `h = hᶠ + A (b − Π hᶠ)`.
    fn refresh(liquid: &mut Liquid, g: &Mat<f64>) {
        let start: Vec<f64> = (0..6).map(|i| 0.1 * i as f64).collect();
        let product = |x: &[f64]| -> Vec<f64> {
            let sites = liquid.points.iter().zip(x.chunks_exact(3));
            sites.flat_map(|(point, x)| precision_times(&point.site.precision, x).to_vec()).collect()
        };
        let mut left = Mat::<f64>::identity(6, 6);
        for j in 0..6 {
            let unit: Vec<f64> = (0..6).map(|i| if i == j { 1.0 } else { 0.0 }).collect();
            let column = product(&unit);
            (0..6).for_each(|i| left[(i, j)] += (0..6).map(|k| g[(i, k)] * column[k]).sum::<f64>());
        }
        let a = left.partial_piv_lu().solve(g);
        let shifts = liquid.points.iter().flat_map(|point| point.site.shift.to_vec());
        let pull: Vec<f64> = shifts.zip(product(&start)).map(|(b, moved)| b - moved).collect();
        let mean = |i: usize| start[i] + (0..6).map(|k| a[(i, k)] * pull[k]).sum::<f64>();
        let mean = (0..6).map(mean).collect();
        liquid.set(a, mean);
    }

    /// Rounding can remove sites' information from the covariance.
    #[test]
    fn a_breakdown_is_rolled_back_and_the_run_goes_on() {
        let g = correlated(3.0);
        let mut found = liquid(3.0);
        found.covariance.clone_from(&g);
        let (covariance, mean) = (found.covariance.clone(), found.mean.clone());
        assert_eq!(found.change(0, site(1e-3, 0.7)).unwrap(), Change::RolledBack);
        assert_eq!((found.covariance.clone(), &found.mean), (covariance, &mean));
        assert_eq!(found.points[0].site, site(0.4, 0.1));

        refresh(&mut found, &g);
        assert_eq!(found.change(0, site(1e-3, 0.7)).unwrap(), Change::Made);
        let mut fresh = liquid(3.0);
        fresh.points[0].site = site(1e-3, 0.7);
        refresh(&mut fresh, &g);
        assert_close(&found.marginal(1), &fresh.marginal(1), 1e-13);
    }

    #[test]
    fn the_cavity_and_the_site_make_the_marginal() {
        let found = liquid(1.3);
        let (marginal, cavity) = (found.marginal(1), found.cavity(1).unwrap());
        let site = &found.points[1].site;
        // A⁻¹ = Λ⁻¹ + Π and A⁻¹h = Λ⁻¹λ + b, multiplied by A on the left and Λ on the right.
        let (a, l) = (&marginal.covariance, &cavity.covariance);
        let pi = |x: &[f64]| precision_times(&site.precision, x);
        for j in 0..3 {
            let product = a.times(&pi(l.row(j)));
            for i in 0..3 {
                assert!((l[(i, j)] - a[(i, j)] - product[i]).abs() < 1e-12, "Λ = A + A Π Λ at {i} {j}");
            }
        }
        for i in 0..3 {
            let pi_lambda = pi(&cavity.mean);
            let change: f64 = (0..3).map(|k| a[(i, k)] * (site.shift[k] - pi_lambda[k])).sum();
            assert!((marginal.mean[i] - cavity.mean[i] - change).abs() < 1e-12, "h = λ + A(b − Πλ)");
        }
    }

    #[test]
    fn changes_agree_with_a_fresh_start() {
        let mut found = liquid(2.0);
        let mut fresh = found.clone();
        for step in 0..20 {
            let new = site(0.1 + 0.4 * (step % 5) as f64, 0.2 * step as f64 - 1.0);
            assert_eq!(found.change(step % 2, new.clone()).unwrap(), Change::Made);
            fresh.points[step % 2].site = new;
        }
        let g = correlated(2.0);
        refresh(&mut fresh, &g);
        for l in 0..2 {
            // Tolerance: twenty changes of numbers of size one.
            assert_close(&found.marginal(l), &fresh.marginal(l), 1e-12);
        }
    }
}
