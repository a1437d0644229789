//! Rank-k updates and downdates, alone and with 10⁴ columns.

use crate::bounds::{definite, filled};
use crate::report::{Bounds, Report};
use gp_linalg::faer::diag::Diag;
use gp_linalg::faer::linalg::cholesky::llt::update::rank_r_update_clobber;
use gp_linalg::faer::{Mat, Scale};
use gp_linalg::rotate::{self, RotationScratch};
use gp_linalg::{Cholesky, JitterPolicy, Threading};

const DRAGGED: usize = 10_000;

pub(crate) fn run(report: &mut Report<'_>, bounds: &Bounds) {
    for rank in [1, 10] {
        alone(report, 500, rank);
        dragging(report, bounds, 500, rank);
    }
}

fn factor(n: usize) -> Cholesky {
    Cholesky::factor(definite(n).as_ref(), &JitterPolicy::none()).unwrap()
}

/// Counts six operations per rotation of two numbers.
fn alone(report: &mut Report<'_>, dim: usize, rank: usize) {
    let start = factor(dim);
    let w = filled(dim, rank) * Scale(0.01);
    let flops = 3.0 * (dim * dim * rank) as f64;
    let mut theirs = (start.l().to_owned(), w.clone(), Diag::<f64>::zeros(rank));
    let reference = report.time(
        &format!("update {dim} rank {rank}/faer"),
        &mut theirs,
        |(l, copy, alpha)| {
            l.copy_from(start.l());
            copy.copy_from(&w);
            alpha.as_mut().column_vector_mut().fill(1.0);
        },
        |(l, w, alpha)| rank_r_update_clobber(l.as_mut(), w.as_mut(), alpha.as_mut()).unwrap(),
    );
    let mut ours = (start.clone(), RotationScratch::new(), rotate::nothing(dim));
    let name = format!("update {dim} rank {rank}");
    let seconds = report.time(
        &name,
        &mut ours,
        |state| state.0.clone_from(&start),
        |(l, scratch, nothing)| {
            l.update(w.as_ref(), nothing.as_mut(), scratch, Threading::Here).unwrap();
        },
    );
    report.line(&name, flops, seconds, Some(reference));
    let name = format!("downdate {dim} rank {rank}");
    let seconds = report.time(
        &name,
        &mut ours,
        |state| state.0.clone_from(&start),
        |(l, scratch, nothing)| {
            l.downdate(w.as_ref(), nothing.as_mut(), scratch, Threading::Here).unwrap();
        },
    );
    report.line(&name, flops, seconds, None);
}

fn dragging(report: &mut Report<'_>, bounds: &Bounds, dim: usize, rank: usize) {
    let start = factor(dim);
    let w = filled(dim, rank) * Scale(0.01);
    let numbers = (dim * DRAGGED) as f64;
    let flops = 6.0 * numbers * rank as f64 + 3.0 * (dim * dim * rank) as f64;
    // A rotation of two numbers takes four multiplications or fused multiply-adds; the product rate counts two
    // operations each. Every dragged number is read and written once.
    let arithmetic = 8.0 * numbers * rank as f64 / bounds.product_rate;
    let memory = 16.0 * numbers / bounds.bandwidth;
    let binding = if arithmetic > memory { "arithmetic" } else { "memory" };
    for (layout, transposed) in [("columns", false), ("rows", true)] {
        for threading in [Threading::Here, Threading::Pool] {
            let x = if transposed { filled(DRAGGED, dim) } else { filled(dim, DRAGGED) };
            let name = format!("update {dim} rank {rank} + {DRAGGED} {layout} {threading:?}");
            let mut state = (start.clone(), RotationScratch::new(), x);
            let seconds = report.time(
                &name,
                &mut state,
                |_| {},
                |(l, scratch, x)| {
                    drag(l, &w, x, transposed, scratch, threading);
                },
            );
            let share = 100.0 * arithmetic.max(memory) / seconds;
            report.note(
                &name,
                flops,
                seconds,
                None,
                format!("{share:.0}% of the {binding} bound of one thread"),
            );
        }
    }
}

fn drag(
    l: &mut Cholesky,
    w: &Mat<f64>,
    x: &mut Mat<f64>,
    transposed: bool,
    scratch: &mut RotationScratch,
    threading: Threading,
) {
    let x = if transposed { x.as_mut().transpose_mut() } else { x.as_mut() };
    l.update(w.as_ref(), x, scratch, threading).unwrap();
}
