//! Accuracy of distances by differences and products.
#![expect(clippy::unwrap_used, reason = "a test that fails should stop at once")]

use crate::common::table;
use faer::Mat;
use gp_kernels::{CovarianceGradients, Evaluator, KernelExt, cross, gram, parse};
use gp_linalg::Threading;

/// Points 1e-8 apart at offset 1e6: products have 1e28 times larger terms.
#[test]
fn close_points_far_from_the_origin() {
    for dim in [1, 2, 8, 16, 17, 40] {
        let (offset, apart) = (1e6, 1e-8);
        let x = Mat::from_fn(3, dim, |i, d| offset + d as f64 + apart * [0.0, 1.0, 7.5][i]);
        // The reference uses the rounded coordinates in the table.
        for text in ["rbf(lengthscale=2e-8)", "matern12(lengthscale=2e-8)", "rq(lengthscale=2e-8)"] {
            let k = gram(parse(text).unwrap().as_ref(), x.as_ref()).unwrap();
            for i in 0..3 {
                for j in 0..3 {
                    let s: f64 = (0..dim).map(|d| ((x[(i, d)] - x[(j, d)]) / 2e-8).powi(2)).sum();
                    let expected = match &text[..2] {
                        "rb" => (-0.5 * s).exp(),
                        "ma" => (-s.sqrt()).exp(),
                        _ => 1.0 / (1.0 + 0.5 * s),
                    };
                    let error = (k[(i, j)] - expected).abs();
                    assert!(error <= 1e-14, "{text}, D = {dim}: k[{i}, {j}] = {} for {expected}", k[(i, j)]);
                }
            }
        }
    }
}

#[test]
fn products_and_differences_agree() {
    for dim in [1, 3, 15, 16, 17, 33, 100] {
        let (x, z) = (table(20, dim, 1), table(14, dim, 2));
        let lengthscales: Vec<String> = (0..dim).map(|d| format!("{}", 2.0 + 0.1 * d as f64)).collect();
        let kernel = parse(&format!("matern12(lengthscale=[{}])", lengthscales.join(", "))).unwrap();
        let k = cross(kernel.as_ref(), x.as_ref(), z.as_ref()).unwrap();
        for i in 0..20 {
            for j in 0..14 {
                let s: f64 =
                    (0..dim).map(|d| ((x[(i, d)] - z[(j, d)]) / (2.0 + 0.1 * d as f64)).powi(2)).sum();
                let error = (k[(i, j)] - (-s.sqrt()).exp()).abs();
                assert!(error < 1e-13, "D = {dim}: error {error:e}");
            }
        }
    }
}

#[test]
fn slopes_of_close_pairs_survive_far_spread() {
    for dim in [16, 17, 40] {
        for spread in [1e3, 1e7] {
            let base = table(12, dim, 7);
            let x = Mat::from_fn(12, dim, |i, d| {
                base[(i, d)] + if d == 0 { spread * (i as f64 - 5.5) } else { 0.0 }
            });
            let nudge = table(12, dim, 8);
            let z = Mat::from_fn(12, dim, |i, d| x[(i, d)] + 0.1 * nudge[(i, d)]);
            let kernel = parse(&format!("rbf(lengthscale=[{}])", vec!["1"; dim].join(", "))).unwrap();
            let k = cross(kernel.as_ref(), x.as_ref(), z.as_ref()).unwrap();
            let ones = Mat::from_fn(12, 12, |_, _| 1.0);
            let (mut params, mut rows) = (vec![0.0; dim], Mat::zeros(12, dim));
            let to = CovarianceGradients { params: &mut params, rows: Some(rows.as_mut()), cols: None };
            let by = Evaluator::new(Threading::Here);
            by.cross_reverse(kernel.as_ref(), x.as_ref(), z.as_ref(), ones.as_ref(), to).unwrap();
            for d in 0..dim {
                // Only matching rows are near: ∂k/∂ℓ_d = k Δ_d² at unit length-scales.
                let expected: f64 = (0..12).map(|i| k[(i, i)] * (x[(i, d)] - z[(i, d)]).powi(2)).sum();
                assert!((params[d] - expected).abs() <= 1e-12 * expected, "D = {dim}, {spread:e}: ∂ℓ[{d}]");
                let expected = -k[(0, 0)] * (x[(0, d)] - z[(0, d)]);
                assert!(
                    (rows[(0, d)] - expected).abs() <= 1e-12 * expected.abs(),
                    "D = {dim}, {spread:e}: ∂x[{d}]"
                );
            }
        }
    }
}

#[test]
fn duplicates_are_at_distance_zero() {
    for dim in [2, 50] {
        let one = table(1, dim, 3);
        let x = Mat::from_fn(9, dim, |_, d| 1e3 * one[(0, d)]);
        for text in ["rbf", "matern12", "matern32", "matern52", "rq", "periodic", "overlap"] {
            let k = gram(parse(text).unwrap().as_ref(), x.as_ref()).unwrap();
            assert!(k == Mat::from_fn(9, 9, |_, _| 1.0), "{text} in {dim} dimensions");
        }
    }
}

/// Limits 0 and 1, never NaN.
#[test]
fn extreme_parameters_stay_finite() {
    for dim in [2, 20] {
        let x = table(6, dim, 4);
        for name in ["rbf", "matern12", "matern32", "matern52", "rq", "periodic", "cosine", "overlap"] {
            for scale in [1e-150, 1e-6, 1e6, 1e150] {
                check_extreme(name, scale, &x);
            }
        }
        // These grow with 1/ℓ² or the bias; beyond this value the covariance itself overflows.
        for name in ["linear", "polynomial", "arccos", "arccos(order=0)", "arccos(order=2)"] {
            for scale in [1e-20, 1e-6, 1e6, 1e20] {
                check_extreme(name, scale, &x);
            }
        }
    }
}

fn check_extreme(name: &str, scale: f64, x: &Mat<f64>) {
    let mut kernel = parse(name).unwrap();
    for parameter in kernel.parameter_names() {
        kernel.set(&parameter, scale).unwrap();
    }
    let k = gram(kernel.as_ref(), x.as_ref()).unwrap();
    let finite = (0..6).all(|j| k.col(j).iter().all(|v| v.is_finite()));
    assert!(finite, "{} in {} dimensions", kernel.expression(), x.ncols());
    let mut params = vec![0.0; kernel.parameter_count()];
    let upstream = Mat::from_fn(6, 6, |i, j| (i * j) as f64 - 7.0);
    let by = Evaluator::new(Threading::Here);
    by.gram_reverse(kernel.as_ref(), x.as_ref(), upstream.as_ref(), &mut params, None).unwrap();
    assert!(params.iter().all(|g| !g.is_nan()), "gradients of {}: {params:?}", kernel.expression());
}
