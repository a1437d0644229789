//! Times of an EP sweep divided among processes and of messages between two, compared with the cost model.
//!
//! ```sh
//! mpirun -n 2 scaling 20000 200    # rows, inducing points
//! ```

use faer::Mat;
use gp_ep::operations::{Extents, Machine, SharedWork};
use gp_ep::{BatchEp, EpOptions, PowerEp, Table};
use gp_kernels::data::TeamReduction;
use gp_kernels::inducing::{InducingInputs, SparseProcess};
use gp_linalg::Threading;
use gp_optim::Team;
use std::error::Error;
use std::time::Instant;

/// Rounds measure everything in sequence, so that load affects all alike; the shortest time counts.
const ROUNDS: usize = 5;
const REPETITIONS: usize = 7;
/// Rows of the shortest sweep, dominated by M×M algebra.
const FEW: usize = 192;
/// Message lengths, in numbers.
const SHORT: usize = 1;
const LONG: usize = 1 << 18;
const DIM: usize = 2;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [rows, inducing] = &words[..] else { return Err("say how many rows and inducing points".into()) };
    let (rows, inducing) = (rows.parse()?, inducing.parse()?);
    let team = gp_mpi::team()?;
    let found = Found::by(&team, rows, inducing)?;
    if team.leads() {
        found.print(&team, rows, inducing);
    }
    Ok(())
}

/// Shortest times, in seconds.
struct Found {
    /// Sweeps by process 0 alone: few, half and all rows.
    alone: [f64; 3],
    together: Timed,
    messages: [f64; 2],
}

/// Seconds; message seconds of process 0; messages and bytes of all processes.
#[derive(Clone, Copy)]
struct Timed {
    seconds: f64,
    of_messages: f64,
    sent: [f64; 2],
}

impl Timed {
    const NEVER: Self = Self { seconds: f64::INFINITY, of_messages: f64::INFINITY, sent: [0.0; 2] };
}

impl Found {
    fn by(team: &Team, rows: usize, inducing: usize) -> Result<Self, Box<dyn Error>> {
        let mut found =
            Self { alone: [f64::INFINITY; 3], together: Timed::NEVER, messages: [f64::INFINITY; 2] };
        for _ in 0..ROUNDS {
            for (least, rows) in found.alone.iter_mut().zip([FEW, rows / 2, rows]) {
                if team.leads() {
                    *least = least.min(sweep(&Team::default(), rows, inducing)?.seconds);
                }
                let _ = team.decide(true);
            }
            let together = sweep(team, rows, inducing)?;
            if together.seconds < found.together.seconds {
                found.together = together;
            }
            for (least, numbers) in found.messages.iter_mut().zip([SHORT, LONG]) {
                *least = least.min(message(team, numbers)?);
            }
        }
        // Process 0 collects the counts of all.
        team.sum_counts(&mut found.together.sent)?;
        Ok(found)
    }

    /// Machine constants from sweeps over few and half of the rows.
    fn machine(&self, rows: usize, inducing: usize) -> Machine {
        let [few, half] = [FEW, rows / 2].map(|rows| work(rows, inducing));
        let rate = (half.of_rows - few.of_rows) / (self.alone[1] - self.alone[0]);
        // Positive even if the difference is too small to measure.
        let algebra = (self.alone[0] - few.of_rows / rate).max(1e-3 * self.alone[0]);
        let bandwidth = (8 * (LONG - SHORT)) as f64 / (self.messages[1] - self.messages[0]);
        let rate_of_algebra = few.of_each[0].0 / algebra;
        Machine { threads: 1, rate, rate_of_algebra, latency: self.messages[0], bandwidth }
    }

    fn print(&self, team: &Team, rows: usize, inducing: usize) {
        let (count, machine, work) = (team.count(), self.machine(rows, inducing), work(rows, inducing));
        println!("{count} processes, {rows} rows, {inducing} inducing points; the model is beside it:");
        let model = work.seconds(1, &machine).total();
        println!("  a sweep takes one process {:.5} s ({model:.5})", self.alone[2]);
        let (Timed { seconds, of_messages, sent }, model) = (self.together, work.seconds(count, &machine));
        println!("  all of them {seconds:.5} s ({:.5})", model.total());
        println!(
            "  of which {of_messages:.5} s in messages of process 0, waiting included ({:.5})",
            model.messages
        );
        let model = work.messages(count);
        println!("  {} messages ({}) of {} bytes ({})", sent[0], model.count, sent[1], model.bytes);
        println!("  rows at {:.2} GF/s, algebra at {:.2}", machine.rate / 1e9, machine.rate_of_algebra / 1e9);
        if count > 1 {
            let Machine { latency, bandwidth, .. } = machine;
            println!("  a message takes {:.2} µs and a second for {:.2} GB", 1e6 * latency, bandwidth / 1e9);
        }
    }
}

fn work(rows: usize, inducing: usize) -> SharedWork {
    SharedWork::sweep(&Extents { rows, inducing, dim: DIM, latents: 1, processes: 1 })
}

fn sweep(team: &Team, rows: usize, inducing: usize) -> Result<Timed, Box<dyn Error>> {
    let at = |i: usize, d: usize| 3.0 * ((i * (7 + 4 * d)) as f64 * 0.37).sin();
    let inputs = Mat::from_fn(rows, DIM, at);
    let labels: Vec<f64> = (0..rows).map(|i| (at(i, 0).sin() + 0.3 * at(i, 1)).signum()).collect();
    let places = Mat::from_fn(inducing, DIM, |i, d| at(i * 13 + 5, d));
    let kernel = gp_kernels::parse("1.0 * rbf(lengthscale=1.0)")?;
    let process = SparseProcess::new(kernel, InducingInputs::points(places.as_ref())?)?;
    let model = PowerEp::new(vec![process], gp_likelihoods::parse("bernoulli_probit")?)?;
    // One thread per process, as in the model.
    let model = model.with_threading(Threading::Here);
    let data = Table::with_targets(inputs.as_ref(), &labels)?;
    let mut ep = BatchEp::with_reduction(&model, &data, Box::new(TeamReduction::of(team.clone())))?;
    let mut least = Timed::NEVER;
    for _ in 0..REPETITIONS {
        // Synchronises the starts.
        let _ = team.decide(true);
        let (begun, before) = (Instant::now(), team.traffic());
        ep.sweep(&model, &EpOptions::default())?;
        let (seconds, after) = (begun.elapsed().as_secs_f64(), team.traffic());
        if seconds < least.seconds {
            let sent = [after.messages - before.messages, after.bytes - before.bytes];
            let of_messages = (after.time - before.time).as_secs_f64();
            least = Timed { seconds, of_messages, sent: sent.map(|number| number as f64) };
        }
    }
    Ok(least)
}

/// Shortest seconds of a message between processes 0 and 1: half a round trip.
fn message(team: &Team, numbers: usize) -> Result<f64, Box<dyn Error>> {
    let (mut least, mut numbers) = (f64::INFINITY, vec![0.5; numbers]);
    for _ in 0..20 * REPETITIONS {
        let begun = Instant::now();
        match team.rank() {
            0 if team.count() > 1 => {
                team.send(1, &numbers)?;
                team.receive(1, &mut numbers)?;
            }
            1 => {
                team.receive(0, &mut numbers)?;
                team.send(0, &numbers)?;
            }
            _ => {}
        }
        least = least.min(0.5 * begun.elapsed().as_secs_f64());
    }
    Ok(least)
}
