//! Sums over nodes above all beliefs.
//!
//! From x₀ on, `H(x) = Σ_n a_n zⁿ`, `z = exp(x₀ − x)`, `a_n = (−1)ⁿ/n! E[exp(n (f − x₀))]`, as are products
//! and derivatives; sums of zⁿ over a grid are geometric.

use super::{STEP, TERMS};
use std::sync::OnceLock;

/// Coefficients of 1, z, z², …
pub(super) type Series = [f64; TERMS];

/// Series of classes and product; empty: sums are 0.
#[derive(Clone, Debug, Default)]
pub(super) struct Tail {
    classes: Vec<Series>,
    product: Series,
}

impl Tail {
    pub(super) fn clear(&mut self) {
        self.classes.clear();
        self.product = Series::default();
    }

    /// Requires `a_0 = 1` of each.
    pub(super) fn set(&mut self, classes: impl Iterator<Item = Series>) {
        self.classes.clear();
        self.classes.extend(classes);
        self.product = self.classes.iter().fold(constant(1.0), |product, own| times(&product, own));
    }

    /// Sum of `survival − Π_k H_k`; `survival` has `a_0 = 1`.
    pub(super) fn sum_less_product(&self, survival: &Series) -> f64 {
        if self.classes.is_empty() {
            return 0.0;
        }
        sum(&std::array::from_fn(|n| survival[n] - self.product[n]))
    }

    /// Sum of `H_c^(order) Π_{k≠c} H_k`.
    pub(super) fn sum_of(&self, c: usize, order: usize) -> f64 {
        self.classes.get(c).map_or(0.0, |own| sum(&times(&derivative(own, order), &over(&self.product, own))))
    }

    /// Sums of `H_c′ H_k′ Π H` and `H_c′ H_k″ Π H`, Π over the others.
    pub(super) fn sums_of_pair(&self, c: usize, k: usize) -> [f64; 2] {
        let (Some(own), Some(rival)) = (self.classes.get(c), self.classes.get(k)) else { return [0.0; 2] };
        let others = over(&over(&self.product, own), rival);
        let density = times(&others, &derivative(own, 1));
        [1, 2].map(|order| sum(&times(&density, &derivative(rival, order))))
    }
}

/// Series of `exp(−exp(f − x))`, from `u = exp(f − x₀)`.
pub(super) fn exponential(u: f64) -> Series {
    let mut term = 1.0;
    std::array::from_fn(|n| {
        term *= if n == 0 { 1.0 } else { -u / n as f64 };
        term
    })
}

fn constant(value: f64) -> Series {
    std::array::from_fn(|n| if n == 0 { value } else { 0.0 })
}

fn times(a: &Series, b: &Series) -> Series {
    std::array::from_fn(|n| (0..=n).map(|i| a[i] * b[n - i]).sum())
}

/// `a/b`, where `b_0` = 1.
fn over(a: &Series, b: &Series) -> Series {
    let mut quotient = *a;
    for n in 1..TERMS {
        quotient[n] -= (0..n).map(|i| quotient[i] * b[n - i]).sum::<f64>();
    }
    quotient
}

/// Derivative by x: −n times zⁿ.
fn derivative(a: &Series, order: usize) -> Series {
    std::array::from_fn(|n| a[n] * (-(n as f64)).powi(order as i32))
}

/// Sum over `x₀, x₀ + h, …`, no constant term: `zⁿ` gives `1/(1 − exp(−n h))`.
fn sum(a: &Series) -> f64 {
    static GEOMETRIC: OnceLock<Series> = OnceLock::new();
    let geometric = GEOMETRIC.get_or_init(|| {
        std::array::from_fn(|n| if n == 0 { 0.0 } else { -1.0 / (-STEP * n as f64).exp_m1() })
    });
    a.iter().zip(geometric).map(|(a, sum)| a * sum).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_sums_equal_sums_over_nodes() {
        let u = [0.01, 0.004, 0.0007];
        let mut tail = Tail::default();
        tail.set(u.into_iter().map(exponential));
        let nodes = || (0..400).map(|i| (-STEP * f64::from(i)).exp());
        let h = |u: f64, z: f64| (-u * z).exp();
        let product = |z: f64| u.iter().map(|u| h(*u, z)).product::<f64>();
        // The direct sums have 400 differences of numbers near 1.
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-14 * (1.0 + b.abs()), "{a} {b}");
        let survival = nodes().map(|z| h(0.002, z) - product(z)).sum::<f64>();
        near(tail.sum_less_product(&exponential(0.002)), survival);
        // H′ = u H and H″ = (u² − u) H.
        near(tail.sum_of(1, 1), nodes().map(|z| u[1] * z * product(z)).sum());
        let second = |u: f64, z: f64| u * z * (u * z - 1.0);
        near(tail.sum_of(1, 2), nodes().map(|z| second(u[1], z) * product(z)).sum());
        let [first, twice] = tail.sums_of_pair(0, 2);
        near(first, nodes().map(|z| u[0] * z * u[2] * z * product(z)).sum());
        near(twice, nodes().map(|z| u[0] * z * second(u[2], z) * product(z)).sum());
    }

    #[test]
    fn without_classes_nothing_is_added() {
        let tail = Tail::default();
        assert_eq!((tail.sum_of(0, 1), tail.sums_of_pair(0, 1)), (0.0, [0.0; 2]));
        assert_eq!(tail.sum_less_product(&exponential(0.1)), 0.0);
    }
}
