//! Times of a case with one and two processes, and of their messages.

use super::cases::{Case, Kind};
use crate::error::ExperimentError;
use crate::harness::{Effort, Extent, Outcome, Stopwatch};
use crate::items::growth::{Drawn, Sizes, process};
use gp_ep::power_ep::{MiniBatchEp, Sharing};
use gp_ep::{BatchEp, EpOptions, PowerEp};
use gp_kernels::data::TeamReduction;
use gp_linalg::Threading;
use gp_optim::{ParameterSet as _, Team};
use std::sync::Arc;
use std::time::Instant;

type Evaluation<'a> = Box<dyn FnMut() -> Result<(), ExperimentError> + 'a>;

/// Few rows, dominated by M×M algebra.
pub(super) const FEW: usize = 192;
/// Message lengths, in numbers.
const SHORT: usize = 1;
const LONG: usize = 1 << 18;

pub(super) const SECONDS: [&str; 4] = ["few", "half", "one", "two"];
pub(super) const ON_CLOCK: &str = "two on the clock";
pub(super) const OF_MESSAGES: &str = "messages of two";
pub(super) const COUNT: &str = "count";
pub(super) const BYTES: &str = "bytes";
pub(super) const LATENCY: &str = "latency";
pub(super) const BANDWIDTH: &str = "bandwidth";

/// Shortest times, messages and bytes.
#[derive(Clone, Copy, Debug)]
struct Timed {
    processor: f64,
    clock: f64,
    of_messages: f64,
    sent: [u64; 2],
}

impl Timed {
    const NEVER: Self =
        Self { processor: f64::INFINITY, clock: f64::INFINITY, of_messages: f64::INFINITY, sent: [0; 2] };

    fn least(self, other: Self) -> Self {
        Self {
            processor: self.processor.min(other.processor),
            clock: self.clock.min(other.clock),
            of_messages: self.of_messages.min(other.of_messages),
            sent: other.sent,
        }
    }

    /// Slower times, least message time, summed traffic.
    fn together(self, other: Self) -> Self {
        Self {
            processor: self.processor.max(other.processor),
            clock: self.clock.max(other.clock),
            of_messages: self.of_messages.min(other.of_messages),
            sent: [self.sent[0] + other.sent[0], self.sent[1] + other.sent[1]],
        }
    }
}

/// Alternates all timings, in rounds.
pub(super) fn measured(case: &Case, extent: &Extent) -> Result<Outcome, ExperimentError> {
    let sizes = Sizes::read(case.setting(extent.form));
    let drawn = if sizes.classes == 1 { Drawn::signs(&sizes) } else { Drawn::labels(&sizes) };
    let (rounds, seconds) = extent.choose((3, 0.4), (3, 0.4), (1, 0.0));
    let works = [(FEW, 1), (sizes.batch / 2, 1), (sizes.batch, 1), (sizes.batch, 2)];
    let (mut least, mut message) = ([Timed::NEVER; 4], [f64::INFINITY; 2]);
    for _ in 0..rounds {
        for (least, (rows, team)) in least.iter_mut().zip(works) {
            *least = least.least(by_team(case, &sizes, &drawn, (rows, team, seconds))?);
        }
        for (least, numbers) in message.iter_mut().zip([SHORT, LONG]) {
            *least = least.min(seconds_of_message(numbers)?);
        }
    }
    let mut outcome = Outcome::of([(LATENCY, message[0])]);
    outcome = outcome.with(BANDWIDTH, (8 * (LONG - SHORT)) as f64 / (message[1] - message[0]).max(1e-9));
    for (name, timed) in SECONDS.iter().zip(least) {
        outcome = outcome.with(name, timed.processor);
    }
    let [count, bytes] = least[3].sent.map(|number| number as f64);
    outcome = outcome
        .with(ON_CLOCK, least[3].clock)
        .with(OF_MESSAGES, least[3].of_messages)
        .with(COUNT, count)
        .with(BYTES, bytes);
    Ok(outcome.by(Effort::ended("no training", 0)))
}

fn in_step<T: Send>(
    count: usize,
    work: impl Fn(Team) -> Result<T, ExperimentError> + Sync,
) -> Result<Vec<T>, ExperimentError> {
    Team::in_threads(count, work).into_iter().collect()
}

/// Times two or more evaluations after a warm-up.
fn by_team(
    case: &Case,
    sizes: &Sizes,
    drawn: &Drawn,
    (rows, count, seconds): (usize, usize, f64),
) -> Result<Timed, ExperimentError> {
    let found = in_step(count, |team| {
        let mut run = evaluation(case, sizes, drawn, (rows, &team))?;
        run()?;
        let (begun, mut least, mut repetitions) = (Instant::now(), Timed::NEVER, 0);
        // Process 0 decides whether to continue, which also synchronises the starts.
        while team.decide(repetitions < 2 || begun.elapsed().as_secs_f64() < seconds) {
            let (processor, start, before) = (Stopwatch::start(), Instant::now(), team.traffic());
            run()?;
            let (processor, clock) = (processor.seconds(), start.elapsed().as_secs_f64());
            let after = team.traffic();
            let of_messages = (after.time - before.time).as_secs_f64();
            let sent = [after.messages - before.messages, after.bytes - before.bytes];
            least = least.least(Timed { processor, clock, of_messages, sent });
            repetitions += 1;
        }
        Ok(least)
    })?;
    found.into_iter().reduce(Timed::together).ok_or_else(|| ExperimentError::Files("no team".to_owned()))
}

fn evaluation<'a>(
    case: &Case,
    sizes: &Sizes,
    drawn: &'a Drawn,
    (rows, team): (usize, &Team),
) -> Result<Evaluation<'a>, ExperimentError> {
    let reduction = Arc::new(TeamReduction::of(team.clone()));
    let model = model(case, sizes)?.with_threading(Threading::Here).with_reduction(Some(reduction));
    // With a batch smaller than the table, projections are recorded.
    let is_part = sizes.batch < sizes.rows;
    let table = if is_part { drawn.table()? } else { drawn.first(rows)? };
    if case.kind == Kind::Sweep {
        let mut ep = BatchEp::new(&model, &table)?;
        return Ok(Box::new(move || {
            ep.sweep(&model, &EpOptions::default())?;
            Ok(())
        }));
    }
    let mut ep = MiniBatchEp::new(&model, &table, Sharing::Tied, rows)?;
    let (rows, mut gradient): (Vec<usize>, _) = ((0..rows).collect(), vec![0.0; model.parameter_count()]);
    Ok(Box::new(move || {
        ep.refresh(&model)?;
        ep.step(&model, &table, &rows, &EpOptions::default())?;
        ep.log_z_gradient(&model, &mut gradient)?;
        Ok(())
    }))
}

fn model(case: &Case, sizes: &Sizes) -> Result<PowerEp, ExperimentError> {
    let process_of = |class: usize| process(sizes, 1 + class as u64);
    Ok(match sizes.classes {
        1 => PowerEp::new(vec![process_of(0)?], gp_likelihoods::parse("bernoulli_probit")?)?,
        classes if case.own => {
            PowerEp::of_classes((0..classes).map(process_of).collect::<Result<_, _>>()?, 0.0)?
        }
        classes => PowerEp::of_alike_classes(classes, process_of(0)?, 0.0)?,
    })
}

/// Half of the shortest round trip.
fn seconds_of_message(numbers: usize) -> Result<f64, ExperimentError> {
    let found = in_step(2, |team| {
        let (mut least, mut numbers) = (f64::INFINITY, vec![0.5; numbers]);
        for _ in 0..100 {
            let begun = Instant::now();
            if team.leads() {
                team.send(1, &numbers)?;
                team.receive(1, &mut numbers)?;
            } else {
                team.receive(0, &mut numbers)?;
                team.send(0, &numbers)?;
            }
            least = least.min(0.5 * begun.elapsed().as_secs_f64());
        }
        Ok(least)
    })?;
    Ok(found[0])
}
