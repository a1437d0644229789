//! Bonilla et al. 2019, Figures 9 and 10: flight delays.

use crate::baselines::BayesianLinear;
use crate::data::{Flights, Part, Split};
use crate::error::ExperimentError;
use crate::grid::Show::{Curves, Scores};
use crate::grid::{At, Grid};
use crate::harness::{Effort, Outcome};
use crate::methods::course::{level, started_anew};
use crate::methods::fitted::Fitted;
use crate::methods::regress::{NOISE, exact_posterior};
use crate::methods::rule::Rule;
use crate::methods::savigp::in_batches;
use crate::methods::{kernels, scores};
use gp_kernels::data::Table;
use gp_kernels::inducing::SparseProcess;
use gp_kernels::placement::{KMeans, Placement};
use gp_likelihoods::Gaussian;
use gp_optim::Batches;
use gp_variational::savigp::Bound;
use gp_variational::{Expectation, Sampling, Savigp};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Flights for k-means.
const PLACED_AMONG: usize = 20_000;
/// Flights between window starts.
const APART: usize = 200_000;

#[derive(Clone, Copy, Debug)]
pub(super) enum Method {
    /// Sampled expectations; Adadelta on everything.
    Sampled,
    /// Closed-form expectations; Adadelta on everything.
    Exact,
    /// Closed-form expectations; natural gradients and Adam.
    Natural,
    Linear,
    /// Exact regression on this many flights.
    Subset(usize),
}

pub(super) const DELAYS: Grid<Method> = Grid {
    name: "004-figures-9-10",
    title: "flight delays in minutes on later days, compared with a linear model and exact processes on few flights",
    about: "From the paper: 700,000 consecutive training flights and the next 100,000 as test flights, five windows \
         200,000 flights apart; a squared exponential with one length-scale per input, Gaussian noise. `svigp` uses \
         the likelihood in closed form and `savigp` samples it, both with Adadelta on everything (decay 0.95, ε = \
         10⁻⁶). `linear` has standard normal weights; `gp1000` and `gp2000` are exact processes on random training \
         flights, with mean scores over ten draws. Own choices: 2008, the eight inputs and the arrival delay as in \
         `000-figure-5-flights`, in the order of days; standardised by the training set (scores are in minutes); M = \
         200 from k-means on 20,000 flights and learned, batches of 1000, ten epochs, 100 samples. `svigp, natural`, \
         not in the paper, has natural gradients of rate 0.1 for the posterior and Adam at 0.01 for the rest \
         (sampled densities of flights that are hours late are too noisy for these). The noise variance of `linear` \
         maximises its evidence; exact processes have at most 100 iterations. `nelbo` is minus the bound divided by \
         the number of flights.\n\n\
         Reduced form: one window, 70,000 and 10,000 flights, ten epochs; two draws of exact processes with at most \
         30 iterations.",
    takes: ["10 hours", "8 minutes"],
    data: &["flights"],
    files: &[Flights::FILE],
    settings: &["M=200;batch=1000"],
    methods: &[
        ("savigp", Method::Sampled),
        ("svigp", Method::Exact),
        ("svigp, natural", Method::Natural),
        ("linear", Method::Linear),
        ("gp1000", Method::Subset(1000)),
        ("gp2000", Method::Subset(2000)),
    ],
    splits: [5, 1],
    protocol: 2,
    run: |at| {
        let [training, test] = at.choose([700_000, 100_000], [70_000, 10_000], [300, 100]);
        let split = Flights::load(&at.context.store)?.window(APART * at.cell.split, training, test);
        match *at.how {
            Method::Linear => {
                let (found, seconds) = scores::timed(|| BayesianLinear::fit(&split.training))?;
                Ok(flat(scored(&found, &split, seconds)?.by(Effort::ended("closed form", 0))))
            }
            Method::Subset(count) => subsets(&split, count, at),
            Method::Sampled | Method::Exact | Method::Natural => batches(&split, at),
        }
    },
    show: &[
        Scores("rmse", "Root mean squared error, in minutes", 3),
        Scores("nlpd", "Mean negative log density, for delays in minutes", 3),
        Scores("nelbo", "Minus the bound over the number of training flights", 3),
        Scores("seconds", "Seconds", 3),
        Curves("004-delays-{score}", &["rmse by epochs", "nlpd by epochs", "nelbo by epochs"], &[]),
    ],
    ..Grid::EMPTY
};

/// Batches, scored after 1, 2, 5 and 10 epochs.
fn batches(split: &Split, at: &At<'_, Method>) -> Result<Outcome, ExperimentError> {
    let training = &split.training;
    let labels = training.labels();
    let data = Table::with_targets(training.inputs.as_ref(), &labels)?;
    let size = (at.number("batch")? as usize).min(training.len());
    let run = |epochs: u64| {
        let steps = epochs * training.len().div_ceil(size) as u64;
        let ((model, effort), seconds) = scores::timed(|| {
            let mut model = start(training, at)?;
            let order = Batches::shuffled(training.len(), size, 1)?;
            let (rule, natural) = match at.how {
                Method::Natural => (Rule::Adam(0.01), Some(0.1)),
                _ => (Rule::Adadelta, None),
            };
            let effort = in_batches(&mut model, &data, order, rule, (steps, natural), |_| {})?;
            Ok((model, effort))
        })?;
        let bound = Bound::new(&model, &data)?.value(&model)?;
        let nelbo = split.log_units() - bound / training.len() as f64;
        let outcome = scored(&model.predictor()?, split, seconds)?;
        Ok(outcome.with("nelbo", nelbo).with("epochs", epochs as f64).by(effort))
    };
    let stops = at.choose(&[1, 2, 5, 10][..], &[1, 2, 5, 10], &[1]);
    started_anew(stops, &["rmse", "nlpd", "nelbo"], "epochs", run)
}

fn start(training: &Part, at: &At<'_, Method>) -> Result<Savigp, ExperimentError> {
    let kernel = kernels::one_scale_an_input(training.dim())?;
    let some = training.inputs.as_ref().subrows(0, PLACED_AMONG.min(training.len()));
    let placed = KMeans::new().place(kernel.as_ref(), some, at.count("M", 10)?, 1)?;
    let model =
        Savigp::new(vec![SparseProcess::new(kernel, placed.inputs)?], Box::new(Gaussian::new(NOISE)?))?;
    Ok(match at.how {
        Method::Sampled => model.with_expectation(Expectation::Sampled(Sampling::default()))?,
        _ => model,
    })
}

fn subsets(split: &Split, count: usize, at: &At<'_, Method>) -> Result<Outcome, ExperimentError> {
    let (mut rng, all) = (ChaCha8Rng::seed_from_u64(count as u64), split.training.len());
    let (fits, iterations) = (at.choose(10, 2, 1), at.choose(100, 30, 3));
    let (mut total, mut efforts) = (Outcome::default(), Effort::default());
    for _ in 0..fits {
        let mut rows: Vec<usize> = (0..all).collect();
        let wanted = count.min(all);
        for k in 0..wanted {
            rows.swap(k, rng.random_range(k..all));
        }
        let training = split.training.rows(&rows[..wanted]);
        let ((posterior, _, effort), seconds) = scores::timed(|| exact_posterior(&training, iterations))?;
        efforts = effort.after(efforts);
        for (name, value) in scored(&posterior, split, seconds)?.scores {
            *total.scores.entry(name).or_default() += value / f64::from(fits);
        }
    }
    Ok(flat(total.by(efforts)))
}

fn scored(fitted: &dyn Fitted, split: &Split, seconds: f64) -> Result<Outcome, ExperimentError> {
    let found = scores::of_numbers(fitted, split)?;
    let rmse = split.units[0] * found.squares[0].sqrt();
    Ok(Outcome::of([("rmse", rmse), ("nlpd", found.nlpd), ("seconds", seconds)]))
}

fn flat(outcome: Outcome) -> Outcome {
    level(outcome, &["rmse", "nlpd"], "epochs", 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Task;
    use crate::methods::fitted::Predicted;
    use faer::{Mat, MatRef};
    use std::f64::consts::TAU;

    struct Broad;

    impl Fitted for Broad {
        fn predict(&self, inputs: MatRef<'_, f64>) -> Result<Predicted, ExperimentError> {
            Ok(Predicted::Numbers(vec![(0.0, 4.0); inputs.nrows()]))
        }
    }

    #[test]
    fn scores_are_in_minutes() {
        let part = |y: [f64; 2]| Part { inputs: Mat::zeros(2, 1), targets: Mat::from_fn(2, 1, |i, _| y[i]) };
        let (training, test) = (part([0.0; 2]), part([1.0, -3.0]));
        let split = Split { training, test, units: vec![2.0], task: Task::Number };
        let found = scored(&Broad, &split, 1.0).unwrap().scores;
        assert!((found["rmse"] - 2.0 * 5f64.sqrt()).abs() < 1e-12);
        // In minutes both densities are normal with variance 16, at distance 2 and 6 from the mean.
        let expected = 0.5 * ((TAU * 16.0).ln() + 0.5 * (4.0 + 36.0) / 16.0);
        assert!((found["nlpd"] - expected).abs() < 1e-12);
    }
}
