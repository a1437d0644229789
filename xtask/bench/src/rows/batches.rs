//! Steps on mini-batches.

use super::{Row, Run, Work, drawn};
use crate::error::BenchError;
use gp_ep::operations::{self, Extents};
use gp_ep::power_ep::{MiniBatchEp, Sharing};
use gp_ep::{EpOptions, PowerEp, Powers};
use gp_kernels::data::{DataSource as _, Table};
use gp_kernels::inducing::SparseProcess;
use gp_linalg::Threading;
use gp_optim::{Adam, Batches, ParameterSet as _};
use gp_variational::savigp::{Bound, BoundLearning};
use gp_variational::{Inference as _, Learning, Savigp, Steps};

/// Sizes of the digits.
const N: usize = 2_000;
pub(crate) const B: usize = 200;
const M: usize = 200;
const D: usize = 784;
const C: usize = 10;
pub(crate) const ROBUST_MAX: &str = "robust_max(classes=10)";
pub(crate) const SOFTMAX: &str = "softmax(classes=10)";
const STEPS: u64 = 30;

/// Extents: shared process, process per class, signs.
const SHARED: Extents = Extents { rows: B, inducing: M, dim: D, latents: C, processes: 1 };
const EACH: Extents = Extents { processes: C, ..SHARED };
const SIGNS: Extents = Extents { rows: B, inducing: M_OF_SIGNS, dim: 2, latents: 1, processes: 1 };
const M_OF_SIGNS: usize = 100;

pub(super) const ROWS: &[Row] = &[
    Row {
        name: "S1",
        what: "30 variational steps, ten classes, robust max, D = 784, M = B = 200, one kernel and Z, Adam on everything",
        work: || Work::Operations(STEPS as f64 * operations::bound(&SHARED)),
        prepare: |threading| descent(ROBUST_MAX, threading),
    },
    Row {
        name: "S1a",
        what: "value and gradient of one such step",
        work: || Work::Operations(operations::bound(&SHARED)),
        prepare: |threading| bound(digits_model(ROBUST_MAX)?, threading),
    },
    Row {
        name: "S1b",
        what: "the same with a kernel and Z per class",
        work: || Work::Operations(operations::bound(&EACH)),
        prepare: |threading| bound(digits_model_of_each()?, threading),
    },
    Row {
        name: "S2",
        what: "30 variational steps, the same with softmax",
        work: || Work::Operations(STEPS as f64 * operations::bound(&SHARED)),
        prepare: |threading| descent(SOFTMAX, threading),
    },
    Row {
        name: "S3",
        what: "EP step with its gradient, ten classes, D = 784, M = B = 200, one kernel and Z, own sites",
        work: || Work::Operations(operations::step(&SHARED)),
        prepare: |threading| alike(Sharing::Own, threading),
    },
    Row {
        name: "S3a",
        what: "the same with tied sites",
        work: || Work::Operations(operations::step(&SHARED)),
        prepare: |threading| alike(Sharing::Tied, threading),
    },
    Row {
        name: "S4",
        what: "EP step with its gradient, ten classes with a kernel and Z each, tied sites",
        work: || Work::Operations(operations::step(&EACH)),
        prepare: each,
    },
    Row {
        name: "S5",
        what: "variational step with its gradient, two classes, D = 2, M = 100, B = 200",
        work: || Work::Operations(operations::bound(&SIGNS)),
        prepare: |threading| bound(signs_model()?, threading),
    },
    Row {
        name: "S5a",
        what: "the same by EP, own sites",
        work: || Work::Operations(operations::step(&SIGNS)),
        prepare: |threading| binary(1.0, threading),
    },
    Row {
        name: "S6",
        what: "the same by Power EP, α = ½",
        work: || Work::Operations(operations::step(&SIGNS)),
        prepare: |threading| binary(0.5, threading),
    },
];

fn digits() -> Result<&'static Table<'static>, BenchError> {
    let points = drawn::points(N, D, 3);
    drawn::table(points, drawn::classes(points, C))
}

struct Next(usize);

impl Next {
    fn rows(&mut self) -> Vec<usize> {
        let first = self.0;
        self.0 = (first + B) % N;
        (first..first + B).collect()
    }
}

pub(crate) fn digits_model(likelihood: &str) -> Result<(Savigp, &'static Table<'static>), BenchError> {
    let likelihood = gp_likelihoods::parse(likelihood)?;
    Ok((Savigp::new(vec![drawn::process(M, D, 1)?], likelihood)?, digits()?))
}

/// [`digits_model`] with one process per class.
fn digits_model_of_each() -> Result<(Savigp, &'static Table<'static>), BenchError> {
    Ok((Savigp::new(each_process()?, gp_likelihoods::parse(ROBUST_MAX)?)?, digits()?))
}

/// Two-class variational model, and data.
pub(crate) fn signs_model() -> Result<(Savigp, &'static Table<'static>), BenchError> {
    let points = drawn::points(N, 2, 3);
    let likelihood = gp_likelihoods::parse("bernoulli_probit")?;
    let model = Savigp::new(vec![drawn::process(M_OF_SIGNS, 2, 1)?], likelihood)?;
    Ok((model, drawn::table(points, drawn::signs(points))?))
}

fn descent(likelihood: &str, threading: Threading) -> Result<Run, BenchError> {
    let (start, data) = digits_model(likelihood)?;
    let start = start.with_threading(threading);
    Ok(Box::new(move || {
        let batches = Batches::shuffled(data.count(), B, 1)?;
        let how = Learning::Batches(batches, Steps::new(Adam::with_rate(0.01), STEPS));
        start.clone().learn_with(data, how, &BoundLearning::default(), &mut |_| {})?;
        Ok(())
    }))
}

fn bound((model, data): (Savigp, &'static Table<'static>), threading: Threading) -> Result<Run, BenchError> {
    let model = model.with_threading(threading);
    let mut gradient = vec![0.0; model.parameter_count()];
    let (mut state, mut next) = (Bound::for_batches(&model, data, B)?, Next(0));
    Ok(Box::new(move || {
        state.load(&model, data, &next.rows())?;
        state.gradient(&model, &mut gradient)?;
        Ok(())
    }))
}

fn step(model: PowerEp, sharing: Sharing, data: &'static Table<'static>) -> Result<Run, BenchError> {
    let mut gradient = vec![0.0; model.parameter_count()];
    let (mut ep, mut next) = (MiniBatchEp::new(&model, data, sharing, B)?, Next(0));
    Ok(Box::new(move || {
        ep.refresh(&model)?;
        ep.step(&model, data, &next.rows(), &EpOptions::default())?;
        ep.log_z_gradient(&model, &mut gradient)?;
        Ok(())
    }))
}

fn alike(sharing: Sharing, threading: Threading) -> Result<Run, BenchError> {
    let model = PowerEp::of_alike_classes(C, drawn::process(M, D, 1)?, 0.0)?;
    step(model.with_threading(threading), sharing, digits()?)
}

fn each(threading: Threading) -> Result<Run, BenchError> {
    step(PowerEp::of_classes(each_process()?, 0.0)?.with_threading(threading), Sharing::Tied, digits()?)
}

fn each_process() -> Result<Vec<SparseProcess>, BenchError> {
    (0..C).map(|class| drawn::process(M, D, 10 + class as u64)).collect()
}

fn binary(power: f64, threading: Threading) -> Result<Run, BenchError> {
    let points = drawn::points(N, 2, 3);
    let likelihood = gp_likelihoods::parse("bernoulli_probit")?;
    let model =
        PowerEp::new(vec![drawn::process(M_OF_SIGNS, 2, 1)?], likelihood)?.with_powers(Powers::Same(power));
    step(model.with_threading(threading), Sharing::Own, drawn::table(points, drawn::signs(points))?)
}
