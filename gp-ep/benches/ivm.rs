//! Times of informative-vector-machine runs.
//!
//! Tables:
//!
//! - scoring and whole runs for N from 10³ to 10⁵, C from 2 to 10 and d from 50 to 400, with exponents of fitted power
//!   laws;
//! - fraction of scoring in a run, and its fraction of the matrix-product rate on as many threads: three solves with
//!   factors of all active points per candidate and class;
//! - phases of one run with N = 20,000, D = 50, C = 5, d = 200.
//!
//! `cargo bench -p gp-ep --bench ivm` takes some minutes; `-- run` prints only the last table.
#![expect(clippy::expect_used, reason = "a benchmark that fails should stop at once")]

use std::time::Instant;

use faer::{Accum, Mat};
use gp_ep::Observations;
use gp_ep::ivm::{Ivm, IvmOptions, Rule, Selection, StepPhase};
use gp_likelihoods::Softmax;
use gp_linalg::Threading;
use gp_linalg::product::matmul;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Seconds by phase.
#[derive(Clone, Copy, Debug, Default)]
struct Times {
    selection: f64,
    inclusion: f64,
    factors: f64,
    ep: f64,
    operations: f64,
}

impl Times {
    fn total(&self) -> f64 {
        self.selection + self.inclusion + self.factors + self.ep
    }
}

/// Clusters around labelled centres, several per label.
fn problem(count: usize, dim: usize, classes: usize) -> (Mat<f64>, Vec<f64>) {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let centres = Mat::from_fn(4 * classes, dim, |_, _| rng.random_range(-1.0..1.0));
    let centre: Vec<usize> = (0..count).map(|_| rng.random_range(0..4 * classes)).collect();
    // Points are contiguous: columns of the transpose.
    let x = Mat::from_fn(dim, count, |d, i| centres[(centre[i], d)] + rng.random_range(-0.9..0.9));
    (x, centre.iter().map(|c| (c % classes) as f64).collect())
}

fn time((count, dim, classes): (usize, usize, usize), options: &IvmOptions, rule: Rule) -> Times {
    let (x, y) = problem(count, dim, classes);
    let data = Observations::new(x.transpose(), &y).expect("finite");
    let lengthscale = 0.7 * (dim as f64).sqrt();
    // Different kernels, none shared.
    let kernel = |c: usize| {
        gp_kernels::parse(&format!("{} * rbf(lengthscale={lengthscale})", 2.0 + 0.1 * c as f64))
            .expect("a kernel")
    };
    let kernels = (0..classes).map(kernel).collect();
    let model = Ivm::new(kernels, Box::new(Softmax::new(classes).expect("classes"))).expect("a model");
    let model = model.with_rule(rule).expect("a rule");
    let (mut times, mut since) = (Times::default(), Instant::now());
    model
        .build_with(&data, options, |stage| {
            let seconds = since.elapsed().as_secs_f64();
            match stage.phase {
                StepPhase::Selection => {
                    times.selection += seconds;
                    let scored = (count / classes.max(options.liquid)).max(50).min(count);
                    times.operations += (3 * classes * scored * stage.active * stage.active) as f64;
                }
                StepPhase::Inclusion => times.inclusion += seconds,
                StepPhase::StubUpdate => times.factors += seconds,
                StepPhase::Ep => times.ep += seconds,
            }
            since = Instant::now();
            Ok(())
        })
        .expect("a run");
    times
}

/// Smallest times of up to three runs, since interference only adds time.
fn best(sizes: (usize, usize, usize), options: &IvmOptions, rule: Rule) -> Times {
    let start = Instant::now();
    let mut best = time(sizes, options, rule);
    for _ in 0..2 {
        if start.elapsed().as_secs_f64() > 15.0 {
            break;
        }
        let next = time(sizes, options, rule);
        best.selection = best.selection.min(next.selection);
        best.inclusion = best.inclusion.min(next.inclusion);
        best.factors = best.factors.min(next.factors);
        best.ep = best.ep.min(next.ep);
    }
    best
}

/// Best matrix-product rate, in 10⁹ operations per second.
fn product_rate() -> f64 {
    const SIZE: usize = 1200;
    let a = Mat::from_fn(SIZE, SIZE, |i, j| (i + 2 * j) as f64 * 1e-3);
    let (mut c, mut best) = (Mat::zeros(SIZE, SIZE), f64::INFINITY);
    for _ in 0..5 {
        let start = Instant::now();
        matmul(c.as_mut(), Accum::Replace, a.as_ref(), a.as_ref(), 1.0, Threading::Pool).expect("a product");
        best = best.min(start.elapsed().as_secs_f64());
    }
    2.0 * (SIZE * SIZE * SIZE) as f64 / best / 1e9
}

fn exponent(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let (x, y) = logs.iter().fold((0.0, 0.0), |(sx, sy), (x, y)| (sx + x / count, sy + y / count));
    let (xy, xx) =
        logs.iter().fold((0.0, 0.0), |(xy, xx), (a, b)| (xy + (a - x) * (b - y), xx + (a - x).powi(2)));
    xy / xx
}

/// Prints times for some sizes, which `of` converts to (N, C, d).
fn scaling(name: &str, sizes: &[usize], of: impl Fn(usize) -> (usize, usize, usize), limit: f64) {
    println!("\n{name:>8} | scoring s | total s | scoring's share | GF/s | share of products");
    println!("-------: | --------: | ------: | --------------: | ---: | ----------------:");
    let (mut scoring, mut totals) = (Vec::new(), Vec::new());
    for &size in sizes {
        let (count, classes, active) = of(size);
        // Few nodes, since the table is about the representation.
        let rule = Rule::QuasiRandom { nodes: 32 * classes, seed: 1 };
        let options = IvmOptions { active, liquid: 5, sweeps: 1, ..IvmOptions::default() };
        let times = best((count, 10, classes), &options, rule);
        let rate = times.operations / times.selection / 1e9;
        println!(
            "{size:8} | {:9.3} | {:7.3} | {:15.2} | {rate:4.1} | {:.2}",
            times.selection,
            times.total(),
            times.selection / times.total(),
            rate / limit
        );
        scoring.push((size as f64, times.selection));
        totals.push((size as f64, times.total()));
    }
    println!("exponents: scoring {:.2}, total {:.2}", exponent(&scoring), exponent(&totals));
    plot(&totals);
}

fn plot(points: &[(f64, f64)]) {
    const WIDTH: usize = 48;
    const HEIGHT: usize = 10;
    let range = |of: &dyn Fn(&(f64, f64)) -> f64| {
        points
            .iter()
            .map(of)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
    };
    let ((left, right), (low, high)) = (range(&|p| p.0.ln()), range(&|p| p.1.ln()));
    let mut rows = vec![vec![' '; WIDTH]; HEIGHT];
    for (size, seconds) in points {
        let across = ((size.ln() - left) / (right - left) * (WIDTH - 1) as f64).round() as usize;
        let up = ((seconds.ln() - low) / (high - low) * (HEIGHT - 1) as f64).round() as usize;
        rows[HEIGHT - 1 - up][across] = 'o';
    }
    rows.iter().for_each(|row| println!("    |{}", row.iter().collect::<String>()));
    println!("    +{}", "-".repeat(WIDTH));
}

fn full_run(limit: f64) {
    let options = IvmOptions { active: 200, liquid: 25, ..IvmOptions::default() };
    for (name, selection) in [("information gain", Selection::InformationGain), ("random", Selection::Random)]
    {
        let options = IvmOptions { selection, ..options.clone() };
        let times = time((20_000, 50, 5), &options, Rule::default());
        println!(
            "\n20,000 points, 50 dimensions, 5 classes, 200 active, 25 liquid, {name}: {:.1} s\n  selection {:.2} ({:.1} \
             GF/s, {:.2} of products), inclusion {:.2}, factors {:.2}, EP {:.2}",
            times.total(),
            times.selection,
            times.operations / times.selection / 1e9,
            times.operations / times.selection / 1e9 / limit,
            times.inclusion,
            times.factors,
            times.ep
        );
    }
}

fn main() {
    // The test runner passes `--test` to check that benchmarks start.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let limit = product_rate();
    println!("{} threads, {limit:.1} GF/s", rayon::current_num_threads());
    full_run(limit);
    if std::env::args().any(|argument| argument == "run") {
        return;
    }
    scaling("N", &[1_000, 3_000, 10_000, 30_000, 100_000], |n| (n, 3, 60), limit);
    scaling("C", &[2, 3, 4, 5, 6, 8, 10], |classes| (10_000, classes, 100), limit);
    scaling("d", &[50, 100, 200, 400], |active| (10_000, 3, active), limit);
}
