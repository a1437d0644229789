//! Bonilla et al. 2019: small data sets of five kinds, and digits by the number of inducing inputs.

use crate::error::ExperimentError;
use crate::grid::Show::{Heading, Levels, Scores, Table};
use crate::grid::{At, Grid};
use crate::harness::{Effort, Form, Outcome};
use crate::methods::guest::{self, Start};
use crate::methods::rule::Rule;
use crate::methods::savigp::{self, Automated, Gaussians, in_batches, sampled, together};
use crate::methods::{images, kernels, scores};
use crate::report::Reference;
use gp_kernels::data::DataSource;
use gp_optim::Batches;
use gp_variational::{Expectation, Savigp};

pub(super) const SMALL: Grid<Gaussians> = Grid {
    name: "004-figures-1-4",
    title: "variational posteriors for Gaussian, warped Gaussian, logistic and softmax likelihoods, sparse and dense",
    about: "From the paper: the partitions of its repository, squared exponentials, the posteriors `fg` (one full \
         Gaussian), `mog1` and `mog2` (one and two diagonal Gaussians), and inducing inputs at nested subsets of the \
         training rows, as a share SF of them. With SF = 1, `fg` is the dense posterior, which is exact under \
         Gaussian noise, warped or not. Own choices: one length-scale per input (one for all pixels of USPS), inputs \
         and targets of variance 1, length-scales √D, amplitude 1, noise variance 0.1, fixed inducing inputs; L-BFGS \
         on the hyperparameters with the posterior converged by natural gradients for `fg`, and on everything for \
         `mog`; expectations in closed form or by quadrature instead of sampling, and by 50 quasi-random samples for \
         USPS. The figures give no numbers to compare with. Of their baselines `ep`, `vbo`, `vq`, `wgp` and `gp`, \
         only `gp` and `wgp` were run, as `fg` with SF = 1.\n\n\
         Reduced form: the five partitions of Boston, Breast and USPS, and one of Creep and Abalone (all published \
         ones hold the same rows); SF = 0.5 and 0.1, and 1 for `fg`.",
    takes: ["20 hours", "1 hour"],
    data: &["boston (savigp)", "creep", "abalone", "breast (savigp)", "usps (savigp)"],
    settings: &["SF=1", "SF=0.5", "SF=0.2", "SF=0.1"],
    methods: &[("fg", Gaussians::Full), ("mog1", Gaussians::Diagonal), ("mog2", Gaussians::TwoDiagonal)],
    splits: [5, 5],
    is_whole_run_by_run: true,
    words: [&["SF=1", "SF=0.5", "SF=0.1"], &["SF=1", "SF=0.5"]],
    has: |_, cell, posterior| cell.setting != "SF=1" || *posterior == Gaussians::Full,
    run: |at| {
        let (iterations, expectation) = match at.cell.data.as_str() {
            DIGITS => (20, sampled(50)),
            _ => (100, Expectation::Exact),
        };
        let (split, share) = (at.split()?, at.number("SF")?);
        let alike = kernels::one_scale(split.training.dim())?;
        let kernel = (at.cell.data == DIGITS).then_some(alike.as_ref());
        let iterations = at.choose(iterations, iterations, 2);
        let likelihood = at.likelihood(likelihood(&at.cell.data))?;
        let likelihood = likelihood.as_ref();
        Automated { likelihood, kernel, expectation, iterations, share }.run(*at.how, &split)
    },
    guest: Some(|at| {
        let split = at.split()?;
        let kernel = match at.cell.data.as_str() {
            DIGITS => kernels::one_scale(split.training.dim())?,
            _ => kernels::one_scale_an_input(split.training.dim())?,
        };
        let start = Start {
            kernel: kernel.as_ref(),
            likelihood: at.likelihood(likelihood(&at.cell.data))?,
            inducing: ((at.number("SF")? * split.training.len() as f64).ceil() as usize).max(1),
            steps: at.choose(100, 100, 2),
            seed: 1,
        };
        let (found, seconds) = scores::timed(|| at.how.fit(&split.training, start))?;
        let outcome = savigp::scored(&found.posterior, &split)?.with("bound", found.objective);
        Ok(outcome.with("seconds", seconds).by(guest::effort(&found)))
    }),
    show: &[
        Heading("Figures 1, 2 and 13: mean squared error over variance"),
        Scores("sse", "", 3),
        Heading("Mean negative log predictive density, in the units of the data"),
        Scores("nlpd", "", 3),
        Heading("Figures 3 and 4: error"),
        Scores("error", "", 3),
        Heading("Mean negative log probability of labels"),
        Scores("nlp", "", 3),
        Heading("Bounds on the log evidence"),
        Scores("bound", "", 3),
        Heading("Seconds of training"),
        Scores("seconds", "", 3),
    ],
    ..Grid::EMPTY
};

const DIGITS: &str = "usps (savigp)";

fn likelihood(data: &str) -> &'static str {
    match data {
        "boston (savigp)" => "gaussian(variance=0.1)",
        "breast (savigp)" => "bernoulli_logit",
        DIGITS => "softmax(classes=3)",
        _ => "warped_gaussian",
    }
}

/// `true` for learned inducing inputs.
pub(super) const SPARSITY: Grid<bool> = Grid {
    name: "004-figures-6-8-14-16",
    title: "MNIST digits, ten classes and odd or even, by the number of inducing inputs, fixed or learned",
    about: "From the paper: 60,000 training and 10,000 test images. `mnist` has ten classes, softmax and ten latent \
         functions, `mnist-b` odd and even digits and a logistic likelihood. One squared exponential, one full \
         Gaussian posterior, M a share SF of the images, inducing inputs at k-means centres, fixed (`fg`; Figures 6 \
         and 14) or, where they are few, learned (`ind`; Figures 8 and 16). **Different from the paper**, which uses \
         L-BFGS on all images for at most 200 rounds: for `mnist` at SF = 0.04 that would need 12 gigabytes of \
         projections. Here everything is learned in batches of 500 images (of M if that is more) for 100 epochs, the \
         posterior by natural gradients of rate 0.1 and the rest by Adam of rate 0.01. `004-table-3` compares L-BFGS \
         with batches. Own choices: pixels between 0 and 1, one length-scale of 0.3 √784, amplitude 1, the same \
         initial inducing inputs for all functions, k-means on the first 5,000 images or 10 M; 100 samples per image \
         for softmax, as many as in the paper but quasi-random (integrals exact to rounding take some three times as \
         long), quadrature for logistic. Predictions are exact.\n\n\
         Reduced form: ten epochs, SF = 0.001 and 0.004, ten classes at 0.004 only with fixed inputs.",
    takes: ["2 days", "10 minutes"],
    data: &["mnist-b", "mnist"],
    settings: &["SF=0.001", "SF=0.004", "SF=0.02", "SF=0.04"],
    methods: &[("fg", false), ("ind", true)],
    words: [&["SF=0.001", "SF=0.004"], &["SF=0.001"]],
    has: |form, cell, is_learned| match cell.setting.as_str() {
        "SF=0.001" => true,
        "SF=0.004" => !is_learned || form == Form::Full || cell.data == "mnist-b",
        _ => !is_learned,
    },
    run: |at| {
        digits(at, *at.how, |model, data, count| {
            let size = 500.max(count).min(data.count());
            let steps = (at.choose(100, 10, 3) * data.count()).div_ceil(size);
            stochastic(model, data, size, (Rule::Adam(0.01), steps as u64, Some(0.1)))
        })
    },
    reference: Reference::new(&[include_str!("../../papers/004_figures.csv")]),
    show: &[
        Table("error", 4),
        Table("nll", 4),
        Scores("seconds", "Seconds", 0),
        Levels("004-sparsity-{data}-{score}", "SF", &["error", "nll"]),
    ],
    ..Grid::EMPTY
};

pub(super) const BATCHES: Grid<(Rule, Option<f64>)> = Grid {
    name: "004-table-3",
    title: "odd and even MNIST digits, full-batch and in mini-batches",
    about: "From the paper: 60,000 training and 10,000 test images, logistic likelihood, a squared exponential, M = \
         60 and 240 inducing inputs (SF = 0.001 and 0.004), which start at k-means centres and are learned. Own \
         choices: pixels between 0 and 1, one length-scale of 0.3 √784, amplitude 1, one full Gaussian posterior, \
         expectations by quadrature, k-means on the first 5,000 images. `batch` is L-BFGS on everything, 200 \
         iterations; `stochastic` is 12,000 batches of 500 (100 epochs). `savigp` uses Adadelta on everything (decay \
         0.95, ε = 10⁻⁶), as in the paper; `savigp, natural`, not in the paper, Adam of rate 0.01, with natural \
         gradients of rate 0.1 for the posterior.\n\n\
         Reduced form: 1,200 batches; `batch` at M = 60 only.",
    takes: ["6 hours", "10 minutes"],
    data: &["mnist-b"],
    settings: &["batch;SF=0.001", "batch;SF=0.004", "stochastic;SF=0.001", "stochastic;SF=0.004"],
    methods: &[("savigp", (Rule::Adadelta, None)), ("savigp, natural", (Rule::Adam(0.01), Some(0.1)))],
    protocol: 2,
    has: |_, cell, (_, natural)| natural.is_none() || cell.setting.starts_with("stochastic"),
    words: [&["batch;SF=0.001", "stochastic;SF=0.001", "stochastic;SF=0.004"], &[]],
    run: |at| {
        digits(at, true, |model, data, _| {
            if at.cell.setting.starts_with("batch;") {
                return Ok(together(model, data, at.choose(200, 200, 3))?.1);
            }
            let (rule, natural) = *at.how;
            stochastic(model, data, 500.min(data.count()), (rule, at.choose(12_000, 1200, 5), natural))
        })
    },
    reference: Reference::new(&[include_str!("../../papers/004_table3.csv")]),
    show: &[Table("error", 4), Table("nll", 4), Table("seconds", 4)],
    ..Grid::EMPTY
};

fn digits<M>(
    at: &At<'_, M>,
    is_moved: bool,
    learn: impl FnOnce(&mut Savigp, &gp_kernels::data::Table<'_>, usize) -> Result<Effort, ExperimentError>,
) -> Result<Outcome, ExperimentError> {
    let split = at.split()?;
    let training = &split.training;
    let share = (at.number("SF")? * training.len() as f64) as usize;
    let count = at.choose(share, share, 5);
    let table = gp_kernels::data::Table::new(training.inputs.as_ref(), training.targets.as_ref())?;
    let ((model, effort), seconds) = scores::timed(|| {
        let process = images::process(training, count, images::default(training.dim())?)?;
        let process = if is_moved { process } else { process.with_fixed_inputs() };
        let mut model = images::model(process, split.task)?;
        let effort = learn(&mut model, &table, count)?;
        Ok((model, effort.with("inducing", count)))
    })?;
    Ok(scores::of_labels(&model.predictor()?, &split.test, seconds)?.by(effort))
}

fn stochastic(
    model: &mut Savigp,
    data: &dyn DataSource,
    size: usize,
    (rule, steps, natural): (Rule, u64, Option<f64>),
) -> Result<Effort, ExperimentError> {
    let batches = Batches::shuffled(data.count(), size, 1)?;
    in_batches(model, data, batches, rule, (steps, natural), |_| {})
}
