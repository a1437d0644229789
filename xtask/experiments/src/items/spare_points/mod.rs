//! Learned inducing inputs beyond need: training results by start, and cost of crowding.

mod by_command;
mod crowding;
mod learn;
mod show;

use crate::error::ExperimentError;
use crate::grid::Show::{Own, Scores, Text};
use crate::grid::{At, Grid};
use crate::harness::Outcome;
use learn::Training;

/// Iteration limits: `gp fit`, extended, quick form.
const ITERATIONS: u64 = 300;
const MANY_ITERATIONS: u64 = 2_000;
const FEW_ITERATIONS: u64 = 5;
const STARTS: usize = 10;
const FEW_STARTS: usize = 2;

pub(super) enum Way {
    Command(&'static str),
    /// Closed-form regression of the library.
    Library(Training),
}

/// All but `gp fit` learn the same model.
const METHODS: [(&str, Way); 11] = [
    ("gp fit", Way::Command("")),
    ("gp fit, learned", Way::Command("--fix none")),
    (show::FIXED, Way::Library(Training::Fixed)),
    (show::LEARNED, Way::Library(Training::Learned)),
    ("fixed, then learned", Way::Library(Training::FixedThenLearned)),
    (show::HALF_FIRST, Way::Library(Training::HalfThenWhole)),
    ("better of two starts", Way::Library(Training::BetterOfTwo)),
    (show::QUICK_FIT, Way::Library(Training::QuickFit)),
    ("learned, spread, learned", Way::Library(Training::Spread)),
    (show::LONGER, Way::Library(Training::Longer)),
    (show::BEST, Way::Library(Training::BestOfTen)),
];

pub(super) const SPARE_POINTS: Grid<Way> = Grid {
    name: "spare-points",
    title: "inducing inputs to spare: ends of training with fixed and learned ones, compared with the best of ten starts",
    about: "Our own question, raised by `001-figures-4-5`: at power 1 and M = 50 some runs end in poor optima, with \
         inducing inputs that coincide. Twenty 90/10 splits of that item; all inputs and targets have mean 0 and \
         variance 1. `gp fit` is the command with `--inducing 50` and the method of the power (`fitc`, `pep` or \
         `vfe`): at power 1 it fixes inducing inputs up to 2,000 rows, otherwise it learns them; `gp fit, learned` \
         adds `--fix none`. The others use closed-form Power EP of the library with a squared exponential, started \
         at k-means centres, length-scales √D, amplitude 1 and noise variance 0.1, by L-BFGS with the tolerances of \
         `gp fit` and at most 300 iterations; `learned, longer` at most 2,000. `fixed, then learned` first trains \
         with fixed inducing inputs, `power 1/2, then 1` first with power ½ and everything, for at most 60 \
         iterations. `better of two starts` first trains for 60 iterations from the default and from a quarter of the \
         length-scales, and goes on from the larger log Z. `quick fit first` does this with power ½ and twice as many \
         inducing inputs, and starts from its kernel and noise, with k-means centres (much as `gp fit` without \
         `--kernel`). `learned, spread, learned` moves every inducing input of `learned` within 0.1 length-scales of \
         an earlier one to the least explained training row, trains again, and keeps the better end. `best of ten` \
         trains from ten starts, with other k-means centres and length-scales times a factor between 1/3 and 3, and \
         keeps the end with the largest log Z; its first start is that of `learned`.\n\n\
         Log Z is of the training targets in standardised units; at powers above 0 it is no bound, and its size alone \
         is no quality. `nlpd` is the mean negative log density of test targets in file units. Distances between \
         inducing inputs are in length-scales: √(−2 ln r) for a prior correlation r. The condition is that of `K_zz` \
         without jitter, as its logarithm to base 10.\n\n\
         Reduced form: five splits.",
    takes: ["20 minutes", "5 minutes"],
    data: &["boston", "energy", "yacht"],
    settings: &["power=1;M=50", "power=0.5;M=50", "power=0;M=50"],
    methods: &METHODS,
    splits: [20, 5],
    words: [&[], &["energy", "power=1;M=50"]],
    is_whole_run_by_run: true,
    has: |_, cell, way| match way {
        // At other powers, `gp fit` learns inducing inputs itself.
        Way::Command(flags) if !flags.is_empty() => cell.setting.starts_with("power=1;"),
        Way::Library(Training::HalfThenWhole | Training::QuickFit) => cell.setting.starts_with("power=1;"),
        Way::Library(
            Training::BestOfTen | Training::BetterOfTwo | Training::FixedThenLearned | Training::Spread,
        ) => !cell.setting.starts_with("power=0;"),
        _ => true,
    },
    run,
    show: &[
        Own(show::log_z),
        Scores("log Z per row", "Log Z per training row", 3),
        Own(show::densities),
        Scores("nlpd", "Negative log density of test targets", 3),
        Text(
            "Crowding at the end. Distance of the closest pair of inducing inputs, number of those within 0.1 \
             length-scales of an earlier one, and condition of `K_zz`:",
        ),
        Scores("closest", "", 4),
        Scores("close", "", 1),
        Scores("condition", "", 1),
        Own(show::ends),
        Scores("iterations", "Iterations", 0),
        Scores("seconds", "Processor seconds", 2),
    ],
    ..Grid::EMPTY
};

fn run(at: &At<'_, Way>) -> Result<Outcome, ExperimentError> {
    let (split, power, inducing) = (at.split()?, at.number("power")?, at.count("M", 20)?);
    match at.how {
        Way::Command(flags) => {
            let iterations = at.choose(ITERATIONS, ITERATIONS, FEW_ITERATIONS);
            by_command::run(&at.context.names, &split, (power, inducing), (iterations, *flags))
        }
        Way::Library(training) => {
            let limits = learn::Limits {
                iterations: at.choose(ITERATIONS, ITERATIONS, FEW_ITERATIONS),
                longer: at.choose(MANY_ITERATIONS, MANY_ITERATIONS, FEW_ITERATIONS),
                starts: at.choose(STARTS, STARTS, FEW_STARTS),
            };
            learn::run(&split, (power, inducing), *training, limits)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::{Extent, Form, Item as _};

    #[test]
    fn only_power_one_has_a_default_that_differs_from_learned_inputs() {
        let cells = SPARE_POINTS.cells(&Extent { form: Form::Full, splits: Some(1) });
        let count = |power: &str| cells.iter().filter(|cell| cell.setting.starts_with(power)).count();
        assert_eq!((count("power=1;"), count("power=0.5;"), count("power=0;")), (3 * 11, 3 * 8, 3 * 4));
    }
}
