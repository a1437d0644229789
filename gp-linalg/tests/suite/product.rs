//! Products against plain loops; register state.

use crate::common::{Framed, LAYOUTS, max_abs, max_difference, naive_product, same_bits, uniform};
use gp_linalg::faer::prelude::IntoConst as _;
use gp_linalg::faer::{Accum, Mat};
use gp_linalg::product::{self, GramScratch};
use gp_linalg::{LinalgError, Threading};

/// Twice the rounding of k products of numbers below 1.
fn tolerance(k: usize) -> f64 {
    2.0 * (k as f64 + 2.0) * f64::EPSILON * (k as f64).max(1.0).sqrt()
}

const SHAPES: [(usize, usize, usize); 14] = [
    (0, 0, 0),
    (0, 3, 2),
    (3, 0, 2),
    (3, 2, 0),
    (1, 1, 1),
    (1, 9, 5),
    (9, 1, 5),
    (7, 5, 1),
    (17, 33, 12),
    (64, 64, 64),
    (257, 3, 40),
    (3, 514, 40),
    (260, 513, 31),
    (500, 20, 480),
];

#[test]
fn matmul_agrees_with_loops_in_every_layout() {
    for (case, (m, n, k)) in SHAPES.into_iter().enumerate() {
        let (a, b) = (uniform(m, k, 1), uniform(k, n, 2));
        let start = uniform(m, n, 3);
        let product = naive_product(a.as_ref(), b.as_ref(), -1.5);
        for (which, layout) in LAYOUTS.into_iter().enumerate() {
            let mut dst = Framed::new(start.as_ref(), layout);
            let mut lhs = Framed::new(a.as_ref(), LAYOUTS[(which + case) % 4]);
            let mut rhs = Framed::new(b.as_ref(), LAYOUTS[(which + case / 4) % 4]);
            for (accum, expected) in [(Accum::Add, &start + &product), (Accum::Replace, product.clone())] {
                let (lhs, rhs) = (lhs.as_mut().into_const(), rhs.as_mut().into_const());
                product::matmul(dst.as_mut(), accum, lhs, rhs, -1.5, Threading::Pool).unwrap();
                let error = max_difference(dst.values().as_ref(), expected.as_ref());
                assert!(error <= 3.0 * tolerance(k), "{m}x{n}x{k} {layout:?} {accum:?}: {error:e}");
            }
            assert!(dst.frame_is_intact());
        }
    }
}

#[test]
fn replace_does_not_read_the_destination() {
    let mut dst = Mat::full(300, 5, f64::NAN);
    let empty = Mat::<f64>::zeros(300, 0);
    let none = Mat::<f64>::zeros(0, 5);
    product::matmul(dst.as_mut(), Accum::Replace, empty.as_ref(), none.as_ref(), 1.0, Threading::Here)
        .unwrap();
    assert_eq!(max_abs(dst.as_ref()), 0.0);
    let mut dst = Mat::full(300, 300, f64::NAN);
    let a = uniform(300, 7, 4);
    product::matmul_lower(dst.as_mut(), Accum::Replace, a.as_ref(), a.transpose(), 1.0, Threading::Here)
        .unwrap();
    assert!((0..300).all(|j| (0..300).all(|i| dst[(i, j)].is_nan() == (i < j))));
}

#[test]
fn matmul_lower_touches_the_lower_triangle_only() {
    for (m, k) in [(0, 3), (1, 0), (5, 3), (31, 64), (257, 17), (513, 100)] {
        let (a, b) = (uniform(m, k, 5), uniform(k, m, 6));
        let start = uniform(m, m, 7);
        let full = &start + naive_product(a.as_ref(), b.as_ref(), 0.5);
        for layout in LAYOUTS {
            let mut dst = Framed::new(start.as_ref(), layout);
            product::matmul_lower(dst.as_mut(), Accum::Add, a.as_ref(), b.as_ref(), 0.5, Threading::Pool)
                .unwrap();
            let result = dst.values();
            for j in 0..m {
                for i in 0..m {
                    let value = result[(i, j)];
                    if i < j {
                        assert_eq!(value.to_bits(), start[(i, j)].to_bits());
                    } else {
                        assert!((value - full[(i, j)]).abs() <= tolerance(k), "{m}x{k} at {i},{j}");
                    }
                }
            }
            assert!(dst.frame_is_intact());
        }
    }
}

#[test]
fn weighted_gram_agrees_with_loops() {
    let mut scratch = GramScratch::new();
    for (m, n) in [(0, 4), (4, 0), (1, 1), (3, 5), (40, 511), (40, 512), (40, 1300), (270, 600)] {
        let phi = uniform(m, n, 8);
        // Weights of both signs.
        let weights: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
        let scaled = Mat::from_fn(m, n, |i, j| phi[(i, j)] * weights[j]);
        let product = naive_product(scaled.as_ref(), phi.transpose(), 1.0);
        for layout in LAYOUTS {
            let mut phi = Framed::new(phi.as_ref(), layout);
            let mut dst = Mat::full(m, m, 7.0);
            for (accum, expected) in [(Accum::Replace, 1.0), (Accum::Add, 2.0)] {
                let phi = phi.as_mut().into_const();
                product::weighted_gram(dst.as_mut(), accum, phi, &weights, &mut scratch, Threading::Pool)
                    .unwrap();
                for j in 0..m {
                    for i in 0..m {
                        let wanted = if i < j { 7.0 } else { expected * product[(i, j)] };
                        assert!((dst[(i, j)] - wanted).abs() <= 2.0 * tolerance(n), "{m}x{n} {layout:?}");
                    }
                }
            }
            product::symmetrise_lower(dst.as_mut()).unwrap();
            assert!((0..m).all(|j| (0..m).all(|i| dst[(i, j)] == dst[(j, i)])));
        }
    }
}

#[test]
fn wrong_shapes_are_errors_and_change_nothing() {
    let a = uniform(3, 4, 9);
    let mut dst = uniform(3, 3, 10);
    let before = dst.clone();
    let here = Threading::Here;
    let outcome = product::matmul(dst.as_mut(), Accum::Add, a.as_ref(), a.as_ref(), 1.0, here);
    assert_eq!(
        outcome,
        Err(LinalgError::DimensionMismatch {
            operation: "matmul",
            what: "columns of rhs",
            expected: 3,
            found: 4
        })
    );
    assert!(product::matmul_lower(dst.as_mut(), Accum::Add, a.as_ref(), a.as_ref(), 1.0, here).is_err());
    let mut scratch = GramScratch::new();
    let few = [1.0; 3];
    assert!(product::weighted_gram(dst.as_mut(), Accum::Add, a.as_ref(), &few, &mut scratch, here).is_err());
    assert!(product::symmetrise_lower(uniform(2, 3, 1).as_mut()).is_err());
    assert!(same_bits(dst.as_ref(), before.as_ref()));
}
