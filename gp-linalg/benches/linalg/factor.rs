//! Factoring, solving, growing.

use crate::bounds::{definite, filled};
use crate::report::Report;
use gp_linalg::faer::dyn_stack::{MemBuffer, MemStack};
use gp_linalg::faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
use gp_linalg::faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use gp_linalg::faer::{Mat, Par};
use gp_linalg::{Cholesky, JitterPolicy, Threading};

pub(crate) fn run(report: &mut Report<'_>) {
    for n in [100, 200, 500, 1000] {
        factor(report, n);
    }
    for (n, k) in [(200, 1), (200, 10_000), (500, 1), (500, 500), (500, 10_000)] {
        solves(report, n, k);
    }
    chain(report, 500);
}

fn factor(report: &mut Report<'_>, n: usize) {
    let a = definite(n);
    let mut ours = Cholesky::with_capacity(n);
    let name = format!("factor {n}");
    let policy = JitterPolicy::default();
    let seconds = report.time(&name, &mut ours, |_| {}, |c| c.refactor(a.as_ref(), &policy).unwrap());
    let mut theirs = (Mat::zeros(n, n), faer_scratch(n));
    let reference =
        report.time(&format!("{name}/faer"), &mut theirs, |_| {}, |(l, memory)| faer_factor(&a, l, memory));
    report.line(&name, (n as f64).powi(3) / 3.0, seconds, Some(reference));
}

fn faer_scratch(n: usize) -> MemBuffer {
    MemBuffer::new(cholesky_in_place_scratch::<f64>(n, Par::Seq, Default::default()))
}

fn faer_factor(a: &Mat<f64>, l: &mut Mat<f64>, memory: &mut MemBuffer) {
    l.copy_from_triangular_lower(a);
    let (stack, options) = (MemStack::new(memory), Default::default());
    cholesky_in_place(l.as_mut(), options, Par::Seq, stack, Default::default()).unwrap();
}

fn solves(report: &mut Report<'_>, n: usize, k: usize) {
    let cholesky = Cholesky::factor(definite(n).as_ref(), &JitterPolicy::none()).unwrap();
    let l = cholesky.l();
    let fresh = filled(n, k);
    let mut x = fresh.clone();
    let flops = (n * n * k) as f64;
    let restore = |x: &mut Mat<f64>| x.copy_from(&fresh);
    let forward = report.time(&format!("L\\B {n}x{k}/faer"), &mut x, restore, |x| {
        solve_lower_triangular_in_place(l, x.as_mut(), Par::Seq);
    });
    let backward = report.time(&format!("Lt\\B {n}x{k}/faer"), &mut x, restore, |x| {
        solve_upper_triangular_in_place(l.transpose(), x.as_mut(), Par::Seq);
    });
    for threading in [Threading::Here, Threading::Pool] {
        if k == 1 && threading == Threading::Pool {
            continue;
        }
        let name = format!("half_solve {n}x{k} {threading:?}");
        let seconds = report.time(&name, &mut x, restore, |x| {
            cholesky.half_solve_in_place(x.as_mut(), threading).unwrap();
        });
        report.line(&name, flops, seconds, Some(forward));
        let name = format!("half_solve_t {n}x{k} {threading:?}");
        let seconds = report.time(&name, &mut x, restore, |x| {
            cholesky.half_solve_transpose_in_place(x.as_mut(), threading).unwrap();
        });
        report.line(&name, flops, seconds, Some(backward));
    }
    let name = format!("mul_l {n}x{k}");
    let seconds = report
        .time(&name, &mut x, restore, |x| cholesky.mul_l_in_place(x.as_mut(), Threading::Here).unwrap());
    report.line(&name, flops, seconds, None);
}

fn chain(report: &mut Report<'_>, n: usize) {
    let a = definite(n);
    let mut growing = Cholesky::with_capacity(n);
    let name = format!("extend 1..{n} by rows");
    let seconds = report.time(
        &name,
        &mut growing,
        |c| c.truncate(0),
        |c| {
            for d in 0..n {
                c.extend(a.submatrix(0, d, d, 1), a.submatrix(d, d, 1, 1)).unwrap();
            }
        },
    );
    let mut theirs = (Mat::<f64>::zeros(n, n), faer_scratch(n));
    let reference = report.time(
        "refactor every row/faer",
        &mut theirs,
        |_| {},
        |(l, memory)| {
            for d in 1..=n {
                let mut l = l.as_mut().submatrix_mut(0, 0, d, d);
                l.copy_from_triangular_lower(a.submatrix(0, 0, d, d));
                let (stack, options) = (MemStack::new(memory), Default::default());
                cholesky_in_place(l, options, Par::Seq, stack, Default::default()).unwrap();
            }
        },
    );
    report.line(&name, (n as f64).powi(3) / 3.0, seconds, Some(reference));
}
