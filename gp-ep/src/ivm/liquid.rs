//! Liquid part of the active set, whose sites EP still moves (Seeger & Jordan 2004 §D.4).
//!
//! Given the frozen sites, the latents of L liquid points are N(hᶠ, G), G dense of dimension C·L. With `Π_i
//! = V_i V_iᵀ`, V = diag(V_i): `B = I + Vᵀ G V = L_B L_Bᵀ` (eigenvalues ≥ 1), `A = G − MᵀM`, `h = b̃ −
//! Mᵀβ`, `M = L_B⁻¹ VᵀG`, `b̃ = G b + hᶠ`, `β = L_B⁻¹ Vᵀ b̃`. A new site changes B in C positive and C
//! negative directions. The paper drags M and L_B⁻¹ along; solving for the C columns in use also costs
//! C³L², ten times less and with fewer errors.
//!
//! Latent c of point l is number l·C + c.

use super::observation::ClassBelief;
use super::projection::HalfPrecision;
use super::representation::CoupledSite;
use super::small::{Factor, Square, add, dot};
use crate::column::column_mut;
use faer::{Mat, MatRef};
use gp_linalg::rotate::{self, RotationScratch};
use gp_linalg::{Cholesky, JitterPolicy, LinalgError, Threading};
use std::sync::Arc;

/// Point whose site may still change.
#[derive(Clone, Debug)]
pub(super) struct LiquidPoint {
    pub(super) row: usize,
    pub(super) site: CoupledSite,
    /// Factor γ on its latents in its likelihood.
    pub(super) gamma: f64,
    /// Covariances with all points, by class.
    pub(super) kernel: Vec<Arc<Vec<f64>>>,
}

/// Outcome of a new site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// Applied.
    Made,
    /// Undone after a broken downdate.
    RolledBack,
}

/// Beliefs about liquid points, and through them about others.
#[derive(Clone, Debug)]
pub(super) struct Liquid {
    classes: usize,
    pub(super) points: Vec<LiquidPoint>,
    halves: Vec<HalfPrecision>,
    g: Mat<f64>,
    frozen_mean: Vec<f64>,
    /// b̃
    mean: Vec<f64>,
    /// β
    beta: Vec<f64>,
    pub(super) factor: Cholesky,
    scratch: RotationScratch,
}

impl Liquid {
    pub(super) fn new(classes: usize) -> Self {
        Self {
            classes,
            points: Vec::new(),
            halves: Vec::new(),
            g: Mat::zeros(0, 0),
            frozen_mean: Vec::new(),
            mean: Vec::new(),
            beta: Vec::new(),
            factor: Cholesky::empty(),
            scratch: RotationScratch::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.points.len()
    }

    /// Sets covariance and mean of all liquid points under the frozen part.
    pub(super) fn set_frozen(&mut self, g: Mat<f64>, mean: Vec<f64>) -> Result<(), LinalgError> {
        (self.g, self.frozen_mean) = (g, mean);
        self.refresh()
    }

    /// Recomputes everything from G, hᶠ and the sites.
    pub(super) fn refresh(&mut self) -> Result<(), LinalgError> {
        self.halves = self.points.iter().map(|point| HalfPrecision::new(&point.site.precision)).collect();
        let mut both = self.g.clone();
        self.contract(&mut both);
        both = both.transpose().to_owned();
        self.contract(&mut both);
        (0..both.nrows()).for_each(|i| both[(i, i)] += 1.0);
        // Of the identity and more: only a condition number beyond 1e16 takes jitter.
        self.factor.refactor(both.as_ref(), &JitterPolicy::ladder())?;
        self.mean.clone_from(&self.frozen_mean);
        let shifts = self.shifts();
        self.move_mean(0, &shifts);
        self.refresh_beta()
    }

    /// `b̃ ← b̃ + G b` with b nonzero at some points from l on.
    fn move_mean(&mut self, l: usize, b: &[f64]) {
        let first = l * self.classes;
        b.iter().enumerate().for_each(|(j, b)| add(&mut self.mean, *b, self.g.col_as_slice(first + j)));
    }

    fn refresh_beta(&mut self) -> Result<(), LinalgError> {
        self.beta.clone_from(&self.mean);
        contract(&self.halves, self.classes, &mut self.beta);
        self.factor.half_solve_in_place(column_mut(&mut self.beta), Threading::Here)
    }

    /// b of all sites.
    fn shifts(&self) -> Vec<f64> {
        self.points.iter().flat_map(|point| &point.site.shift).copied().collect()
    }

    /// Covariances of all latents with those of point l.
    fn columns(&self, l: usize) -> MatRef<'_, f64> {
        self.g.as_ref().subcols(l * self.classes, self.classes)
    }

    /// Covariances among the latents of point l.
    fn block(&self, l: usize) -> Square {
        let first = l * self.classes;
        Square::from_fn(self.classes, |i, j| self.g[(first + i, first + j)])
    }

    /// `X ← Vᵀ X`.
    fn contract(&self, x: &mut Mat<f64>) {
        (0..x.ncols()).for_each(|j| contract(&self.halves, self.classes, x.col_as_slice_mut(j)));
    }

    /// Belief about liquid point l under all sites.
    pub(super) fn marginal(&self, l: usize) -> Result<ClassBelief, LinalgError> {
        let own = l * self.classes..(l + 1) * self.classes;
        let mut found = [ClassBelief { mean: self.frozen_mean[own].to_vec(), covariance: self.block(l) }];
        self.condition(self.columns(l).to_owned(), &mut found)?;
        let [found] = found;
        Ok(found)
    }

    /// Converts beliefs of the frozen part about w points to beliefs under all sites. `cross` (C·L × C·w)
    /// are their covariances with liquid latents under the frozen part.
    pub(super) fn condition(
        &self,
        mut cross: Mat<f64>,
        beliefs: &mut [ClassBelief],
    ) -> Result<(), LinalgError> {
        let (classes, shifts) = (self.classes, self.shifts());
        for (j, belief) in beliefs.iter_mut().enumerate() {
            let moved = |c: usize| dot(cross.col_as_slice(j * classes + c), &shifts);
            belief.mean.iter_mut().enumerate().for_each(|(c, mean)| *mean += moved(c));
        }
        self.contract(&mut cross);
        self.factor.half_solve_in_place(cross.as_mut(), Threading::Here)?;
        for (j, belief) in beliefs.iter_mut().enumerate() {
            let x = |c: usize| cross.col_as_slice(j * classes + c);
            for c in 0..classes {
                belief.mean[c] -= dot(x(c), &self.beta);
                for k in 0..=c {
                    belief.covariance[(c, k)] -= dot(x(c), x(k));
                    belief.covariance[(k, c)] = belief.covariance[(c, k)];
                }
            }
        }
        Ok(())
    }

    /// Belief without the site of point l; None if not Gaussian.
    pub(super) fn cavity(&self, l: usize) -> Result<Option<ClassBelief>, LinalgError> {
        Ok(without(&self.marginal(l)?, &self.points[l].site.shift, &self.halves[l]))
    }

    /// Sets a new site at point l: `B' = B + W₊W₊ᵀ − W₋W₋ᵀ` with `W₋ = VᵀG_{·l} Q⁻ᵀ`, `W₊ = W₋ + I_{·l} ΔVᵀ
    /// Q`, G_l = Q Qᵀ.
    pub(super) fn change(&mut self, l: usize, site: CoupledSite) -> Result<Change, LinalgError> {
        let Some(q) = self.block(l).factor() else {
            return Ok(Change::RolledBack);
        };
        let mut minus = self.columns(l).to_owned();
        self.contract(&mut minus);
        solve_from_right(&mut minus, &q);
        let (half, q_columns) = (HalfPrecision::new(&site.precision), q.lower().transpose());
        let mut plus = minus.clone();
        for (j, q) in q_columns.rows().enumerate() {
            let own = &mut plus.col_as_slice_mut(j)[l * self.classes..][..self.classes];
            for (half, sign) in [(&half, 1.0), (&self.halves[l], -1.0)] {
                let mut contracted = q.to_vec();
                half.contract(&mut contracted);
                add(own, sign, &contracted);
            }
        }
        if self.replace_factor(plus.as_ref(), minus.as_ref())? == Change::RolledBack {
            return Ok(Change::RolledBack);
        }
        let moved: Vec<f64> =
            site.shift.iter().zip(&self.points[l].site.shift).map(|(new, old)| new - old).collect();
        self.move_mean(l, &moved);
        (self.halves[l], self.points[l].site) = (half, site);
        self.refresh_beta()?;
        Ok(Change::Made)
    }

    /// Both update and downdate, or neither.
    fn replace_factor(
        &mut self,
        plus: MatRef<'_, f64>,
        minus: MatRef<'_, f64>,
    ) -> Result<Change, LinalgError> {
        let (mut factor, mut nothing) = (self.factor.clone(), rotate::nothing(plus.nrows()));
        factor.update(plus, nothing.as_mut(), &mut self.scratch, Threading::Here)?;
        match factor.downdate(minus, nothing.as_mut(), &mut self.scratch, Threading::Here) {
            Ok(()) => {
                self.factor = factor;
                Ok(Change::Made)
            }
            Err(LinalgError::DowndateBreakdown { .. }) => Ok(Change::RolledBack),
            Err(fault) => Err(fault),
        }
    }
}

/// `u ← Vᵀ u` for the latents of all points.
fn contract(halves: &[HalfPrecision], classes: usize, u: &mut [f64]) {
    halves.iter().zip(u.chunks_exact_mut(classes)).for_each(|(half, own)| half.contract(own));
}

/// `X ← X L⁻ᵀ`, by columns.
fn solve_from_right(x: &mut Mat<f64>, factor: &Factor) {
    let l = factor.lower();
    for j in 0..l.size() {
        let mut column = x.col_as_slice(j).to_vec();
        (0..j).for_each(|k| add(&mut column, -l[(j, k)], x.col_as_slice(k)));
        let found = column.iter().map(|entry| entry / l[(j, j)]);
        x.col_as_slice_mut(j).iter_mut().zip(found).for_each(|(entry, found)| *entry = found);
    }
}

/// Cavity Λ = (I − AΠ)⁻¹A, (I − AΠ)⁻¹(h − A b), by the factor of S = I − VᵀAV.
fn without(belief: &ClassBelief, shift: &[f64], half: &HalfPrecision) -> Option<ClassBelief> {
    let a = &belief.covariance;
    let mut av = half.times(a);
    let inside = half.within(&av);
    let rest = Square::from_fn(a.size(), |i, j| if i == j { 1.0 } else { 0.0 } - inside[(i, j)]).factor()?;
    let start: Vec<f64> = belief.mean.iter().zip(a.times(shift)).map(|(h, x)| h - x).collect();
    // A V S^{−½ᵀ}, and S^{−½} Vᵀ (h − A b).
    av.rows_mut().for_each(|row| rest.half_solve(row));
    let mut middle = start.clone();
    half.contract(&mut middle);
    rest.half_solve(&mut middle);
    let mean = start.iter().zip(av.times(&middle)).map(|(start, moved)| start + moved).collect();
    Some(ClassBelief { mean, covariance: a.plus_products(&av, 1.0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(scale: f64, shift: f64) -> CoupledSite {
        CoupledSite { precision: vec![scale, 0.5 * scale, 2.0 * scale], shift: vec![shift, -shift, 0.3] }
    }

    #[track_caller]
    fn assert_close(found: &ClassBelief, expected: &ClassBelief, tolerance: f64) {
        let close = |(a, b): (&f64, &f64)| (a - b).abs() < tolerance;
        assert!(found.mean.iter().zip(&expected.mean).all(close), "{found:?} {expected:?}");
        let entries =
            |belief: &ClassBelief| belief.covariance.rows().flatten().copied().collect::<Vec<f64>>();
        assert!(entries(found).iter().zip(&entries(expected)).all(close), "{found:?} {expected:?}");
    }

    /// Two points of three classes, with every pair of latents correlated.
    fn liquid(variance: f64) -> Liquid {
        let g = Mat::from_fn(6, 6, |i, j| {
            variance * (if i == j { 1.0 } else { 0.0 } + (-0.3 * (i as f64 - j as f64).abs()).exp())
        });
        let mut liquid = Liquid::new(3);
        for row in 0..2 {
            liquid.points.push(LiquidPoint { row, site: site(0.4, 0.1), gamma: 1.0, kernel: Vec::new() });
        }
        liquid.set_frozen(g, (0..6).map(|i| 0.1 * i as f64).collect()).unwrap();
        liquid
    }

    /// A factor that has lost what the sites say, as rounding errors do over time: taking a site out leaves nothing that is
    /// positive, so the downdate breaks down. Nothing has changed then, to the bit; and after a fresh start, which a run
    /// makes every so often, the same change is made.
    #[test]
    fn a_breakdown_is_rolled_back_and_the_run_goes_on() {
        let mut found = liquid(3.0);
        let identity = Mat::from_fn(6, 6, |i, j| if i == j { 1.0 } else { 0.0 });
        found.factor.refactor(identity.as_ref(), &JitterPolicy::none()).unwrap();
        let (factor, mean) = (found.factor.l().to_owned(), found.mean.clone());
        assert_eq!(found.change(0, site(1e-3, 0.7)).unwrap(), Change::RolledBack);
        assert_eq!((found.factor.l().to_owned(), &found.mean), (factor, &mean));
        assert_eq!(found.points[0].site, site(0.4, 0.1));

        found.refresh().unwrap();
        assert_eq!(found.change(0, site(1e-3, 0.7)).unwrap(), Change::Made);
        let mut fresh = liquid(3.0);
        fresh.points[0].site = site(1e-3, 0.7);
        fresh.refresh().unwrap();
        let (kept, fresh) = (found.marginal(1).unwrap(), fresh.marginal(1).unwrap());
        assert_close(&kept, &fresh, 1e-13);
    }

    /// The cavity times the site is the marginal: taking out and putting back changes nothing.
    #[test]
    fn the_cavity_and_the_site_make_the_marginal() {
        let found = liquid(1.3);
        let (marginal, cavity) = (found.marginal(1).unwrap(), found.cavity(1).unwrap().unwrap());
        let site = &found.points[1].site;
        // A⁻¹ = Λ⁻¹ + Π and A⁻¹h = Λ⁻¹λ + b, multiplied by A on the left and Λ on the right.
        let (a, l) = (&marginal.covariance, &cavity.covariance);
        let pi = |x: &[f64]| super::super::projection::precision_times(&site.precision, x);
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

    /// After changes by rotations everything is what it is from scratch.
    #[test]
    fn rotations_agree_with_a_fresh_start() {
        let mut found = liquid(2.0);
        for step in 0..20 {
            let new = site(0.1 + 0.4 * (step % 5) as f64, 0.2 * step as f64 - 1.0);
            assert_eq!(found.change(step % 2, new).unwrap(), Change::Made);
        }
        let kept: Vec<ClassBelief> = (0..2).map(|l| found.marginal(l).unwrap()).collect();
        found.refresh().unwrap();
        for (l, kept) in kept.iter().enumerate() {
            let fresh = found.marginal(l).unwrap();
            // Forty rotations of numbers of size one.
            assert_close(kept, &fresh, 1e-12);
        }
    }
}
