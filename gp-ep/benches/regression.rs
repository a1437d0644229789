//! One evaluation of the log marginal likelihood and its gradient, 10,000 observations and 500 inducing inputs,
//! beside what the machine can do.
//!
//! After criterion's own lines a table says what share of the machine's matrix-product rate, measured in the same run
//! on the same number of threads, each took. Counted are the operations that are needed, M = 500 and N = 10,000:
//! for the value a triangular solve (M²N) and a symmetric product (M²N); for the gradient three more solves and one
//! more product of which half is wanted (4 M²N); and 2MND for the distances each time. Kernels, gradients of kernels
//! and everything of order M³ or MN come on top and count for nothing.
#![expect(clippy::expect_used, reason = "a benchmark that fails should stop at once")]

use std::time::Instant;

use criterion::Criterion;
use faer::{Accum, Mat};
use gp_ep::{Blocks, Observations, Powers, RegressionWorkspace, SparseProcess, SparseRegression};
use gp_kernels::inducing::InducingInputs;
use gp_likelihoods::Gaussian;
use gp_linalg::Threading;
use gp_linalg::product::matmul;
use gp_optim::ParameterSet;
use rand::{RngExt, SeedableRng};

const N: usize = 10_000;
const M: usize = 500;
const D: usize = 8;

/// A table of random points, one a row, contiguous.
fn points(count: usize, seed: u64) -> Mat<f64> {
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    Mat::from_fn(D, count, |_, _| rng.random_range(-1.0..1.0))
}

/// The least time of several runs, in seconds: interference only ever adds.
fn best(mut run: impl FnMut()) -> f64 {
    let mut least = f64::INFINITY;
    run();
    for _ in 0..7 {
        let start = Instant::now();
        run();
        least = least.min(start.elapsed().as_secs_f64());
    }
    least
}

/// GFLOP/s of Φᵀ-sized products, M×M times M×2000.
fn product_rate(threading: Threading) -> f64 {
    const COLUMNS: usize = 2000;
    let (a, b) = (Mat::from_fn(M, M, |i, j| (i + j) as f64), Mat::from_fn(M, COLUMNS, |i, j| (i * j) as f64));
    let mut out = Mat::zeros(M, COLUMNS);
    let seconds = best(|| {
        matmul(out.as_mut(), Accum::Replace, a.as_ref(), b.as_ref(), 1.0, threading).expect("shapes agree");
    });
    2e-9 * (M * M * COLUMNS) as f64 / seconds
}

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

fn table(data: &Observations<'_>) {
    let threads = rayon::current_num_threads();
    println!("\nN = {N}, M = {M}, D = {D}; best of 7 runs");
    println!("threads  value ms  value+gradient ms  share of product rate: value, value+gradient");
    let (solve, distances) = ((M * M * N) as f64, 2.0 * (M * N * D) as f64);
    for (threading, used) in [(Threading::Here, 1), (Threading::Pool, threads)] {
        let rate = product_rate(threading);
        for Case { name, model } in cases() {
            let model = model.with_threading(threading);
            let (mut workspace, mut gradient) =
                (RegressionWorkspace::new(), vec![0.0; model.parameter_count()]);
            let value = best(|| {
                model.log_marginal_likelihood(data, &mut workspace).expect("a value");
            });
            let both = best(|| {
                model.log_marginal_likelihood_gradient(data, &mut workspace, &mut gradient).expect("a value");
            });
            let share = |flops: f64, seconds: f64| 1e-7 * flops / seconds / rate;
            println!(
                "{used:7} {:9.1} {:18.1} {:12.0} % {:4.0} % of {rate:5.1} GFLOP/s  {name}",
                1e3 * value,
                1e3 * both,
                share(2.0 * solve + distances, value),
                share(6.0 * solve + 2.0 * distances, both),
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
