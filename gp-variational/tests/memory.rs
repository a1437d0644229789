//! Repeated steps allocate nothing; memory for batches does not grow with N.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use faer::Mat;
use gp_kernels::data::{DataError, DataSource, Rows, Table};
use gp_kernels::inducing::{InducingInputs, SparseProcess};
use gp_linalg::Threading;
use gp_optim::ParameterSet;
use gp_variational::savigp::{Bound, Covariance, Mixture};
use gp_variational::{Draws, Estimator, Expectation, Sampling, Savigp};

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

fn blocks(body: impl FnOnce()) -> u64 {
    let before = dhat::HeapStats::get().total_blocks;
    body();
    dhat::HeapStats::get().total_blocks - before
}

fn model(likelihood: &str, inducing: usize) -> Savigp {
    let likelihood = gp_likelihoods::parse(likelihood).unwrap();
    let processes = (0..likelihood.latents()).map(|q| {
        let kernel = gp_kernels::parse("1.3 * rbf(lengthscale=[0.5, 2])").unwrap();
        let z = Mat::from_fn(inducing, 2, |i, d| ((i * (5 + d) + q) as f64).cos());
        SparseProcess::new(kernel, InducingInputs::points(z.as_ref()).unwrap()).unwrap()
    });
    Savigp::new(processes.collect(), likelihood).unwrap().with_threading(Threading::Here)
}

fn sampled(estimator: Estimator, draws: Draws) -> Expectation {
    Expectation::Sampled(Sampling { estimator, draws, samples: 20, seed: 1 })
}

fn assert_settles(what: &str, mut step: impl FnMut()) {
    // Buffers may still grow in the second step.
    step();
    step();
    assert_eq!(blocks(&mut step), 0, "{what}");
}

fn steps_allocate_nothing() {
    let inputs = Mat::from_fn(1100, 2, |i, d| ((i * (7 + d)) as f64).sin());
    let labels: Vec<f64> = (0..1100).map(|i| (0.3 * f64::from(i)).cos().signum()).collect();
    let classes: Vec<f64> = (0..1100).map(|i| f64::from(i % 3)).collect();
    for (likelihood, y) in [("bernoulli_probit", &labels), ("robust_max(classes=3)", &classes)] {
        let data = Table::with_targets(inputs.as_ref(), y).unwrap();
        let expectations = [
            Expectation::Exact,
            sampled(Estimator::ControlledScore, Draws::Random),
            sampled(Estimator::ControlledScore, Draws::QuasiRandom),
        ];
        for expectation in expectations {
            let base = model(likelihood, 6).with_expectation(expectation).unwrap();
            for (covariance, components) in
                [(Covariance::Full, 1), (Covariance::Full, 2), (Covariance::Diagonal, 2)]
            {
                let posterior =
                    Mixture::spread(base.posterior().counts(), covariance, components, 1).unwrap();
                let mut model = base.clone().with_posterior(posterior).unwrap();
                let what = format!("{likelihood}, {expectation:?}, {components} {covariance:?}");
                let natural = covariance == Covariance::Full && components == 1;
                steps_of_one_allocate_nothing(&mut model, &data, natural, &what);
            }
        }
    }
}

fn steps_of_one_allocate_nothing(model: &mut Savigp, data: &dyn DataSource, natural: bool, what: &str) {
    let mut gradient = vec![0.0; model.parameter_count()];
    let mut whole = Bound::new(model, data).unwrap();
    assert_settles(&format!("{what}: all data"), || {
        whole.gradient(model, &mut gradient).unwrap();
    });
    let mut batches = Bound::for_batches(model, data, 400).unwrap();
    let rows: Vec<usize> = (0..1100).map(|i| i * 37 % 1100).collect();
    let mut first = 0;
    assert_settles(&format!("{what}: batches"), || {
        // The last batch of an epoch is shorter.
        for _ in 0..3 {
            let end = (first + 400).min(1100);
            batches.redraw();
            batches.load(model, data, &rows[first..end]).unwrap();
            batches.gradient(model, &mut gradient).unwrap();
            if natural {
                model.natural_step(&mut batches, 0.1).unwrap();
            }
            first = end % 1100;
        }
    });
}

fn steps_of_shared_processes_allocate_nothing() {
    let inputs = Mat::from_fn(1100, 2, |i, d| ((i * (7 + d)) as f64).sin());
    let classes: Vec<f64> = (0..1100).map(|i| f64::from(i % 3)).collect();
    let data = Table::with_targets(inputs.as_ref(), &classes).unwrap();
    let own = model("robust_max(classes=3)", 6);
    let process = own.processes()[0].clone();
    let shared = Savigp::new(vec![process], own.likelihood().clone_box()).unwrap();
    let mut shared = shared.with_threading(Threading::Here);
    steps_of_one_allocate_nothing(&mut shared, &data, true, "shared");
}

/// Observations computed on demand.
#[derive(Debug)]
struct Endless(usize);

impl DataSource for Endless {
    fn count(&self) -> usize {
        self.0
    }
    fn dim(&self) -> usize {
        2
    }
    fn outputs(&self) -> usize {
        1
    }
    fn read(&self, rows: &Rows<'_>, points: &mut [f64], targets: &mut [f64]) -> Result<(), DataError> {
        for place in 0..rows.len() {
            let row = rows.at(place) as f64;
            (points[2 * place], points[2 * place + 1]) = (row.sin(), (0.7 * row).cos());
            targets[place] = row.sin().signum();
        }
        Ok(())
    }
}

fn bytes(count: usize) -> usize {
    let before = dhat::HeapStats::get().curr_bytes;
    let mut model = model("bernoulli_probit", 10);
    let mut bound = Bound::for_batches(&model, &Endless(count), 100).unwrap();
    let mut gradient = vec![0.0; model.parameter_count()];
    for start in [0, count / 2] {
        let rows: Vec<usize> = (start..start + 100).collect();
        bound.load(&model, &Endless(count), &rows).unwrap();
        bound.gradient(&model, &mut gradient).unwrap();
        model.natural_step(&mut bound, 0.1).unwrap();
    }
    dhat::HeapStats::get().curr_bytes - before
}

/// One test: allocations are counted by process.
#[test]
fn steps_allocate_nothing_and_memory_does_not_know_how_many_data_there_are() {
    let _profiler = dhat::Profiler::builder().testing().build();
    assert!(blocks(|| drop(std::hint::black_box(vec![1.0; 10]))) > 0, "the counter counts");
    steps_allocate_nothing();
    steps_of_shared_processes_allocate_nothing();
    assert_eq!(bytes(1_000), bytes(1_000_000));
}
