//! Seed 004, Figures 1 to 4 (and 13): variational posteriors on small data sets of five kinds.

use crate::data::{Task, files_of, set};
use crate::error::ExperimentError;
use crate::harness::{Cell, Context, Extent, Item, Outcome, Results};
use crate::methods::savigp::{Posterior, Setup};
use crate::report::{Block, Comparison, Reference};
use gp_variational::{Draws, Expectation, Sampling};

/// A data set with its likelihood, and the iterations it gets.
struct Problem {
    name: &'static str,
    likelihood: &'static str,
    ard: bool,
    iterations: u64,
    /// Samples where the likelihood has several latents.
    samples: Option<usize>,
}

const fn problem(name: &'static str, likelihood: &'static str) -> Problem {
    Problem { name, likelihood, ard: true, iterations: 100, samples: None }
}

const PROBLEMS: [Problem; 5] = [
    problem("boston (savigp)", "gaussian(variance=0.1)"),
    problem("creep", "warped_gaussian"),
    problem("abalone", "warped_gaussian"),
    problem("breast (savigp)", "bernoulli_logit"),
    Problem {
        ard: false,
        iterations: 20,
        samples: Some(50),
        ..problem("usps (savigp)", "softmax(classes=3)")
    },
];
const DATA: [&str; 5] = ["boston (savigp)", "creep", "abalone", "breast (savigp)", "usps (savigp)"];
/// The share of observations that are inducing inputs, as the seed calls it.
const SETTINGS: [(&str, f64); 4] = [("SF=1", 1.0), ("SF=0.5", 0.5), ("SF=0.2", 0.2), ("SF=0.1", 0.1)];
const REDUCED: [(&str, f64); 2] = [SETTINGS[1], SETTINGS[3]];
const METHODS: [(&str, Posterior); 3] =
    [("fg", Posterior::Full), ("mog1", Posterior::Diagonal), ("mog2", Posterior::TwoDiagonal)];

/// The figures.
#[derive(Debug)]
pub(super) struct SmallVariational;

impl Item for SmallVariational {
    fn name(&self) -> &'static str {
        "004-figures-1-4"
    }

    fn title(&self) -> &'static str {
        "variational posteriors for Gaussian, warped Gaussian, logistic and softmax likelihoods, sparse and dense"
    }

    fn needs(&self) -> Vec<String> {
        files_of(&DATA)
    }

    fn method(&self) -> &'static str {
        "As the seed says: the partitions of its repository, squared exponentials, posteriors `fg` (one full Gaussian), \
         `mog1` and `mog2` (one and two diagonal ones), inducing inputs at nested subsets of the training rows, their share \
         SF; with SF = 1, `fg` is the dense posterior, which under Gaussian noise, warped or not, is the exact one. \
         Chosen where it is silent: a length-scale for each input (one for all pixels of USPS), inputs and targets of \
         variance 1, length-scales √D, amplitude 1, noise variance 0.1, inducing inputs that stay; L-BFGS on hyperparameters \
         with the posterior at rest by natural gradients for `fg`, on everything for `mog`; expectations by closed \
         forms or quadrature instead of samples, and by 50 quasi-random samples for USPS. The figures hold no \
         numbers that could be put beside ours.\n\n\
         Reduced form: the five partitions of Boston, Breast and USPS, the one of Creep and Abalone (all that were \
         published hold the same rows); SF = 0.5 and 0.1, and 1 for `fg`."
    }

    fn takes(&self) -> [&'static str; 2] {
        ["20 hours", "1 hour"]
    }

    fn cells(&self, extent: &Extent) -> Vec<Cell> {
        let settings = extent.choose(&SETTINGS[1..], &REDUCED[..], &REDUCED[..1]);
        let mut cells = Vec::new();
        for split in 0..extent.splits(5, 5) {
            let published = |name: &&&str| set(name).is_some_and(|set| split < set.splits.count());
            for data in DATA.iter().filter(published) {
                cells.push(Cell::new(*data, SETTINGS[0].0, METHODS[0].0, split));
                for (setting, _) in settings.iter().rev() {
                    cells.extend(METHODS.map(|(method, _)| Cell::new(*data, *setting, method, split)));
                }
            }
        }
        cells
    }

    fn run(&self, cell: &Cell, context: &Context) -> Result<Outcome, ExperimentError> {
        let find = || {
            let problem = PROBLEMS.iter().find(|problem| problem.name == cell.data)?;
            let share = SETTINGS.iter().find(|(name, _)| *name == cell.setting)?.1;
            let posterior = METHODS.iter().find(|(name, _)| *name == cell.method)?.1;
            Some((set(&cell.data)?, problem, share, posterior))
        };
        let (set, problem, share, posterior) = find().ok_or_else(|| cell.unknown())?;
        let split = context.store.split(set, cell.split)?;
        let sampled = |samples| {
            Expectation::Sampled(Sampling { samples, draws: Draws::QuasiRandom, ..Sampling::default() })
        };
        let setup = Setup {
            likelihood: problem.likelihood,
            ard: problem.ard,
            expectation: problem.samples.map_or(Expectation::Exact, sampled),
            iterations: context.extent.choose(problem.iterations, problem.iterations, 2),
            share,
        };
        let found = setup.learn(posterior, &split.training)?;
        if set.task == Task::Number { found.number_scores(&split) } else { found.label_scores(&split) }
    }

    fn show(&self, results: &Results) -> Vec<Block> {
        let (settings, methods) = (SETTINGS.map(|(name, _)| name), METHODS.map(|(name, _)| name));
        let grid = |data: &'static [&'static str], measure: &'static str| {
            let reference = Reference::default();
            Comparison { results, reference, data, settings: &settings, methods: &methods, measure }.grid(3)
        };
        const NUMBERS: &[&str] = &["boston (savigp)", "creep", "abalone"];
        const LABELS: &[&str] = &["breast (savigp)", "usps (savigp)"];
        let mut blocks = Vec::new();
        for (title, data, measure) in [
            ("Figures 1, 2 and 13: mean squared error over variance", NUMBERS, "sse"),
            ("Mean negative log predictive density, in the units of the data", NUMBERS, "nlpd"),
            ("Figures 3 and 4: share of wrong labels", LABELS, "error"),
            ("Mean negative log probability of labels", LABELS, "nlp"),
            ("Bounds on the log evidence", &DATA, "bound"),
            ("Seconds of training", &DATA, "seconds"),
        ] {
            blocks.push(Block::Heading(3, title.to_owned()));
            blocks.push(grid(data, measure));
        }
        blocks
    }
}
