//! Checks that records change no bit.

use faer::Mat;
use gp_linalg::Threading;

use super::tables::weights;
use super::{KernelKit, Report};
use crate::error::KernelError;
use crate::evaluate::{CovarianceGradients, Evaluator, gram_record_len};
use crate::kernel::{Kernel, Pair};
use crate::tree::parameter_count;
use crate::views;

/// Empty, with loop remainders, several tiles.
const CROSS: [(usize, usize); 3] = [(0, 4), (21, 13), (3, 1030)];
/// One tile; tiles on and below the diagonal.
const GRAM: [usize; 2] = [9, 130];

struct Case {
    rows: Vec<f64>,
    cols: Vec<f64>,
    upstream: Mat<f64>,
    dim: usize,
}

pub(super) fn check(kit: &KernelKit, kernel: &dyn Kernel, report: &mut Report) {
    let flat = |x: &Mat<f64>| x.row_iter().flat_map(|row| row.iter().copied().collect::<Vec<_>>()).collect();
    let case = |rows, cols, stream| Case {
        rows: flat(&kit.table(rows, stream)),
        cols: flat(&kit.table(cols, stream + 1)),
        upstream: weights(rows, cols, stream + 2),
        dim: kit.columns.len(),
    };
    for (rows, cols) in CROSS {
        let cases = [case(rows, cols, 50), case(rows, cols, 53)];
        let len = Evaluator::default().cross_record_len(kernel, cases[0].pair().shape());
        compare(&format!("cross-covariance {rows}×{cols}"), &cases, len, report, |case, record| {
            Ok(cross(kernel, case, record))
        });
    }
    for count in GRAM {
        let cases = [case(count, count, 56), case(count, count, 59)];
        let len = gram_record_len(kernel, count, kit.columns.len());
        compare(&format!("Gram matrix of {count}"), &cases, len, report, |case, record| {
            gram(kernel, case, record)
        });
    }
}

fn compare(
    what: &str,
    cases: &[Case; 2],
    len: usize,
    report: &mut Report,
    pass: impl Fn(&Case, &mut [f64]) -> Result<Vec<f64>, KernelError>,
) {
    let mut record = vec![f64::NAN; len];
    for case in cases {
        let Some(plain) = report.value(what, pass(case, &mut [])) else { return };
        let Some(found) = report.value(what, pass(case, &mut record)) else { return };
        let first = found.iter().zip(&plain).position(|(x, y)| x.to_bits() != y.to_bits());
        report.require(first.is_none(), || {
            let i = first.unwrap_or(0);
            format!("{what}: number {i} is {} with a record and {} without", found[i], plain[i])
        });
    }
}

fn cross(kernel: &dyn Kernel, case: &Case, record: &mut [f64]) -> Vec<f64> {
    let by = Evaluator::new(Threading::Here);
    let (m, n, dim) = (case.upstream.nrows(), case.upstream.ncols(), case.dim);
    let mut out = vec![0.0; m * n + parameter_count(kernel) + (m + n) * dim];
    let (values, rest) = out.split_at_mut(m * n);
    let (rows, rest) = rest.split_at_mut(m * dim);
    let (cols, params) = rest.split_at_mut(n * dim);
    by.cross_of(kernel, case.pair(), views::block_mut(values, m, n).as_dyn_stride_mut(), record);
    let grads = CovarianceGradients {
        params,
        rows: Some(views::points_mut(rows, m, dim).as_dyn_stride_mut()),
        cols: Some(views::points_mut(cols, n, dim).as_dyn_stride_mut()),
    };
    by.cross_reverse_of(kernel, case.pair(), case.upstream.as_ref(), grads, record);
    out
}

fn gram(kernel: &dyn Kernel, case: &Case, record: &mut [f64]) -> Result<Vec<f64>, KernelError> {
    let by = Evaluator::new(Threading::Here);
    let (n, dim) = (case.upstream.nrows(), case.dim);
    let mut out = vec![0.0; n * n + n * dim + parameter_count(kernel)];
    let (values, rest) = out.split_at_mut(n * n);
    let (points, params) = rest.split_at_mut(n * dim);
    let values = views::block_mut(values, n, n).as_dyn_stride_mut();
    by.gram_of(kernel, case.pair().rows, values, record)?;
    let points = Some(views::points_mut(points, n, dim).as_dyn_stride_mut());
    by.gram_reverse_of(kernel, case.pair().rows, case.upstream.as_ref(), params, points, record);
    Ok(out)
}

impl Case {
    fn pair(&self) -> Pair<'_> {
        let (m, n) = (self.upstream.nrows(), self.upstream.ncols());
        Pair::distinct(views::points(&self.rows, m, self.dim), views::points(&self.cols, n, self.dim))
    }
}
