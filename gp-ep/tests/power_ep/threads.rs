//! The same bits whoever does the work.

use crate::support::{Problem, model};
use gp_ep::power_ep::{GradientKind, MiniBatchEp, Sharing};
use gp_ep::{BatchEp, EpOptions, Table};
use gp_linalg::Threading;

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// A sweep, log Z and a gradient on 1400 observations: more than one lane.
fn run(threads: Option<usize>) -> Vec<u64> {
    let threading = if threads.is_some() { Threading::Pool } else { Threading::Here };
    let work = || {
        let problem = Problem::new(1400, 3, 51);
        let y = problem.signs();
        let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
        let model = model("bernoulli_probit", problem.inducing(30)).with_threading(threading);
        let mut ep = BatchEp::new(&model, &data).unwrap();
        for _ in 0..3 {
            ep.sweep(&model, &EpOptions::default()).unwrap();
        }
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
