//! LAPACK's ratio tests; jitter, errors and storage.

use crate::common::{
    Framed, LAYOUTS, SIZES, gram, max_abs, max_difference, naive_product, norm_one, same_bits, uniform,
    well_conditioned,
};
use gp_linalg::faer::{Mat, MatRef};
use gp_linalg::{Cholesky, JitterPolicy, LinalgError, Threading};

/// LAPACK's threshold in units of n ε.
const RATIO: f64 = 30.0;

/// (name, matrix, needs no jitter)
fn matrices(n: usize) -> Vec<(&'static str, Mat<f64>, bool)> {
    let well = well_conditioned(n, 11);
    // Scaled on both sides by 1 … 1e-6.
    let scale = |i: usize| 10f64.powf(-6.0 * i as f64 / n as f64);
    let graded = Mat::from_fn(n, n, |i, j| scale(i) * well[(i, j)] * scale(j));
    let half = uniform(n, n / 2, 12);
    let duplicated = Mat::from_fn(n, n, |i, j| well[(i / 2 * 2, j / 2 * 2)]);
    vec![
        ("well-conditioned", well, true),
        ("ill-conditioned", gram(n, 0.5, 1e-9), true),
        ("graded", graded, true),
        ("rank n/2", naive_product(half.as_ref(), half.transpose(), 1.0), n == 0),
        ("squared exponential", gram(n, 1.0, 0.0), n <= 5),
        ("duplicate rows", duplicated, n < 2),
        ("all ones", Mat::full(n, n, 1.0), n < 2),
    ]
}

fn add_diagonal(a: &Mat<f64>, added: f64) -> Mat<f64> {
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)] + if i == j { added } else { 0.0 })
}

fn residual_ratio(residual: MatRef<'_, f64>, norm: f64) -> f64 {
    let n = residual.nrows().max(1) as f64;
    norm_one(residual) / (n * norm.max(f64::MIN_POSITIVE) * f64::EPSILON)
}

#[test]
fn factors_pass_the_ratio_test() {
    for n in SIZES {
        for (name, a, clean) in matrices(n) {
            if name == "rank n/2" && n == 1 {
                continue; // the zero matrix has no scale and no factor
            }
            let cholesky = Cholesky::factor(a.as_ref(), &JitterPolicy::default()).unwrap();
            let record = cholesky.jitter();
            assert_eq!(record.added == 0.0, clean, "{name} {n}: {record}");
            assert_eq!(record.added == 0.0, record.attempts == 1);
            let l = cholesky.l();
            let jittered = add_diagonal(&a, record.added);
            let residual = naive_product(l, l.transpose(), 1.0) - &jittered;
            let ratio = residual_ratio(residual.as_ref(), norm_one(jittered.as_ref()));
            assert!(ratio < RATIO, "{name} {n}: {ratio}");
            assert!((0..n).all(|j| l[(j, j)] > 0.0 && (0..j).all(|i| l[(i, j)] == 0.0)));
        }
    }
}

/// ‖b − A x‖ / (‖A‖ ‖x‖ n ε), A the factored matrix, for every layout of b.
#[test]
fn solves_pass_the_ratio_test() {
    for n in SIZES {
        for (name, a, _) in matrices(n) {
            let Ok(cholesky) = Cholesky::factor(a.as_ref(), &JitterPolicy::default()) else { continue };
            let a = add_diagonal(&a, cholesky.jitter().added);
            for (columns, layout) in [0, 1, 2, 9].into_iter().zip(LAYOUTS) {
                let b = uniform(n, columns, 13);
                let mut x = Framed::new(b.as_ref(), layout);
                cholesky.solve_in_place(x.as_mut(), Threading::Pool).unwrap();
                let x = x.values();
                let residual = naive_product(a.as_ref(), x.as_ref(), 1.0) - &b;
                let ratio = residual_ratio(residual.as_ref(), norm_one(a.as_ref()) * norm_one(x.as_ref()));
                assert!(ratio < RATIO, "{name} {n} {layout:?}: {ratio}");
            }
        }
    }
}

#[test]
fn half_solves_and_products_with_l_are_inverse_to_each_other() {
    for n in SIZES {
        let a = well_conditioned(n, 14);
        let cholesky = Cholesky::factor(a.as_ref(), &JitterPolicy::none()).unwrap();
        let l = cholesky.l();
        for (columns, layout) in [(1, LAYOUTS[0]), (70, LAYOUTS[1]), (3, LAYOUTS[2]), (300, LAYOUTS[0])] {
            let b = uniform(n, columns, 15);
            // Condition number below 3: a few hundred roundings at most stay below 1e-12.
            let mut x = Framed::new(b.as_ref(), layout);
            cholesky.mul_l_in_place(x.as_mut(), Threading::Pool).unwrap();
            let expected = naive_product(l, b.as_ref(), 1.0);
            assert!(max_difference(x.values().as_ref(), expected.as_ref()) < 1e-12);
            cholesky.half_solve_in_place(x.as_mut(), Threading::Pool).unwrap();
            assert!(max_difference(x.values().as_ref(), b.as_ref()) < 1e-12);
            cholesky.mul_l_transpose_in_place(x.as_mut(), Threading::Pool).unwrap();
            let expected = naive_product(l.transpose(), b.as_ref(), 1.0);
            assert!(max_difference(x.values().as_ref(), expected.as_ref()) < 1e-12);
            cholesky.half_solve_transpose_in_place(x.as_mut(), Threading::Pool).unwrap();
            assert!(max_difference(x.values().as_ref(), b.as_ref()) < 1e-12);
            assert!(x.frame_is_intact());
        }
    }
}

#[test]
fn log_determinant_and_quadratic_form() {
    // det and inverse of the tridiagonal (2, −1) matrix are known: det = n + 1, e₁ᵀA⁻¹e₁ = n / (n + 1).
    for n in [1, 4, 100] {
        let a = Mat::from_fn(n, n, |i, j| match i.abs_diff(j) {
            0 => 2.0,
            1 => -1.0,
            _ => 0.0,
        });
        let cholesky = Cholesky::factor(a.as_ref(), &JitterPolicy::none()).unwrap();
        assert!((cholesky.log_det() - (n as f64 + 1.0).ln()).abs() < 1e-13 * n as f64);
        let mut b = vec![0.0; n];
        b[0] = 1.0;
        let quadratic = cholesky.inv_quad_form(&b, &mut vec![0.0; n]).unwrap();
        assert!((quadratic - n as f64 / (n as f64 + 1.0)).abs() < 1e-13);
        assert!(cholesky.inv_quad_form(&b[1..], &mut b.clone()).is_err());
        assert!(cholesky.inv_quad_form(&b, &mut []).is_err());
    }
    assert_eq!(Cholesky::empty().log_det(), 0.0);
}

#[test]
fn only_the_lower_triangle_is_read_in_every_layout() {
    let a = gram(70, 0.1, 1e-3);
    let reference = Cholesky::factor(a.as_ref(), &JitterPolicy::none()).unwrap();
    let poisoned = Mat::from_fn(70, 70, |i, j| if i < j { f64::NAN } else { a[(i, j)] });
    for layout in LAYOUTS {
        let mut framed = Framed::new(poisoned.as_ref(), layout);
        let cholesky = Cholesky::factor(framed.as_mut().as_ref(), &JitterPolicy::none()).unwrap();
        assert!(same_bits(cholesky.l(), reference.l()));
    }
}

#[test]
fn jitter_is_small_and_explains_itself() {
    let mut a = gram(40, 0.05, 0.0);
    // Row 17 repeats row 5.
    for k in 0..40 {
        let value = a[(k, 5)];
        a[(k, 17)] = value;
        a[(17, k)] = value;
    }
    a[(17, 17)] = a[(5, 5)];
    let cholesky = Cholesky::factor(a.as_ref(), &JitterPolicy::default()).unwrap();
    let record = cholesky.jitter();
    assert!(record.added > 0.0 && record.added <= 1e-12, "{record}");
    assert_eq!(record.pivot, Some(17));
    let (i, j, correlation) = record.closest.unwrap();
    assert_eq!((i, j), (17, 5));
    assert!((correlation - 1.0).abs() < 1e-12);
}

#[test]
fn indefinite_matrices_are_refused_with_a_diagnosis() {
    let mut a = gram(20, 0.02, 0.0);
    a[(11, 3)] = 1.5;
    let error = Cholesky::factor(a.as_ref(), &JitterPolicy::default()).unwrap_err();
    let LinalgError::NotPositiveDefinite { dim: 20, record } = &error else { panic!("{error}") };
    assert_eq!((record.attempts, record.pivot), (12, Some(11)));
    assert_eq!(record.closest.map(|(i, j, _)| (i, j)), Some((11, 3)));
    assert!((record.added - 1e-4).abs() < 1e-15);
    assert!(error.to_string().contains("rows 11 and 3"), "{error}");
    let zero = Mat::<f64>::zeros(3, 3);
    assert!(Cholesky::factor(zero.as_ref(), &JitterPolicy::default()).is_err());
    let negative = Mat::from_fn(2, 2, |i, j| if i == j { -1.0 } else { 0.0 });
    assert!(Cholesky::factor(negative.as_ref(), &JitterPolicy::default()).is_err());
}

#[test]
fn late_pivots_are_named_correctly() {
    for pivot in [0, 63, 64, 130, 255, 256, 299] {
        let mut a = well_conditioned(300, 16);
        a[(pivot, pivot)] = -1.0;
        let error = Cholesky::factor(a.as_ref(), &JitterPolicy::none()).unwrap_err();
        let LinalgError::NotPositiveDefinite { record, .. } = error else { panic!("{error}") };
        assert_eq!(record.pivot, Some(pivot));
    }
}

#[test]
fn bad_entries_are_named() {
    for value in [f64::NAN, f64::INFINITY] {
        let mut a = well_conditioned(30, 17);
        a[(20, 4)] = value;
        let error = Cholesky::factor(a.as_ref(), &JitterPolicy::default()).unwrap_err();
        assert!(
            matches!(error, LinalgError::NotFinite { row: 20, column: 4, value: v, .. } if v.to_bits() == value.to_bits())
        );
        let error = Cholesky::factor(a.transpose(), &JitterPolicy::default());
        assert!(error.is_ok(), "the upper triangle is not read");
    }
    let error = Cholesky::factor(uniform(3, 2, 18).as_ref(), &JitterPolicy::none()).unwrap_err();
    assert!(matches!(error, LinalgError::DimensionMismatch { expected: 3, found: 2, .. }));
    // Finite matrix with a non-finite factor.
    let huge = Mat::from_fn(3, 3, |i, j| if i == j { 1.0 } else { 1e300 });
    assert!(Cholesky::factor(huge.as_ref(), &JitterPolicy::none()).is_err());
}

#[test]
fn refactoring_reuses_memory_and_forgets_the_past() {
    let mut cholesky = Cholesky::with_capacity(64);
    cholesky.refactor(gram(64, 0.5, 1e-2).as_ref(), &JitterPolicy::none()).unwrap();
    let small = well_conditioned(10, 19);
    cholesky.refactor(small.as_ref(), &JitterPolicy::none()).unwrap();
    let fresh = Cholesky::factor(small.as_ref(), &JitterPolicy::none()).unwrap();
    assert!(same_bits(cholesky.l(), fresh.l()));
    assert_eq!((cholesky.dim(), cholesky.capacity()), (10, 64));
    assert!(cholesky.refactor(Mat::full(3, 3, -1.0).as_ref(), &JitterPolicy::none()).is_err());
    assert_eq!(cholesky.dim(), 0);
    assert_eq!(cholesky.jitter().pivot, Some(0));
}

#[test]
fn truncation_leaves_the_leading_block() {
    let a = well_conditioned(20, 20);
    let mut cholesky = Cholesky::factor(a.as_ref(), &JitterPolicy::none()).unwrap();
    cholesky.truncate(30);
    assert_eq!(cholesky.dim(), 20);
    cholesky.truncate(7);
    let leading = Cholesky::factor(a.submatrix(0, 0, 7, 7), &JitterPolicy::none()).unwrap();
    assert!(max_difference(cholesky.l(), leading.l()) < 1e-15);
    assert!(max_abs(cholesky.l()) > 0.0);
}

#[test]
fn stored_factors_come_back_and_damaged_ones_do_not() {
    for n in [0, 1, 17] {
        let cholesky = Cholesky::factor(gram(n, 0.3, 0.0).as_ref(), &JitterPolicy::default()).unwrap();
        let text = serde_json::to_string(&cholesky).unwrap();
        let back: Cholesky = serde_json::from_str(&text).unwrap();
        assert!(same_bits(back.l(), cholesky.l()));
        assert_eq!(back.jitter(), cholesky.jitter());
    }
    let jitter = r#""jitter":{"added":0.0,"attempts":1,"pivot":null,"closest":null}"#;
    for (dim, lower) in [
        ("2", "[1.0,2.0]"),
        ("2", "[1.0,2.0,-1.0]"),
        ("2", "[0.0,2.0,1.0]"),
        ("1", "[1e999]"),
        ("18446744073709551615", "[]"),
    ] {
        let text = format!(r#"{{"dim":{dim},"lower":{lower},{jitter}}}"#);
        assert!(serde_json::from_str::<Cholesky>(&text).is_err(), "{text}");
    }
    let text = format!(r#"{{"dim":2,"lower":[1.0,2.0,1.0],{jitter}}}"#);
    assert!(serde_json::from_str::<Cholesky>(&text).is_ok());
}

#[test]
fn a_given_factor_is_taken_over_and_a_bad_one_refused() {
    let lower = faer::mat![[2.0, f64::NAN], [-1.0, 0.5]];
    let mut factor = Cholesky::empty();
    factor.set_factor(lower.as_ref()).unwrap();
    assert_eq!(factor.l(), faer::mat![[2.0, 0.0], [-1.0, 0.5]].as_ref());
    assert!((factor.log_det()).abs() < 1e-15, "ln(2² · ½²) = 0");
    let error = factor.set_factor(faer::mat![[1.0, 0.0], [0.0, 0.0]].as_ref()).unwrap_err();
    assert_eq!(error.to_string(), "Cholesky factor is unusable: 0 at row 1, column 1");
    assert_eq!(factor.dim(), 0);
}
