//! Repeated sizes allocate nothing.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use faer::Mat;
use gp_ep::{Blocks, ExactGp, ExactWorkspace, Observations, Powers};
use gp_ep::{ClosedEvidence as _, RegressionWorkspace, SparseProcess, SparseRegression};
use gp_kernels::inducing::InducingInputs;
use gp_likelihoods::Gaussian;
use gp_linalg::Threading;
use gp_optim::ParameterSet;

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

fn blocks(body: impl FnOnce()) -> u64 {
    let before = dhat::HeapStats::get().total_blocks;
    body();
    dhat::HeapStats::get().total_blocks - before
}

/// One test, as allocations are counted per process.
#[test]
fn repeated_evaluations_allocate_nothing() {
    let _profiler = dhat::Profiler::builder().testing().build();
    assert!(blocks(|| drop(std::hint::black_box(vec![1.0; 10]))) > 0, "the counter counts");

    let inputs = Mat::from_fn(150, 2, |i, d| ((i * (7 + d)) as f64).sin());
    let targets: Vec<f64> = (0..150).map(|i| (0.3 * f64::from(i)).cos()).collect();
    let data = Observations::new(inputs.as_ref(), &targets).unwrap();
    let kernel = gp_kernels::parse("1.3 * rbf(lengthscale=[0.5, 2]) + linear").unwrap();
    let model = ExactGp::new(kernel, Gaussian::new(0.1).unwrap()).with_threading(Threading::Here);

    let (mut workspace, mut gradient) =
        (ExactWorkspace::new(Threading::Here), vec![0.0; model.parameter_count()]);
    let mut step = || {
        model.log_marginal_likelihood_gradient(&data, &mut workspace, &mut gradient).unwrap();
    };
    step();
    // The second step can still grow a reused buffer.
    step();
    assert_eq!(blocks(&mut step), 0);

    sparse_evaluations_allocate_nothing();
}

fn sparse_evaluations_allocate_nothing() {
    let inputs = Mat::from_fn(1100, 2, |i, d| ((i * (7 + d)) as f64).sin());
    let targets: Vec<f64> = (0..1100).map(|i| (0.3 * f64::from(i)).cos()).collect();
    let data = Observations::new(inputs.as_ref(), &targets).unwrap();
    let kernel = gp_kernels::parse("1.3 * rbf(lengthscale=[0.5, 2]) + linear").unwrap();
    let z = InducingInputs::points(inputs.as_ref().subrows(3, 20)).unwrap();
    let process = SparseProcess::new(kernel, z).unwrap();
    let points = SparseRegression::new(process, Gaussian::new(0.1).unwrap(), Powers::Same(0.5))
        .with_threading(Threading::Here);
    let some = Blocks::from_labels(&(0..1100).map(|i| i % 30).collect::<Vec<_>>()).unwrap();
    let weights: Vec<f64> = (0..1100).map(|i| 1.0 + f64::from(i % 3)).collect();
    let weighted = data.with_weights(&weights).unwrap();
    let bound = points.clone().with_powers(Powers::Same(0.0));
    let cases = [
        (points.clone(), &data),
        (points.with_blocks(some), &data),
        (bound.clone(), &data),
        (bound, &weighted),
    ];
    for (model, data) in cases {
        let (mut workspace, mut gradient) = (RegressionWorkspace::new(), vec![0.0; model.parameter_count()]);
        let mut step = || {
            model.log_marginal_likelihood_gradient(data, &mut workspace, &mut gradient).unwrap();
        };
        step();
        step();
        assert_eq!(blocks(&mut step), 0);
    }
}
