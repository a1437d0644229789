//! Repeated steps allocate nothing; tied sites take memory independent of the data.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use faer::Mat;
use gp_ep::power_ep::{GradientKind, MiniBatchEp, Sharing, SiteOrder};
use gp_ep::{BatchEp, DataSource, EpOptions, Level, PowerEp, Powers, RowReader, SparseProcess, Table};
use gp_kernels::inducing::InducingInputs;
use gp_linalg::Threading;
use gp_optim::ParameterSet;
use std::fs::File;
use std::io::{BufWriter, Write};

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

fn blocks(body: impl FnOnce()) -> u64 {
    let before = dhat::HeapStats::get().total_blocks;
    body();
    dhat::HeapStats::get().total_blocks - before
}

fn process(inducing: usize, q: usize) -> SparseProcess {
    let kernel = gp_kernels::parse("1.3 * rbf(lengthscale=[0.5, 2])").unwrap();
    let z = Mat::from_fn(inducing, 2, |i, d| ((i * (5 + d) + q) as f64).cos());
    SparseProcess::new(kernel, InducingInputs::points(z.as_ref()).unwrap()).unwrap()
}

fn model(likelihood: &str, inducing: usize) -> PowerEp {
    let likelihood = gp_likelihoods::parse(likelihood).unwrap();
    let processes = (0..likelihood.latents()).map(|q| process(inducing, q)).collect();
    PowerEp::new(processes, likelihood).unwrap().with_threading(Threading::Here)
}

fn steps_of_classes_allocate_nothing() {
    let inputs = Mat::from_fn(1100, 2, |i, d| ((i * (7 + d)) as f64).sin());
    let labels: Vec<f64> = (0..1100).map(|i| f64::from(i % 3)).collect();
    let data = Table::with_targets(inputs.as_ref(), &labels).unwrap();
    let own = PowerEp::of_classes((0..3).map(|q| process(6, q)).collect(), 0.1).unwrap();
    let shared = PowerEp::of_alike_classes(3, process(6, 0), 0.0).unwrap();
    for (what, model) in [("own", own), ("shared", shared)] {
        let model = model.with_threading(Threading::Here);
        batch_allocates_nothing(&model, &data, what);
        batch_allocates_nothing(&model.clone().with_level(Level::Latent), &data, what);
        mini_batches_allocate_nothing(&model, &data, Sharing::Own, what);
        mini_batches_allocate_nothing(&model, &data, Sharing::Tied, what);
    }
}

/// Repeats a step until buffers have their sizes; then asserts no allocation.
fn assert_settles(what: &str, mut step: impl FnMut()) {
    // The second step can still grow a reused buffer.
    step();
    step();
    assert_eq!(blocks(&mut step), 0, "{what}");
}

fn steps_allocate_nothing() {
    let inputs = Mat::from_fn(1100, 2, |i, d| ((i * (7 + d)) as f64).sin());
    let signal: Vec<f64> = (0..1100).map(|i| (0.3 * f64::from(i)).cos()).collect();
    let labels: Vec<f64> = signal.iter().map(|y| y.signum()).collect();
    for (likelihood, y, powers) in [
        ("bernoulli_probit", &labels, &[1.0, 0.5, 0.0][..]),
        ("student_t", &signal, &[0.5]),
        ("heteroscedastic", &signal, &[1.0, 0.0]),
    ] {
        let data = Table::with_targets(inputs.as_ref(), y).unwrap();
        for alpha in powers {
            for level in [Level::Projection, Level::Latent] {
                let model = model(likelihood, 6).with_powers(Powers::Same(*alpha)).with_level(level);
                let what = format!("{likelihood}, α = {alpha}, {level:?}");
                batch_allocates_nothing(&model, &data, &what);
                mini_batches_allocate_nothing(&model, &data, Sharing::Own, &what);
                if level == Level::Projection {
                    mini_batches_allocate_nothing(&model, &data, Sharing::Tied, &what);
                }
            }
        }
    }
}

fn batch_allocates_nothing(model: &PowerEp, data: &dyn DataSource, what: &str) {
    let mut ep = BatchEp::new(model, data).unwrap();
    let mut gradient = vec![0.0; model.parameter_count()];
    let options = EpOptions::default();
    assert_settles(&format!("{what}: sweep"), || {
        ep.sweep(model, &options).unwrap();
    });
    assert_settles(&format!("{what}: refresh"), || ep.refresh(model).unwrap());
    assert_settles(&format!("{what}: gradient"), || {
        ep.log_z_gradient(model, GradientKind::Converged, &mut gradient).unwrap();
    });
    if model.level() == Level::Projection {
        assert_settles(&format!("{what}: gradient of estimate"), || {
            ep.log_z_gradient(model, GradientKind::OfEstimate, &mut gradient).unwrap();
        });
    }
    let in_turn = EpOptions { schedule: SiteOrder::InTurn, ..options };
    assert_settles(&format!("{what}: in turn"), || {
        ep.sweep_in_turn(model, &in_turn).unwrap();
    });
}

fn mini_batches_allocate_nothing(model: &PowerEp, data: &dyn DataSource, sharing: Sharing, what: &str) {
    let mut ep = MiniBatchEp::new(model, data, sharing, 40).unwrap();
    let mut gradient = vec![0.0; model.parameter_count()];
    let rows: Vec<usize> = (0..120).map(|i| (i * 37) % 1100).collect();
    assert_settles(&format!("{what}, {sharing:?}: step"), || {
        for batch in [&rows[..40], &rows[40..45], &rows[80..120]] {
            ep.step(model, data, batch, &EpOptions::default()).unwrap();
            ep.log_z_gradient(model, &mut gradient).unwrap();
            ep.refresh(model).unwrap();
        }
    });
}

/// Peak bytes during tied mini-batches from a file.
fn most_bytes(count: usize) -> usize {
    let mut file = BufWriter::new(tempfile::tempfile().unwrap());
    for i in 0..count {
        let at = i as f64;
        let row = [(0.7 * at).sin(), (1.3 * at).cos(), if (0.4 * at).sin() > 0.0 { 1.0 } else { -1.0 }];
        row.iter().for_each(|x| file.write_all(&x.to_le_bytes()).unwrap());
    }
    let file: File = file.into_inner().unwrap();
    let profiler = dhat::Profiler::builder().testing().build();
    let data = RowReader::new(file, 2, 1).unwrap();
    let model = model("bernoulli_probit", 10);
    let mut ep = MiniBatchEp::new(&model, &data, Sharing::Tied, 50).unwrap();
    let mut gradient = vec![0.0; model.parameter_count()];
    for batch in 0..count / 50 {
        let rows: [usize; 50] = std::array::from_fn(|k| (batch + k * (count / 50)) % count);
        ep.step(&model, &data, &rows, &EpOptions::default()).unwrap();
        ep.log_z_gradient(&model, &mut gradient).unwrap();
    }
    let most = dhat::HeapStats::get().max_bytes;
    drop(profiler);
    most
}

/// One test, as allocations are counted per process.
#[test]
fn repeated_steps_allocate_nothing_and_tied_sites_know_nothing_of_the_number_of_observations() {
    let profiler = dhat::Profiler::builder().testing().build();
    assert!(blocks(|| drop(std::hint::black_box(vec![1.0; 10]))) > 0, "the counter counts");
    steps_allocate_nothing();
    steps_of_classes_allocate_nothing();
    drop(profiler);
    let (few, many) = (most_bytes(2_000), most_bytes(20_000));
    assert!(few > 10_000, "{few} bytes are less than the model itself takes");
    assert_eq!(few, many);
}
