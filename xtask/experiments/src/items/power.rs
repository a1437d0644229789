//! Bui et al. 2017: Power EP by power.

use crate::data::draw_regression;
use crate::grid::Grid;
use crate::grid::Show::{Curves, Heading, Levels, Ranks, Regions, Scores, Text, Wins};
use crate::methods::classify::{Method, Setup};
use crate::methods::regress;
use crate::methods::rule::Rule;
use crate::report::Pairing;

/// Powers; `gp` is exact regression.
const POWERS: [(&str, Option<f64>); 9] = [
    ("vfe", Some(0.0)),
    ("pep0.2", Some(0.2)),
    ("pep0.4", Some(0.4)),
    ("pep0.5", Some(0.5)),
    ("pep0.6", Some(0.6)),
    ("pep0.8", Some(0.8)),
    ("pep0.9", Some(0.9)),
    ("ep", Some(1.0)),
    ("gp", None),
];
const RANKED: [&str; 8] = ["vfe", "pep0.2", "pep0.4", "pep0.5", "pep0.6", "pep0.8", "pep0.9", "ep"];
/// Exact regression has no M.
const ALL: &str = "all points";
/// Without and with natural gradients.
const BOUND: Method = Method::VariationalInBatches(None);
const NATURAL: Method = Method::VariationalInBatches(Some(0.1));

const fn pairing(
    first: &'static str,
    second: &'static str,
    score: &'static str,
    paper: Option<f64>,
) -> Pairing {
    Pairing { first, second, score, paper }
}

/// Figure 3 (and 8 to 13).
pub(super) const DRAWN: Grid<Option<f64>> = Grid {
    name: "001-figure-3",
    title: "Power EP on functions drawn from a Gaussian process, by power and number of inducing inputs, compared with exact regression",
    about: "From the paper: thirty data sets of 1000 rows with five inputs, half of them for training, drawn from a \
         process with one length-scale per input; everything learned by L-BFGS with at most 2,000 evaluations; `gp` \
         is exact regression. Own choices: standard normal inputs, amplitude 1, length-scales log-uniform between 1 \
         and 5, noise of standard deviation 0.2; initial values and scores as in `001-figures-4-5`. A split is a \
         data set.\n\n\
         Reduced form: ten data sets, M = 5, 20, 50, 100 and 200, α = 0, 0.5, 0.8 and 1.",
    takes: ["10 hours", "8 minutes"],
    data: &["drawn"],
    settings: &["M=5", "M=10", "M=20", "M=50", "M=100", "M=200", "M=500", ALL],
    methods: &POWERS,
    splits: [30, 10],
    protocol: 2,
    is_whole_run_by_run: true,
    words: [
        &["M=5", "M=20", "M=50", "M=100", "M=200", ALL, "vfe", "pep0.5", "pep0.8", "ep", "gp"],
        &["M=5", ALL, "vfe", "pep0.5", "gp"],
    ],
    has: |_, cell, power| power.is_none() == (cell.setting == ALL),
    run: |at| {
        let split = draw_regression(at.choose(1000, 1000, 80), 5, at.seed())?;
        let evaluations = at.choose(2000, 2000, 5);
        match at.how {
            Some(power) => regress::sparse(&split, at.count("M", 10)?, *power, evaluations),
            None => regress::exact(&split, evaluations),
        }
    },
    show: &[
        Text(
            "The paper gives no shares for these data. It says that powers from 0.5 to 0.8 predict best on average, and \
             that α = 0.8 and 1 overestimate the marginal likelihood at intermediate M:",
        ),
        Wins(&[
            pairing("pep0.5", "vfe", "smse", None),
            pairing("pep0.5", "ep", "smse", None),
            pairing("vfe", "ep", "smse", None),
            pairing("pep0.5", "vfe", "smll", None),
            pairing("pep0.5", "ep", "smll", None),
            pairing("vfe", "ep", "smll", None),
        ]),
        Heading("SMSE"),
        Scores("smse", "", 3),
        Levels("001-drawn-{score}", "M", &["smse"]),
        Heading("SMLL"),
        Scores("smll", "", 3),
        Levels("001-drawn-{score}", "M", &["smll"]),
        Heading("Estimated log marginal likelihood"),
        Scores("log_evidence", "", 3),
        Levels("001-drawn-{score}", "M", &["log_evidence"]),
    ],
    ..Grid::EMPTY
};

/// Figures 4 and 5 (and 14 to 22).
pub(super) const REGRESSION: Grid<Option<f64>> = Grid {
    name: "001-figures-4-5",
    title: "Power EP on eight regression data sets, by power and number of inducing inputs",
    about: "From the paper: twenty 90/10 splits, a squared exponential with one length-scale per input, \
         hyperparameters and inducing inputs by L-BFGS on Power EP's energy. Own choices: inputs and targets of mean \
         0 and variance 1, length-scales √D, amplitude 1, noise variance 0.1, inducing inputs from k-means, and at \
         most 2,000 evaluations, as in the paper's first experiment. `vfe` is α = 0, `ep` (FITC) α = 1. SMSE is \
         relative to the variance of the test targets, SMLL to a Gaussian with the moments of the training targets; \
         less is better.\n\n\
         Reduced form: five splits, M = 10 and 50, α = 0, 0.5, 0.8 and 1.",
    takes: ["30 hours", "40 minutes"],
    data: &["boston", "concrete", "energy", "kin8nm", "naval", "yacht", "power", "wine_red"],
    settings: &["M=5", "M=10", "M=20", "M=50", "M=100", "M=200"],
    methods: POWERS.split_at(8).0,
    splits: [20, 5],
    protocol: 2,
    is_whole_run_by_run: true,
    words: [
        &["M=10", "M=50", "vfe", "pep0.5", "pep0.8", "ep"],
        &["boston", "M=5", "vfe", "pep0.5", "pep0.8", "ep"],
    ],
    run: |at| {
        let power = at.how.unwrap_or(1.0);
        regress::sparse(&at.split()?, at.count("M", 10)?, power, at.choose(2000, 2000, 5))
    },
    show: &[
        Text(
            "Shares of experiments in which one method is better than another. The paper's are over M = 5 … 200:",
        ),
        Wins(&[
            pairing("pep0.5", "vfe", "smse", Some(0.67)),
            pairing("pep0.5", "ep", "smse", Some(0.78)),
            pairing("vfe", "ep", "smse", Some(0.64)),
            pairing("ep", "vfe", "smll", Some(0.93)),
            pairing("ep", "pep0.5", "smll", Some(0.71)),
            pairing("pep0.5", "vfe", "smll", Some(0.93)),
        ]),
        Text("Average ranks among all methods with results (Figure 5):"),
        Ranks(&RANKED, &["smse", "smll"]),
        Heading("SMSE"),
        Scores("smse", "", 3),
        Heading("SMLL"),
        Scores("smll", "", 3),
        Heading("Estimated log marginal likelihood"),
        Scores("log_evidence", "", 1),
        Levels("001-{data}-{score}", "M", &["smse", "smll", "log_evidence"]),
    ],
    ..Grid::EMPTY
};

/// Figures 6 and 7 (and 24 to 30).
pub(super) const CLASSIFICATION: Grid<Method> = Grid {
    name: "001-figures-6-7",
    title: "Power EP on six binary data sets in mini-batches, by power and number of inducing inputs",
    about: "From the paper: twenty 90/10 splits; mini-batches with parallel updates of a batch's sites, each \
         followed by a step of Adam with its default parameters (rate 0.001) without waiting for EP to converge. \
         `vfe` is the variational bound, not α = 0, with Adam on everything; `vfe, natural`, not in the paper, moves \
         the posterior by natural gradients of rate 0.1. Own choices: a squared exponential with one length-scale \
         per input and noise, inputs of variance 1, length-scales √D, amplitude 1, noise 0.1, inducing inputs from \
         random training rows and learned, batches of 50, 4000 steps without early stopping, sites moved by 0.99 of \
         an update. By their sizes, the paper's Australian and Breast data are those of the authors' repository.\n\n\
         Reduced form: five splits, M = 10 and 50, α = 0.5, 0.8 and 1.",
    takes: ["10 hours", "25 minutes"],
    data: &["australian (authors)", "breast (authors)", "crabs", "ionosphere", "pima", "sonar"],
    settings: &["M=10", "M=30", "M=50", "M=100"],
    methods: &[
        ("vfe", BOUND),
        ("vfe, natural", NATURAL),
        ("pep0.4", Method::OwnInBatches(0.4)),
        ("pep0.5", Method::OwnInBatches(0.5)),
        ("pep0.6", Method::OwnInBatches(0.6)),
        ("pep0.8", Method::OwnInBatches(0.8)),
        ("ep", Method::OwnInBatches(1.0)),
    ],
    splits: [20, 5],
    protocol: 2,
    is_whole_run_by_run: true,
    words: [
        &["M=10", "M=50", "vfe", "vfe, natural", "pep0.5", "pep0.8", "ep"],
        &["crabs", "M=10", "vfe", "pep0.5"],
    ],
    run: |at| {
        let (split, steps) = (at.split()?, at.choose(4000, 4000, 20));
        let setup = Setup::new(&split, at.count("M", 10)?, steps, at.seed());
        Setup { batch: 50, rule: Rule::ADAM, ..setup }.run(*at.how)
    },
    show: &[
        Text(
            "Shares of experiments in which one method is better than another. The paper's share is over M = 10 … 100. \
             By data set and NLL, it finds α = 0.5 better than EP on 5 of 6 and than VFE on 1, and VFE better than EP \
             on 4:",
        ),
        Wins(&[
            pairing("pep0.5", "ep", "nll", Some(0.65)),
            pairing("pep0.5", "vfe", "nll", None),
            pairing("vfe", "ep", "nll", None),
            pairing("pep0.5", "ep", "error", None),
            pairing("pep0.5", "vfe", "error", None),
            pairing("vfe", "ep", "error", None),
        ]),
        Text("Average ranks among all methods with results (Figure 7):"),
        Ranks(&RANKED, &["error", "nll"]),
        Heading("Negative log-likelihood"),
        Scores("nll", "", 3),
        Heading("Error"),
        Scores("error", "", 3),
    ],
    ..Grid::EMPTY
};

pub(super) const BANANA: Grid<Method> = Grid {
    name: "001-figure-23",
    title: "positions of inducing inputs on Banana, by the power of Power EP",
    about: "From the paper: Power EP of two classes, α from close to 0 to 1. It gives neither the data nor the \
         number of inducing inputs; here Banana (400 training rows) and M = 32. The rest is as in `001-figures-6-7` \
         (batches of 50, Adam, `vfe` is the variational bound), except 20,000 steps; plots as in `003-figure-2`.\n\n\
         Reduced form: the same.",
    takes: ["2 minutes", "2 minutes"],
    data: &["banana"],
    settings: &["M=32"],
    methods: &[
        ("vfe", BOUND),
        ("vfe, natural", NATURAL),
        ("pep0.1", Method::OwnInBatches(0.1)),
        ("pep0.5", Method::OwnInBatches(0.5)),
        ("pep0.8", Method::OwnInBatches(0.8)),
        ("ep", Method::OwnInBatches(1.0)),
    ],
    words: [&[], &["vfe", "pep0.5", "ep"]],
    protocol: 2,
    is_whole_run_by_run: true,
    run: |at| {
        let (split, steps) = (at.split()?, at.choose(20_000, 20_000, 20));
        let setup = Setup::new(&split, at.count("M", 32)?, steps, 1);
        Setup { batch: 50, rule: Rule::ADAM, ..setup }.in_plane(*at.how)
    },
    show: &[
        Scores(
            "near_boundary",
            "Share of inducing inputs at which both classes have at least 10 % probability, relative to that share of \
             training rows. In the paper, inducing inputs gather at the boundary as α goes to 0, and spread over the data \
             as α goes to 1",
            3,
        ),
        Scores("error", "Error on the test set", 3),
        Scores("nll", "Negative log-likelihood", 3),
        Regions("001-inducing-{method}"),
    ],
    ..Grid::EMPTY
};

/// Figures 31 and 32, and upper Figure 4 of Hernández-Lobato & Hernández-Lobato 2016.
pub(super) const DIGITS: Grid<(Method, Rule)> = Grid {
    name: "001-figures-31-32",
    title: "odd and even MNIST digits in mini-batches, by the power of Power EP and training time (and 003, upper Figure 4)",
    about: "From the papers: 60,000 training and 10,000 test images, M = 100 and 200 (Hernández-Lobato & \
         Hernández-Lobato 2016: 200), batches of 200, error and negative log-likelihood against time. `ep` is \
         scalable EP, `vfe` the variational bound, both by Adam with its default parameters (rate 0.001), as in Bui \
         et al. 2017, or by Adadelta (decay 0.95, ε = 10⁻⁶), as in Hernández-Lobato & Hernández-Lobato 2016. Not in \
         the papers: `vfe, natural`, whose posterior moves by natural gradients of rate 0.1. Own choices: as in \
         `000-figure-5-mnist`. Neither paper gives numbers to compare with. The full-batch methods with which \
         Hernández-Lobato & Hernández-Lobato 2016 compares are in `004-table-3`.\n\n\
         Reduced form: M = 100, 600 batches (two epochs) instead of 12,000, without α = 0.8 and natural gradients.",
    takes: ["6 hours", "8 minutes"],
    data: &["mnist-b"],
    settings: &["M=100", "M=200"],
    methods: &[
        ("vfe", (BOUND, Rule::ADAM)),
        ("vfe, natural", (NATURAL, Rule::ADAM)),
        ("pep0.5", (Method::OwnInBatches(0.5), Rule::ADAM)),
        ("pep0.8", (Method::OwnInBatches(0.8), Rule::ADAM)),
        ("ep", (Method::OwnInBatches(1.0), Rule::ADAM)),
        ("vfe, adadelta", (BOUND, Rule::Adadelta)),
        ("ep, adadelta", (Method::OwnInBatches(1.0), Rule::Adadelta)),
    ],
    words: [&["M=100", "vfe", "pep0.5", "ep", "vfe, adadelta", "ep, adadelta"], &["M=100"]],
    protocol: 2,
    run: |at| {
        let (split, steps) = (at.split()?, at.choose(12_000, 600, 20));
        let setup = Setup::new(&split, at.count("M", 10)?, steps, 1);
        let (method, rule) = *at.how;
        Setup { batch: 200, rule, lengthscale: 0.3, ..setup }.course(method)
    },
    show: &[
        Scores("error", "Final error", 4),
        Scores("nll", "Final negative log-likelihood", 4),
        Scores("seconds", "Seconds", 4),
        Curves("001-parity-{setting}-{score}", &["error by seconds", "nll by seconds"], &[]),
    ],
    ..Grid::EMPTY
};
