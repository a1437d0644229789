//! What is kept between forward and reverse pass changes how long they take and nothing else.

use faer::Mat;
use gp_linalg::Threading;

use super::tables::weights;
use super::{Conformance, Report};
use crate::evaluate::{CovarianceGradients, Evaluator};
use crate::kept::Kept;
use crate::kernel::Kernel;
use crate::tree::KernelExt;

/// Rows of a cross-covariance: a remainder in every vectorised loop.
const ROWS: usize = 21;
/// Columns of a cross-covariance.
const COLS: usize = 13;
/// Points of a Gram matrix: enough for tiles on and below the diagonal.
const POINTS: usize = 130;
/// The same operations in the same order differ by nothing; in another order, by the roundings of a few hundred terms.
const TOLERANCE: f64 = 1e-13;

/// Values and gradients of one pass forward and back.
struct Results {
    values: Mat<f64>,
    /// Parameters, then points.
    gradients: [Mat<f64>; 3],
}

/// Tables, and what is upstream of their covariances.
struct Case {
    rows: Mat<f64>,
    cols: Mat<f64>,
    upstream: Mat<f64>,
}

pub(super) fn check(kit: &Conformance, kernel: &dyn Kernel, report: &mut Report) {
    let case = |rows, cols, stream| Case {
        rows: kit.table(rows, stream),
        cols: kit.table(cols, stream + 1),
        upstream: weights(rows, cols, stream + 2),
    };
    let moved = scaled(kernel);
    check_pass("cross", cross, kernel, moved.as_ref(), [case(ROWS, COLS, 50), case(ROWS, COLS, 53)], report);
    check_pass(
        "Gram",
        gram,
        kernel,
        moved.as_ref(),
        [case(POINTS, POINTS, 56), case(POINTS, POINTS, 59)],
        report,
    );
}

/// The kernel with other parameters of the same number.
fn scaled(kernel: &dyn Kernel) -> Box<dyn Kernel> {
    let mut copy = kernel.clone_box();
    let mut at = vec![0.0; kernel.free_count()];
    if kernel.write_free(&mut at).is_ok() {
        at.iter_mut().for_each(|x| *x += 0.1);
        // Parameters that do not move are a weaker check, not a fault.
        let _ = copy.set_free(&at);
    }
    copy
}

type Pass = fn(&dyn Kernel, &Case, &mut Kept, &Kept) -> Result<Results, crate::KernelError>;

/// A reverse pass with what was kept of the same pair, of other points and of other parameters, against one without.
fn check_pass(
    what: &str,
    pass: Pass,
    kernel: &dyn Kernel,
    moved: &dyn Kernel,
    [case, other]: [Case; 2],
    report: &mut Report,
) {
    let nothing = Kept::nothing();
    let Some(plain) = report.value(what, pass(kernel, &case, &mut Kept::nothing(), &nothing)) else { return };
    let histories: [(&str, &dyn Kernel, &Case); 3] = [
        ("the same pair", kernel, &case),
        ("other points", kernel, &other),
        ("other parameters", moved, &case),
    ];
    for (history, before, points) in histories {
        let mut kept = Kept::up_to(usize::MAX);
        let room = pass(before, points, &mut kept, &nothing);
        report.value(what, room);
        let Some(found) = report.value(what, pass(kernel, &case, &mut Kept::nothing(), &kept)) else {
            return;
        };
        report.compare(&format!("{what} with what was kept of {history}: "), &found, &plain);
        let Some(again) = report.value(what, pass(kernel, &case, &mut kept, &nothing)) else { return };
        report.compare(&format!("{what}, forward over what was kept of {history}: "), &again, &plain);
    }
}

impl Report {
    fn compare(&mut self, what: &str, found: &Results, expected: &Results) {
        self.close(&format!("{what}values"), &found.values, &expected.values, TOLERANCE);
        for (i, name) in ["parameters", "row points", "column points"].into_iter().enumerate() {
            self.close(&format!("{what}{name}"), &found.gradients[i], &expected.gradients[i], TOLERANCE);
        }
    }
}

fn cross(
    kernel: &dyn Kernel,
    case: &Case,
    keep: &mut Kept,
    kept: &Kept,
) -> Result<Results, crate::KernelError> {
    let by = Evaluator::new(Threading::Here);
    let (rows, cols) = (case.rows.as_ref(), case.cols.as_ref());
    let mut results = Results::zeros(kernel, case);
    by.cross_kept(kernel, rows, cols, results.values.as_mut(), keep)?;
    let [params, row_grads, col_grads] = &mut results.gradients;
    let mut flat = vec![0.0; params.nrows()];
    let grads = CovarianceGradients {
        params: &mut flat,
        rows: Some(row_grads.as_mut()),
        cols: Some(col_grads.as_mut()),
    };
    by.cross_reverse_kept(kernel, rows, cols, case.upstream.as_ref(), grads, kept)?;
    flat.iter().enumerate().for_each(|(i, g)| params[(i, 0)] = *g);
    Ok(results)
}

fn gram(
    kernel: &dyn Kernel,
    case: &Case,
    keep: &mut Kept,
    kept: &Kept,
) -> Result<Results, crate::KernelError> {
    let by = Evaluator::new(Threading::Here);
    let points = case.rows.as_ref();
    let mut results = Results::zeros(kernel, case);
    by.gram_kept(kernel, points, results.values.as_mut(), keep)?;
    let [params, row_grads, _] = &mut results.gradients;
    let mut flat = vec![0.0; params.nrows()];
    let to = Some(row_grads.as_mut());
    by.gram_reverse_kept(kernel, points, case.upstream.as_ref(), &mut flat, to, kept)?;
    flat.iter().enumerate().for_each(|(i, g)| params[(i, 0)] = *g);
    Ok(results)
}

impl Results {
    fn zeros(kernel: &dyn Kernel, case: &Case) -> Self {
        let dim = case.rows.ncols();
        Self {
            values: Mat::zeros(case.rows.nrows(), case.cols.nrows()),
            gradients: [
                Mat::zeros(kernel.parameter_count(), 1),
                Mat::zeros(case.rows.nrows(), dim),
                Mat::zeros(case.cols.nrows(), dim),
            ],
        }
    }
}
