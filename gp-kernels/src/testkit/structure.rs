//! Checks of covariances, shapes, strides, invalid inputs, threads.

use faer::{Mat, MatRef};
use gp_linalg::{Cholesky, JitterPolicy, Threading};

use super::{KernelKit, Report};
use crate::error::KernelError;
use crate::evaluate::{CovarianceGradients, Evaluator, cross, diagonal, gram};
use crate::kernel::Kernel;
use crate::tree::{KernelExt, parameter_count};

const ROUNDING: f64 = 1e-13;
/// Largest relative jitter of a Gram matrix.
const INDEFINITE: f64 = 1e-10;

pub(super) fn check(kit: &KernelKit, kernel: &dyn Kernel, report: &mut Report) {
    let (a, b) = (kit.table(23, 1), kit.table(11, 2));
    let Some(ab) = report.value("cross-covariance", cross(kernel, a.as_ref(), b.as_ref())) else { return };
    let Some(ba) = report.value("cross-covariance", cross(kernel, b.as_ref(), a.as_ref())) else { return };
    report.close("k(x, z) = k(z, x)", &ba.transpose().to_owned(), &ab, ROUNDING);
    gram_and_diagonal(kernel, a.as_ref(), report);
    strides(kernel, &a, &b, &ab, report);
    empty(kit, kernel, report);
    illegal(kit, kernel, report);
    threads(kit, kernel, report);
    lengths(kernel, &a, &b, &ab, report);
}

/// Scaling inputs and lengths alike changes no covariance.
fn lengths(kernel: &dyn Kernel, a: &Mat<f64>, b: &Mat<f64>, expected: &Mat<f64>, report: &mut Report) {
    const FACTOR: f64 = 4.0;
    let columns = kernel.length_columns(a.ncols());
    // Composite kernels may have parts without lengths, which do change with the units of inputs.
    if columns.iter().all(Option::is_none) || !kernel.children().is_empty() {
        return;
    }
    let (mut scaled, mut place, mut refused) = (kernel.clone_box(), 0, None);
    scaled.for_each_parameter_mut(&mut |parameter| {
        if columns.get(place).is_some_and(Option::is_some) {
            match parameter.scaled(&vec![FACTOR; parameter.len()]) {
                Ok(longer) => *parameter = longer,
                Err(error) => refused = Some(error),
            }
        }
        place += 1;
    });
    let stretched = |x: &Mat<f64>| Mat::from_fn(x.nrows(), x.ncols(), |i, d| FACTOR * x[(i, d)]);
    let outcome = match refused {
        Some(error) => Err(error.into()),
        None => cross(scaled.as_ref(), stretched(a).as_ref(), stretched(b).as_ref()),
    };
    if let Some(found) = report.value("lengths in other units", outcome) {
        report.close("inputs and lengths in other units", &found, expected, ROUNDING);
    }
}

fn gram_and_diagonal(kernel: &dyn Kernel, x: MatRef<'_, f64>, report: &mut Report) {
    let Some(k) = report.value("Gram matrix", gram(kernel, x)) else { return };
    let Some(kxx) = report.value("cross-covariance", cross(kernel, x, x)) else { return };
    let Some(diagonal) = report.value("diagonal", diagonal(kernel, x)) else { return };
    report.require(k == k.transpose(), || "the Gram matrix is not exactly symmetric".to_owned());

    let n = x.nrows();
    let on_diagonal = Mat::from_fn(n, 1, |i, _| k[(i, i)]);
    report.close(
        "diagonal = Gram's diagonal",
        &Mat::from_fn(n, 1, |i, _| diagonal[i]),
        &on_diagonal,
        ROUNDING,
    );
    report.require(diagonal.iter().all(|v| *v >= 0.0), || "a prior variance is negative".to_owned());
    let off = |m: &Mat<f64>| Mat::from_fn(n, n, |i, j| if i == j { 0.0 } else { m[(i, j)] });
    report.close("Gram = cross-covariance off the diagonal", &off(&k), &off(&kxx), ROUNDING);

    let level = (0..n).map(|i| k[(i, i)]).sum::<f64>() / n as f64;
    if let Some(factor) = report
        .value("Cholesky factor of the Gram matrix", Cholesky::factor(k.as_ref(), &JitterPolicy::ladder()))
    {
        let added = factor.jitter().added;
        report.require(added <= INDEFINITE * level, || {
            format!(
                "the Gram matrix is not positive semi-definite: {added:e} added to a diagonal of {level:e}"
            )
        });
    }
}

/// Points by rows, by columns, strided, reversed.
fn strides(kernel: &dyn Kernel, a: &Mat<f64>, b: &Mat<f64>, expected: &Mat<f64>, report: &mut Report) {
    let evaluator = Evaluator::new(Threading::Here);
    let (m, n) = (a.nrows(), b.nrows());
    let row_major: Vec<f64> = (0..m).flat_map(|i| (0..a.ncols()).map(move |d| a[(i, d)])).collect();
    let rows = MatRef::from_row_major_slice(&row_major, m, a.ncols());
    if let Some(found) = report.value("row-major points", cross(kernel, rows, b.as_ref())) {
        report.close("row-major points", &found, expected, 0.0);
    }
    let reversed = Mat::from_fn(m, a.ncols(), |i, d| a[(m - 1 - i, d)]);
    if let Some(found) =
        report.value("reversed points", cross(kernel, reversed.as_ref().reverse_rows(), b.as_ref()))
    {
        report.close("points in reverse order", &found, expected, 0.0);
    }
    let mut wide = Mat::zeros(n, 2 * m);
    let into = wide.as_mut().transpose_mut().subrows_mut(m, m);
    if report.value("row-major output", evaluator.cross(kernel, a.as_ref(), b.as_ref(), into)).is_some() {
        let found = wide.as_ref().subcols(m, m).transpose().to_owned();
        report.close("row-major output", &found, expected, 0.0);
    }
}

fn empty(kit: &KernelKit, kernel: &dyn Kernel, report: &mut Report) {
    let (none, some) = (kit.table(0, 3), kit.table(3, 4));
    for (rows, cols) in [(&none, &some), (&some, &none), (&none, &none)] {
        if let Some(k) = report.value("covariance of no points", cross(kernel, rows.as_ref(), cols.as_ref()))
        {
            report.require((k.nrows(), k.ncols()) == (rows.nrows(), cols.nrows()), || {
                "wrong empty shape".to_owned()
            });
        }
    }
    report.value("Gram matrix of no points", gram(kernel, none.as_ref()));
    report.value("diagonal of no points", diagonal(kernel, none.as_ref()));
    if let Some(k) = report.value("Gram matrix of one point", gram(kernel, kit.table(1, 5).as_ref())) {
        report.require(k.nrows() == 1 && k[(0, 0)].is_finite(), || {
            "the variance of one point is no number".to_owned()
        });
    }
}

fn illegal(kit: &KernelKit, kernel: &dyn Kernel, report: &mut Report) {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut x = kit.table(4, 6);
        if x.ncols() > 0 {
            x[(2, 0)] = bad;
            report.require(gram(kernel, x.as_ref()).is_err(), || format!("a Gram matrix was made of {bad}"));
        }
    }
    let (x, wider) = (kit.table(4, 7), Mat::zeros(4, kit.columns.len() + 1));
    let mixed = cross(kernel, x.as_ref(), wider.as_ref());
    report.require(mixed.is_err(), || "tables of different dimensions were taken for a pair".to_owned());
}

fn threads(kit: &KernelKit, kernel: &dyn Kernel, report: &mut Report) {
    let (a, b) = (kit.table(3, 8), kit.table(2100, 9));
    let evaluated = |threading: Threading| -> Result<(Mat<f64>, Vec<f64>), KernelError> {
        let evaluator = Evaluator::new(threading);
        let (mut k, mut params) = (Mat::zeros(a.nrows(), b.nrows()), vec![0.0; parameter_count(kernel)]);
        evaluator.cross(kernel, a.as_ref(), b.as_ref(), k.as_mut())?;
        let to = CovarianceGradients { params: &mut params, rows: None, cols: None };
        evaluator.cross_reverse(kernel, a.as_ref(), b.as_ref(), k.as_ref(), to)?;
        Ok((k, params))
    };
    let Some(expected) = report.value("evaluation on this thread", evaluated(Threading::Here)) else {
        return;
    };
    for threads in [1, 4] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let Some(pool) = report.value("thread pool", pool) else { return };
        let found = pool.install(|| evaluated(Threading::Pool));
        let Some(found) = report.value("evaluation on a pool", found) else { return };
        report.require(found == expected, || {
            format!("{threads} threads give other bits than the calling thread")
        });
    }
}
