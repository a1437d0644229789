//! Integration rules with vectorised sums.

use super::numbers::{Column, Numbers};
use super::small::Square;
use super::sums::{TOGETHER, products, sum};
use gp_likelihoods::quadrature::Cubature;
use gp_linalg::pulp::{Simd, WithSimd};
use gp_linalg::vector::{dispatch, exp_in_place};

/// Stack capacity for one-dimensional exponentials.
const FACTORS: usize = 48;
/// Bound of exponents, against over- and underflow.
const SAFE: f64 = 600.0;

/// Integration rule for independent standard normals.
#[derive(Clone, Debug)]
pub(super) struct Nodes {
    /// By dimension, then node.
    coordinates: Vec<f64>,
    weights: Vec<f64>,
    /// One-dimensional nodes of a product rule, whose first dimension is fastest.
    axis: Option<Vec<f64>>,
}

impl Nodes {
    pub(super) fn new(rule: &Cubature) -> Self {
        let coordinates = (0..rule.dimensions()).flat_map(|i| rule.iter().map(move |(node, _)| node[i]));
        let coordinates: Vec<f64> = coordinates.collect();
        let axis = axis_of(&coordinates, rule.weights().len());
        Self { coordinates, weights: rule.weights().to_vec(), axis }
    }

    pub(super) fn count(&self) -> usize {
        self.weights.len()
    }

    pub(super) fn weights(&self) -> &[f64] {
        &self.weights
    }

    pub(super) fn coordinates(&self) -> impl Iterator<Item = &[f64]> {
        self.coordinates.chunks_exact(self.count())
    }

    /// `constant + Σ_j slope_j s_j` per node s.
    pub(super) fn line(&self, constant: f64, slopes: impl Iterator<Item = f64>, out: &mut [f64]) {
        out.fill(constant);
        slopes.zip(self.coordinates()).for_each(|(slope, s)| dispatch(Add { out, slope, s }));
    }

    /// `exp(constant + Σ_j slope_j s_j)` per node s; cheaper for product rules.
    pub(super) fn exponentials(&self, constant: f64, slopes: &[f64], out: &mut [f64]) {
        let Some(axis) = self.axis.as_deref().filter(|axis| is_safe(constant, slopes, axis)) else {
            self.line(constant, slopes.iter().copied(), out);
            return exp_in_place(out);
        };
        let exponents = slopes.iter().flat_map(|slope| axis.iter().map(move |s| slope * s));
        let mut factors: Numbers<FACTORS> = exponents.collect();
        exp_in_place(&mut factors);
        out[0] = constant;
        exp_in_place(&mut out[..1]);
        dispatch(Products { out, factors: &factors, order: axis.len() });
    }

    /// Mean and covariance under weights p of sum `total`.
    pub(super) fn moments(
        &self,
        (p, total): (&[f64], f64),
        rows: &mut Vec<f64>,
        (mean, covariance): (&mut Column, &mut Square),
    ) {
        rows.resize(self.coordinates.len(), 0.0);
        let dimensions = mean.len();
        match self.axis.as_deref() {
            Some(axis) => dispatch(Contraction { axis, p, rows, mean, moments: covariance }),
            None => dispatch(Moments { nodes: self, p, rows, mean, moments: covariance }),
        }
        mean.iter_mut().for_each(|mean| *mean /= total);
        for i in 0..dimensions {
            for j in 0..=i {
                covariance[(i, j)] = covariance[(i, j)] / total - mean[i] * mean[j];
                covariance[(j, i)] = covariance[(i, j)];
            }
        }
    }
}

/// One-dimensional nodes of a product rule; else None.
fn axis_of(coordinates: &[f64], count: usize) -> Option<Vec<f64>> {
    let dimensions = u32::try_from(coordinates.len().checked_div(count)?).ok()?;
    let order = (1..=count).find(|order| order.saturating_pow(dimensions) >= count)?;
    let axis = &coordinates[..order];
    let places = (0..dimensions).flat_map(|j| (0..count).map(move |i| (i / order.pow(j)) % order));
    let is_product = order.saturating_pow(dimensions) == count
        && places.zip(coordinates).all(|(place, coordinate)| axis[place] == *coordinate);
    is_product.then(|| axis.to_vec())
}

fn is_safe(constant: f64, slopes: &[f64], axis: &[f64]) -> bool {
    let largest = axis.iter().fold(0.0f64, |largest, s| largest.max(s.abs()));
    constant.abs() + largest * slopes.iter().map(|slope| slope.abs()).sum::<f64>() < SAFE
}

/// Products of one factor per dimension, times `out[0]`.
struct Products<'a> {
    out: &'a mut [f64],
    factors: &'a [f64],
    order: usize,
}

impl WithSimd for Products<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let Self { out, factors, order } = self;
        let mut done = 1;
        for factors in factors.chunks_exact(order) {
            let (first, others) = out[..done * order].split_at_mut(done);
            for (block, factor) in others.chunks_exact_mut(done).zip(&factors[1..]) {
                block.iter_mut().zip(&*first).for_each(|(out, known)| *out = factor * known);
            }
            first.iter_mut().for_each(|known| *known *= factors[0]);
            done *= order;
        }
    }
}

struct Add<'a> {
    out: &'a mut [f64],
    slope: f64,
    s: &'a [f64],
}

impl WithSimd for Add<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let Self { out, slope, s } = self;
        out.iter_mut().zip(s).for_each(|(out, s)| *out = s.mul_add(slope, *out));
    }
}

/// `Σ p s` and the lower triangle of `Σ p s sᵀ`.
struct Moments<'a> {
    nodes: &'a Nodes,
    p: &'a [f64],
    rows: &'a mut [f64],
    mean: &'a mut Column,
    moments: &'a mut Square,
}

impl WithSimd for Moments<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let Self { nodes, p, rows, mean, moments } = self;
        let count = nodes.count();
        for (i, (row, s)) in rows.chunks_exact_mut(count).zip(nodes.coordinates()).enumerate() {
            row.iter_mut().zip(s.iter().zip(p)).for_each(|(row, (s, p))| *row = s * p);
            mean[i] = sum(row);
            for first in (0..=i).step_by(TOGETHER) {
                let s = |k: usize| (first + k).min(i) * count;
                let found = products(row, std::array::from_fn(|k| &nodes.coordinates[s(k)..][..count]));
                (first..=i).zip(found).for_each(|(j, found)| moments[(i, j)] = found);
            }
        }
    }
}

/// [`Moments`] of a product rule, by dimension, slowest first.
struct Contraction<'a> {
    axis: &'a [f64],
    p: &'a [f64],
    /// Scratch for two tables.
    rows: &'a mut [f64],
    mean: &'a mut Column,
    moments: &'a mut Square,
}

impl WithSimd for Contraction<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let Self { axis, p, rows, mean, moments } = self;
        let (plain, weighted) = rows.split_at_mut(p.len());
        plain.copy_from_slice(p);
        let mut count = p.len();
        for i in (0..mean.len()).rev() {
            (mean[i], moments[(i, i)]) = along(&plain[..count], axis);
            count /= axis.len();
            // The means of Σ_a s_a p_a along other dimensions are the mixed moments.
            contract(&plain[..count * axis.len()], axis, &mut weighted[..count]);
            let mut left = count;
            for j in (0..i).rev() {
                moments[(i, j)] = along(&weighted[..left], axis).0;
                left /= axis.len();
                fold(weighted, left, axis.len());
            }
            fold(plain, count, axis.len());
        }
    }
}

/// `Σ s p` and `Σ s² p` along the slowest dimension.
#[inline(always)]
fn along(p: &[f64], axis: &[f64]) -> (f64, f64) {
    let (mut first, mut second) = (0.0, 0.0);
    for (s, block) in axis.iter().zip(p.chunks_exact(p.len() / axis.len())) {
        let total = sum(block);
        first += s * total;
        second += s * s * total;
    }
    (first, second)
}

/// `Σ s p` over the slowest dimension.
#[inline(always)]
fn contract(p: &[f64], axis: &[f64], out: &mut [f64]) {
    out.fill(0.0);
    for (s, block) in axis.iter().zip(p.chunks_exact(out.len())) {
        out.iter_mut().zip(block).for_each(|(out, p)| *out = p.mul_add(*s, *out));
    }
}

/// Sum over the slowest dimension, in place.
#[inline(always)]
fn fold(p: &mut [f64], count: usize, order: usize) {
    let (out, others) = p[..count * order].split_at_mut(count);
    for block in others.chunks_exact(count) {
        out.iter_mut().zip(block).for_each(|(out, p)| *out += p);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Partial products can overflow.
    #[test]
    fn exponentials_are_those_of_lines() {
        let rules = [Cubature::product(3, 5), Cubature::product(9, 2), Cubature::quasi_random(100, 3, 1)];
        for rule in rules {
            let nodes = Nodes::new(&rule.unwrap());
            assert_eq!(nodes.axis.is_some(), nodes.count() != 100);
            for scale in [1.0, 300.0] {
                let dimensions = nodes.coordinates().count();
                let slopes: Vec<f64> = (0..dimensions).map(|j| scale * (0.3 * j as f64 - 0.4)).collect();
                let (mut found, mut line) = (vec![0.0; nodes.count()], vec![0.0; nodes.count()]);
                nodes.exponentials(0.7, &slopes, &mut found);
                nodes.line(0.7, slopes.iter().copied(), &mut line);
                // Below the smallest normal number the vectorised function returns 0.
                let close = |(a, b): (&f64, &f64)| {
                    let b = b.exp();
                    *a == b || (a - b).abs() < 1e-12 * b + f64::MIN_POSITIVE
                };
                assert!(found.iter().zip(&line).all(close));
            }
        }
    }

    #[test]
    fn moments_are_plain_sums() {
        let rules = [Cubature::product(3, 5), Cubature::product(5, 2), Cubature::quasi_random(90, 3, 1)];
        for rule in rules.map(Result::unwrap) {
            let (nodes, dimensions) = (Nodes::new(&rule), rule.dimensions());
            let shares: Vec<f64> = (0..nodes.count()).map(|k| 1.0 + (k % 7) as f64).collect();
            let total = sum(&shares);
            let (mut mean, mut covariance) = (Column::zeros(dimensions), Square::zeros(dimensions));
            nodes.moments((&shares, total), &mut Vec::new(), (&mut mean, &mut covariance));
            let s: Vec<&[f64]> = nodes.coordinates().collect();
            let expected =
                |of: &dyn Fn(usize) -> f64| (0..shares.len()).map(|k| shares[k] / total * of(k)).sum::<f64>();
            for i in 0..dimensions {
                assert!((mean[i] - expected(&|k| s[i][k])).abs() < 1e-14);
                for j in 0..dimensions {
                    let product = expected(&|k| s[i][k] * s[j][k]) - mean[i] * mean[j];
                    assert!((covariance[(i, j)] - product).abs() < 1e-14);
                }
            }
        }
    }
}
