//! Same bits for any number of threads.

use super::models::{places, scattered_blocks, sparse};
use super::support::{Problem, RBF};
use gp_ep::Inference as _;
use gp_ep::{Blocks, ClosedEvidence as _, RegressionWorkspace, SparseRegression};
use gp_linalg::Threading;
use gp_optim::ParameterSet;

fn evaluate(model: &SparseRegression, problem: &Problem, threads: usize) -> (u64, Vec<u64>, Vec<u64>) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut gradient = vec![0.0; model.parameter_count()];
        let mut workspace = RegressionWorkspace::new();
        let value =
            model.log_marginal_likelihood_gradient(&problem.data(), &mut workspace, &mut gradient).unwrap();
        let posterior = model.posterior(&problem.data()).unwrap();
        let predicted = posterior.latents(problem.inputs.as_ref()).unwrap();
        let bits = |numbers: &[f64]| numbers.iter().map(|x| x.to_bits()).collect();
        (value.to_bits(), bits(&gradient), bits(&predicted[0].variance))
    })
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    // Four lanes; with a hundred inducing inputs products are divided among threads if lanes are not.
    let problem = Problem::new(2300, 3, 30);
    let points = sparse(RBF, places(100, 3).as_ref(), 0.05, 0.5);
    let some = Blocks::from_labels(&(0..2300).map(|i| i % 31).collect::<Vec<_>>()).unwrap();
    // Large blocks leave some lanes empty.
    let few = scattered_blocks(2300);
    for model in [points.clone(), points.clone().with_blocks(some), points.with_blocks(few)] {
        check(&model, &problem);
    }
    // One block is one lane, on all threads.
    let problem = Problem::new(1100, 3, 31);
    let whole = Blocks::from_labels(&[0; 1100]).unwrap();
    check(&sparse(RBF, places(100, 3).as_ref(), 0.05, 0.5).with_blocks(whole), &problem);
}

#[track_caller]
fn check(model: &SparseRegression, problem: &Problem) {
    let alone = evaluate(&model.clone().with_threading(Threading::Here), problem, 1);
    for threads in [1, 2, 8] {
        assert_eq!(alone, evaluate(model, problem, threads), "{threads} threads");
    }
}
