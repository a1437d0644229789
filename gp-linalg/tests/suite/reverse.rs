//! Derivatives against central differences.
#![expect(clippy::unwrap_used, reason = "a call that fails is a test that fails")]

use crate::common::{max_difference, naive_product, uniform, well_conditioned};
use gp_linalg::faer::{Accum, Mat, MatRef};
use gp_linalg::reverse::{self, ReverseScratch};
use gp_linalg::{Cholesky, JitterPolicy, Threading};

/// Truncation STEP², rounding ε / STEP: at most 1e-10.
const STEP: f64 = 1e-5;
const SIZES: [usize; 5] = [1, 2, 7, 40, 130];

fn factor(a: &Mat<f64>) -> Cholesky {
    Cholesky::factor(a.as_ref(), &JitterPolicy::none()).unwrap()
}

fn inner(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> f64 {
    (0..a.ncols()).map(|j| (0..a.nrows()).map(|i| a[(i, j)] * b[(i, j)]).sum::<f64>()).sum()
}

fn symmetric(n: usize, seed: u64) -> Mat<f64> {
    let e = uniform(n, n, seed);
    Mat::from_fn(n, n, |i, j| e[(i, j)] + e[(j, i)])
}

fn moved(a: &Mat<f64>, direction: &Mat<f64>, step: f64) -> Mat<f64> {
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)] + step * direction[(i, j)])
}

fn assert_derivative(claimed: f64, scale: f64, f: impl Fn(f64) -> f64) {
    let difference = (f(STEP) - f(-STEP)) / (2.0 * STEP);
    assert!((claimed - difference).abs() < 1e-7 * (1.0 + scale), "{claimed} but {difference}");
}

fn assert_symmetric(a: &Mat<f64>) {
    assert_eq!(a.as_ref(), a.transpose());
}

#[test]
fn cholesky_factor() {
    for n in SIZES {
        let (a, e, weights) = (well_conditioned(n, 1), symmetric(n, 2), uniform(n, n, 3));
        // Only the lower triangle of the weights counts.
        let lower = Mat::from_fn(n, n, |i, j| if i < j { 0.0 } else { weights[(i, j)] });
        let mut a_bar = Mat::full(n, n, f64::NAN);
        reverse::cholesky_reverse(factor(&a).l(), weights.as_ref(), a_bar.as_mut(), Threading::Pool).unwrap();
        assert_symmetric(&a_bar);
        let claimed = inner(a_bar.as_ref(), e.as_ref());
        let scale = a_bar.norm_l2() * e.norm_l2();
        assert_derivative(claimed, scale, |t| inner(factor(&moved(&a, &e, t)).l(), lower.as_ref()));
    }
}

#[test]
fn log_determinant_both_ways() {
    let mut scratch = ReverseScratch::new();
    for n in SIZES {
        let (a, e) = (well_conditioned(n, 4), symmetric(n, 5));
        let cholesky = factor(&a);
        let mut a_bar = Mat::full(n, n, f64::NAN);
        let here = Threading::Here;
        reverse::log_det_reverse(cholesky.l(), 1.5, a_bar.as_mut(), Accum::Replace, &mut scratch, here)
            .unwrap();
        assert_symmetric(&a_bar);
        let scale = a_bar.norm_l2() * e.norm_l2();
        assert_derivative(inner(a_bar.as_ref(), e.as_ref()), scale, |t| {
            1.5 * factor(&moved(&a, &e, t)).log_det()
        });
        let mut l_bar = Mat::full(n, n, f64::NAN);
        reverse::log_det_reverse_factor(cholesky.l(), 0.5, l_bar.as_mut(), Accum::Replace).unwrap();
        reverse::log_det_reverse_factor(cholesky.l(), 1.0, l_bar.as_mut(), Accum::Add).unwrap();
        let mut through_factor = Mat::zeros(n, n);
        reverse::cholesky_reverse(cholesky.l(), l_bar.as_ref(), through_factor.as_mut(), here).unwrap();
        // Condition numbers below 3.
        assert!(max_difference(a_bar.as_ref(), through_factor.as_ref()) < 1e-13 * n as f64);
        let before = a_bar.clone();
        reverse::log_det_reverse(cholesky.l(), -1.5, a_bar.as_mut(), Accum::Add, &mut scratch, here).unwrap();
        assert!(a_bar.norm_max() < 1e-14 * before.norm_max());
    }
}

#[test]
fn solves() {
    for n in SIZES {
        for k in [1, 9] {
            let (a, e) = (well_conditioned(n, 6), symmetric(n, 7));
            let (b, f, weights) = (uniform(n, k, 8), uniform(n, k, 9), uniform(n, k, 10));
            let solved = |a: &Mat<f64>, b: &Mat<f64>| {
                let mut x = b.clone();
                factor(a).solve_in_place(x.as_mut(), Threading::Here).unwrap();
                x
            };
            let x = solved(&a, &b);
            let (mut b_bar, mut a_bar) = (weights.clone(), Mat::identity(n, n));
            let cholesky = factor(&a);
            reverse::solve_reverse(
                cholesky.l(),
                x.as_ref(),
                b_bar.as_mut(),
                a_bar.as_mut(),
                Accum::Add,
                Threading::Pool,
            )
            .unwrap();
            a_bar -= Mat::<f64>::identity(n, n);
            assert_symmetric(&a_bar);
            let claimed = inner(a_bar.as_ref(), e.as_ref()) + inner(b_bar.as_ref(), f.as_ref());
            let scale = a_bar.norm_l2() * e.norm_l2();
            assert_derivative(claimed, scale, |t| {
                inner(solved(&moved(&a, &e, t), &moved(&b, &f, t)).as_ref(), weights.as_ref())
            });
        }
    }
}

#[test]
fn half_solves() {
    for n in SIZES {
        for k in [1, 9] {
            let a = well_conditioned(n, 11);
            let l = factor(&a).l().to_owned();
            let direction = uniform(n, n, 12);
            let direction = Mat::from_fn(n, n, |i, j| if i < j { 0.0 } else { direction[(i, j)] });
            let (b, f, weights) = (uniform(n, k, 13), uniform(n, k, 14), uniform(n, k, 15));
            // L varies independently here, not through A.
            let solved = |l: &Mat<f64>, b: &Mat<f64>| {
                let mut x = b.clone();
                gp_linalg::faer::linalg::triangular_solve::solve_lower_triangular_in_place(
                    l.as_ref(),
                    x.as_mut(),
                    gp_linalg::faer::Par::Seq,
                );
                x
            };
            let x = solved(&l, &b);
            let (mut b_bar, mut l_bar) = (weights.clone(), Mat::full(n, n, 77.0));
            reverse::half_solve_reverse(
                l.as_ref(),
                x.as_ref(),
                b_bar.as_mut(),
                l_bar.as_mut(),
                Accum::Replace,
                Threading::Pool,
            )
            .unwrap();
            assert!((0..n).all(|j| (0..j).all(|i| l_bar[(i, j)] == 77.0)));
            let claimed = inner(l_bar.as_ref(), direction.as_ref()) + inner(b_bar.as_ref(), f.as_ref());
            let scale = direction.norm_l2() * (n as f64) * (k as f64);
            assert_derivative(claimed, scale, |t| {
                inner(solved(&moved(&l, &direction, t), &moved(&b, &f, t)).as_ref(), weights.as_ref())
            });
        }
    }
}

#[test]
fn quadratic_forms() {
    for n in SIZES {
        let (a, e) = (well_conditioned(n, 16), symmetric(n, 17));
        let (b, f) = (uniform(n, 1, 18), uniform(n, 1, 19));
        let quadratic = |a: &Mat<f64>, b: &Mat<f64>, half: &mut [f64]| {
            factor(a).inv_quad_form(b.col_as_slice(0), half).unwrap()
        };
        let mut half = vec![0.0; n];
        let value = quadratic(&a, &b, &mut half);
        assert!((value - half.iter().map(|v| v * v).sum::<f64>()).abs() < 1e-13 * (1.0 + value));
        let (mut b_bar, mut a_bar) = (vec![f64::NAN; n], Mat::full(n, n, f64::NAN));
        reverse::inv_quad_reverse(factor(&a).l(), &half, -0.7, &mut b_bar, a_bar.as_mut(), Accum::Replace)
            .unwrap();
        assert_symmetric(&a_bar);
        let along_b: f64 = b_bar.iter().enumerate().map(|(i, value)| value * f[(i, 0)]).sum();
        let claimed = inner(a_bar.as_ref(), e.as_ref()) + along_b;
        let scale = a_bar.norm_l2() * e.norm_l2();
        assert_derivative(claimed, scale, |t| {
            -0.7 * quadratic(&moved(&a, &e, t), &moved(&b, &f, t), &mut vec![0.0; n])
        });
    }
}

#[test]
fn empty_and_ill_fitting() {
    let here = Threading::Here;
    let mut empty = Mat::<f64>::zeros(0, 0);
    let l = Cholesky::empty();
    reverse::cholesky_reverse(l.l(), Mat::zeros(0, 0).as_ref(), empty.as_mut(), here).unwrap();
    let mut scratch = ReverseScratch::new();
    reverse::log_det_reverse(l.l(), 1.0, empty.as_mut(), Accum::Add, &mut scratch, here).unwrap();
    let a = well_conditioned(3, 20);
    let l = factor(&a);
    let wrong = uniform(3, 2, 21);
    let mut a_bar = Mat::zeros(3, 3);
    assert!(reverse::cholesky_reverse(l.l(), wrong.as_ref(), a_bar.as_mut(), here).is_err());
    let outcome = reverse::solve_reverse(
        l.l(),
        wrong.as_ref(),
        uniform(3, 1, 22).as_mut(),
        a_bar.as_mut(),
        Accum::Add,
        here,
    );
    assert!(outcome.is_err());
    assert!(
        reverse::inv_quad_reverse(l.l(), &[1.0; 2], 1.0, &mut [0.0; 3], a_bar.as_mut(), Accum::Add).is_err()
    );
    let product = naive_product(l.l(), l.l().transpose(), 1.0);
    assert!(max_difference(product.as_ref(), a.as_ref()) < 1e-14);
}
