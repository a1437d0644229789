//! Seed 004, Figures 9 and 10: by how many minutes flights of the days to come are late.

use crate::baselines::BayesianLinear;
use crate::data::{Flights, Part, Split};
use crate::error::ExperimentError;
use crate::harness::{Cell, Context, Extent, Item, Outcome, Results, Stopwatch};
use crate::methods::course::started_anew;
use crate::methods::kernels;
use crate::report::{Block, Comparison, Reference, Scale, course};
use gp_ep::{ExactGp, Observations};
use gp_kernels::Evaluator;
use gp_kernels::data::Table;
use gp_kernels::inducing::SparseProcess;
use gp_kernels::placement::{KMeans, Placement};
use gp_likelihoods::Gaussian;
use gp_optim::{Adadelta, Adam, Batches, MinimiseOptions};
use gp_variational::savigp::{BatchOptions, Bound};
use gp_variational::{Expectation, Sampling, Savigp};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::f64::consts::TAU;

const DATA: [&str; 1] = ["flights"];
const SETTING: &str = "M=200;batch=1000";
const BATCH: usize = 1000;
/// The noise variance to start from, in units of the targets' variance.
const NOISE: f64 = 0.1;
/// Flights among which k-means looks for the first inducing inputs.
const PLACED_AMONG: usize = 20_000;
/// Between the first flights of two windows.
const APART: usize = 200_000;

#[derive(Clone, Copy, Debug)]
enum Method {
    /// Expectations by samples, which know nothing of the likelihood; everything by Adadelta.
    Sampled,
    /// Expectations in closed form; everything by Adadelta.
    Exact,
    /// The same with natural gradients for the posterior, and Adam for the rest.
    Natural,
    Linear,
    /// An exact process on so many flights.
    Subset(usize),
}

const METHODS: [(&str, Method); 6] = [
    ("savigp", Method::Sampled),
    ("svigp", Method::Exact),
    ("svigp, natural", Method::Natural),
    ("linear", Method::Linear),
    ("gp1000", Method::Subset(1000)),
    ("gp2000", Method::Subset(2000)),
];
const SCORES: [&str; 3] = ["rmse", "nlpd", "nelbo"];

/// The figures.
#[derive(Debug)]
pub(super) struct Delays;

impl Item for Delays {
    fn name(&self) -> &'static str {
        "004-figures-9-10"
    }

    fn title(&self) -> &'static str {
        "by how many minutes flights of the days to come are late, beside a linear model and exact processes on few flights"
    }

    fn needs(&self) -> Vec<String> {
        vec![Flights::FILE.to_owned()]
    }

    fn method(&self) -> &'static str {
        "As the seed says: 700,000 flights one after the other for training and the next 100,000 for tests, five windows 200,000 \
         flights apart; a squared exponential with a length-scale for each input, Gaussian noise; `svigp` knows the \
         likelihood (closed form), `savigp` samples it, both by Adadelta on everything (decay 0.95, ε = 10⁻⁶); `linear` with standard normal weights; `gp1000` and `gp2000` are exact \
         processes on flights drawn from the training set, ten times each, means of scores. Chosen where it is silent: 2008, the \
         eight facts and the delay on arrival as in `000-figure-5-flights`, in the order of days; all in units of the \
         training set (scores are in minutes); M = 200 from k-means among 20,000 flights and learned, batches of 1000, \
         ten epochs, 100 samples; `svigp, natural`, not in the seed, has natural gradients of rate 0.1 for the posterior and \
         Adam at 0.01 for the rest (samples of a Gaussian density of flights that are hours late are too noisy for these); the noise variance \
         of `linear` at the maximum of its evidence; at most 100 iterations for exact processes. `nelbo` is minus the bound \
         over the number of flights.\n\n\
         Reduced form: one window, 70,000 and 10,000 flights, ten epochs; exact processes twice with at most 30 iterations."
    }

    fn takes(&self) -> [&'static str; 2] {
        ["10 hours", "8 minutes"]
    }

    fn cells(&self, extent: &Extent) -> Vec<Cell> {
        let of = |split| METHODS.map(|(method, _)| Cell::new(DATA[0], SETTING, method, split));
        (0..extent.splits(5, 1)).flat_map(of).collect()
    }

    fn run(&self, cell: &Cell, context: &Context) -> Result<Outcome, ExperimentError> {
        let method = METHODS.iter().find(|(name, _)| *name == cell.method).ok_or_else(|| cell.unknown())?.1;
        let [training, test] = context.extent.choose([700_000, 100_000], [70_000, 10_000], [300, 100]);
        let split = Flights::load(&context.store)?.window(APART * cell.split, training, test);
        match method {
            Method::Linear => linear(&split),
            Method::Subset(count) => subsets(&split, count, context),
            Method::Sampled | Method::Exact | Method::Natural => batches(&split, method, context),
        }
    }

    fn show(&self, results: &Results) -> Vec<Block> {
        let methods = METHODS.map(|(name, _)| name);
        let mut blocks = Vec::new();
        for (measure, title) in [
            ("rmse", "Root mean squared error in minutes"),
            ("nlpd", "Mean negative log density, in minutes"),
            ("nelbo", "Minus the bound over the number of training flights"),
            ("seconds", "Seconds"),
        ] {
            let reference = Reference::default();
            blocks.push(Block::text(format!("{title}:")));
            blocks.push(
                Comparison {
                    results,
                    reference,
                    data: &DATA,
                    settings: &[SETTING],
                    methods: &methods,
                    measure,
                }
                .grid(3),
            );
        }
        for score in SCORES {
            let (file, curve) = (format!("004-delays-{score}"), format!("{score} by epochs"));
            let names = ["epochs", score, curve.as_str()];
            blocks.extend(course(results, &file, [DATA[0], SETTING], &methods, names, Scale::Linear));
        }
        blocks
    }
}

/// A sparse process in batches, looked at after one, two, five and all epochs.
fn batches(split: &Split, method: Method, context: &Context) -> Result<Outcome, ExperimentError> {
    let training = &split.training;
    let labels = training.labels();
    let data = Table::with_targets(training.inputs.as_ref(), &labels)?;
    let size = BATCH.min(training.len());
    let run = |epochs: u64| {
        let watch = Stopwatch::start();
        let mut model = start(training, context)?;
        if let Method::Sampled = method {
            model = model.with_expectation(Expectation::Sampled(Sampling::default()))?;
        }
        let mut options = BatchOptions::default();
        options.steps = epochs * training.len().div_ceil(size) as u64;
        let order = Batches::shuffled(training.len(), size, 1)?;
        if let Method::Natural = method {
            options.natural = Some(0.1);
            model.train_in_batches(&data, order, Adam::with_rate(0.01), &options, |_| {})?;
        } else {
            model.train_in_batches(&data, order, Adadelta::default(), &options, |_| {})?;
        }
        let seconds = watch.seconds();
        let bound = Bound::new(&model, &data)?.value(&model)?;
        let (posterior, by) = (model.predictor()?, Evaluator::default());
        let moments = posterior.moments(split.test.inputs.as_ref(), &by)?;
        let found: Vec<(f64, f64)> = moments.iter().map(|found| (found.mean, found.variance)).collect();
        let nelbo = split.log_units() - bound / training.len() as f64;
        Ok(scores(&found, split, seconds).with("nelbo", nelbo).with("epochs", epochs as f64))
    };
    started_anew(context.extent.choose(&[1, 2, 5, 10], &[1, 2, 5, 10], &[1]), &SCORES, "epochs", run)
}

fn start(training: &Part, context: &Context) -> Result<Savigp, ExperimentError> {
    let kernel = kernels::one_scale_an_input(training.dim())?;
    let some = training.inputs.as_ref().subrows(0, PLACED_AMONG.min(training.len()));
    let placed = KMeans::new().place(kernel.as_ref(), some, context.extent.choose(200, 200, 10), 1)?;
    Ok(Savigp::new(vec![SparseProcess::new(kernel, placed.inputs)?], Box::new(Gaussian::new(NOISE)?))?)
}

fn linear(split: &Split) -> Result<Outcome, ExperimentError> {
    let watch = Stopwatch::start();
    let found = BayesianLinear::fit(&split.training)?;
    let seconds = watch.seconds();
    Ok(level(scores(&found.predict(&split.test)?, split, seconds)))
}

/// Exact processes on flights that are drawn: means of their scores.
fn subsets(split: &Split, count: usize, context: &Context) -> Result<Outcome, ExperimentError> {
    let (mut rng, all) = (ChaCha8Rng::seed_from_u64(count as u64), split.training.len());
    let fits = context.extent.choose(10, 2, 1);
    let mut total = Outcome::default();
    for _ in 0..fits {
        let mut rows: Vec<usize> = (0..all).collect();
        let wanted = count.min(all);
        for k in 0..wanted {
            rows.swap(k, rng.random_range(k..all));
        }
        let training = split.training.rows(&rows[..wanted]);
        let (watch, labels) = (Stopwatch::start(), training.labels());
        let data = Observations::new(training.inputs.as_ref(), &labels)?;
        let mut model = ExactGp::new(kernels::one_scale_an_input(training.dim())?, Gaussian::new(NOISE)?);
        let max_iterations = context.extent.choose(100, 30, 3);
        model.train(&data, &MinimiseOptions { max_iterations, ..MinimiseOptions::default() })?;
        let seconds = watch.seconds();
        let found = model.condition(&data)?.predict(split.test.inputs.as_ref())?;
        let pairs = found.latent_mean.iter().copied().zip(found.observation_variance.iter().copied());
        for (name, value) in scores(&pairs.collect::<Vec<_>>(), split, seconds).scores {
            *total.scores.entry(name).or_default() += value / f64::from(fits);
        }
    }
    Ok(level(total))
}

/// Scores of means and variances of the targets.
fn scores(found: &[(f64, f64)], split: &Split, seconds: f64) -> Outcome {
    let (targets, count) = (split.test.labels(), split.test.len() as f64);
    let pairs = || targets.iter().zip(found);
    let squares: f64 = pairs().map(|(y, (mean, _))| (y - mean).powi(2)).sum();
    let density =
        |y: f64, mean: f64, variance: f64| 0.5 * ((TAU * variance).ln() + (y - mean).powi(2) / variance);
    let nlpd: f64 = pairs().map(|(y, (mean, variance))| density(*y, *mean, *variance)).sum();
    Outcome::of([
        ("rmse", split.units[0] * (squares / count).sqrt()),
        ("nlpd", split.log_units() + nlpd / count),
        ("seconds", seconds),
    ])
}

/// The outcome with its scores as level lines over ten epochs.
fn level(outcome: Outcome) -> Outcome {
    let lines = ["rmse", "nlpd"].map(|name| (name, outcome.scores.get(name).copied().unwrap_or(f64::NAN)));
    lines.into_iter().fold(outcome, |outcome, (name, value)| {
        outcome.with_curve(&format!("{name} by epochs"), vec![(1.0, value), (10.0, value)])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::Mat;

    /// Misses of 1 and 3 units of 2 minutes at variance 4: by hand.
    #[test]
    fn scores_are_in_minutes() {
        let part = |y: [f64; 2]| Part { inputs: Mat::zeros(2, 1), targets: Mat::from_fn(2, 1, |i, _| y[i]) };
        let split = Split { training: part([0.0; 2]), test: part([1.0, -3.0]), units: vec![2.0] };
        let found = scores(&[(0.0, 4.0), (0.0, 4.0)], &split, 1.0).scores;
        assert!((found["rmse"] - 2.0 * 5f64.sqrt()).abs() < 1e-12);
        // In minutes both densities are normal with variance 16, at 2 and at 6 from the mean.
        let expected = 0.5 * ((TAU * 16.0).ln() + 0.5 * (4.0 + 36.0) / 16.0);
        assert!((found["nlpd"] - expected).abs() < 1e-12);
    }
}
