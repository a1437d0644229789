//! Times of sweeps, gradients and mini-batches of Power EP, relative to the matrix-product rate and closed-form
//! regression.
//!
//! After criterion's output, tables give:
//!
//! - a sweep with N = 10,000, M = 500 (triangular solve and symmetric product, 2 M²N operations): fraction of the
//!   matrix-product rate on as many threads, and time relative to closed-form regression;
//! - the same for a mini-batch step with gradient, B = M = 200, D = 784: distances with reverse pass (6 MBD), distances
//!   of Z (6 M²D / 2), projections, marginals, sums and reverse pass (8 M²B), factors (4 M³ / 3);
//! - the same for C = 10 classes with separate or shared kernel and inducing inputs;
//! - exponents of the step's time in C and M;
//! - times of a mini-batch step with tied sites for N from 10⁴ to 10⁶, rows computed on demand.
#![expect(clippy::expect_used, reason = "a benchmark that fails should stop at once")]

use std::time::Instant;

use criterion::Criterion;
use faer::{Accum, Mat, MatRef};
use gp_ep::power_ep::{GradientKind, MiniBatchEp, Sharing};
use gp_ep::{
    BatchEp, ClosedEvidence as _, DataError, DataSource, EpOptions, Observations, PowerEp, Powers,
    RegressionWorkspace, Rows, SparseProcess, SparseRegression, Table,
};
use gp_kernels::inducing::InducingInputs;
use gp_likelihoods::{BernoulliProbit, Gaussian};
use gp_linalg::Threading;
use gp_linalg::product::matmul;
use gp_optim::ParameterSet;
use rand::{RngExt, SeedableRng};

fn points(count: usize, dim: usize, seed: u64) -> Mat<f64> {
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    Mat::from_fn(dim, count, |_, _| rng.random_range(-1.0..1.0))
}

fn process(count: usize, dim: usize) -> SparseProcess {
    let inputs = InducingInputs::points(points(count, dim, 1).transpose()).expect("finite");
    let lengthscale = 0.7 * (dim as f64).sqrt();
    let kernel = gp_kernels::parse(&format!("rbf(lengthscale={lengthscale})")).expect("a kernel");
    SparseProcess::new(kernel, inputs).expect("inputs")
}

fn classifier(count: usize, dim: usize) -> PowerEp {
    PowerEp::new(vec![process(count, dim)], Box::new(BernoulliProbit)).expect("one latent")
}

fn signs(inputs: MatRef<'_, f64>) -> Vec<f64> {
    (0..inputs.nrows()).map(|i| (3.0 * inputs[(i, 0)] + inputs[(i, 1)]).sin().signum()).collect()
}

/// Smallest seconds over rounds; the runs alternate, because the load changes within seconds.
fn best<const K: usize>(rounds: usize, mut runs: [&mut dyn FnMut(); K]) -> [f64; K] {
    let mut least = [f64::INFINITY; K];
    for _ in 0..rounds {
        for (run, least) in runs.iter_mut().zip(&mut least) {
            let start = Instant::now();
            run();
            *least = least.min(start.elapsed().as_secs_f64());
        }
    }
    least
}

/// M×M times M×2000.
struct Product(Mat<f64>, Mat<f64>, Mat<f64>, Threading);

impl Product {
    const COLUMNS: usize = 2000;

    fn new(m: usize, threading: Threading) -> Self {
        let a = Mat::from_fn(m, m, |i, j| (i + j) as f64);
        let b = Mat::from_fn(m, Self::COLUMNS, |i, j| (i * j) as f64);
        Self(a, b, Mat::zeros(m, Self::COLUMNS), threading)
    }

    fn run(&mut self) {
        let Self(a, b, out, threading) = self;
        matmul(out.as_mut(), Accum::Replace, a.as_ref(), b.as_ref(), 1.0, *threading).expect("shapes agree");
    }

    fn rate(&self, seconds: f64) -> f64 {
        2.0 * (self.0.nrows() * self.0.nrows() * Self::COLUMNS) as f64 / seconds
    }
}

const THREADING: [(Threading, &str); 2] = [(Threading::Here, "1 thread"), (Threading::Pool, "all threads")];

fn sweeps() {
    const N: usize = 10_000;
    const M: usize = 500;
    let inputs = points(N, 8, 2);
    let y = signs(inputs.transpose());
    let data = Table::with_targets(inputs.transpose(), &y).expect("data");
    let observations = Observations::new(inputs.transpose(), &y).expect("data");
    println!("\nsweep over N = {N}, M = {M}, D = 8; best of 10 rounds");
    for (threading, name) in THREADING {
        let model = classifier(M, 8).with_threading(threading);
        let gaussian = Gaussian::new(0.1).expect("positive");
        let regression =
            SparseRegression::new(process(M, 8), gaussian, Powers::Same(1.0)).with_threading(threading);
        let mut workspace = RegressionWorkspace::new();
        let mut ep = BatchEp::new(&model, &data).expect("state");
        let mut other = BatchEp::new(&model, &data).expect("state");
        other.sweep(&model, &EpOptions::default()).expect("a sweep");
        let mut gradient = vec![0.0; model.parameter_count()];
        let mut product = Product::new(M, threading);
        let [sweep, value, with_gradient, multiplied] = best(
            10,
            [
                &mut || {
                    ep.sweep(&model, &EpOptions::default()).expect("a sweep");
                },
                &mut || {
                    regression.log_marginal_likelihood(&observations, &mut workspace).expect("a value");
                },
                &mut || {
                    other.log_z_gradient(&model, GradientKind::Converged, &mut gradient).expect("a gradient");
                },
                &mut || product.run(),
            ],
        );
        let needed = 2.0 * (M * M * N) as f64;
        println!(
            "{name:12} sweep {:6.1} ms, {:3.0} % of {:5.1} GFLOP/s, {:4.2} × the value of regression ({:6.1} ms); \
             gradient {:6.1} ms",
            1e3 * sweep,
            100.0 * needed / sweep / product.rate(multiplied),
            1e-9 * product.rate(multiplied),
            sweep / value,
            1e3 * value,
            1e3 * with_gradient,
        );
    }
}

fn batch_steps() {
    const B: usize = 200;
    const D: usize = 784;
    let inputs = points(2000, D, 3);
    let y = signs(inputs.transpose());
    let data = Table::with_targets(inputs.transpose(), &y).expect("data");
    println!("\nmini-batch step with gradient, B = M = {B}, D = {D}; best of 20 rounds");
    for (threading, name) in THREADING {
        let model = classifier(B, D).with_threading(threading);
        let mut gradient = vec![0.0; model.parameter_count()];
        for sharing in [Sharing::Own, Sharing::Tied] {
            let mut ep = MiniBatchEp::new(&model, &data, sharing, B).expect("state");
            let (mut product, mut first) = (Product::new(B, threading), 0);
            let [step, multiplied] = best(
                20,
                [
                    &mut || {
                        let rows: Vec<usize> = (first..first + B).collect();
                        first = (first + B) % 2000;
                        ep.refresh(&model).expect("a prior");
                        ep.step(&model, &data, &rows, &EpOptions::default()).expect("a step");
                        ep.log_z_gradient(&model, &mut gradient).expect("a gradient");
                    },
                    &mut || product.run(),
                ],
            );
            let needed = ((6 + 3) * B * B * D + 8 * B * B * B + 4 * B * B * B / 3) as f64;
            println!(
                "{name:12} {sharing:?} sites: {:6.2} ms, {:3.0} % of {:5.1} GFLOP/s",
                1e3 * step,
                100.0 * needed / step / product.rate(multiplied),
                1e-9 * product.rate(multiplied),
            );
        }
    }
}

fn many_classes(classes: usize, m: usize, dim: usize) -> PowerEp {
    let process = |class: usize| {
        let inputs = InducingInputs::points(points(m, dim, 10 + class as u64).transpose()).expect("finite");
        let lengthscale = 0.7 * (dim as f64).sqrt();
        let kernel = format!("1.5 * rbf(lengthscale=[{}])", vec![lengthscale.to_string(); dim].join(", "));
        SparseProcess::new(gp_kernels::parse(&kernel).expect("a kernel"), inputs).expect("inputs")
    };
    PowerEp::of_classes((0..classes).map(process).collect(), 0.0).expect("classes")
}

/// Seconds of a mini-batch step with gradient, and of a product.
fn class_step(model: &PowerEp, sharing: Sharing, data: &Table<'_>, batch: usize, rounds: usize) -> [f64; 2] {
    let m = model.processes()[0].inputs().count();
    let mut gradient = vec![0.0; model.parameter_count()];
    let mut ep = MiniBatchEp::new(model, data, sharing, batch).expect("state");
    let (mut product, mut first) = (Product::new(m, model.threading()), 0);
    best(
        rounds,
        [
            &mut || {
                let rows: Vec<usize> = (first..first + batch).collect();
                first = (first + batch) % (data.count() - batch);
                ep.refresh(model).expect("a prior");
                ep.step(model, data, &rows, &EpOptions::default()).expect("a step");
                ep.log_z_gradient(model, &mut gradient).expect("a gradient");
            },
            &mut || product.run(),
        ],
    )
}

/// Operations of a step per class.
fn needed(batch: usize, m: usize, dim: usize) -> f64 {
    ((6 * batch + 3 * m) * m * dim + 8 * m * m * batch + 4 * m * m * m / 3) as f64
}

fn class_steps() {
    const B: usize = 200;
    const D: usize = 784;
    const C: usize = 10;
    let inputs = points(2000, D, 3);
    let y: Vec<f64> = (0..2000).map(|i| (i * 7 % C) as f64).collect();
    let data = Table::with_targets(inputs.transpose(), &y).expect("data");
    println!("\nmini-batch step with gradient, C = {C}, B = M = {B}, D = {D}; best of 10 rounds");
    for (threading, name) in THREADING {
        let model = many_classes(C, B, D).with_threading(threading);
        for sharing in [Sharing::Own, Sharing::Tied] {
            let [step, multiplied] = class_step(&model, sharing, &data, B, 10);
            let rate = 2.0 * (B * B * Product::COLUMNS) as f64 / multiplied;
            println!(
                "{name:12} {sharing:?} sites: {:6.1} ms, {:3.0} % of {:5.1} GFLOP/s",
                1e3 * step,
                100.0 * C as f64 * needed(B, B, D) / step / rate,
                1e-9 * rate,
            );
        }
        let shared = PowerEp::of_alike_classes(C, model.processes()[0].clone(), 0.0).expect("classes");
        let [step, _] = class_step(&shared.with_threading(threading), Sharing::Tied, &data, B, 10);
        println!("{name:12} one process for all classes, tied sites: {:6.1} ms", 1e3 * step);
    }
}

fn exponent(sizes: &[usize], times: &[f64]) -> f64 {
    let last = sizes.len() - 1;
    (times[last] / times[0]).ln() / (sizes[last] as f64 / sizes[0] as f64).ln()
}

fn class_exponents() {
    let inputs = points(2000, 8, 4);
    let y: Vec<f64> = (0..2000).map(|i| f64::from(u8::from(i % 3 == 0))).collect();
    let data = Table::with_targets(inputs.transpose(), &y).expect("data");
    let time =
        |classes: usize, m: usize| class_step(&many_classes(classes, m, 8), Sharing::Tied, &data, 200, 10)[0];
    println!("\ntied step with gradient, B = 200, D = 8, all threads; best of 10 rounds");
    let (classes, ms) = ([4, 8, 16, 32], [50, 100, 200, 400]);
    let by_class: Vec<f64> = classes.iter().map(|&c| time(c, 100)).collect();
    let by_m: Vec<f64> = ms.iter().map(|&m| time(8, m)).collect();
    let list = |times: &[f64]| times.iter().map(|t| format!("{:7.2}", 1e3 * t)).collect::<String>();
    println!(
        "C = {classes:?}, M = 100: {} ms, exponent {:4.2}",
        list(&by_class),
        exponent(&classes, &by_class)
    );
    println!("M = {ms:?}, C = 8: {} ms, exponent {:4.2}", list(&by_m), exponent(&ms, &by_m));
}

/// Observations computed on demand, without memory.
#[derive(Debug)]
struct Endless {
    count: usize,
}

impl DataSource for Endless {
    fn count(&self) -> usize {
        self.count
    }
    fn dim(&self) -> usize {
        8
    }
    fn outputs(&self) -> usize {
        1
    }
    fn read(&self, rows: &Rows<'_>, points: &mut [f64], targets: &mut [f64]) -> Result<(), DataError> {
        for place in 0..rows.len() {
            let row = rows.at(place);
            let point = &mut points[place * 8..(place + 1) * 8];
            let number = |d: usize| ((row * 8 + d) as f64 * 0.618_033_988_749_894_9).fract() * 2.0 - 1.0;
            point.iter_mut().enumerate().for_each(|(d, x)| *x = number(d));
            targets[place] = (3.0 * point[0]).sin().signum();
        }
        Ok(())
    }
}

fn tied_steps() {
    const B: usize = 200;
    println!("\nmini-batch step with tied sites and gradient, B = M = {B}, D = 8; best of 30 rounds");
    let model = classifier(B, 8).with_threading(Threading::Here);
    let mut times = Vec::new();
    for count in [10_000, 100_000, 1_000_000] {
        let data = Endless { count };
        let mut ep = MiniBatchEp::new(&model, &data, Sharing::Tied, B).expect("state");
        let (mut gradient, mut first) = (vec![0.0; model.parameter_count()], 0);
        let [step] = best(
            30,
            [&mut || {
                let rows: Vec<usize> = (first..first + B).collect();
                first = (first + 7 * B) % (count - B);
                ep.refresh(&model).expect("a prior");
                ep.step(&model, &data, &rows, &EpOptions::default()).expect("a step");
                ep.log_z_gradient(&model, &mut gradient).expect("a gradient");
            }],
        );
        times.push(step);
        println!("N = {count:9}: {:6.3} ms, {:4.2} × that of N = 10⁴", 1e3 * step, step / times[0]);
    }
}

fn main() {
    let inputs = points(2000, 8, 2);
    let y = signs(inputs.transpose());
    let data = Table::with_targets(inputs.transpose(), &y).expect("data");
    let model = classifier(100, 8);
    let mut criterion = Criterion::default().configure_from_args().sample_size(10);
    let mut ep = BatchEp::new(&model, &data).expect("state");
    criterion.bench_function("power_ep/sweep, N = 2000, M = 100", |bencher| {
        bencher.iter(|| ep.sweep(&model, &EpOptions::default()));
    });
    criterion.bench_function("power_ep/in turn, N = 2000, M = 100", |bencher| {
        bencher.iter(|| ep.sweep_in_turn(&model, &EpOptions::default()));
    });
    criterion.final_summary();
    sweeps();
    batch_steps();
    class_steps();
    class_exponents();
    tied_steps();
}
