//! Passes compared with dense algebra; teams and stop signals.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use faer::Mat;
use gp_kernels::data::{DataError, Reduction, Rows, SharedError, Table, TeamReduction};
use gp_kernels::inducing::{InducingInputs, SparseProcess};
use gp_kernels::passes::{Beliefs, Gram, HELD, LaneBlock, Layout, Pass, Passes, Setup, Sums, Whitened};
use gp_kernels::{KernelError, stoppable};
use gp_linalg::{Cholesky, JitterPolicy, LinalgError, Threading};
use gp_optim::{ParameterSet, ParameterSetMut, StopSignal, Team};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Debug, PartialEq)]
enum Fault {
    Kernel(KernelError),
    Data(DataError),
    Linalg(LinalgError),
}

impl From<KernelError> for Fault {
    fn from(error: KernelError) -> Self {
        Self::Kernel(error)
    }
}
impl From<DataError> for Fault {
    fn from(error: DataError) -> Self {
        Self::Data(error)
    }
}
impl SharedError for Fault {
    fn is_local(&self) -> bool {
        false
    }
}
impl From<LinalgError> for Fault {
    fn from(error: LinalgError) -> Self {
        Self::Linalg(error)
    }
}

const M: usize = 5;
const LATENTS: usize = 3;

fn inputs(count: usize) -> Mat<f64> {
    Mat::from_fn(count, 2, |i, d| ((i * (7 + 4 * d)) as f64 * 0.37).sin())
}

fn process(q: usize) -> SparseProcess {
    let kernel = gp_kernels::parse("1.3 * rbf(lengthscale=[0.7, 1.2]) + 0.4 * linear").unwrap();
    let z = Mat::from_fn(M, 2, |i, d| ((i * (3 + d) + q) as f64).cos());
    SparseProcess::new(kernel, InducingInputs::points(z.as_ref()).unwrap()).unwrap()
}

struct Posterior {
    factors: Vec<Cholesky>,
    half_means: Vec<Vec<f64>>,
    means: Vec<Vec<f64>>,
}

impl Posterior {
    fn new() -> Self {
        let mut all = Self { factors: vec![], half_means: vec![], means: vec![] };
        for q in 0..LATENTS {
            let root = Mat::from_fn(M, M, |i, j| ((i * 5 + j * 3 + q) as f64).sin());
            let b = &root * root.transpose() + Mat::<f64>::identity(M, M);
            let factor = Cholesky::factor(b.as_ref(), &JitterPolicy::none()).unwrap();
            let mean: Vec<f64> = (0..M).map(|i| (i as f64 + q as f64).cos()).collect();
            let l = factor.l();
            let half = (0..M).map(|j| (j..M).map(|i| l[(i, j)] * mean[i]).sum()).collect();
            all.factors.push(factor);
            all.half_means.push(half);
            all.means.push(mean);
        }
        all
    }

    fn covariance(&self, q: usize) -> Mat<f64> {
        let mut all = Mat::identity(M, M);
        self.factors[q].solve_in_place(all.as_mut(), Threading::Here).unwrap();
        all
    }
}

impl Beliefs for Posterior {
    fn of(&self, _component: usize, q: usize) -> Whitened<'_> {
        Whitened::Precision { factor: &self.factors[q], half_mean: &self.half_means[q], mean: &self.means[q] }
    }
}

/// `Σ_i Σ_q y_i sin(μ) + w² + s²`, with slopes.
fn rule(block: LaneBlock<'_, usize>, extra: &mut [f64]) -> Result<(), Fault> {
    let LaneBlock { own, seen, latents, .. } = block;
    *own += seen.count();
    for i in 0..seen.count() {
        let y = seen.target(i)[0];
        for (q, latent) in latents.iter_mut().enumerate() {
            let (mu, w, s) = (latent.mean[i], latent.variance[i], seen.residual(q, i));
            extra[0] += y * mu.sin() + w * w + s * s;
            (latent.gram[i], latent.shift[i]) = (y * w, mu + s);
            // φ̄ = y cos(μ) m + 2w · 2Vφ
            (latent.on_mean[i], latent.on_spread[i]) = (y * mu.cos(), 4.0 * w);
            latent.on_residual[i] = 2.0 * s;
        }
    }
    Ok(())
}

struct Case {
    x: Mat<f64>,
    y: Vec<f64>,
}

impl Case {
    fn new(count: usize) -> Self {
        Self { x: inputs(count), y: (0..count).map(|i| (i as f64 * 0.61).cos()).collect() }
    }

    fn table(&self) -> Table<'_> {
        Table::with_targets(self.x.as_ref(), &self.y).unwrap()
    }

    fn passes(
        &self,
        processes: &[SparseProcess],
        threading: Threading,
        reduction: Option<Arc<dyn Reduction>>,
        held: usize,
    ) -> Passes<usize> {
        let (data, capacity) = (self.table(), self.y.len());
        let data = &data;
        let setup =
            Setup { processes, latents: LATENTS, data, capacity, threading, reduction, records: true, held };
        let mut passes = Passes::new(setup, |_| 0).unwrap();
        passes.read::<Fault>(data, &Rows::Range(0..capacity), |_, _| Ok(())).unwrap();
        passes.refresh(processes, &JitterPolicy::none()).unwrap();
        passes
    }

    fn found(
        &self,
        processes: &[SparseProcess],
        threading: Threading,
        reduction: Option<Arc<dyn Reduction>>,
    ) -> (Vec<f64>, Vec<f64>) {
        let mut passes = self.passes(processes, threading, reduction, HELD);
        self.found_by(&mut passes, processes)
    }

    fn found_by(&self, passes: &mut Passes<usize>, processes: &[SparseProcess]) -> (Vec<f64>, Vec<f64>) {
        let (layout, posterior) = (Layout::new(vec![M; LATENTS], 1), Posterior::new());
        let mut sums = Sums::with_gradients(&layout, processes);
        passes.run(Pass::new(&layout).with_beliefs(&posterior), &mut sums, rule).unwrap();
        let mut gradient = vec![0.0; processes.iter().map(ParameterSet::parameter_count).sum()];
        assert!(passes.finish_reverse(&mut sums, &mut gradient).unwrap().is_empty());
        (sums.numbers, gradient)
    }
}

fn each() -> Vec<SparseProcess> {
    (0..LATENTS).map(process).collect()
}

#[test]
fn sums_are_those_of_dense_algebra() {
    let case = Case::new(700);
    let (numbers, _) = case.found(&each(), Threading::Here, None);
    let (layout, posterior) = (Layout::new(vec![M; LATENTS], 1), Posterior::new());
    let mut objective = 0.0;
    for q in 0..LATENTS {
        let process = process(q);
        let by = gp_kernels::Evaluator::new(Threading::Here);
        let mut k_zx = Mat::zeros(M, 700);
        process.inputs().cross(process.kernel(), case.x.as_ref(), k_zx.as_mut(), &by).unwrap();
        let k_zz = gp_kernels::gram(process.kernel(), process.inputs().z().as_dyn_stride()).unwrap();
        let factor = Cholesky::factor(k_zz.as_ref(), &JitterPolicy::none()).unwrap();
        factor.half_solve_in_place(k_zx.as_mut(), Threading::Here).unwrap();
        let mut prior = vec![0.0; 700];
        by.diagonal(process.kernel(), case.x.as_ref(), &mut prior).unwrap();
        let v = posterior.covariance(q);
        let (mut gram, mut shift) = (Mat::<f64>::zeros(M, M), vec![0.0; M]);
        for (i, prior) in prior.iter().enumerate() {
            let phi: Vec<f64> = k_zx.col(i).iter().copied().collect();
            let mu: f64 = phi.iter().zip(&posterior.means[q]).map(|(a, b)| a * b).sum();
            let w: f64 = (0..M).map(|a| (0..M).map(|b| phi[a] * v[(a, b)] * phi[b]).sum::<f64>()).sum();
            let s = (prior - phi.iter().map(|x| x * x).sum::<f64>()).max(0.0);
            objective += case.y[i] * mu.sin() + w * w + s * s;
            for a in 0..M {
                shift[a] += (mu + s) * phi[a];
                (0..M).for_each(|b| gram[(a, b)] += case.y[i] * w * phi[a] * phi[b]);
            }
        }
        let part = layout.part(&numbers, 0, q);
        for a in 0..M {
            // Sums of 700 numbers of order 1, in another order.
            assert!((part.shift[a] - shift[a]).abs() < 1e-9);
            (0..=a).for_each(|b| assert!((part.matrix()[(a, b)] - gram[(a, b)]).abs() < 1e-9));
        }
    }
    let found = layout.extra(&numbers)[0];
    assert!((found - objective).abs() < 1e-10 * objective.abs(), "{found} {objective}");
}

#[test]
fn gradients_are_those_of_differences() {
    let case = Case::new(300);
    let objective = |processes: &[SparseProcess]| {
        let (numbers, _) = case.found(processes, Threading::Here, None);
        numbers[numbers.len() - 1]
    };
    for processes in [each(), vec![process(0)]] {
        let (_, gradient) = case.found(&processes, Threading::Here, None);
        let mut start = 0;
        for p in 0..processes.len() {
            for at in 0..processes[p].parameter_count() {
                let moved = |step: f64| {
                    let mut processes = processes.clone();
                    let mut values = processes[p].parameter_values();
                    values[at] += step;
                    processes[p].set_parameter_values(&values).unwrap();
                    objective(&processes)
                };
                let step = 1e-5;
                let expected = (moved(step) - moved(-step)) / (2.0 * step);
                let found = gradient[start + at];
                // Central differences with step 1e-5 of sums of order 1000.
                assert!(
                    (found - expected).abs() < 2e-6 * (1.0 + expected.abs() + found.abs()) + 1e-5,
                    "{p} {at}: {found} {expected}"
                );
            }
            start += processes[p].parameter_count();
        }
    }
}

#[test]
fn a_shared_process_is_as_good_as_equal_ones() {
    let case = Case::new(500);
    let (of_shared, by_shared) = case.found(&[process(1)], Threading::Here, None);
    let (of_each, by_each) = case.found(&vec![process(1); LATENTS], Threading::Here, None);
    assert_eq!(of_shared, of_each);
    let size = by_shared.len();
    for (i, found) in by_shared.iter().enumerate() {
        let sum: f64 = (0..LATENTS).map(|q| by_each[q * size + i]).sum();
        // Summed before or after the reverse pass of the kernel.
        assert!((found - sum).abs() < 1e-10 * (1.0 + sum.abs()), "{found} {sum}");
    }
}

#[test]
fn threads_change_no_bits_and_records_change_nothing() {
    let case = Case::new(1500);
    let here = case.found(&each(), Threading::Here, None);
    for threads in [1, 2, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| case.found(&each(), Threading::Pool, None)), here, "{threads} threads");
    }
}

fn in_team<T: Send>(count: usize, work: impl Fn(Arc<dyn Reduction>) -> T + Sync) -> Vec<T> {
    Team::in_threads(count, |team| work(Arc::new(TeamReduction::of(team))))
}

#[test]
fn several_processes_find_the_bits_of_one() {
    let case = Case::new(1500);
    let one = case.found(&each(), Threading::Here, None);
    for count in [2, 3, 4, 8, 20] {
        let found = in_team(count, |team| case.found(&each(), Threading::Here, Some(team)));
        assert!(found.iter().all(|found| *found == one), "{count} processes");
    }
}

#[test]
fn a_fault_in_one_process_is_one_in_all() {
    let case = Case::new(1500);
    for (row, found) in [(0, 0), (1499, 2)] {
        let faults = in_team(3, |team| {
            let processes = each();
            let mut passes = case.passes(&processes, Threading::Here, Some(team), HELD);
            let fault = DataError::Read { row, reason: "gone".to_owned() };
            let read = passes.read(&case.table(), &Rows::Range(0..1500), |_, taken| {
                if taken.row == row { Err(Fault::Data(fault.clone())) } else { Ok(()) }
            });
            read.unwrap_err()
        });
        for (rank, fault) in faults.into_iter().enumerate() {
            let elsewhere = fault == Fault::Data(DataError::InAnotherProcess { of_the_place: false });
            assert_eq!(elsewhere, rank != found, "{rank}: {fault:?}");
        }
    }
}

#[test]
fn processes_stop_together() {
    let case = Case::new(1500);
    let stopped = in_team(3, |team| {
        let processes = each();
        let mut passes = case.passes(&processes, Threading::Here, Some(team), HELD);
        let asked = AtomicUsize::new(0);
        // Checked between passes, not within blocks.
        passes.set_stop_signal(StopSignal::together(move || asked.fetch_add(1, Ordering::Relaxed) == 1));
        let (layout, posterior) = (Layout::new(vec![M; LATENTS], 1), Posterior::new());
        let mut sums = Sums::zeros(&layout);
        let pass = Pass::new(&layout).with_beliefs(&posterior);
        (passes.run(pass, &mut sums, rule), passes.run(pass, &mut sums, rule))
    });
    stopped.iter().for_each(|ends| assert_eq!(*ends, (Ok(()), Err(Fault::Data(DataError::Stopped)))));
}

/// Two components, the second as wide as the prior.
struct Diagonals([Vec<f64>; 2], Vec<f64>);

impl Beliefs for Diagonals {
    fn of(&self, component: usize, _latent: usize) -> Whitened<'_> {
        Whitened::Diagonal { variances: &self.0[component], mean: &self.1 }
    }
}

#[test]
fn components_have_sums_of_their_own() {
    let case = Case::new(200);
    let processes = each();
    let mut passes = case.passes(&processes, Threading::Here, None, HELD);
    let layout = Layout::new(vec![M; LATENTS], 2).with_components(2, Gram::Diagonal);
    let beliefs = Diagonals([vec![0.25; M], vec![1.0; M]], vec![0.0; M]);
    let mut sums = Sums::zeros(&layout);
    let pass = Pass::new(&layout).with_beliefs(&beliefs);
    let by_variance = |block: LaneBlock<'_, usize>, extra: &mut [f64]| {
        for latent in block.latents.iter_mut() {
            extra[block.component] += latent.variance[..block.places.len()].iter().sum::<f64>();
            latent.gram.fill(1.0);
            latent.shift.fill(0.0);
        }
        Ok::<(), Fault>(())
    };
    passes.run(pass, &mut sums, by_variance).unwrap();
    let extra = layout.extra(&sums.numbers);
    assert!((4.0 * extra[0] - extra[1]).abs() < 1e-12 * extra[1]);
    let traces: f64 = (0..LATENTS).map(|q| layout.part(&sums.numbers, 1, q).gram.iter().sum::<f64>()).sum();
    // With unit variances, both are Σ ‖φ‖².
    assert!((traces - extra[1]).abs() < 1e-12 * traces);
}

#[test]
fn observations_that_come_one_at_a_time_end_in_few_blocks() {
    let (case, processes) = (Case::new(90), each());
    let expected = case.found(&processes, Threading::Here, None);
    let mut passes = case.passes(&processes, Threading::Here, None, HELD);
    let data = case.table();
    let lane = &mut passes.lanes_mut()[0];
    lane.read::<Fault>(&data, &Rows::Range(0..20), &|_, _| Ok(())).unwrap();
    for row in 20..90 {
        lane.append::<Fault>(&data, &Rows::Range(row..row + 1), &|_, _| Ok(())).unwrap();
    }
    assert!(lane.blocks().count() <= 7 && lane.count() == 90, "{} blocks", lane.blocks().count());
    lane.remove(50);
    lane.append::<Fault>(&data, &Rows::Range(50..51), &|_, _| Ok(())).unwrap();
    let refused = lane.append::<Fault>(&data, &Rows::Range(89..91), &|_, _| Ok(()));
    assert!(matches!(refused, Err(Fault::Data(DataError::Read { row: 90, .. }))), "{refused:?}");
    assert_eq!(lane.count(), 90);
    let (layout, posterior) = (Layout::new(vec![M; LATENTS], 1), Posterior::new());
    let mut sums = Sums::zeros(&layout);
    passes.run(Pass::new(&layout).with_beliefs(&posterior), &mut sums, rule).unwrap();
    for (found, expected) in sums.numbers.iter().zip(&expected.0) {
        assert!((found - expected).abs() < 1e-11 * (1.0 + expected.abs()), "{found} {expected}");
    }
}

#[test]
fn a_stop_signal_ends_a_pass_between_blocks() {
    let case = Case::new(1500);
    let processes = each();
    let mut passes = case.passes(&processes, Threading::Here, None, HELD);
    let (layout, posterior) = (Layout::new(vec![M; LATENTS], 1), Posterior::new());
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    passes.set_stop_signal(StopSignal::new(move || counter.fetch_add(1, Ordering::Relaxed) >= 2));
    let pass = Pass::new(&layout).with_beliefs(&posterior);
    let mut sums = Sums::zeros(&layout);
    assert_eq!(passes.run(pass, &mut sums, rule), Err(Fault::Data(DataError::Stopped)));
    let seen: usize = passes.lanes().iter().map(|lane| lane.own).sum();
    assert!(seen > 0 && seen < 1500, "{seen}");
    // A stop set around passes ends them on all threads.
    passes.set_stop_signal(StopSignal::default());
    let mut passes = case.passes(&processes, Threading::Pool, None, HELD);
    let asked = AtomicUsize::new(0);
    let pulled = StopSignal::new(move || asked.fetch_add(1, Ordering::Relaxed) >= 3);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(8).build().unwrap();
    let ended = pool.install(|| stoppable(&pulled, || passes.run(pass, &mut sums, rule)));
    assert_eq!(ended, Err(KernelError::Stopped.into()));
    let seen: usize = passes.lanes().iter().map(|lane| lane.own).sum();
    assert!(seen < 1500, "{seen}");
    // The same passes can run again without the stop.
    passes.set_stop_signal(StopSignal::default());
    passes.run(pass, &mut sums, rule).unwrap();
    assert_eq!(sums.numbers, case.found(&processes, Threading::Here, None).0);
}

#[test]
fn projections_that_do_not_stay_change_no_bit() {
    let case = Case::new(1500);
    for processes in [each(), vec![process(0)]] {
        let expected = case.found(&processes, Threading::Here, None);
        for threading in [Threading::Here, Threading::Pool] {
            let mut passes = case.passes(&processes, threading, None, M * 1499);
            passes.project::<Fault>().unwrap();
            for _ in 0..2 {
                assert_eq!(case.found_by(&mut passes, &processes), expected);
            }
            passes.project_all::<Fault>().unwrap();
            assert_eq!(case.found_by(&mut passes, &processes), expected);
        }
    }
}

#[test]
fn faults_of_data_are_found_by_row() {
    let mut case = Case::new(900);
    let processes = [process(0)];
    case.x[(613, 1)] = f64::INFINITY;
    let data = case.table();
    let setup = Setup {
        processes: &processes,
        latents: 1,
        data: &data,
        capacity: 900,
        threading: Threading::Here,
        reduction: None,
        records: false,
        held: HELD,
    };
    let mut passes = Passes::new(setup, |_| ()).unwrap();
    let read = passes.read::<Fault>(&data, &Rows::Range(0..900), |(), _| Ok(()));
    assert!(
        matches!(read, Err(Fault::Kernel(KernelError::NotFinite { row: 613, column: 1, .. }))),
        "{read:?}"
    );
    let narrow = Mat::<f64>::zeros(4, 1);
    let data = Table::with_targets(narrow.as_ref(), &[0.0; 4]).unwrap();
    let setup = Setup {
        processes: &processes,
        latents: 1,
        data: &data,
        capacity: 4,
        threading: Threading::Here,
        reduction: None,
        records: false,
        held: HELD,
    };
    let refused = Passes::new(setup, |_| ()).unwrap_err();
    assert!(matches!(refused, KernelError::Shape { expected: 2, found: 1, .. }), "{refused}");
}
