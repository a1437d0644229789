//! Matrix products; the weighted Gram matrix is compared with faer's unweighted one.

use crate::bounds::filled;
use crate::report::Report;
use gp_linalg::Threading;
use gp_linalg::faer::linalg::matmul::triangular::{self, BlockStructure};
use gp_linalg::faer::{Accum, Mat, MatMut, MatRef, Par};
use gp_linalg::product::{self, GramScratch, clear_upper_vector_state};

pub(crate) fn run(report: &mut Report<'_>) {
    for (m, n, k) in [(200, 200, 200), (500, 500, 500), (500, 10_000, 500), (20, 10_000, 500)] {
        general(report, m, n, k);
    }
    for (m, n) in [(200, 10_000), (512, 2048)] {
        gram(report, m, n);
    }
}

fn general(report: &mut Report<'_>, m: usize, n: usize, k: usize) {
    let (a, b, mut c) = (filled(m, k), filled(k, n), Mat::zeros(m, n));
    let flops = 2.0 * (m * n * k) as f64;
    let theirs = report.time(
        &format!("matmul {m}x{k}x{n}/faer"),
        &mut c,
        |_| {},
        |c| {
            let (c, a, b) = (c.as_mut(), a.as_ref(), b.as_ref());
            gp_linalg::faer::linalg::matmul::matmul(c, Accum::Replace, a, b, 1.0, Par::Seq);
            clear_upper_vector_state();
        },
    );
    for threading in [Threading::Here, Threading::Pool] {
        let name = format!("matmul {m}x{k}x{n} {threading:?}");
        let ours = report.time(
            &name,
            &mut c,
            |_| {},
            |c| {
                product::matmul(c.as_mut(), Accum::Replace, a.as_ref(), b.as_ref(), 1.0, threading).unwrap();
            },
        );
        report.line(&name, flops, ours, Some(theirs));
    }
}

fn gram(report: &mut Report<'_>, m: usize, n: usize) {
    let (phi, mut c) = (filled(m, n), Mat::zeros(m, m));
    let weights: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
    let flops = (m * m * n) as f64;
    let theirs =
        report.time(&format!("gram {m}x{n}/faer"), &mut c, |_| {}, |c| unweighted(c.as_mut(), phi.as_ref()));
    let mut scratch = GramScratch::new();
    for threading in [Threading::Here, Threading::Pool] {
        let name = format!("weighted_gram {m}x{n} {threading:?}");
        let ours = report.time(
            &name,
            &mut c,
            |_| {},
            |c| {
                let (c, phi) = (c.as_mut(), phi.as_ref());
                product::weighted_gram(c, Accum::Replace, phi, &weights, &mut scratch, threading).unwrap();
            },
        );
        report.line(&name, flops, ours, Some(theirs));
    }
}

fn unweighted(dst: MatMut<'_, f64>, phi: MatRef<'_, f64>) {
    let full = BlockStructure::Rectangular;
    let lower = BlockStructure::TriangularLower;
    triangular::matmul(dst, lower, Accum::Replace, phi, full, phi.transpose(), full, 1.0, Par::Seq);
    clear_upper_vector_state();
}
