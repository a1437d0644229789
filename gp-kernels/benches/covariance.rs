//! Cross-covariances of 10,000 points with 500, forward and reverse.
//!
//! The final table relates rates to matrix products (distance products only) and exponentials.
#![expect(clippy::expect_used, reason = "a benchmark that fails should stop at once")]

use std::hint::black_box;
use std::time::Instant;

use criterion::Criterion;
use faer::{Accum, Mat};
use gp_kernels::{CovarianceGradients, Evaluator, Kernel, parameter_count, parse};
use gp_linalg::Threading;
use gp_linalg::product::matmul;
use gp_linalg::vector::exp_in_place;
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;

const N: usize = 10_000;
const M: usize = 500;

fn points(count: usize, dim: usize, seed: u64) -> Mat<f64> {
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    Mat::from_fn(dim, count, |_, _| rng.random_range(-1.0..1.0))
}

/// Shortest time of several runs, in seconds.
fn best(mut run: impl FnMut()) -> f64 {
    let mut least = f64::INFINITY;
    run();
    for _ in 0..9 {
        let start = Instant::now();
        run();
        least = least.min(start.elapsed().as_secs_f64());
    }
    least
}

/// GFLOP/s of a product of distance size.
fn product_rate(dim: usize, threading: Threading) -> f64 {
    let (z, x) = (points(M, dim, 1), points(N, dim, 2));
    let mut out = Mat::zeros(M, N);
    let seconds = best(|| {
        matmul(out.as_mut(), Accum::Replace, z.transpose(), x.as_ref(), 1.0, threading)
            .expect("shapes agree");
    });
    2e-9 * (M * N * dim) as f64 / seconds
}

/// Millions of exponentials per second, in first-level cache.
fn exp_rate(threading: Threading) -> f64 {
    let work = |_: usize| {
        let mut x = [-0.7; 512];
        for _ in 0..1000 {
            exp_in_place(black_box(&mut x));
            x.fill(-0.7);
        }
    };
    let seconds = best(|| match threading {
        Threading::Here => (0..8).for_each(work),
        Threading::Pool => (0..8).into_par_iter().for_each(work),
    });
    8.0 * 1000.0 * 512.0 / seconds / 1e6
}

struct Case {
    kernel: Box<dyn Kernel>,
    dim: usize,
}

fn cases() -> Vec<Case> {
    let text = [
        ("rbf(lengthscale=2)", 8),
        ("rbf(lengthscale=[2, 2, 2, 2, 2, 2, 2, 2])", 8),
        ("1.3 * matern52(lengthscale=2) + 0.1 * linear", 8),
        ("rbf(lengthscale=20)", 784),
    ];
    text.map(|(text, dim)| Case { kernel: parse(text).expect("a kernel"), dim }).into()
}

struct Seconds {
    forward: f64,
    reverse: f64,
}

fn measure(case: &Case, threading: Threading) -> Seconds {
    let (z, x) = (points(M, case.dim, 1), points(N, case.dim, 2));
    let (z, x) = (z.transpose(), x.transpose());
    let kernel = case.kernel.as_ref();
    let evaluator = Evaluator::new(threading);
    let mut out = Mat::zeros(M, N);
    let forward = best(|| evaluator.cross(kernel, z, x, out.as_mut()).expect("covariances"));
    let upstream = Mat::from_fn(M, N, |i, j| ((i + j) % 7) as f64 - 3.0);
    let (mut params, mut rows) = (vec![0.0; parameter_count(kernel)], Mat::zeros(case.dim, M));
    let reverse = best(|| {
        let rows = Some(rows.as_mut().transpose_mut());
        let grads = CovarianceGradients { params: &mut params, rows, cols: None };
        evaluator.cross_reverse(kernel, z, x, upstream.as_ref(), grads).expect("gradients");
    });
    Seconds { forward, reverse }
}

fn table() {
    let threads = rayon::current_num_threads();
    println!("\ncross-covariance N = {N}, M = {M}; reverse = all hyperparameters and Z; best of 10 runs");
    println!(
        "threads   D  forward ms  reverse ms  rev/fwd  fwd Mvalues/s  exp M/s  fwd share of product rate  kernel"
    );
    for (threading, used) in [(Threading::Here, 1), (Threading::Pool, threads)] {
        let exp = exp_rate(threading);
        for case in cases() {
            let Seconds { forward, reverse } = measure(&case, threading);
            let rate = product_rate(case.dim, threading);
            let share = 2e-9 * (M * N * case.dim) as f64 / forward / rate;
            let values = (M * N) as f64 / forward / 1e6;
            println!(
                "{used:7} {:3} {:11.2} {:11.2} {:8.2} {values:14.0} {exp:8.0} {:13.0} % of {rate:5.1} GFLOP/s  {:.40}",
                case.dim,
                1e3 * forward,
                1e3 * reverse,
                reverse / forward,
                100.0 * share,
                gp_kernels::KernelExt::expression(case.kernel.as_ref()),
            );
        }
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args().sample_size(10);
    for case in cases() {
        let (z, x) = (points(M, case.dim, 1), points(N, case.dim, 2));
        let mut out = Mat::zeros(M, N);
        let evaluator = Evaluator::new(Threading::Pool);
        let name =
            format!("cross/D={}/{:.24}", case.dim, gp_kernels::KernelExt::expression(case.kernel.as_ref()));
        criterion.bench_function(&name, |bencher| {
            bencher
                .iter(|| evaluator.cross(case.kernel.as_ref(), z.transpose(), x.transpose(), out.as_mut()));
        });
    }
    criterion.final_summary();
    table();
}
