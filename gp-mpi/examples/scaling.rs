//! Time of a sweep of EP whose rows the processes share, and of messages from one process to another.
//!
//! ```sh
//! mpirun -n 2 scaling 20000 200    # rows, inducing points
//! ```

use faer::Mat;
use gp_ep::{BatchEp, EpOptions, PowerEp, Table};
use gp_kernels::data::TeamReduction;
use gp_kernels::inducing::{InducingInputs, SparseProcess};
use gp_optim::Team;
use std::error::Error;
use std::time::Instant;

/// The least time of so many counts.
const REPETITIONS: usize = 7;
/// Numbers of a short message and of a long one.
const SHORT: usize = 1;
const LONG: usize = 1 << 18;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [rows, inducing] = &words[..] else { return Err("say how many rows and inducing points".into()) };
    let (rows, inducing) = (rows.parse()?, inducing.parse()?);
    let team = gp_mpi::team()?;
    let (seconds, of_messages) = sweep(&team, rows, inducing)?;
    let (short, long) = (message(&team, SHORT)?, message(&team, LONG)?);
    if team.leads() {
        let (count, bytes) = (team.count(), 8 * (LONG - SHORT));
        println!("{count} processes, {rows} rows, {inducing} inducing points:");
        println!("  a sweep takes {seconds:.5} s, of which {of_messages:.5} s in messages of process 0");
        if count > 1 {
            let bandwidth = bytes as f64 / (long - short) / 1e9;
            println!("  a message takes {:.2} µs and a second for {bandwidth:.2} GB", 1e6 * short);
        }
    }
    Ok(())
}

/// The least seconds of a sweep, and of its messages.
fn sweep(team: &Team, rows: usize, inducing: usize) -> Result<(f64, f64), Box<dyn Error>> {
    let at = |i: usize, d: usize| 3.0 * ((i * (7 + 4 * d)) as f64 * 0.37).sin();
    let inputs = Mat::from_fn(rows, 2, at);
    let labels: Vec<f64> = (0..rows).map(|i| (at(i, 0).sin() + 0.3 * at(i, 1)).signum()).collect();
    let places = Mat::from_fn(inducing, 2, |i, d| at(i * 13 + 5, d));
    let kernel = gp_kernels::parse("1.0 * rbf(lengthscale=1.0)")?;
    let process = SparseProcess::new(kernel, InducingInputs::points(places.as_ref())?)?;
    let model = PowerEp::new(vec![process], gp_likelihoods::parse("bernoulli_probit")?)?;
    let data = Table::with_targets(inputs.as_ref(), &labels)?;
    let mut ep = BatchEp::with_reduction(&model, &data, Box::new(TeamReduction::of(team.clone())))?;
    let (mut least, mut of_messages) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..REPETITIONS {
        // All begin together.
        let _ = team.decide(true);
        let (begun, before) = (Instant::now(), team.traffic().time);
        ep.sweep(&model, &EpOptions::default())?;
        let seconds = begun.elapsed().as_secs_f64();
        if seconds < least {
            (least, of_messages) = (seconds, (team.traffic().time - before).as_secs_f64());
        }
    }
    Ok((least, of_messages))
}

/// The least seconds of a message from process 0 to process 1: half of there and back.
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
