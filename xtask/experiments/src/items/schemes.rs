//! Hernández-Lobato & Hernández-Lobato 2016, left Figure 1, and Villacampa-Calvo & Hernández-Lobato 2017, Figure 1:
//! log Z by training time.

use crate::data::Task;
use crate::error::ExperimentError;
use crate::grid::Show::{self, Curves, Scores};
use crate::grid::{At, Grid};
use crate::harness::Outcome;
use crate::methods::classify::Setup;
use crate::methods::schemes::Scheme;

pub(super) const PIMA: Grid<Scheme> = Grid {
    name: "003-figure-1",
    title: "log Z by training time on Pima: EP converged before every step, or one sweep",
    about: "From the paper: the estimate of log Z against time on Pima, with steps along the approximate gradient \
         after every sweep (`inner`), compared with converging EP first (`outer`). Own choices: M = 15 % as in its \
         Table 1, 250 steps, sign-adaptive steps of initial rate 0.01 for both, initial values and splits as in \
         Table 1; no scheme stops early. Not in the paper: `outer (L-BFGS)`, and `tied`, with one site for all \
         observations, whose log Z estimates another quantity.\n\n\
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
    title: "log Z by training time on Vehicle, by three schemes",
    about: "From the paper: Vehicle, M = N/5, 250 steps. EP converges before every step (`outer`), or takes one \
         sweep and follows the gradient that holds at convergence (`inner, approximate`) or that of the estimate \
         (`inner, exact`). Own choices: sign-adaptive steps of initial rate 0.01 for all three, convergence to a \
         root mean square change of 10⁻³ and of log Z of 10⁻⁵, initial values and splits as in Table 2.\n\n\
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
        Scores("log_z", "log Z with converged sites at the end of training", 3),
        Scores("nll", "Negative log-likelihood on the test set", 3),
        Scores("error", "Error on the test set", 3),
        Scores("seconds", "Seconds of training", 3),
        Scores("seconds_to_99", "Seconds until log Z stays within 1 % of its total change", 3),
        Curves(file, &["log Z by seconds"], &[]),
    ]
}
