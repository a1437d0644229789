//! Gradient checks against central differences.

use faer::Mat;
use gp_linalg::Threading;

use super::tables::{InputKind, weights};
use super::{KernelKit, Report};
use crate::evaluate::{CovarianceGradients, Evaluator, cross, diagonal, gram};
use crate::kernel::{Gradients, Kernel, Pair};
use crate::tree::KernelExt;
use crate::views;
use crate::workspace::Workspace;

/// Step of fourth-order differences: error 1e-16 times fifth derivatives plus 1e-12.
const STEP: f64 = 1e-4;
/// Errors of differences and sums of hundreds of terms.
const TOLERANCE: f64 = 1e-6;

pub(super) fn check(kit: &KernelKit, kernel: &dyn Kernel, report: &mut Report) {
    cross_gradients(kit, kernel, report);
    gram_gradients(kit, kernel, report);
    diagonal_gradients(kit, kernel, report);
    returned_sum(kit, kernel, report);
    solver_coordinates(kit, kernel, report);
}

fn dot(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
    (0..a.ncols()).map(|j| (0..a.nrows()).map(|i| a[(i, j)] * b[(i, j)]).sum::<f64>()).sum()
}

fn compare(
    what: &str,
    gradient: &[f64],
    report: &mut Report,
    mut objective: impl FnMut(usize, f64) -> Option<f64>,
) {
    let mut difference = |i: usize| {
        let near = objective(i, STEP)? - objective(i, -STEP)?;
        let far = objective(i, 2.0 * STEP)? - objective(i, -2.0 * STEP)?;
        Some((8.0 * near - far) / (12.0 * STEP))
    };
    let differences: Option<Vec<f64>> = (0..gradient.len()).map(&mut difference).collect();
    let Some(differences) = differences else {
        return report.require(false, || format!("{what}: the objective failed near the point"));
    };
    let scale = differences.iter().fold(1.0, |scale: f64, d| scale.max(d.abs()));
    for (i, (g, d)) in gradient.iter().zip(&differences).enumerate() {
        let error = (g - d).abs() / scale;
        report.require(error <= TOLERANCE, || format!("{what}, entry {i}: gradient {g}, difference {d}"));
    }
}

fn moved(kernel: &dyn Kernel, i: usize, by: f64) -> Option<Box<dyn Kernel>> {
    let (names, values) = (kernel.parameter_names(), kernel.parameter_values());
    let mut copy = kernel.clone_box();
    copy.set(names.get(i)?, values.get(i)? + by).ok()?;
    Some(copy)
}

/// Table with one real entry (by rows) changed.
fn shifted(kit: &KernelKit, x: &Mat<f64>, entry: usize, by: f64) -> Mat<f64> {
    let mut copy = x.clone();
    let (i, d) = (entry / x.ncols(), entry % x.ncols());
    if kit.columns[d] == InputKind::Real {
        copy[(i, d)] += by;
    }
    copy
}

/// Gradient by rows, zeros for codes.
fn entries(kit: &KernelKit, gradient: &Mat<f64>) -> Vec<f64> {
    let real = |d: usize| kit.columns[d] == InputKind::Real;
    let entry = |i: usize, d: usize| if real(d) { gradient[(i, d)] } else { 0.0 };
    (0..gradient.nrows()).flat_map(|i| (0..gradient.ncols()).map(move |d| entry(i, d))).collect()
}

fn cross_gradients(kit: &KernelKit, kernel: &dyn Kernel, report: &mut Report) {
    // These sizes leave a remainder in every vectorised loop.
    let (a, b, g) = (kit.table(13, 30), kit.table(6, 31), weights(13, 6, 32));
    let mut params = vec![0.0; kernel.parameter_count()];
    let (mut rows, mut cols) = (Mat::zeros(13, a.ncols()), Mat::zeros(6, a.ncols()));
    let grads =
        CovarianceGradients { params: &mut params, rows: Some(rows.as_mut()), cols: Some(cols.as_mut()) };
    let evaluator = Evaluator::new(Threading::Pool);
    let done = evaluator.cross_reverse(kernel, a.as_ref(), b.as_ref(), g.as_ref(), grads);
    report.value("reverse pass of the cross-covariance", done);
    let objective =
        |k: &dyn Kernel, a: &Mat<f64>, b: &Mat<f64>| Some(dot(&g, &cross(k, a.as_ref(), b.as_ref()).ok()?));
    compare("cross: parameters", &params, report, |i, by| objective(moved(kernel, i, by)?.as_ref(), &a, &b));
    compare("cross: row points", &entries(kit, &rows), report, |i, by| {
        objective(kernel, &shifted(kit, &a, i, by), &b)
    });
    compare("cross: column points", &entries(kit, &cols), report, |i, by| {
        objective(kernel, &a, &shifted(kit, &b, i, by))
    });
}

fn gram_gradients(kit: &KernelKit, kernel: &dyn Kernel, report: &mut Report) {
    let (x, g) = (kit.table(9, 33), weights(9, 9, 34));
    let (mut params, mut points) = (vec![0.0; kernel.parameter_count()], Mat::zeros(9, x.ncols()));
    let evaluator = Evaluator::new(Threading::Pool);
    let done = evaluator.gram_reverse(kernel, x.as_ref(), g.as_ref(), &mut params, Some(points.as_mut()));
    report.value("reverse pass of the Gram matrix", done);
    let objective = |k: &dyn Kernel, x: &Mat<f64>| Some(dot(&g, &gram(k, x.as_ref()).ok()?));
    compare("Gram: parameters", &params, report, |i, by| objective(moved(kernel, i, by)?.as_ref(), &x));
    compare("Gram: points", &entries(kit, &points), report, |i, by| {
        objective(kernel, &shifted(kit, &x, i, by))
    });
}

fn diagonal_gradients(kit: &KernelKit, kernel: &dyn Kernel, report: &mut Report) {
    let (x, g) = (kit.table(7, 35), weights(7, 1, 36));
    let upstream: Vec<f64> = (0..7).map(|i| g[(i, 0)]).collect();
    let (mut params, mut points) = (vec![0.0; kernel.parameter_count()], Mat::zeros(7, x.ncols()));
    let evaluator = Evaluator::new(Threading::Here);
    let done = evaluator.diagonal_reverse(kernel, x.as_ref(), &upstream, &mut params, Some(points.as_mut()));
    report.value("reverse pass of the diagonal", done);
    let objective = |k: &dyn Kernel, x: &Mat<f64>| {
        let diagonal = diagonal(k, x.as_ref()).ok()?;
        Some(upstream.iter().zip(diagonal).map(|(g, v)| g * v).sum())
    };
    compare("diagonal: parameters", &params, report, |i, by| objective(moved(kernel, i, by)?.as_ref(), &x));
    compare("diagonal: points", &entries(kit, &points), report, |i, by| {
        objective(kernel, &shifted(kit, &x, i, by))
    });
}

fn returned_sum(kit: &KernelKit, kernel: &dyn Kernel, report: &mut Report) {
    let (a, b, g) = (kit.table(10, 37), kit.table(5, 38), weights(10, 5, 39));
    let Some(k) = report.value("cross-covariance", cross(kernel, a.as_ref(), b.as_ref())) else { return };
    let flat = |m: &Mat<f64>| -> Vec<f64> {
        m.row_iter().flat_map(|row| row.iter().copied().collect::<Vec<_>>()).collect()
    };
    let (rows, cols, upstream) = (flat(&a), flat(&b), flat(&g.transpose().to_owned()));
    let dim = a.ncols();
    let pair = Pair::distinct(views::points(&rows, 10, dim), views::points(&cols, 5, dim));
    let mut ws = Workspace::new();
    let mut params = vec![0.0; kernel.parameter_count()];
    let mut once = Vec::new();
    for round in 0..2 {
        let grads = Gradients { params: &mut params, rows: None, cols: None };
        let sum = kernel.tile_reverse(pair, views::block(&upstream, 10, 5), grads, &[], &mut ws);
        let expected = dot(&g, &k);
        let error = (sum - expected).abs() / expected.abs().max(1.0);
        report.require(error < 1e-12, || format!("the reverse pass returned {sum}, the sum is {expected}"));
        if round == 0 {
            once.clone_from(&params);
        }
    }
    let doubled = params
        .iter()
        .zip(&once)
        .all(|(twice, once)| (twice - 2.0 * once).abs() <= 1e-10 * once.abs().max(1.0));
    report.require(doubled, || "a second reverse pass did not add to the first".to_owned());
}

fn solver_coordinates(kit: &KernelKit, kernel: &dyn Kernel, report: &mut Report) {
    let (x, g) = (kit.table(6, 40), weights(6, 6, 41));
    let (mut natural, mut free) = (vec![0.0; kernel.parameter_count()], vec![0.0; kernel.free_count()]);
    let mut gradient = free.clone();
    let evaluator = Evaluator::new(Threading::Here);
    let done = evaluator.gram_reverse(kernel, x.as_ref(), g.as_ref(), &mut natural, None);
    report.value("reverse pass of the Gram matrix", done);
    report.value("chain rule", kernel.chain_gradient(&natural, &mut gradient));
    report.value("writing unconstrained parameters", kernel.write_free(&mut free));
    compare("Gram: unconstrained parameters", &gradient, report, |i, by| {
        let (mut copy, mut at) = (kernel.clone_box(), free.clone());
        at[i] += by;
        copy.set_free(&at).ok()?;
        Some(dot(&g, &gram(copy.as_ref(), x.as_ref()).ok()?))
    });
}
