//! The same bits for any number of threads.
#![expect(clippy::unwrap_used, reason = "a call that fails is a test that fails")]

use crate::common::{gram, same_bits, uniform, well_conditioned};
use gp_linalg::faer::{Accum, Mat};
use gp_linalg::product::{self, GramScratch};
use gp_linalg::reverse::{self, ReverseScratch};
use gp_linalg::rotate::RotationScratch;
use gp_linalg::{Cholesky, JitterPolicy, Threading};

fn everything(threading: Threading) -> Vec<Mat<f64>> {
    let (n, m) = (301, 1030);
    let (a, b) = (uniform(n, 270, 1), uniform(270, m, 2));
    let mut results = Vec::new();

    let mut c = Mat::zeros(n, m);
    product::matmul(c.as_mut(), Accum::Replace, a.as_ref(), b.as_ref(), 0.7, threading).unwrap();
    results.push(c.clone());
    let mut c = Mat::zeros(n, n);
    product::matmul_lower(c.as_mut(), Accum::Replace, a.as_ref(), a.transpose(), 0.7, threading).unwrap();
    results.push(c.clone());
    let phi = uniform(n, m, 3);
    let weights = uniform(m, 1, 4);
    let mut scratch = GramScratch::new();
    let weights = weights.col_as_slice(0);
    product::weighted_gram(c.as_mut(), Accum::Add, phi.as_ref(), weights, &mut scratch, threading).unwrap();
    results.push(c);

    let mut cholesky =
        Cholesky::factor((gram(n, 0.02, 1e-2) + well_conditioned(n, 5)).as_ref(), &JitterPolicy::none())
            .unwrap();
    let mut x = phi.clone();
    cholesky.solve_in_place(x.as_mut(), threading).unwrap();
    cholesky.mul_l_in_place(x.as_mut(), threading).unwrap();
    cholesky.mul_l_transpose_in_place(x.as_mut(), threading).unwrap();
    cholesky.half_solve_in_place(x.as_mut(), threading).unwrap();
    cholesky.half_solve_transpose_in_place(x.as_mut(), threading).unwrap();
    let mut scratch = RotationScratch::new();
    let w = uniform(n, 11, 6);
    cholesky.update(w.as_ref(), x.as_mut(), &mut scratch, threading).unwrap();
    results.push(x.clone());
    cholesky
        .downdate((w * gp_linalg::faer::Scale(0.5)).as_ref(), x.as_mut(), &mut scratch, threading)
        .unwrap();
    results.push(cholesky.l().to_owned());

    let (mut x_bar, mut a_bar) = (uniform(n, m, 7), Mat::zeros(n, n));
    reverse::cholesky_reverse(cholesky.l(), uniform(n, n, 8).as_ref(), a_bar.as_mut(), threading).unwrap();
    let mut scratch = ReverseScratch::new();
    reverse::log_det_reverse(cholesky.l(), 1.0, a_bar.as_mut(), Accum::Add, &mut scratch, threading).unwrap();
    let l = cholesky.l();
    reverse::solve_reverse(l, x.as_ref(), x_bar.as_mut(), a_bar.as_mut(), Accum::Add, threading).unwrap();
    reverse::half_solve_reverse(l, x.as_ref(), x_bar.as_mut(), a_bar.as_mut(), Accum::Add, threading)
        .unwrap();
    results.extend([x, x_bar, a_bar]);

    // Two whole panels and a part of one.
    let large = well_conditioned(1100, 9);
    cholesky.refactor_on(large.as_ref(), &JitterPolicy::none(), threading).unwrap();
    results.push(cholesky.l().to_owned());
    results
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let reference = everything(Threading::Here);
    for threads in [1, 2, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let results = pool.install(|| everything(Threading::Pool));
        for (which, (a, b)) in reference.iter().zip(&results).enumerate() {
            assert!(same_bits(a.as_ref(), b.as_ref()), "result {which} with {threads} threads");
        }
    }
}
