//! The liquid part of the active set, whose sites are still moved by EP (seed 002 §D.4).
//!
//! Given the frozen sites the latents of L liquid points are N(hᶠ, G), with G of dimension C·L without any blocks of zeros.
//! With `Π_i = V_i V_iᵀ` and V = diag(V_i), `B = I + Vᵀ G V = L_B L_Bᵀ` has eigenvalues of at least 1, and
//! `A = G − MᵀM`, `h = b̃ − Mᵀβ` with `M = L_B⁻¹ VᵀG`, `b̃ = G b + hᶠ`, `β = L_B⁻¹ Vᵀ b̃`. A new site at one point changes B
//! by C positive and C negative directions. The seed drags M and L_B⁻¹ along; only C columns of M are ever looked at, so
//! solving for them when they are costs C³L² as well, with a constant ten times smaller, and keeps fewer errors.
//!
//! Latents are in the order of classes: that of class c at point l is number c·L + l.

use super::observation::Belief;
use super::projection::half_precision;
use super::representation::dot;
use super::solid::RestrictedSite;
use faer::reborrow::ReborrowMut as _;
use faer::{Accum, Mat, MatMut, MatRef};
use gp_likelihoods::small_factor::{factorise, solve};
use gp_linalg::product::{matmul, matmul_lower, symmetrise_lower};
use gp_linalg::rotate::{self, RotationScratch};
use gp_linalg::{Cholesky, JitterPolicy, LinalgError, Threading};
use std::sync::Arc;

/// A point whose site may still change.
#[derive(Clone, Debug)]
pub(super) struct LiquidPoint {
    pub(super) row: usize,
    pub(super) site: RestrictedSite,
    /// Its latents are multiplied by this in its likelihood.
    pub(super) gamma: f64,
    /// Covariances with all points, by class.
    pub(super) kernel: Vec<Arc<Vec<f64>>>,
}

/// What became of a new site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// It is in place.
    Made,
    /// The downdate broke down: everything is as it was.
    RolledBack,
}

/// The beliefs about liquid points, and about others by way of them.
#[derive(Clone, Debug)]
pub(super) struct Liquid {
    classes: usize,
    pub(super) points: Vec<LiquidPoint>,
    halves: Vec<Vec<f64>>,
    g: Mat<f64>,
    frozen_mean: Vec<f64>,
    /// b̃
    mean: Vec<f64>,
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
            factor: Cholesky::empty(),
            scratch: RotationScratch::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.points.len()
    }

    /// The beliefs of the frozen part about all liquid points: their covariance and mean.
    pub(super) fn set_frozen(&mut self, g: Mat<f64>, mean: Vec<f64>) -> Result<(), LinalgError> {
        (self.g, self.frozen_mean) = (g, mean);
        self.refresh()
    }

    /// Everything from scratch, from G, hᶠ and the sites.
    pub(super) fn refresh(&mut self) -> Result<(), LinalgError> {
        let size = self.classes * self.len();
        self.halves = self.points.iter().map(|point| half(&point.site)).collect();
        let mut left = self.g.clone();
        self.contract(left.as_mut());
        // Vᵀ (VᵀG)ᵀ = VᵀGV.
        let mut both = left.transpose().to_owned();
        self.contract(both.as_mut());
        (0..size).for_each(|i| both[(i, i)] += 1.0);
        // Of the identity and more: only a condition number beyond 1e16 takes jitter.
        self.factor.refactor(both.as_ref(), &JitterPolicy::ladder())?;
        self.mean.clone_from(&self.frozen_mean);
        for l in 0..self.len() {
            self.add_shift(l, &self.points[l].site.shift.clone());
        }
        Ok(())
    }

    /// b̃ += G_{·l} Δb.
    fn add_shift(&mut self, l: usize, change: &[f64]) {
        for (c, change) in change.iter().enumerate() {
            let column = self.g.col(c * self.points.len() + l);
            self.mean.iter_mut().zip(column.iter()).for_each(|(mean, g)| *mean += g * change);
        }
    }

    /// `X ← Vᵀ X`.
    fn contract(&self, mut x: MatMut<'_, f64>) {
        let (count, classes) = (self.len(), self.classes);
        let mut latents = vec![0.0; classes];
        for j in 0..x.ncols() {
            let mut column = x.rb_mut().col_mut(j);
            for (l, half) in self.halves.iter().enumerate() {
                (0..classes).for_each(|c| latents[c] = column[c * count + l]);
                for c in 0..classes {
                    column[c * count + l] = (0..classes).map(|k| half[k * classes + c] * latents[k]).sum();
                }
            }
        }
    }

    /// L_B⁻¹ Vᵀ b̃
    fn beta(&self) -> Result<Vec<f64>, LinalgError> {
        let mut beta = self.mean.clone();
        let mut column = MatMut::from_column_major_slice_mut(&mut beta, self.mean.len(), 1);
        self.contract(column.rb_mut());
        self.factor.half_solve_in_place(column, Threading::Here)?;
        Ok(beta)
    }

    /// The belief about liquid point l under all sites.
    pub(super) fn marginal(&self, l: usize) -> Result<Belief, LinalgError> {
        let (count, classes) = (self.len(), self.classes);
        let cross = Mat::from_fn(classes * count, classes, |i, c| self.g[(i, c * count + l)]);
        let frozen = Belief {
            mean: (0..classes).map(|c| self.frozen_mean[c * count + l]).collect(),
            covariance: (0..classes * classes)
                .map(|ij| self.g[(ij / classes * count + l, ij % classes * count + l)])
                .collect(),
        };
        let mut found = vec![frozen];
        self.condition(cross, &mut found)?;
        Ok(found.swap_remove(0))
    }

    /// From beliefs of the frozen part about w points to those under all sites. `cross` (C·L × C·w, classes outside) are
    /// the covariances of liquid latents with theirs under the frozen part.
    pub(super) fn condition(&self, mut cross: Mat<f64>, beliefs: &mut [Belief]) -> Result<(), LinalgError> {
        let (classes, width) = (self.classes, beliefs.len());
        if self.points.is_empty() {
            return Ok(());
        }
        let shifts: Vec<f64> =
            (0..classes).flat_map(|c| self.points.iter().map(move |point| point.site.shift[c])).collect();
        for (j, belief) in beliefs.iter_mut().enumerate() {
            for c in 0..classes {
                belief.mean[c] += dot(cross.col_as_slice(c * width + j), &shifts);
            }
        }
        self.contract(cross.as_mut());
        self.factor.half_solve_in_place(cross.as_mut(), Threading::Here)?;
        let beta = self.beta()?;
        let column = |c: usize, j: usize| cross.col_as_slice(c * width + j);
        for (j, belief) in beliefs.iter_mut().enumerate() {
            for c in 0..classes {
                belief.mean[c] -= dot(column(c, j), &beta);
                for k in 0..=c {
                    let explained = dot(column(c, j), column(k, j));
                    belief.covariance[c * classes + k] -= explained;
                    if k < c {
                        belief.covariance[k * classes + c] -= explained;
                    }
                }
            }
        }
        Ok(())
    }

    /// The belief without the site of point l; nothing where that is no Gaussian.
    pub(super) fn cavity(&self, l: usize) -> Result<Option<Belief>, LinalgError> {
        let Belief { mean, covariance: a } = self.marginal(l)?;
        Ok(without(&mean, &a, &self.points[l].site.shift, &self.halves[l]))
    }

    /// A new site at point l: `B' = B + W₊W₊ᵀ − W₋W₋ᵀ` with `W₋ = VᵀG_{·l} Q⁻ᵀ`, `W₊ = W₋ + I_{·l} ΔVᵀ Q`, G_l = Q Qᵀ.
    pub(super) fn change(&mut self, l: usize, site: RestrictedSite) -> Result<Change, LinalgError> {
        let (count, classes) = (self.len(), self.classes);
        let size = count * classes;
        let mut block: Vec<f64> = (0..classes * classes)
            .map(|ij| self.g[(ij / classes * count + l, ij % classes * count + l)])
            .collect();
        if !factorise(&mut block, classes, 0.0) {
            return Ok(Change::RolledBack);
        }
        let mut minus = Mat::from_fn(size, classes, |i, c| self.g[(i, c * count + l)]);
        self.contract(minus.as_mut());
        let mut row = vec![0.0; classes];
        for i in 0..size {
            (0..classes).for_each(|c| row[c] = minus[(i, c)]);
            solve(&block, &mut row);
            (0..classes).for_each(|c| minus[(i, c)] = row[c]);
        }
        let new_half = half(&site);
        let mut plus = minus.clone();
        for i in 0..classes {
            for j in 0..classes {
                // (ΔVᵀ Q)_{ij}
                plus[(i * count + l, j)] += (0..classes)
                    .map(|k| {
                        (new_half[k * classes + i] - self.halves[l][k * classes + i]) * block[k * classes + j]
                    })
                    .sum::<f64>();
            }
        }
        if self.replace_factor(plus.as_ref(), minus.as_ref())? == Change::RolledBack {
            return Ok(Change::RolledBack);
        }
        let moved: Vec<f64> =
            site.shift.iter().zip(&self.points[l].site.shift).map(|(new, old)| new - old).collect();
        self.add_shift(l, &moved);
        (self.halves[l], self.points[l].site) = (new_half, site);
        Ok(Change::Made)
    }

    /// The update and the downdate, or neither.
    fn replace_factor(
        &mut self,
        plus: MatRef<'_, f64>,
        minus: MatRef<'_, f64>,
    ) -> Result<Change, LinalgError> {
        let saved = self.factor.clone();
        let mut nothing = rotate::nothing(plus.nrows());
        let scratch = &mut self.scratch;
        self.factor.update(plus, nothing.as_mut(), scratch, Threading::Here)?;
        match self.factor.downdate(minus, nothing.as_mut(), scratch, Threading::Here) {
            Ok(()) => Ok(Change::Made),
            Err(LinalgError::DowndateBreakdown { .. }) => {
                self.factor = saved;
                Ok(Change::RolledBack)
            }
            Err(fault) => {
                self.factor = saved;
                Err(fault)
            }
        }
    }
}

/// The halves V of a site.
fn half(site: &RestrictedSite) -> Vec<f64> {
    let mut half = Vec::new();
    half_precision(&site.precision, &mut half);
    half
}

/// The cavity: Λ = (I − AΠ)⁻¹A and (I − AΠ)⁻¹(h − A b), by the factor of S = I − VᵀAV.
fn without(mean: &[f64], a: &[f64], shift: &[f64], half: &[f64]) -> Option<Belief> {
    let q = mean.len();
    let (mut av, mut rest) = (Vec::new(), Vec::with_capacity(q * q));
    super::symmetric::product(a, half, q, &mut av);
    for ij in 0..q * q {
        let identity = if ij / q == ij % q { 1.0 } else { 0.0 };
        rest.push(identity - (0..q).map(|k| half[k * q + ij / q] * av[k * q + ij % q]).sum::<f64>());
    }
    if !factorise(&mut rest, q, f64::EPSILON) {
        return None;
    }
    let mut start: Vec<f64> = vec![0.0; q];
    super::symmetric::times(a, shift, &mut start);
    start.iter_mut().zip(mean).for_each(|(x, h)| *x = h - *x);
    // Rows of A V S^{−½ᵀ}, and S^{−½} Vᵀ (h − A b).
    av.chunks_exact_mut(q).for_each(|row| solve(&rest, row));
    let mut inner: Vec<f64> = (0..q).map(|c| (0..q).map(|k| half[k * q + c] * start[k]).sum()).collect();
    solve(&rest, &mut inner);
    let mean = (0..q).map(|i| start[i] + (0..q).map(|k| av[i * q + k] * inner[k]).sum::<f64>()).collect();
    let entry = |ij: usize| a[ij] + (0..q).map(|k| av[ij / q * q + k] * av[ij % q * q + k]).sum::<f64>();
    Some(Belief { mean, covariance: (0..q * q).map(entry).collect() })
}

/// `QᵀQ` on and below the diagonal, mirrored, with `K − MᵀM` added within classes: the covariance of points under the
/// frozen part. `m` and `q` are d × C·w with classes outside, `kernel` gives covariances within a class.
pub(super) fn frozen_covariance(
    m: MatRef<'_, f64>,
    q: MatRef<'_, f64>,
    classes: usize,
    kernel: impl Fn(usize, usize, usize) -> f64,
) -> Result<Mat<f64>, LinalgError> {
    let size = q.ncols();
    let width = size / classes;
    let mut g = Mat::zeros(size, size);
    matmul_lower(g.as_mut(), Accum::Replace, q.transpose(), q, 1.0, Threading::Here)?;
    for c in 0..classes {
        let m = m.subcols(c * width, width);
        let mut block = g.as_mut().submatrix_mut(c * width, c * width, width, width);
        matmul_lower(block.rb_mut(), Accum::Add, m.transpose(), m, -1.0, Threading::Here)?;
        for j in 0..width {
            (j..width).for_each(|i| block[(i, j)] += kernel(c, i, j));
        }
    }
    symmetrise_lower(g.as_mut())?;
    Ok(g)
}

/// The same between two groups of points.
pub(super) fn frozen_cross(
    (m1, q1): (MatRef<'_, f64>, MatRef<'_, f64>),
    (m2, q2): (MatRef<'_, f64>, MatRef<'_, f64>),
    classes: usize,
    kernel: impl Fn(usize, usize, usize) -> f64,
) -> Result<Mat<f64>, LinalgError> {
    let (rows, cols) = (q1.ncols() / classes, q2.ncols() / classes);
    let mut cross = Mat::zeros(q1.ncols(), q2.ncols());
    matmul(cross.as_mut(), Accum::Replace, q1.transpose(), q2, 1.0, Threading::Here)?;
    for c in 0..classes {
        let (m1, m2) = (m1.subcols(c * rows, rows), m2.subcols(c * cols, cols));
        let mut block = cross.as_mut().submatrix_mut(c * rows, c * cols, rows, cols);
        matmul(block.rb_mut(), Accum::Add, m1.transpose(), m2, -1.0, Threading::Here)?;
        for j in 0..cols {
            (0..rows).for_each(|i| block[(i, j)] += kernel(c, i, j));
        }
    }
    Ok(cross)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(scale: f64, shift: f64) -> RestrictedSite {
        RestrictedSite { precision: vec![scale, 0.5 * scale, 2.0 * scale], shift: vec![shift, -shift, 0.3] }
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
        assert!(kept.covariance.iter().zip(&fresh.covariance).all(|(a, b)| (a - b).abs() < 1e-13));
        assert!(kept.mean.iter().zip(&fresh.mean).all(|(a, b)| (a - b).abs() < 1e-13));
    }

    /// The cavity times the site is the marginal: taking out and putting back changes nothing.
    #[test]
    fn the_cavity_and_the_site_make_the_marginal() {
        let found = liquid(1.3);
        let (marginal, cavity) = (found.marginal(1).unwrap(), found.cavity(1).unwrap().unwrap());
        let site = &found.points[1].site;
        // A⁻¹ = Λ⁻¹ + Π and A⁻¹h = Λ⁻¹λ + b, multiplied by A on the left and Λ on the right.
        let (a, l) = (&marginal.covariance, &cavity.covariance);
        let mut pi_l = [0.0; 9];
        for j in 0..3 {
            let column: Vec<f64> = (0..3).map(|i| l[3 * i + j]).collect();
            let mut out = [0.0; 3];
            super::super::projection::precision_times(&site.precision, &column, &mut out);
            (0..3).for_each(|i| pi_l[3 * i + j] = out[i]);
        }
        for ij in 0..9 {
            let (i, j) = (ij / 3, ij % 3);
            let product: f64 = (0..3).map(|k| a[3 * i + k] * pi_l[3 * k + j]).sum();
            assert!((l[ij] - a[ij] - product).abs() < 1e-12, "Λ = A + A Π Λ at {ij}");
        }
        for i in 0..3 {
            let mut pi_lambda = [0.0; 3];
            super::super::projection::precision_times(&site.precision, &cavity.mean, &mut pi_lambda);
            let change: f64 = (0..3).map(|k| a[3 * i + k] * (site.shift[k] - pi_lambda[k])).sum();
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
        let kept: Vec<Belief> = (0..2).map(|l| found.marginal(l).unwrap()).collect();
        found.refresh().unwrap();
        for (l, kept) in kept.iter().enumerate() {
            let fresh = found.marginal(l).unwrap();
            let pairs =
                kept.covariance.iter().zip(&fresh.covariance).chain(kept.mean.iter().zip(&fresh.mean));
            // Forty rotations of numbers of size one.
            pairs.for_each(|(a, b)| assert!((a - b).abs() < 1e-12, "{a} {b}"));
        }
    }
}
