//! Power EP on binary classification data of seed 003's Table 1, and how long inner and outer training take.
//!
//! ```sh
//! GP_DATA=folder/of/data cargo run --release -p gp-ep --example power_ep_benchmarks
//! cargo run --release -p gp-ep --example power_ep_benchmarks -- pima heart
//! ```
//!
//! Means over the first three splits; 15 % of the observations are inducing inputs, drawn at random and trained. The
//! kernel is a squared exponential with one length-scale an input, and noise on the latent function. NLL is the mean
//! negative log predictive probability of the test labels.

#[path = "../../tests/support/data.rs"]
mod data;

use data::DataSet;
use gp_ep::power_ep::{InnerOptions, Moment};
use gp_ep::{BatchEp, EpError, EpOptions, Level, PowerEp, Powers, SparseProcess, Table, TrainingProgress};
use gp_kernels::Evaluator;
use gp_kernels::placement::{Placement, RandomSubset};
use gp_kernels::posterior::InducingPosterior;
use gp_likelihoods::{BernoulliProbit, Latent, Likelihood, Workspace};
use gp_optim::{MinimiseOptions, SignAdaptive};
use std::time::Instant;

struct Problem {
    name: &'static str,
    set: DataSet,
    /// Rows of test sets.
    splits: Vec<Vec<usize>>,
}

/// The data sets that are there.
fn problems() -> Vec<Problem> {
    let split = ["pima", "ionosphere", "sonar", "crabs", "breast"].into_iter().filter_map(|name| {
        let set = data::table(&format!("binary/{name}.csv"))?;
        let splits = data::splits(&format!("splits/{name}_pep20.csv.gz"))?.into_iter().take(3).collect();
        Some(Problem { name, set, splits })
    });
    let heart = data::table("binary/heart.csv").map(|set| {
        let splits = (0..3).map(|k| (k..set.targets.len()).step_by(10).collect()).collect();
        Problem { name: "heart", set, splits }
    });
    let banana = data::table("binary/banana.csv").and_then(|set| {
        let training = data::splits("splits/banana_train400_rows.csv.gz")?.into_iter().next()?;
        let test = (0..set.targets.len()).filter(|row| !training.contains(row)).collect();
        Some(Problem { name: "banana", set, splits: vec![test] })
    });
    split.chain(heart).chain(banana).collect()
}

fn model(training: &DataSet) -> Result<PowerEp, EpError> {
    let (count, dim) = (training.inputs.nrows(), training.inputs.ncols());
    let lengthscales = vec![format!("{}", (dim as f64).sqrt()); dim].join(", ");
    let kernel = gp_kernels::parse(&format!("1 * rbf(lengthscale=[{lengthscales}]) + 0.1 * white"))?;
    let placed = RandomSubset.place(kernel.as_ref(), training.inputs.as_ref(), count * 15 / 100, 1)?;
    PowerEp::new(vec![SparseProcess::new(kernel, placed.inputs)?], Box::new(BernoulliProbit))
}

/// What a method makes of one split.
struct Outcome {
    log_z: f64,
    error: f64,
    nll: f64,
    seconds: f64,
    /// Seconds after which the estimate of log Z had come 99 % of its way.
    almost: f64,
}

/// Error and mean negative log predictive probability.
fn score(posterior: &InducingPosterior, test: &DataSet) -> Result<(f64, f64), EpError> {
    let found = posterior.predict(test.inputs.as_ref(), &Evaluator::default())?;
    let (mut wrong, mut nll, mut ws) = (0.0, 0.0, Workspace::new());
    for (i, y) in test.targets.iter().map(|y| y.signum()).enumerate() {
        let latent = Latent::new(found.mean[i], found.variance[i])?;
        nll -= BernoulliProbit.log_predictive_density(&[y], &[latent], &mut ws)?;
        wrong += f64::from(u8::from(found.mean[i] * y <= 0.0));
    }
    let count = test.targets.len() as f64;
    Ok((wrong / count, nll / count))
}

#[derive(Clone, Copy)]
enum Method {
    Outer(Level, f64),
    Inner(f64),
}

fn run(method: Method, training: &DataSet, test: &DataSet) -> Result<Outcome, EpError> {
    let y: Vec<f64> = training.targets.iter().map(|y| y.signum()).collect();
    let data = Table::with_targets(training.inputs.as_ref(), &y)?;
    let mut model = model(training)?;
    let (start, mut course) = (Instant::now(), Vec::new());
    let mut progress =
        |now: TrainingProgress| course.push((start.elapsed().as_secs_f64(), now.log_posterior));
    let (log_z, posterior) = match method {
        Method::Outer(level, power) => {
            model = model.with_level(level).with_powers(Powers::Same(power));
            let options = MinimiseOptions { max_iterations: 250, ..MinimiseOptions::default() };
            let mut trained = model.train_outer(&data, &EpOptions::default(), &options, progress)?;
            (trained.state.log_z(&model)?, trained.state.posterior(&model, 0)?)
        }
        Method::Inner(power) => {
            model = model.with_powers(Powers::Same(power));
            let rule = SignAdaptive::with_rate(0.01);
            let watch = |now: Moment<'_, BatchEp>| progress(now.progress);
            let mut trained = model.train_inner(&data, rule, &InnerOptions::default(), watch)?;
            trained.state.converge(&model, &EpOptions::default())?;
            (trained.state.log_z(&model)?, trained.state.posterior(&model, 0)?)
        }
    };
    let seconds = start.elapsed().as_secs_f64();
    let first = course.first().map_or(log_z, |(_, value)| *value);
    let goal = first + 0.99 * (log_z - first);
    // From here on the estimate stays above the goal.
    let below = course.iter().rposition(|(_, value)| *value < goal);
    let almost = below.and_then(|i| course.get(i + 1)).map_or(seconds, |(at, _)| *at);
    let (error, nll) = score(&posterior, test)?;
    Ok(Outcome { log_z, error, nll, seconds, almost })
}

fn main() -> Result<(), EpError> {
    let methods = [
        ("EP, inner", Method::Inner(1.0)),
        ("EP, outer", Method::Outer(Level::Projection, 1.0)),
        ("GFITC, outer", Method::Outer(Level::Latent, 1.0)),
        ("α = 0.5, outer", Method::Outer(Level::Projection, 0.5)),
        ("α = 0, outer", Method::Outer(Level::Projection, 0.0)),
    ];
    println!("data          method           error    NLL     log Z   seconds  to 99 %");
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let is_asked = |problem: &Problem| asked.is_empty() || asked.iter().any(|name| name == problem.name);
    for problem in problems().into_iter().filter(is_asked) {
        for (name, method) in methods {
            let mut sums = [0.0; 5];
            for split in &problem.splits {
                let (training, test) = problem.set.split(split);
                let found = run(method, &training, &test)?;
                let all = [found.error, found.nll, found.log_z, found.seconds, found.almost];
                sums.iter_mut().zip(all).for_each(|(sum, x)| *sum += x / problem.splits.len() as f64);
            }
            let [error, nll, log_z, seconds, almost] = sums;
            println!(
                "{:12}  {name:14}  {error:6.3}  {nll:6.3}  {log_z:8.2}  {seconds:7.1}  {almost:7.1}",
                problem.name
            );
        }
    }
    Ok(())
}
