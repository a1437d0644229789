//! Benchmarks of mini-batch steps, the dense posterior and sampling noise.
//!
//! Tables after criterion's output:
//!
//! - share of the matrix-product rate (same run, threads) in a mini-batch step, C = 10, M = B = 200, D = 784: reading,
//!   value and gradient by all parameters, natural-gradient step. Operations per latent: distances forward and back (6
//!   MBD), of Z twice that per pair (6 M²D / 2), projections, marginals, sums, reverse pass (6 M²B), factors (4 M³ /
//!   3), products with the posterior's factor (2 M³), the step's factors and inverses (4 M³ / 3);
//! - samples per second, and their share of a step, from runs with more samples;
//! - convergence and training times of a dense Cox process of 811 counts;
//! - variance of the gradient by posterior means for each estimator, 100 samples.
#![expect(clippy::expect_used, reason = "a benchmark that fails should stop at once")]

use criterion::Criterion;
use faer::{Accum, Mat, MatRef};
use gp_kernels::data::Table;
use gp_kernels::inducing::{InducingInputs, SparseProcess};
use gp_likelihoods::Likelihood;
use gp_linalg::Threading;
use gp_linalg::product::matmul;
use gp_optim::{MinimiseOptions, ParameterSet};
use gp_variational::dense::DenseState;
use gp_variational::savigp::Bound;
use gp_variational::{
    DenseVariational, Draws, Estimator, Expectation, Inference as _, Learning, NaturalOptions, Sampling,
    Savigp,
};
use rand::{RngExt, SeedableRng};
use std::time::Instant;

fn points(count: usize, dim: usize, seed: u64) -> Mat<f64> {
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    Mat::from_fn(dim, count, |_, _| rng.random_range(-1.0..1.0))
}

fn model(likelihood: &str, inducing: usize, dim: usize) -> Savigp {
    let likelihood: Box<dyn Likelihood> = gp_likelihoods::parse(likelihood).expect("a likelihood");
    let lengthscale = 0.7 * (dim as f64).sqrt();
    let process = |q: usize| {
        let inputs = InducingInputs::points(points(inducing, dim, q as u64).transpose()).expect("finite");
        let kernel = gp_kernels::parse(&format!("rbf(lengthscale={lengthscale})")).expect("a kernel");
        SparseProcess::new(kernel, inputs).expect("inputs")
    };
    let processes = (0..likelihood.latents()).map(process).collect();
    Savigp::new(processes, likelihood).expect("a model")
}

fn classes(inputs: MatRef<'_, f64>, count: usize) -> Vec<f64> {
    let place = |i: usize| (3.0 * inputs[(i, 0)] + inputs[(i, 1)]).sin();
    (0..inputs.nrows()).map(|i| (0.5 * (place(i) + 1.0) * (count as f64 - 1e-9)).floor()).collect()
}

fn sampled(estimator: Estimator, draws: Draws, samples: usize, seed: u64) -> Expectation {
    Expectation::Sampled(Sampling { estimator, draws, samples, seed })
}

/// Minimum seconds over rounds. Runs alternate, so that load affects all.
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

struct Steps<'a> {
    model: Savigp,
    bound: Bound,
    data: &'a Table<'a>,
    gradient: Vec<f64>,
    first: usize,
}

const B: usize = 200;
const M: usize = 200;
const D: usize = 784;
const C: usize = 10;
const N: usize = 2000;

impl<'a> Steps<'a> {
    fn new(model: Savigp, data: &'a Table<'a>) -> Self {
        let bound = Bound::for_batches(&model, data, B).expect("room");
        Self { gradient: vec![0.0; model.parameter_count()], model, bound, data, first: 0 }
    }

    fn step(&mut self) {
        let rows: Vec<usize> = (self.first..self.first + B).collect();
        self.first = (self.first + B) % N;
        self.bound.redraw();
        self.bound.load(&self.model, self.data, &rows).expect("a batch");
        self.bound.gradient(&self.model, &mut self.gradient).expect("a gradient");
        self.model.natural_step(&mut self.bound, 0.1).expect("a step");
    }
}

const THREADING: [(Threading, &str); 2] = [(Threading::Here, "1 thread"), (Threading::Pool, "all threads")];

fn batch_steps() {
    let inputs = points(N, D, 3);
    let y = classes(inputs.transpose(), C);
    let data = Table::with_targets(inputs.transpose(), &y).expect("data");
    println!("\nmini-batch step, C = {C}, M = {M}, B = {B}, D = {D}; best of 10 rounds");
    for (threading, name) in THREADING {
        let smooth = sampled(Estimator::Reparameterised, Draws::Random, 100, 1);
        let twice = sampled(Estimator::Reparameterised, Draws::Random, 200, 1);
        let softmax = model("softmax(classes=10)", M, D).with_threading(threading);
        let robust = model("robust_max(classes=10)", M, D).with_threading(threading);
        let with = |expectation| softmax.clone().with_expectation(expectation).expect("smooth");
        let (mut few, mut many) = (Steps::new(with(smooth), &data), Steps::new(with(twice), &data));
        let one = vec![robust.processes()[0].clone()];
        let shared = Savigp::new(one, robust.likelihood().clone_box()).expect("a model");
        let mut shared = Steps::new(shared.with_threading(threading), &data);
        let mut exact = Steps::new(robust, &data);
        let (a, b) =
            (Mat::from_fn(M, M, |i, j| (i + j) as f64), Mat::from_fn(M, 2000, |i, j| (i * j) as f64));
        let mut out = Mat::zeros(M, 2000);
        let mut product = || {
            matmul(out.as_mut(), Accum::Replace, a.as_ref(), b.as_ref(), 1.0, threading)
                .expect("shapes agree");
        };
        let [few, many, exact, together, multiplied] = best(
            10,
            [
                &mut || few.step(),
                &mut || many.step(),
                &mut || exact.step(),
                &mut || shared.step(),
                &mut product,
            ],
        );
        let rate = 2.0 * (M * M * 2000) as f64 / multiplied;
        let needed =
            C * ((6 + 3) * M * B * D + 6 * M * M * B + (4 * M.pow(3)) / 3 + 2 * M.pow(3) + 4 * M.pow(3) / 3);
        let share = |seconds: f64| 100.0 * needed as f64 / seconds / rate;
        let sampling = many - few;
        println!(
            "{name:12} softmax, 100 samples: {:6.1} ms, {:3.0} % of {:5.1} GFLOP/s; robust max by quadrature: {:6.1} ms, \
             {:3.0} %, on one process for all classes {:6.1} ms; {:5.1} million samples a second, {:3.0} % of the step",
            1e3 * few,
            share(few),
            1e-9 * rate,
            1e3 * exact,
            share(exact),
            1e3 * together,
            1e-6 * (100 * B) as f64 / sampling,
            100.0 * sampling / few,
        );
    }
}

fn cox() {
    let x = Mat::from_fn(811, 1, |i, _| i as f64 / 100.0);
    let counts: Vec<f64> =
        (0..811).map(|i| f64::from(u8::from((i * i) % 7 == 0 && (i / 90) % 2 == 0))).collect();
    let data = Table::with_targets(x.as_ref(), &counts).expect("data");
    let kernel = gp_kernels::parse("1 * rbf(lengthscale=1)").expect("a kernel");
    let likelihood = gp_likelihoods::parse("poisson").expect("a likelihood");
    let mut model = DenseVariational::new(vec![kernel], likelihood).expect("one latent");
    let start = Instant::now();
    let mut state = DenseState::new(&model, &data).expect("data");
    let ascent = state.converge(&model, &NaturalOptions::default()).expect("rest");
    let rest = start.elapsed().as_secs_f64();
    let run = model.learn(&data, Learning::Outer(MinimiseOptions::default())).expect("trained").run;
    let run = run.training().expect("L-BFGS");
    println!(
        "\ndense Cox process, N = 811: converged after {rest:.2} s ({} steps); trained in {:.1} s ({} evaluations, \
         converged: {})",
        ascent.steps,
        start.elapsed().as_secs_f64() - rest,
        run.evaluations,
        run.converged,
    );
}

fn variance(model: &Savigp, data: &Table<'_>, estimator: Estimator, draws: Draws) -> f64 {
    let (seeds, count) = (60, model.parameter_count());
    let by_means = count - model.posterior().parameter_count();
    let (mut sums, mut squares) = (vec![0.0; count], vec![0.0; count]);
    let mut gradient = vec![0.0; count];
    for seed in 0..seeds {
        let model = model.clone().with_expectation(sampled(estimator, draws, 100, seed)).expect("settings");
        Bound::new(&model, data).expect("data").gradient(&model, &mut gradient).expect("a gradient");
        for ((sum, square), g) in sums.iter_mut().zip(&mut squares).zip(&gradient) {
            *sum += g / seeds as f64;
            *square += g * g / seeds as f64;
        }
    }
    let entry = |i: usize| (squares[i] - sums[i] * sums[i]).max(0.0) * seeds as f64 / (seeds - 1) as f64;
    (by_means..by_means + model.posterior().counts()[0]).map(entry).sum()
}

fn variances() {
    let inputs = points(300, 2, 5);
    println!(
        "\nvariance of the gradient by posterior means, 100 samples, N = 300, M = 20, relative to the score alone"
    );
    println!("likelihood        score   controlled  derivatives   derivatives, evenly spread");
    for likelihood in
        ["gaussian(variance=0.3)", "bernoulli_logit", "poisson", "student_t", "softmax(classes=3)"]
    {
        let mut model = model(likelihood, 20, 2);
        let wave = |i: usize| (3.0 * inputs[(0, i)] + inputs[(1, i)]).sin();
        let y: Vec<f64> = match likelihood {
            "bernoulli_logit" => (0..300).map(|i| wave(i).signum()).collect(),
            "poisson" => (0..300).map(|i| (1.0 + wave(i)).exp().round()).collect(),
            "softmax(classes=3)" => classes(inputs.transpose(), 3),
            _ => (0..300).map(wave).collect(),
        };
        let data = Table::with_targets(inputs.transpose(), &y).expect("data");
        let mut bound = Bound::new(&model, &data).expect("data");
        let options = NaturalOptions { max_steps: 3, ..NaturalOptions::default() };
        model.converge(&mut bound, &options).expect("steps");
        let of = |estimator, draws| variance(&model, &data, estimator, draws);
        let score = of(Estimator::Score, Draws::Random);
        let controlled = of(Estimator::ControlledScore, Draws::Random) / score;
        let derivatives = of(Estimator::Reparameterised, Draws::Random) / score;
        let even = of(Estimator::Reparameterised, Draws::QuasiRandom) / score;
        println!("{likelihood:18} {score:8.2} {controlled:9.2e} {derivatives:11.2e} {even:14.2e}");
    }
}

fn peak() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:").map(|size| size.trim().to_owned()))
}

fn main() {
    let inputs = points(1000, 8, 2);
    let y = classes(inputs.transpose(), 3);
    let data = Table::with_targets(inputs.transpose(), &y).expect("data");
    let exact = model("robust_max(classes=3)", 50, 8);
    let mut bound = Bound::new(&exact, &data).expect("data");
    let mut gradient = vec![0.0; exact.parameter_count()];
    let mut criterion = Criterion::default().configure_from_args().sample_size(10);
    criterion.bench_function("savigp/gradient, N = 1000, M = 50, C = 3", |bencher| {
        bencher.iter(|| bound.gradient(&exact, &mut gradient));
    });
    criterion.final_summary();
    // `steps`, `cox`, `variances` select tables; default: all.
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let tables = ["steps", "cox", "variances"];
    let some = asked.iter().any(|word| tables.contains(&word.as_str()));
    let is_asked = |name: &str| !some || asked.iter().any(|word| word == name);
    if is_asked("steps") {
        batch_steps();
        println!("peak memory so far: {}", peak().as_deref().unwrap_or("not known"));
    }
    if is_asked("cox") {
        cox();
    }
    if is_asked("variances") {
        variances();
    }
}
