//! Additions and multiplications that the mathematics of an evaluation needs, a product of matrices counting twice its
//! multiplications, and a reverse pass as much as the derivatives it makes.

use super::Sizes;

fn floats<const K: usize>(sizes: [usize; K]) -> [f64; K] {
    sizes.map(|size| size as f64)
}

/// A projection and a sum of the value, a solve and a sum of the gradient (4 M²N), factors and their reverse (2 M³);
/// distances forward and back, of rows (6 MND) and of Z with itself for half of its pairs (3 M²D).
pub(super) fn regression(sizes: &Sizes) -> f64 {
    let [n, m, d] = floats([sizes.rows, sizes.inducing, sizes.dim]);
    4.0 * m * m * n + 2.0 * m * m * m + 6.0 * m * n * d + 3.0 * m * m * d
}

/// A factor (⅓ N³), an inverse from it (⅔ N³), distances of both (2 N²D).
pub(super) fn exact(sizes: &Sizes) -> f64 {
    let [n, d] = floats([sizes.rows, sizes.dim]);
    n * n * (n + 2.0 * d)
}

/// Distances (2 MTD), a projection and a product with the posterior's factor (2 M²T).
pub(super) fn prediction(sizes: &Sizes) -> f64 {
    let [t, m, d] = floats([sizes.new, sizes.inducing, sizes.dim]);
    2.0 * m * t * (m + d)
}

/// Operations of one process: distances forward and back (6 MBD), those of Z with itself (3 M²D), a
/// projection and its reverse (2 M²B), factors (4/3 M³).
fn of_process(sizes: &Sizes) -> f64 {
    let [b, m, d] = floats([sizes.batch, sizes.inducing, sizes.dim]);
    6.0 * m * b * d + 3.0 * m * m * d + 2.0 * m * m * b + 4.0 / 3.0 * m * m * m
}

/// Operations of one latent function: marginals, sums and their reverse (6 M²B), the factor of a posterior
/// (⅔ M³).
fn of_function(sizes: &Sizes) -> f64 {
    let [b, m] = floats([sizes.batch, sizes.inducing]);
    6.0 * m * m * b + 2.0 / 3.0 * m * m * m
}

/// A step on a batch, with one process for C functions.
pub(super) fn shared(sizes: &Sizes) -> f64 {
    of_process(sizes) + sizes.classes as f64 * of_function(sizes)
}

/// A step on a batch, with a process for each of C functions.
pub(super) fn each(sizes: &Sizes) -> f64 {
    sizes.classes as f64 * (of_process(sizes) + of_function(sizes))
}

/// Bytes: every row that becomes active moves 24 of each component of all stubs before it.
pub(super) fn active_set(sizes: &Sizes) -> f64 {
    let [n, c, a] = floats([sizes.rows, sizes.classes, sizes.active]);
    24.0 * n * c * a * a / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_class_costs_the_same_shared_or_not() {
        let sizes = Sizes::read("B=200;M=100;D=16;C=1");
        assert_eq!(shared(&sizes), each(&sizes));
        // By hand: 6·100·200·16 + 3·100²·16 + 2·100²·200 + 6·100²·200 + 2·100³.
        assert!((shared(&sizes) - 20.4e6).abs() < 1.0);
    }
}
