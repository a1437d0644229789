//! Sparse regression beside exact regression on Snelson's data, Boston and Concrete.
//!
//! ```sh
//! GP_DATA=folder/of/data cargo run --release -p gp-ep --example regression_benchmarks
//! ```
//!
//! SMSE is the mean squared error over the variance of the test targets; SMLL the mean negative log predictive density
//! less that of a normal distribution with the moments of the training targets (negative is better). Means over the
//! first three splits; all parameters and inducing inputs are trained.

#[path = "../../tests/support/data.rs"]
mod data;

use data::DataSet;
use gp_ep::exact::Prediction;
use gp_ep::{EpError, ExactGp, Observations, Powers, SparseProcess, SparseRegression, Training};
use gp_kernels::placement::{KMeans, Placement};
use gp_likelihoods::Gaussian;
use gp_optim::MinimiseOptions;
use std::f64::consts::TAU;
use std::time::Instant;

struct Problem {
    name: &'static str,
    inducing: usize,
    set: DataSet,
    /// Rows of test sets.
    splits: Vec<Vec<usize>>,
}

/// The data sets that are there.
fn problems() -> Vec<Problem> {
    let snelson = data::table("regression/snelson.csv").map(|set| {
        let splits = (0..3).map(|k| (k..set.targets.len()).step_by(10).collect()).collect();
        Problem { name: "snelson", inducing: 10, set, splits }
    });
    let uci = [("boston", 50), ("concrete", 100)].into_iter().filter_map(|(name, inducing)| {
        let set = data::table(&format!("regression/{name}.csv"))?;
        let splits = data::splits(&format!("splits/{name}_pbp20.csv.gz"))?.into_iter().take(3).collect();
        Some(Problem { name, inducing, set, splits })
    });
    snelson.into_iter().chain(uci).collect()
}

/// `rbf` with one length-scale per input, which are of variance 1.
fn kernel(dim: usize) -> Result<Box<dyn gp_kernels::Kernel>, EpError> {
    let lengthscales = vec![format!("{}", (dim as f64).sqrt()); dim].join(", ");
    Ok(gp_kernels::parse(&format!("1 * rbf(lengthscale=[{lengthscales}])"))?)
}

/// What a method makes of one split.
struct Outcome {
    training: Training,
    prediction: Prediction,
}

fn exact(training: &DataSet, test: &DataSet) -> Result<Outcome, EpError> {
    let data = Observations::new(training.inputs.as_ref(), &training.targets)?;
    let mut model = ExactGp::new(kernel(training.inputs.ncols())?, Gaussian::new(0.1)?);
    let outcome = model.train(&data, &options())?;
    let prediction = model.condition(&data)?.predict(test.inputs.as_ref())?;
    Ok(Outcome { training: outcome, prediction })
}

fn sparse(training: &DataSet, test: &DataSet, inducing: usize, power: f64) -> Result<Outcome, EpError> {
    let data = Observations::new(training.inputs.as_ref(), &training.targets)?;
    let kernel = kernel(training.inputs.ncols())?;
    let placed = KMeans::new().place(kernel.as_ref(), training.inputs.as_ref(), inducing, 1)?;
    let process = SparseProcess::new(kernel, placed.inputs)?;
    let mut model = SparseRegression::new(process, Gaussian::new(0.1)?, Powers::Same(power));
    let outcome = model.train(&data, &options())?;
    let prediction = model.condition(&data)?.predict(test.inputs.as_ref())?;
    Ok(Outcome { training: outcome, prediction })
}

fn options() -> MinimiseOptions {
    MinimiseOptions { max_iterations: 200, ..MinimiseOptions::default() }
}

/// SMSE and SMLL. The training targets have mean 0 and variance 1.
fn scores(test: &DataSet, prediction: &Prediction) -> Result<[f64; 2], EpError> {
    let count = test.targets.len() as f64;
    let mean = test.targets.iter().sum::<f64>() / count;
    let variance = test.targets.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / count;
    let misses = test.targets.iter().zip(&prediction.latent_mean);
    let error = misses.map(|(y, mean)| (y - mean).powi(2)).sum::<f64>() / count;
    let trivial: f64 = test.targets.iter().map(|y| -0.5 * (TAU.ln() + y * y)).sum();
    let found: f64 = prediction.log_density(&test.targets)?.iter().sum();
    Ok([error / variance, (trivial - found) / count])
}

/// One line of the table.
fn report(
    problem: &Problem,
    method: &str,
    run: impl Fn(&DataSet, &DataSet) -> Result<Outcome, EpError>,
) -> Result<(), EpError> {
    let (start, count) = (Instant::now(), problem.splits.len() as f64);
    let (mut sums, mut evidence, mut evaluations, mut converged) = ([0.0; 2], 0.0, 0, 0);
    for rows in &problem.splits {
        let (training, test) = problem.set.split(rows);
        let outcome = run(&training, &test)?;
        let found = scores(&test, &outcome.prediction)?;
        sums.iter_mut().zip(found).for_each(|(sum, score)| *sum += score / count);
        evidence += outcome.training.log_marginal_likelihood / count;
        evaluations += outcome.training.evaluations;
        converged += usize::from(outcome.training.converged);
    }
    println!(
        "{:10} {:4} {method:9} {:7.4} {:8.4} {evidence:10.2} {evaluations:6} {converged:3} of {} {:8.1} s",
        problem.name,
        problem.inducing,
        sums[0],
        sums[1],
        problem.splits.len(),
        start.elapsed().as_secs_f64(),
    );
    Ok(())
}

fn main() -> Result<(), EpError> {
    println!("data          M method       SMSE     SMLL   ln p(y)    eval.  converged     time");
    for problem in problems() {
        for power in [0.0, 0.5, 1.0] {
            let method = format!("α = {power}");
            report(&problem, &method, |training, test| sparse(training, test, problem.inducing, power))?;
        }
        report(&problem, "exact", exact)?;
    }
    Ok(())
}
