//! Modelled messages against those a team of threads sends.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use faer::Mat;
use gp_ep::operations::{Extents, SharedWork};
use gp_ep::power_ep::{MiniBatchEp, Sharing};
use gp_ep::{BatchEp, EpOptions, PowerEp, SparseProcess, Table};
use gp_kernels::data::{Messages, TeamReduction};
use gp_kernels::inducing::InducingInputs;
use gp_linalg::Threading;
use gp_optim::{ParameterSet as _, Team};
use std::sync::Arc;

/// D; kernel parameters: a variance and one length-scale per input.
const DIM: usize = 3;
const OF_KERNEL: usize = 1 + DIM;
const ROWS: usize = 1_700;

fn point(i: usize, d: usize) -> f64 {
    ((i * (7 + 4 * d)) as f64 * 0.37).sin()
}

fn process(inducing: usize, seed: usize) -> SparseProcess {
    let places = Mat::from_fn(inducing, DIM, |i, d| point(13 * i + 5 * seed + 1, d));
    let kernel = gp_kernels::parse("1.5 * rbf(lengthscale=[0.8, 0.9, 1.0])").unwrap();
    SparseProcess::new(kernel, InducingInputs::points(places.as_ref()).unwrap()).unwrap()
}

fn model(sizes: &Extents) -> PowerEp {
    let model = match *sizes {
        Extents { latents: 1, inducing, .. } => {
            PowerEp::new(vec![process(inducing, 0)], gp_likelihoods::parse("bernoulli_probit").unwrap())
        }
        Extents { latents, processes: 1, inducing, .. } => {
            PowerEp::of_alike_classes(latents, process(inducing, 0), 0.0)
        }
        Extents { latents, inducing, .. } => {
            PowerEp::of_classes((0..latents).map(|class| process(inducing, class)).collect(), 0.0)
        }
    };
    model.unwrap().with_threading(Threading::Here)
}

fn sent(sizes: &Extents, count: usize, is_step: bool) -> [u64; 2] {
    let inputs = Mat::from_fn(ROWS, DIM, point);
    let label = |i: usize| match sizes.latents {
        1 => point(i, 1).signum(),
        classes => (i % classes) as f64,
    };
    let labels: Vec<f64> = (0..ROWS).map(label).collect();
    let work = |team: Team| {
        let data = Table::with_targets(inputs.as_ref(), &labels).unwrap();
        let model = model(sizes).with_reduction(Some(Arc::new(TeamReduction::of(team.clone()))));
        let options = EpOptions { step: 0.5, ..EpOptions::default() };
        let before = |team: &Team| [team.traffic().messages, team.traffic().bytes];
        let start = if is_step {
            let mut ep = MiniBatchEp::new(&model, &data, Sharing::Tied, sizes.rows).unwrap();
            let rows: Vec<usize> = (0..sizes.rows).collect();
            let mut gradient = vec![0.0; model.parameter_count()];
            let start = before(&team);
            ep.refresh(&model).unwrap();
            assert_eq!(ep.step(&model, &data, &rows, &options).unwrap().halvings, 0);
            ep.log_z_gradient(&model, &mut gradient).unwrap();
            start
        } else {
            let mut ep = BatchEp::new(&model, &data).unwrap();
            let start = before(&team);
            assert_eq!(ep.sweep(&model, &options).unwrap().halvings, 0);
            start
        };
        let [messages, bytes] = before(&team);
        [messages - start[0], bytes - start[1]]
    };
    let all = Team::in_threads(count, work).into_iter();
    all.fold([0; 2], |[messages, bytes], [more, more_bytes]| [messages + more, bytes + more_bytes])
}

#[test]
fn messages_and_bytes_are_those_that_teams_send() {
    for inducing in [5, 12] {
        for (latents, processes) in [(1, 1), (3, 1), (3, 3)] {
            let whole = Extents { rows: ROWS, inducing, dim: DIM, latents, processes };
            let batch = Extents { rows: 700, ..whole };
            for count in [1, 2, 3, 4, 8] {
                let told = |work: &SharedWork| {
                    let Messages { count, bytes, .. } = work.messages(count);
                    [count as u64, bytes as u64]
                };
                assert_eq!(sent(&whole, count, false), told(&SharedWork::sweep(&whole)), "{count} {whole:?}");
                for sizes in [whole, batch] {
                    let step = SharedWork::step(&sizes, [OF_KERNEL, 0]);
                    assert_eq!(sent(&sizes, count, true), told(&step), "{count} {sizes:?}");
                }
            }
        }
    }
}
