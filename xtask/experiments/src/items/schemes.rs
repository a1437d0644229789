//! Hernández-Lobato & Hernández-Lobato 2016, Figure 1 (left), and Villacampa-Calvo & Hernández-Lobato 2017, Figure 1:
//! log Z against time, by the schedule of hyperparameter steps.

use crate::data::Task;
use crate::error::ExperimentError;
use crate::grid::Show::{self, Curves, Scores};
use crate::grid::{At, Grid};
use crate::harness::Outcome;
use crate::methods::classify::Setup;
use crate::methods::schemes::Scheme;

pub(super) const PIMA: Grid<Scheme> = Grid {
    name: "003-figure-1",
    title: "log Z against time on Pima, EP to rest before every step or one sweep",
    about: "As the paper says: the estimate of log Z against time on Pima, steps along the approximate gradient after \
             every sweep (`inner`) beside waiting for EP (`outer`). Chosen where it is silent: M = 15 % as in its \
             Table 1, 250 steps, sign-adaptive steps of first rate 0.01 for both, start and splits as in Table 1; no \
             scheme ends before its last step. Not in the paper: `outer (L-BFGS)`, and `tied`, with one site for all observations, whose log Z is its own \
             estimate of another quantity.\n\n\
             Reduced form: five splits instead of twenty.",
    takes: ["2 minutes", "30 seconds"],
    data: &["pima"],
    settings: &["M=15%"],
    methods: &[
        ("inner", Scheme::Inner),
        ("outer", Scheme::Outer),
        ("outer (L-BFGS)", Scheme::QuasiNewton),
        ("tied", Scheme::Tied),
    ],
    splits: [20, 5],
    protocol: 2,
    is_whole_run_by_run: true,
    run,
    show: &shown("003-schemes"),
    ..Grid::EMPTY
};

pub(super) const VEHICLE: Grid<Scheme> = Grid {
    name: "000-figure-1",
    title: "log Z against time on Vehicle, by three schemes",
    about: "As the paper says: Vehicle, M = N/5, 250 steps; EP comes to rest before every step (`outer`), or takes one \
             sweep and follows the gradient that would be right at rest (`inner, approximate`) or that of the estimate \
             (`inner, exact`). Chosen where it is silent: sign-adaptive steps of first rate 0.01 for all three, rest \
             to a root mean square change of 10⁻³ and of log Z of 10⁻⁵, start and splits as in Table 2.\n\n\
             Reduced form: two splits instead of five.",
    takes: ["5 minutes", "2 minutes"],
    data: &["vehicle"],
    settings: &["M=20%"],
    methods: &[
        ("outer", Scheme::Outer),
        ("inner, approximate", Scheme::Inner),
        ("inner, exact", Scheme::InnerExact),
    ],
    splits: [5, 2],
    protocol: 2,
    is_whole_run_by_run: true,
    run,
    show: &shown("000-schemes"),
    ..Grid::EMPTY
};

fn run(at: &At<'_, Scheme>) -> Result<Outcome, ExperimentError> {
    let split = at.split()?;
    // Hernández-Lobato & Hernández-Lobato 2016 counts all rows, Villacampa-Calvo & Hernández-Lobato 2017 training rows.
    let others = if split.task == Task::Binary { split.test.len() } else { 0 };
    let inducing = (at.number("M")? * (split.training.len() + others) as f64).round() as usize;
    Setup::new(&split, inducing, at.choose(250, 250, 5), 100 * at.seed()).scheme(*at.how)
}

const fn shown(file: &'static str) -> [Show; 6] {
    [
        Scores("log_z", "log Z, sites at rest, where training ended", 3),
        Scores("nll", "Negative log-likelihood on the test set", 3),
        Scores("error", "Error on the test set", 3),
        Scores("seconds", "Seconds of training", 3),
        Scores("seconds_to_99", "Seconds to 99 % of the way of log Z", 3),
        Curves(file, &["log Z by seconds"], &[]),
    ]
}
