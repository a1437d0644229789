#![expect(clippy::unwrap_used, reason = "helpers of tests")]
//! Several Gaussian outputs, separate or mixtures of latents, against dense formulas.

use faer::Mat;
use faer::linalg::solvers::Solve as _;
use gp_ep::{Inference as _, Learning, PowerEp, Powers, SparseProcess, SparseRegression, Table};
use gp_kernels::inducing::InducingInputs;
use gp_likelihoods::{Coregionalised, Gaussian, Gaussians};
use gp_optim::MinimiseOptions;

const ROWS: usize = 9;

fn points() -> Mat<f64> {
    Mat::from_fn(ROWS, 1, |i, _| 0.7 * i as f64 - 3.0)
}

fn outputs() -> Mat<f64> {
    Mat::from_fn(ROWS, 2, |i, p| {
        let (x, e) = (0.7 * i as f64 - 3.0, ((i * 7 + p * 5) % 11) as f64 / 11.0 - 0.5);
        (1.0 + p as f64) * (1.3 * x).sin() + 0.4 * (p as f64) * (0.4 * x).cos() + 0.3 * e
    })
}

fn process(text: &str, z: &Mat<f64>) -> SparseProcess {
    let inputs = InducingInputs::points(z.as_ref()).unwrap();
    SparseProcess::new(gp_kernels::parse(text).unwrap(), inputs).unwrap().with_fixed_inputs()
}

/// `ln p(Y)` as one dense Gaussian over all outputs.
fn dense(kernels: &[&str], w: &[f64], noise: &[f64]) -> f64 {
    let (x, y, latents) = (points(), outputs(), kernels.len());
    let gram: Vec<Mat<f64>> = kernels
        .iter()
        .map(|text| gp_kernels::gram(gp_kernels::parse(text).unwrap().as_ref(), x.as_ref()).unwrap())
        .collect();
    let at = |k: usize| (k / 2, k % 2);
    let covariance = Mat::from_fn(2 * ROWS, 2 * ROWS, |a, b| {
        let ((i, p), (j, r)) = (at(a), at(b));
        let shared: f64 =
            (0..latents).map(|q| w[p * latents + q] * w[r * latents + q] * gram[q][(i, j)]).sum();
        shared + if a == b { noise[p] } else { 0.0 }
    });
    let flat = Mat::from_fn(2 * ROWS, 1, |k, _| y[at(k)]);
    let factor = covariance.llt(faer::Side::Lower).unwrap();
    let log_det: f64 = (0..2 * ROWS).map(|k| 2.0 * factor.L()[(k, k)].ln()).sum();
    let solved = factor.solve(&flat);
    let quadratic: f64 = (0..2 * ROWS).map(|k| flat[(k, 0)] * solved[(k, 0)]).sum();
    -0.5 * (2.0 * ROWS as f64 * std::f64::consts::TAU.ln() + log_det + quadratic)
}

fn mixture(kernels: &[&str], w: &[f64], noise: &[f64], power: f64) -> PowerEp {
    let z = points();
    let processes = kernels.iter().map(|text| process(text, &z)).collect();
    let mixed = Coregionalised::new(kernels.len(), w.to_vec(), noise.to_vec()).unwrap();
    PowerEp::new(processes, Box::new(mixed)).unwrap().with_powers(Powers::Same(power))
}

fn log_evidence(model: &PowerEp) -> f64 {
    let (x, y) = (points(), outputs());
    model.log_evidence(&Table::new(x.as_ref(), y.as_ref()).unwrap()).unwrap().value
}

#[test]
fn a_single_latent_function_is_exact() {
    let (kernel, w, noise) = ("1 * rbf(lengthscale=1.1)", [0.8, 1.7], [0.05, 0.2]);
    let exact = dense(&[kernel], &w, &noise);
    for power in [1.0, 0.5, 0.0] {
        let found = log_evidence(&mixture(&[kernel], &w, &noise, power));
        // Tolerance: jitter of `K_zz`, convergence to about 1e-8.
        assert!((found - exact).abs() < 1e-4, "{power}: {found} {exact}");
    }
}

/// For orthogonal columns of `D^{−½} W` latents are independent given the outputs.
#[test]
fn orthogonal_mixtures_are_exact() {
    let kernels = ["1 * rbf(lengthscale=1.1)", "0.7 * matern32(lengthscale=2)"];
    // Σ_p W_p0 W_p1 / σ²_p = 0.6 · 0.4 / 0.06 − 0.8 · 1 / 0.2.
    let (w, noise) = ([0.6, 0.4, 0.8, -1.0], [0.06, 0.2]);
    let exact = dense(&kernels, &w, &noise);
    for power in [1.0, 0.5, 0.0] {
        let found = log_evidence(&mixture(&kernels, &w, &noise, power));
        assert!((found - exact).abs() < 1e-4, "{power}: {found} {exact}");
    }
}

/// Otherwise the variational limit is a bound, exact after a rotation of latents with one kernel.
#[test]
fn the_bound_is_exact_at_one_rotation() {
    let kernel = "1 * rbf(lengthscale=1.1)";
    let noise = [0.1, 0.1];
    // W with orthogonal columns; its rotations are the same model.
    let (tall, wide) = ([0.9, 1.2], [-0.8, 0.6]);
    let at = |angle: f64| {
        let (c, s) = (angle.cos(), angle.sin());
        let row = |p: usize| [c * tall[p] + s * wide[p], c * wide[p] - s * tall[p]];
        [row(0), row(1)].concat()
    };
    let exact = dense(&[kernel, kernel], &at(0.0), &noise);
    assert!((dense(&[kernel, kernel], &at(0.4), &noise) - exact).abs() < 1e-9, "rotations do not matter");
    let bound = |angle: f64| log_evidence(&mixture(&[kernel, kernel], &at(angle), &noise, 0.0));
    assert!((bound(0.0) - exact).abs() < 1e-4, "{} {exact}", bound(0.0));
    assert!(bound(0.2) < exact - 1e-3 && bound(0.4) < bound(0.2), "{} {} {exact}", bound(0.2), bound(0.4));
}

/// Evidence and predictions; a shared process equals several with one kernel.
#[test]
fn outputs_apart_are_regressions_in_closed_form() {
    let (x, y) = (points(), outputs());
    let z = Mat::from_fn(4, 1, |m, _| 1.5 * m as f64 - 2.4);
    let kernels = ["1.2 * rbf(lengthscale=0.9)", "2 * rbf(lengthscale=1.6)"];
    let noise = [0.1, 0.3];
    for power in [1.0, 0.5, 0.0] {
        let processes = kernels.iter().map(|text| process(text, &z)).collect();
        let both = PowerEp::new(processes, Box::new(Gaussians::new(noise.to_vec()).unwrap())).unwrap();
        let both = both.with_powers(Powers::Same(power));
        let data = Table::new(x.as_ref(), y.as_ref()).unwrap();
        let predicted = both.posterior(&data).unwrap().moments(x.as_ref()).unwrap();
        let mut sum = 0.0;
        for p in 0..2 {
            let targets: Vec<f64> = y.col(p).iter().copied().collect();
            let noise = Gaussian::new(noise[p]).unwrap();
            let one = SparseRegression::new(process(kernels[p], &z), noise, Powers::Same(power));
            let data = Table::with_targets(x.as_ref(), &targets).unwrap();
            sum += one.log_evidence(&data).unwrap().value;
            let alone = one.posterior(&data).unwrap().moments(x.as_ref()).unwrap();
            for (i, alone) in alone.iter().enumerate() {
                let found = predicted[2 * i + p];
                assert!((found.mean - alone.mean).abs() < 1e-8, "{found:?} {alone:?}");
                assert!((found.variance - alone.variance).abs() < 1e-8, "{found:?} {alone:?}");
            }
        }
        let found = both.log_evidence(&data).unwrap().value;
        assert!((found - sum).abs() < 1e-7, "{power}: {found} {sum}");
    }
    let shared = vec![process(kernels[0], &z)];
    let each = vec![process(kernels[0], &z), process(kernels[0], &z)];
    let evidence = |processes| {
        let noise = Box::new(Gaussians::new(noise.to_vec()).unwrap());
        log_evidence(&PowerEp::new(processes, noise).unwrap())
    };
    assert!((evidence(shared) - evidence(each)).abs() < 1e-9);
}

/// A row without one output is a row of the other.
#[test]
fn missing_outputs_leave_the_others() {
    let (x, y) = (points(), outputs());
    let gaps = Mat::from_fn(ROWS, 2, |i, p| if p == 1 && i % 3 != 0 { f64::NAN } else { y[(i, p)] });
    let kernel = "1 * rbf(lengthscale=0.9)";
    let noise = || Box::new(Gaussians::new(vec![0.1, 0.3]).unwrap());
    let model = |outputs| PowerEp::new(vec![process(kernel, &x), process(kernel, &x)], outputs).unwrap();
    let found = model(noise()).log_evidence(&Table::new(x.as_ref(), gaps.as_ref()).unwrap()).unwrap().value;
    let rows: Vec<usize> = (0..ROWS).step_by(3).collect();
    let some = Mat::from_fn(rows.len(), 1, |i, _| x[(rows[i], 0)]);
    let one = |points: &Mat<f64>, targets: Vec<f64>, variance: f64| {
        let noise = Gaussian::new(variance).unwrap();
        let gp = gp_ep::ExactGp::new(gp_kernels::parse(kernel).unwrap(), noise);
        gp.log_evidence(&Table::with_targets(points.as_ref(), &targets).unwrap()).unwrap().value
    };
    let expected = one(&x, y.col(0).iter().copied().collect(), 0.1)
        + one(&some, rows.iter().map(|&i| y[(i, 1)]).collect(), 0.3);
    assert!((found - expected).abs() < 1e-4, "{found} {expected}");
}

/// Up to the sign of a latent.
#[test]
fn weights_of_a_mixture_are_learned() {
    let (x, y) = (points(), outputs());
    let data = Table::new(x.as_ref(), y.as_ref()).unwrap();
    let mut model = mixture(&["fixed(1) * rbf(lengthscale=1)"], &[1.0, 1.0], &[0.3, 0.3], 0.0);
    let before = model.log_evidence(&data).unwrap().value;
    let options = MinimiseOptions { max_iterations: 60, ..MinimiseOptions::default() };
    model.learn(&data, Learning::Outer(options)).unwrap();
    assert!(model.log_evidence(&data).unwrap().value > before + 3.0);
    let w = model.likelihood().mixing().unwrap().to_vec();
    assert!((1.5..2.6).contains(&(w[1] / w[0])), "{w:?}");
}
