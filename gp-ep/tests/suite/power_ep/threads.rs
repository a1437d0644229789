//! The same bits whoever does the work, threads of one process or several processes.

use super::support::{Problem, model};
use gp_ep::power_ep::{GradientKind, MiniBatchEp, Sharing};
use gp_ep::{BatchEp, DataError, EpOptions, Reduction, Table};
use gp_kernels::data::tree::add_nodes;
use gp_linalg::Threading;
use std::ops::Range;
use std::sync::{Arc, Barrier, Mutex};

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// Sweeps, log Z and a gradient on 1400 observations: more than one lane.
fn run(threads: Option<usize>) -> Vec<u64> {
    let threading = if threads.is_some() { Threading::Pool } else { Threading::Here };
    let work = || {
        let problem = Problem::new(1400, 3, 51);
        let y = problem.signs();
        let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
        let model = model("bernoulli_probit", problem.inducing(30)).with_threading(threading);
        let mut ep = BatchEp::new(&model, &data).unwrap();
        // Plain sweeps first, then some that remember each other.
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

/// The sums of every process, over nodes of the tree of lanes.
type AllSums = Mutex<Vec<Vec<(Range<usize>, Vec<f64>)>>>;

/// One of several processes, which are threads here and hear of each other through a table of all sums.
#[derive(Debug)]
struct Process {
    rank: usize,
    all: Arc<(AllSums, Barrier)>,
}

impl Process {
    const COUNT: usize = 3;
}

impl Reduction for Process {
    fn own(&self, lanes: usize) -> Range<usize> {
        self.rank * lanes / Self::COUNT..(self.rank + 1) * lanes / Self::COUNT
    }

    fn sum(
        &self,
        lanes: usize,
        parts: &[(Range<usize>, &[f64])],
        total: &mut [f64],
    ) -> Result<(), DataError> {
        let (table, barrier) = &*self.all;
        let own = parts.iter().map(|(node, sums)| (node.clone(), sums.to_vec()));
        table.lock().unwrap()[self.rank] = own.collect();
        barrier.wait();
        let all = table.lock().unwrap().concat();
        let all: Vec<(Range<usize>, &[f64])> =
            all.iter().map(|(node, sums)| (node.clone(), sums.as_slice())).collect();
        add_nodes(lanes, &all, total)?;
        barrier.wait();
        Ok(())
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
        // Plain sweeps first, then some that remember each other.
        ep.sweep(&model, &EpOptions::default()).unwrap();
        ep.converge(&model, &EpOptions { max_sweeps: 4, ..EpOptions::default() }).unwrap();
        let mut found = vec![0.0; 26];
        let log_z = ep.log_z_gradient(&model, GradientKind::OfEstimate, &mut found).unwrap();
        found.push(log_z);
        found.extend_from_slice(ep.posterior(&model, 0).unwrap().mean());
        bits(&found)
    };
    let one = run(None);
    let all = Arc::new((Mutex::new(vec![Vec::new(); Process::COUNT]), Barrier::new(Process::COUNT)));
    let several: Vec<Vec<u64>> = std::thread::scope(|scope| {
        let start = |rank| {
            let process: Box<dyn Reduction> = Box::new(Process { rank, all: Arc::clone(&all) });
            scope.spawn(|| run(Some(process)))
        };
        let threads: Vec<_> = (0..Process::COUNT).map(start).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    several.iter().for_each(|found| assert_eq!(*found, one));
}
