//! Results have the same bits for any number of threads and processes.

use super::support::{Problem, model};
use gp_ep::power_ep::{GradientKind, MiniBatchEp, Sharing};
use gp_ep::{BatchEp, EpOptions, Reduction, Table};
use gp_kernels::data::TeamReduction;
use gp_linalg::Threading;
use gp_optim::Team;

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn run(threads: Option<usize>) -> Vec<u64> {
    let threading = if threads.is_some() { Threading::Pool } else { Threading::Here };
    let work = || {
        let problem = Problem::new(1400, 3, 51);
        let y = problem.signs();
        let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
        let model = model("bernoulli_probit", problem.inducing(30)).with_threading(threading);
        let mut ep = BatchEp::new(&model, &data).unwrap();
        // A plain sweep, then some with Anderson mixing.
        ep.sweep(&model, &EpOptions::default()).unwrap();
        ep.converge(&model, &EpOptions { max_sweeps: 4, ..EpOptions::default() }).unwrap();
        let mut gradient = vec![0.0; 92];
        let log_z = ep.log_z_gradient(&model, GradientKind::OfEstimate, &mut gradient).unwrap();
        gradient.push(log_z);
        gradient.extend_from_slice(ep.posterior(&model, 0).unwrap().mean());
        let mut batches = MiniBatchEp::new(&model, &data, Sharing::Own, 1100).unwrap();
        let rows: Vec<usize> = (0..1100).collect();
        gradient.push(batches.step(&model, &data, &rows, &EpOptions::default()).unwrap().log_z);
        gradient.extend_from_slice(batches.posterior(&model, 0).unwrap().mean());
        bits(&gradient)
    };
    match threads {
        None => work(),
        Some(threads) => rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work),
    }
}

#[test]
fn threads_do_not_change_bits() {
    let here = run(None);
    for threads in [1, 2, 8] {
        assert_eq!(run(Some(threads)), here, "{threads} threads");
    }
}

#[test]
fn several_processes_find_the_same_bits_as_one() {
    let problem = Problem::new(2100, 2, 52);
    let y = problem.signs();
    let run = |reduction: Option<Box<dyn Reduction>>| {
        let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
        let model = model("bernoulli_probit", problem.inducing(12)).with_threading(Threading::Here);
        let mut ep = match reduction {
            Some(reduction) => BatchEp::with_reduction(&model, &data, reduction).unwrap(),
            None => BatchEp::new(&model, &data).unwrap(),
        };
        // A plain sweep, then some with Anderson mixing.
        ep.sweep(&model, &EpOptions::default()).unwrap();
        ep.converge(&model, &EpOptions { max_sweeps: 4, ..EpOptions::default() }).unwrap();
        let mut found = vec![0.0; 26];
        let log_z = ep.log_z_gradient(&model, GradientKind::OfEstimate, &mut found).unwrap();
        found.push(log_z);
        found.extend_from_slice(ep.posterior(&model, 0).unwrap().mean());
        bits(&found)
    };
    let one = run(None);
    for count in [2, 3, 4, 8] {
        let several: Vec<Vec<u64>> =
            Team::in_threads(count, |team| run(Some(Box::new(TeamReduction::of(team)))));
        several.iter().for_each(|found| assert_eq!(*found, one, "{count} processes"));
    }
}
