//! Scalar code stays fast after this crate's operations.
//!
//! Dirty vector registers slow the C library's `exp` tenfold on some processors; busy machines may lose two
//! thirds.
#![expect(clippy::unwrap_used, reason = "a call that fails is a test that fails")]

#[expect(dead_code, reason = "part of this module is for other tests")]
#[path = "suite/common/mod.rs"]
mod common;

use common::{uniform, well_conditioned};
use gp_linalg::faer::{Accum, Mat};
use gp_linalg::product::{self, GramScratch};
use gp_linalg::reverse::{self, ReverseScratch};
use gp_linalg::rotate::{self, RotationScratch};
use gp_linalg::{Cholesky, JitterPolicy, Threading};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Best time of scalar exponentials after `disturb`.
fn exp_time(mut disturb: impl FnMut()) -> Duration {
    let once = |disturb: &mut dyn FnMut()| {
        disturb();
        let start = Instant::now();
        let sum: f64 = (0..2000).map(|i| black_box(-0.01 * f64::from(i)).exp()).sum();
        black_box(sum);
        start.elapsed()
    };
    (0..40).map(|_| once(&mut disturb)).min().unwrap_or(Duration::MAX)
}

fn assert_not_slower(name: &str, disturb: impl FnMut()) {
    let clean = exp_time(product::clear_upper_vector_state);
    let after = exp_time(disturb);
    assert!(after < 3 * clean, "{name}: {after:?} instead of {clean:?}");
}

fn check_all_operations() {
    let a = well_conditioned(100, 1);
    let (b, mut c) = (uniform(100, 100, 2), Mat::zeros(100, 100));
    let here = Threading::Here;
    assert_not_slower("matmul", || {
        product::matmul(c.as_mut(), Accum::Replace, a.as_ref(), b.as_ref(), 1.0, here).unwrap();
    });
    assert_not_slower("matmul_lower", || {
        product::matmul_lower(c.as_mut(), Accum::Replace, a.as_ref(), b.as_ref(), 1.0, here).unwrap();
    });
    let (mut scratch, weights) = (GramScratch::new(), [0.5; 100]);
    assert_not_slower("weighted_gram", || {
        product::weighted_gram(c.as_mut(), Accum::Replace, b.as_ref(), &weights, &mut scratch, here).unwrap();
    });
    let mut cholesky = Cholesky::with_capacity(100);
    assert_not_slower("factor", || cholesky.refactor(a.as_ref(), &JitterPolicy::none()).unwrap());
    let mut x = b.clone();
    assert_not_slower("solve", || cholesky.solve_in_place(x.as_mut(), here).unwrap());
    assert_not_slower("mul_l", || cholesky.mul_l_in_place(x.as_mut(), here).unwrap());
    assert_not_slower("mul_l_transpose", || cholesky.mul_l_transpose_in_place(x.as_mut(), here).unwrap());
    assert_not_slower("cholesky_reverse", || {
        reverse::cholesky_reverse(cholesky.l(), b.as_ref(), c.as_mut(), here).unwrap();
    });
    let mut scratch = ReverseScratch::new();
    assert_not_slower("log_det_reverse", || {
        reverse::log_det_reverse(cholesky.l(), 1.0, c.as_mut(), Accum::Replace, &mut scratch, here).unwrap();
    });
    let (mut scratch, mut nothing, w) = (RotationScratch::new(), rotate::nothing(100), uniform(100, 9, 3));
    assert_not_slower("update and downdate", || {
        cholesky.update(w.as_ref(), nothing.as_mut(), &mut scratch, here).unwrap();
        cholesky.downdate(w.as_ref(), nothing.as_mut(), &mut scratch, here).unwrap();
    });
    assert_not_slower("extend", || {
        cholesky.truncate(90);
        cholesky.extend(a.submatrix(0, 90, 90, 10), a.submatrix(90, 90, 10, 10)).unwrap();
    });
    let mut x = vec![0.5; 1001];
    assert_not_slower("vector functions", || {
        gp_linalg::vector::exp_in_place(&mut x);
        gp_linalg::vector::ln_in_place(&mut x);
    });
}

#[test]
fn the_calling_thread_stays_clean() {
    check_all_operations();
}

/// Workers also finish blocks of the other's product.
#[test]
fn pool_threads_stay_clean() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let (a, b) = (uniform(600, 20, 4), uniform(20, 1200, 5));
    pool.broadcast(|_| {
        let mut c = Mat::zeros(600, 1200);
        assert_not_slower("matmul on the pool", || {
            product::matmul(c.as_mut(), Accum::Replace, a.as_ref(), b.as_ref(), 1.0, Threading::Pool)
                .unwrap();
        });
    });
}
