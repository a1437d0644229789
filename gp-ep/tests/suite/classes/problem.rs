//! Problems of several classes.

use super::support::{Problem, RBF};
use gp_ep::{BatchEp, DataSource, EpOptions, InferenceError, PowerEp, SparseProcess};
use gp_kernels::inducing::InducingInputs;
use gp_likelihoods::MulticlassProbit;
use gp_linalg::JitterPolicy;
use gp_optim::{ParameterSet, ParameterSetMut};

pub(crate) fn process(kernel: &str, inputs: InducingInputs) -> SparseProcess {
    SparseProcess::new(gp_kernels::parse(kernel).unwrap(), inputs).unwrap()
}

pub(crate) fn kernel(class: usize) -> String {
    format!("{} * rbf(lengthscale={})", 1.7 + 0.4 * class as f64, 0.8 + 0.1 * class as f64)
}

pub(crate) fn processes(problem: &Problem, order: &[usize], inducing: usize) -> Vec<SparseProcess> {
    order.iter().map(|&class| process(&kernel(class), problem.inducing(inducing))).collect()
}

pub(crate) fn exact(model: PowerEp) -> PowerEp {
    model.with_jitter(JitterPolicy::none())
}

/// Equal kernels and inducing inputs, separate parameters.
pub(crate) fn alike(problem: &Problem, count: usize, noise: f64, inducing: usize) -> PowerEp {
    let processes = (0..count).map(|_| process(RBF, problem.inducing(inducing))).collect();
    exact(
        PowerEp::new(processes, Box::new(MulticlassProbit::with_noise(count, noise).unwrap().in_pairs()))
            .unwrap(),
    )
}

pub(crate) fn thirds(problem: &Problem) -> Vec<f64> {
    problem.signal.iter().map(|&f| if f < -0.6 { 0.0 } else { 1.0 + f64::from(u8::from(f > 0.6)) }).collect()
}

pub(crate) fn nearly() -> EpOptions {
    EpOptions { tolerance: 3e-11, ..super::support::tight() }
}

/// Derivatives of log Z by free coordinates: of EP, and by fourth-order central differences of converged EP.
pub(crate) fn gradients(
    model: &PowerEp,
    data: &dyn DataSource,
    gradient: impl Fn(&mut BatchEp, &mut [f64]) -> Result<f64, InferenceError>,
) -> (Vec<f64>, Vec<f64>) {
    let mut ep = super::support::converged(model, data, &nearly());
    let mut natural = vec![0.0; model.parameter_count()];
    gradient(&mut ep, &mut natural).unwrap();
    let (mut found, mut at) = (vec![0.0; model.free_count()], vec![0.0; model.free_count()]);
    model.chain_gradient(&natural, &mut found).unwrap();
    model.write_free(&mut at).unwrap();
    let mut value = |k: usize, step: f64| {
        let (mut moved, mut x) = (model.clone(), at.clone());
        x[k] += step;
        moved.set_free(&x).unwrap();
        ep.refresh(&moved).unwrap();
        let end = ep.converge(&moved, &nearly()).unwrap();
        assert!(end.converged, "{end:?}");
        ep.log_z(&moved).unwrap()
    };
    let h = 2e-3;
    let differences = (0..found.len()).map(|k| {
        let outer = value(k, 2.0 * h) - value(k, -2.0 * h);
        (8.0 * (value(k, h) - value(k, -h)) - outer) / (12.0 * h)
    });
    let differences = differences.collect();
    (found, differences)
}

/// Largest difference relative to the largest derivative.
pub(crate) fn disagreement((found, expected): &(Vec<f64>, Vec<f64>)) -> f64 {
    let size = expected.iter().fold(1.0f64, |size, x| size.max(x.abs()));
    found.iter().zip(expected).map(|(a, b)| (a - b).abs() / size).fold(0.0, f64::max)
}
