//! Villacampa-Calvo & Hernández-Lobato 2017, multi-class classification.

use crate::data::draw_classes;
use crate::error::ExperimentError;
use crate::grid::Show::{Agreement, Averages, Curves, Heading, Regions, Scores, Table, Text};
use crate::grid::{At, Grid};
use crate::harness::Outcome;
use crate::methods::classify::{Method, Setup, Start};
use crate::methods::rule::Rule;
use crate::report::Reference;

const METHODS: &[(&str, Method)] = &[
    ("gfitc", Method::Gfitc),
    ("ep", Method::OwnSites),
    ("sep", Method::TiedSites),
    ("vi", Method::Variational),
];
/// Methods and initial hyperparameters.
const STARTS: &[(&str, (Method, Start))] = &[
    ("gfitc", (Method::Gfitc, Start::Broad)),
    ("ep", (Method::OwnSites, Start::Broad)),
    ("sep", (Method::TiedSites, Start::Broad)),
    ("vi", (Method::Variational, Start::Broad)),
    ("ep, authors' start", (Method::OwnSites, Start::Authors)),
    ("sep, authors' start", (Method::TiedSites, Start::Authors)),
];
/// Kernels of drawn functions and models.
const TRUE: &str = "1 * rbf(lengthscale=1)";
const FIXED: &str = "fixed(1) * rbf(lengthscale=fixed(1)) + white(variance=fixed(0.001))";

pub(super) const TABLES: Grid<(Method, Start)> = Grid {
    name: "000-tables-2-3",
    title: "negative log-likelihood and error of multi-class classification, by GFITC, EP, stochastic EP and variational inference",
    about: "From the paper: every class has a squared exponential with one length-scale per input, an amplitude and \
         noise, and its own inducing inputs, which start at random training rows and are learned; 250 iterations \
         without early stopping (L-BFGS for `gfitc` and `vi`; sweeps alternating with steps for `ep` and `sep`, \
         which is stochastic EP with one site per class); for `vi` the robust likelihood with fixed ε = 10⁻³. M is a \
         share of the training rows. Own choices: the posterior of `vi` starts converged under the initial \
         hyperparameters (from the prior, Vowel at M = 5 % ends in noise alone); inputs of variance 1, length-scales \
         √D, amplitude 1, noise 0.1, initial step rate 0.01, EP of `gfitc` converged to 10⁻³, the published splits \
         of a later paper of the authors. `authors' start` starts as the authors' program for Hernández-Lobato & \
         Hernández-Lobato 2016 does: noise 10⁻³, and squared length-scales equal to the median squared distance of \
         inducing inputs. The paper's ± is taken as a standard error.\n\n\
         Reduced form: five splits, M = 5 % and 10 %.",
    takes: ["12 hours", "1 hour"],
    data: &["glass", "new-thyroid", "satellite", "svmguide2", "vehicle", "vowel", "waveform", "wine"],
    settings: &["M=5%", "M=10%", "M=20%"],
    methods: STARTS,
    splits: [20, 5],
    protocol: 2,
    is_whole_run_by_run: true,
    words: [&["M=5%", "M=10%"], &["glass", "M=5%"]],
    run: |at| {
        let (split, (method, start)) = (at.split()?, *at.how);
        let inducing = (at.number("M")? * split.training.len() as f64).ceil() as usize;
        let setup = Setup::new(&split, inducing, at.choose(250, 250, 5), 100 * at.seed());
        Setup { start, ..setup }.run(method)
    },
    reference: Reference::new(&[
        include_str!("../../papers/000_table2.csv"),
        include_str!("../../papers/000_table3.csv"),
    ]),
    show: &[
        Heading("Negative log-likelihood (Table 2)"),
        Agreement("nll"),
        Table("nll", 2),
        Text("Means over data sets:"),
        Averages("nll", 3),
        Heading("Error (Table 3)"),
        Agreement("error"),
        Table("error", 3),
        Text("Means over data sets:"),
        Averages("error", 3),
        Heading("Seconds of training"),
        Text(
            "Means over data sets. In the paper (in R), at M = 5 %, 10 % and 20 %, GFITC took 2.7, 2.7 and 3.2 times as \
             long as SEP, EP 1.1 times, and VI 3.2, 1.9 and 1.2 times.",
        ),
        Averages("seconds", 2),
    ],
    ..Grid::EMPTY
};

pub(super) const SATELLITE: Grid<Method> = Grid {
    name: "000-figures-4-6",
    title: "Satellite by training time, by GFITC, EP, stochastic EP and variational inference",
    about: "From the paper: Satellite, M = 4, 20 and 100 inducing inputs per class, full-batch methods, error and \
         negative log-likelihood on the test set against time. EP is included; the paper omits it because it \
         “performs equal to SEP”. The rest is as in `000-tables-2-3`, 250 iterations. Test scores are taken after \
         iterations that are powers of two; `gfitc` and `vi`, which cannot be observed during L-BFGS, are run again \
         for each. The figures give no numbers to compare with.\n\n\
         Reduced form: the first split instead of twenty (the paper: 100 repetitions), M = 4 and 20, 64 iterations.",
    takes: ["40 hours", "15 minutes"],
    data: &["satellite"],
    settings: &["M=4", "M=20", "M=100"],
    methods: METHODS,
    splits: [20, 1],
    protocol: 2,
    words: [&["M=4", "M=20"], &["M=4"]],
    run: |at| {
        let steps = at.choose(250, 64, 3);
        Setup::new(&at.split()?, at.count("M", 10)?, steps, 100 * at.seed()).course(*at.how)
    },
    show: &[
        Scores("nll", "Final negative log-likelihood", 3),
        Scores("error", "Final error", 3),
        Scores("seconds", "Seconds", 3),
        Curves("000-satellite-{setting}-{score}", &["nll by seconds", "error by seconds"], &[]),
    ],
    ..Grid::EMPTY
};

/// Upper figure.
pub(super) const DIGITS: Grid<(Method, Rule)> = Grid {
    name: "000-figure-5-mnist",
    title: "MNIST digits in mini-batches, by training time",
    about: "From the paper: 60,000 training and 10,000 test images, ten classes with 200 inducing inputs each, \
         batches of 200, Adam with its default parameters (rate 0.001) on everything with a gradient. Own choices: \
         pixels between 0 and 1, length-scales 0.3 √784, amplitude 1, noise 0.1. Not in the paper: `vi, natural`, \
         whose posterior moves by natural gradients of rate 0.1; `sep, rate 0.01`; `logistic`, multinomial logistic \
         regression on the pixels.\n\n\
         Reduced form: 1,200 batches (four epochs) instead of 12,000, without `ep`.",
    takes: ["6 hours", "30 minutes"],
    data: &["mnist"],
    settings: &["M=200;batch=200"],
    methods: &[
        ("sep", (Method::TiedInBatches, Rule::ADAM)),
        ("ep", (Method::OwnInBatches(1.0), Rule::ADAM)),
        ("vi", (Method::VariationalInBatches(None), Rule::ADAM)),
        ("vi, natural", (Method::VariationalInBatches(Some(0.1)), Rule::ADAM)),
        ("sep, rate 0.01", (Method::TiedInBatches, Rule::Adam(0.01))),
        ("logistic", (Method::Logistic, Rule::ADAM)),
    ],
    words: [&["sep", "vi", "vi, natural", "logistic"], &[]],
    protocol: 2,
    run: |at| in_batches(at, 0.3, at.choose(12_000, 1200, 20)),
    reference: Reference::new(&[include_str!("../../papers/000_text.csv")]),
    show: &[
        Table("error", 4),
        Table("nll", 4),
        Curves("000-mnist-{score}", &["error by seconds", "nll by seconds"], &[]),
    ],
    ..Grid::EMPTY
};

/// Lower figure, and lower Figure 4 of Hernández-Lobato & Hernández-Lobato 2016.
pub(super) const FLIGHTS: Grid<(Method, Rule)> = Grid {
    name: "000-figure-5-flights",
    title: "two million flights, early, on time or late (or late or not), in mini-batches, by training time (and 003, Figure 4)",
    about: "From the papers: January to April 2008, eight inputs per flight, 10,000 test flights and all others for \
         training; three classes (more than five minutes early, on time, more than five minutes late; \
         Villacampa-Calvo & Hernández-Lobato 2017) or two (late or not; Hernández-Lobato & Hernández-Lobato 2016); \
         200 inducing inputs per class, batches of 200; Adam with its default parameters (rate 0.001) for three \
         classes, Adadelta (decay 0.95, ε = 10⁻⁶) for two. Our table has 2,055,733 flights with known aircraft age, \
         the paper's 2,127,068. Own choices: arrival delays, inputs of variance 1, length-scales √8, amplitude 1, \
         noise 0.1, `sep` with one site per class (whose memory does not grow with rows), `logistic` by L-BFGS on \
         all rows. Not in the papers: `vi, natural`, whose posterior moves by natural gradients of rate 0.1. The \
         figures give no numbers to compare with.\n\n\
         Reduced form: 4,000 batches instead of 40,000.",
    takes: ["3 hours", "20 minutes"],
    data: &["flights, 3 classes", "flights, 2 classes"],
    settings: &["M=200;batch=200"],
    methods: &[
        ("sep", (Method::TiedInBatches, Rule::ADAM)),
        ("vi", (Method::VariationalInBatches(None), Rule::ADAM)),
        ("vi, natural", (Method::VariationalInBatches(Some(0.1)), Rule::ADAM)),
        ("sep, adadelta", (Method::TiedInBatches, Rule::Adadelta)),
        ("svi, adadelta", (Method::VariationalInBatches(None), Rule::Adadelta)),
        ("logistic", (Method::Logistic, Rule::ADAM)),
    ],
    protocol: 2,
    has: |_, cell, (method, rule)| {
        *method == Method::Logistic || (*rule == Rule::Adadelta) == (cell.data == "flights, 2 classes")
    },
    run: |at| in_batches(at, 1.0, at.choose(40_000, 4000, 20)),
    show: &[
        Heading("Negative log-likelihood"),
        Scores("nll", "", 4),
        Heading("Error"),
        Scores("error", "", 4),
        Heading("Seconds"),
        Scores("seconds", "", 4),
        Curves("flights-3-nll", &["nll by seconds"], &["flights, 3 classes"]),
        Curves("flights-2-nll", &["nll by seconds"], &["flights, 2 classes"]),
    ],
    ..Grid::EMPTY
};

pub(super) const THREE_CLASSES: Grid<Method> = Grid {
    name: "000-figure-3",
    title: "decision boundaries and inducing inputs for three drawn classes, by four methods",
    about: "From the paper: three functions drawn from a process, with the class of the largest, at 1000 training \
         points uniform in a square of side 5; M from 1 to 256 inducing inputs per class, from random training rows \
         and learned; the true kernels, fixed; 2000 full-batch iterations, and for `vi` 2000 epochs in batches of \
         100 by Adam with its default settings. Own choices: amplitude and length-scale 1 (and noise of variance \
         10⁻³ in the models), 1000 further test points, sign-adaptive steps of initial rate 0.01 for `ep` and `sep`, \
         L-BFGS for `gfitc`, Adam on everything for `vi`, whose posterior starts at the prior. A split is a draw.\n\n\
         Reduced form: M = 4, 16 and 64; 200 iterations and 200 epochs.",
    takes: ["20 hours", "10 minutes"],
    data: &["three classes"],
    settings: &["M=1", "M=2", "M=4", "M=8", "M=16", "M=32", "M=64", "M=128", "M=256"],
    methods: &[
        ("gfitc", Method::Gfitc),
        ("ep", Method::OwnSites),
        ("sep", Method::TiedSites),
        ("vi", Method::VariationalInBatches(None)),
    ],
    words: [&["M=4", "M=16", "M=64"], &["M=4"]],
    protocol: 2,
    run: drawn,
    show: &[
        Scores("error", "Error on the test set", 3),
        Scores("nll", "Negative log-likelihood", 3),
        Scores(
            "near_boundary",
            "Share of inducing inputs at which a second class has at least 10 % probability, relative to that share of \
             training rows; above 1, inducing inputs seek the boundary, as the paper says of `vi`",
            3,
        ),
        Scores("seconds", "Seconds", 3),
        Regions("000-three-{setting}-{method}"),
    ],
    ..Grid::EMPTY
};

/// Mini-batch curves; length-scales start at `lengthscale` √D.
pub(super) fn in_batches(
    at: &At<'_, (Method, Rule)>,
    lengthscale: f64,
    steps: u64,
) -> Result<Outcome, ExperimentError> {
    let (split, batch) = (at.split()?, at.number("batch")? as usize);
    let setup = Setup::new(&split, at.count("M", 10)?, steps, 1);
    let (method, rule) = *at.how;
    Setup { batch, lengthscale, rule, ..setup }.course(method)
}

/// Three drawn functions, true kernel. Mini-batches: 100 rows, Adam, one epoch per full-batch iteration.
fn drawn(at: &At<'_, Method>) -> Result<Outcome, ExperimentError> {
    let (kernel, steps) = (at.kernel(TRUE)?, at.choose(2000, 200, 5));
    let split = draw_classes(kernel.as_ref(), 3, at.choose(1000, 1000, 60), 1 + at.seed())?;
    let fixed = at.kernel(FIXED)?;
    let mut setup =
        Setup { kernel: Some(fixed.as_ref()), ..Setup::new(&split, at.count("M", 10)?, steps, 1) };
    if at.how.is_in_batches() {
        (setup.batch, setup.rule) = (100, Rule::ADAM);
        setup.steps *= split.training.len().div_ceil(100) as u64;
    }
    setup.in_plane(*at.how)
}
