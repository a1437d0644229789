//! Bui et al. 2017, Figures 8 to 10: exact regression on drawn functions.

use crate::data::{DRAWN_NOISE, Part, Split, draw_with_kernel};
use crate::error::ExperimentError;
use crate::grid::Show::{Heading, Scores};
use crate::grid::{At, Grid};
use crate::harness::{Effort, Outcome};
use crate::methods::regress::{NOISE, within};
use crate::methods::{kernels, savigp, scores};
use gp_ep::{ExactGp, Inference as _, Observations};
use gp_kernels::KernelExt as _;
use gp_likelihoods::Gaussian;
use gp_optim::ParameterSetMut;

/// `true` for learned hyperparameters.
pub(super) const KNOWN: Grid<bool> = Grid {
    name: "001-figures-8-10",
    title: "exact regression on drawn functions: true and learned hyperparameters, training and test rows",
    about: "From the paper: thirty data sets with five inputs, drawn from a process with one length-scale per input; \
         exact regression with 500 and 1,000 training rows and as many test rows, with the true hyperparameters \
         (`true`) and those of type-2 maximum likelihood (`learned`, by L-BFGS with at most 2,000 evaluations). Own \
         choices: functions as in `001-figure-3`, not standardised; learning starts at length-scales √5, amplitude \
         1, noise 0.1. `log evidence` and mean log densities are per row. A split is a data set.\n\n\
         Reduced form: ten data sets of 500 rows.",
    takes: ["1 hour", "2 minutes"],
    data: &["drawn"],
    settings: &["N=500", "N=1000"],
    methods: &[("true", false), ("learned", true)],
    splits: [30, 10],
    words: [&["N=500"], &["N=500"]],
    is_whole_run_by_run: true,
    run,
    show: &[
        Scores("log evidence", "Log evidence per training row", 3),
        Heading("Mean squared error"),
        Scores("mse, training", "On training rows", 4),
        Scores("mse, test", "On test rows", 4),
        Heading("Mean log density"),
        Scores("log density, training", "On training rows", 3),
        Scores("log density, test", "On test rows", 3),
        Scores("seconds", "Seconds of training", 2),
    ],
    ..Grid::EMPTY
};

fn run(at: &At<'_, bool>) -> Result<Outcome, ExperimentError> {
    const EVALUATIONS: u64 = 2000;
    let (split, kernel) = draw_with_kernel(2 * at.count("N", 40)?, 5, at.seed())?;
    let labels = split.training.labels();
    let data = Observations::new(split.training.inputs.as_ref(), &labels)?;
    let mut model = if *at.how {
        ExactGp::new(kernels::one_scale_an_input(5)?, Gaussian::new(NOISE)?)
    } else {
        ExactGp::new(kernel, Gaussian::new(DRAWN_NOISE)?)
    };
    if !at.how {
        model.visit_mut(&mut |parameter| parameter.fix_all(true));
    }
    let (run, seconds) =
        scores::timed(|| Ok(model.learn(&data, within(at.choose(EVALUATIONS, EVALUATIONS, 5)))?.run))?;
    let effort = Effort::from(&run).with("kernel learned", model.kernel().expression());
    let posterior = model.posterior(&data)?;
    let of = |test: &Part| -> Result<(f64, f64), ExperimentError> {
        let split = Split { test: test.clone(), ..split.clone() };
        let found = scores::of_numbers(&posterior, &split)?;
        Ok((found.squares[0], -found.nlpd))
    };
    let (training, test) = (of(&split.training)?, of(&split.test)?);
    Ok(Outcome::of([
        ("log evidence", savigp::log_evidence(&run) / labels.len() as f64),
        ("mse, training", training.0),
        ("mse, test", test.0),
        ("log density, training", training.1),
        ("log density, test", test.1),
        ("seconds", seconds),
    ])
    .by(effort))
}
