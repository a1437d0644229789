//! Times of the evidence and its gradient, N = 10,000 and M = 500, relative to the matrix-product rate.
//!
//! After criterion's output, a table gives the fraction of that rate on as many threads. Operations counted: for the
//! value a triangular solve and a symmetric product (M²N each); for the gradient three more solves and half a product
//! (4 M²N); for each, distances (2 MND).
#![expect(clippy::expect_used, reason = "a benchmark that fails should stop at once")]

use std::time::Instant;

use criterion::Criterion;
use faer::{Accum, Mat};
use gp_ep::{
    Blocks, ClosedEvidence as _, Observations, Powers, RegressionWorkspace, SparseProcess, SparseRegression,
};
use gp_kernels::inducing::InducingInputs;
use gp_likelihoods::Gaussian;
use gp_linalg::Threading;
use gp_linalg::product::matmul;
use gp_optim::ParameterSet;
use rand::{RngExt, SeedableRng};

const N: usize = 10_000;
const M: usize = 500;
const D: usize = 8;

fn points(count: usize, seed: u64) -> Mat<f64> {
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    Mat::from_fn(D, count, |_, _| rng.random_range(-1.0..1.0))
}

/// Smallest seconds over rounds; the runs alternate, because the load changes within seconds.
fn best<const K: usize>(mut runs: [&mut dyn FnMut(); K]) -> [f64; K] {
    let mut least = [f64::INFINITY; K];
    for _ in 0..15 {
        for (run, least) in runs.iter_mut().zip(&mut least) {
            let start = Instant::now();
            run();
            *least = least.min(start.elapsed().as_secs_f64());
        }
    }
    least
}

/// Columns of a product, and number of products: as many operations as a value with gradient, in short pieces, because
/// long work is interrupted more often.
const COLUMNS: usize = 2000;
const PRODUCTS: usize = 3 * N / COLUMNS;

fn model(power: f64, kernel: &str) -> SparseRegression {
    let inputs = InducingInputs::points(points(M, 1).transpose()).expect("finite");
    let process = SparseProcess::new(gp_kernels::parse(kernel).expect("a kernel"), inputs).expect("inputs");
    SparseRegression::new(process, Gaussian::new(0.1).expect("positive"), Powers::Same(power))
}

struct Case {
    name: &'static str,
    model: SparseRegression,
}

fn cases() -> Vec<Case> {
    let ard = "rbf(lengthscale=[2, 2, 2, 2, 2, 2, 2, 2])";
    let labels: Vec<usize> = (0..N).map(|i| i % 200).collect();
    let blocks = Blocks::from_labels(&labels).expect("labels");
    vec![
        Case { name: "α = 0.5", model: model(0.5, ard) },
        Case { name: "α = 0.5, matern52", model: model(0.5, "matern52(lengthscale=2)") },
        Case { name: "α = 0", model: model(0.0, ard) },
        Case { name: "α = 0.5, blocks of 50", model: model(0.5, ard).with_blocks(blocks) },
    ]
}

/// Seconds of the products, a value, and a value with gradient.
fn measure(model: &SparseRegression, data: &Observations<'_>) -> [f64; 3] {
    let (mut workspace, mut gradient) = (RegressionWorkspace::new(), vec![0.0; model.parameter_count()]);
    let mut other = RegressionWorkspace::new();
    let (a, b) = (Mat::from_fn(M, M, |i, j| (i + j) as f64), Mat::from_fn(M, COLUMNS, |i, j| (i * j) as f64));
    let mut out = Mat::zeros(M, COLUMNS);
    let threading = model.threading();
    best([
        &mut || {
            for _ in 0..PRODUCTS {
                matmul(out.as_mut(), Accum::Replace, a.as_ref(), b.as_ref(), 1.0, threading)
                    .expect("shapes agree");
            }
        },
        &mut || {
            model.log_marginal_likelihood(data, &mut other).expect("a value");
        },
        &mut || {
            model.log_marginal_likelihood_gradient(data, &mut workspace, &mut gradient).expect("a value");
        },
    ])
}

fn table(data: &Observations<'_>) {
    let threads = rayon::current_num_threads();
    println!("\nN = {N}, M = {M}, D = {D}; best of 15 rounds");
    println!("threads  value ms  value+gradient ms  share of product rate: value, value+gradient");
    let (solve, distances) = ((M * M * N) as f64, 2.0 * (M * N * D) as f64);
    for (threading, used) in [(Threading::Here, 1), (Threading::Pool, threads)] {
        for Case { name, model } in cases() {
            let [product, value, both] = measure(&model.with_threading(threading), data);
            let rate = 2.0 * (M * M * COLUMNS * PRODUCTS) as f64 / product;
            let share = |flops: f64, seconds: f64| 100.0 * flops / seconds / rate;
            println!(
                "{used:7} {:9.1} {:18.1} {:12.0} % {:4.0} % of {:5.1} GFLOP/s  {name}",
                1e3 * value,
                1e3 * both,
                share(2.0 * solve + distances, value),
                share(6.0 * solve + 2.0 * distances, both),
                1e-9 * rate,
            );
        }
    }
}

fn main() {
    let inputs = points(N, 2);
    let targets: Vec<f64> = (0..N).map(|i| (3.0 * inputs[(0, i)]).sin() + inputs[(1, i)]).collect();
    let data = Observations::new(inputs.transpose(), &targets).expect("data");
    let mut criterion = Criterion::default().configure_from_args().sample_size(10);
    for Case { name, model } in cases() {
        let (mut workspace, mut gradient) = (RegressionWorkspace::new(), vec![0.0; model.parameter_count()]);
        criterion.bench_function(&format!("regression/{name}"), |bencher| {
            bencher.iter(|| model.log_marginal_likelihood_gradient(&data, &mut workspace, &mut gradient));
        });
    }
    criterion.final_summary();
    table(&data);
}
