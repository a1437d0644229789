//! Seed 003, Figure 1 (left), and seed 000, Figure 1: log Z against time, by when hyperparameters take their steps.

use crate::data::{Task, files_of, set};
use crate::error::ExperimentError;
use crate::harness::{Cell, Context, Extent, Item, Outcome, Results};
use crate::methods::classify::Setup;
use crate::methods::schemes::Scheme;
use crate::report::{Block, Comparison, Reference, Scale, course};

/// One of the figures.
#[derive(Debug)]
pub(super) struct Schemes {
    name: &'static str,
    title: &'static str,
    method: &'static str,
    takes: [&'static str; 2],
    data: &'static [&'static str],
    setting: &'static str,
    /// Inducing inputs as a share of training rows.
    share: f64,
    methods: &'static [(&'static str, Scheme)],
    splits: [usize; 2],
    file: &'static str,
}

/// Pima, two classes.
pub(super) const PIMA: Schemes = Schemes {
    name: "003-figure-1",
    title: "log Z against time on Pima, EP to rest before every step or one sweep",
    method: "As the seed says: the estimate of log Z against time on Pima, steps along the approximate gradient after every \
             sweep (`inner`) beside waiting for EP (`outer`). Chosen where it is silent: M = 15 % as in its Table 1, 250 \
             steps, sign-adaptive steps of first rate 0.01 for both, start and splits as in Table 1. Not in the seed: \
             `outer (L-BFGS)`, and `tied`, with one site for all observations, whose log Z is its own estimate of \
             another quantity, and which ends where that no longer rises.\n\n\
             Reduced form: five splits instead of twenty.",
    takes: ["2 minutes", "30 seconds"],
    data: &["pima"],
    setting: "M=15%",
    share: 0.15,
    methods: &[
        ("inner", Scheme::Inner),
        ("outer", Scheme::Outer),
        ("outer (L-BFGS)", Scheme::QuasiNewton),
        ("tied", Scheme::Tied),
    ],
    splits: [20, 5],
    file: "003-schemes",
};

/// Vehicle, four classes.
pub(super) const VEHICLE: Schemes = Schemes {
    name: "000-figure-1",
    title: "log Z against time on Vehicle, by three schemes",
    method: "As the seed says: Vehicle, M = N/5, 250 steps; EP comes to rest before every step (`outer`), or takes one sweep \
             and follows the gradient that would be right at rest (`inner, approximate`) or that of the estimate \
             (`inner, exact`). Chosen where it is silent: sign-adaptive steps of first rate 0.01 for all three, rest to a \
             root mean square change of 10⁻³ and of log Z of 10⁻⁵, start and splits as in Table 2.\n\n\
             Reduced form: two splits instead of five.",
    takes: ["5 minutes", "2 minutes"],
    data: &["vehicle"],
    setting: "M=20%",
    share: 0.2,
    methods: &[
        ("outer", Scheme::Outer),
        ("inner, approximate", Scheme::Inner),
        ("inner, exact", Scheme::InnerExact),
    ],
    splits: [5, 2],
    file: "000-schemes",
};

impl Item for Schemes {
    fn name(&self) -> &'static str {
        self.name
    }

    fn title(&self) -> &'static str {
        self.title
    }

    fn needs(&self) -> Vec<String> {
        files_of(self.data)
    }

    fn method(&self) -> &'static str {
        self.method
    }

    fn takes(&self) -> [&'static str; 2] {
        self.takes
    }

    fn cells(&self, extent: &Extent) -> Vec<Cell> {
        let of = |split| {
            self.methods.iter().map(move |method| Cell::new(self.data[0], self.setting, method.0, split))
        };
        (0..extent.splits(self.splits[0], self.splits[1])).flat_map(of).collect()
    }

    fn run(&self, cell: &Cell, context: &Context) -> Result<Outcome, ExperimentError> {
        let scheme = self.methods.iter().find(|(name, _)| *name == cell.method);
        let ((_, scheme), set) = scheme.zip(set(&cell.data)).ok_or_else(|| cell.unknown())?;
        let split = context.store.split(set, cell.split)?;
        let all = split.training.len() + split.test.len();
        // Seed 003 counts all rows, seed 000 those for training.
        let base = if set.task == Task::Binary { all } else { split.training.len() };
        let setup = Setup {
            split: &split,
            task: set.task,
            inducing: (self.share * base as f64).round() as usize,
            seed: 100 * cell.split as u64,
            steps: context.extent.choose(250, 250, 5),
            kernel: None,
        };
        setup.scheme(*scheme)
    }

    fn show(&self, results: &Results) -> Vec<Block> {
        let methods: Vec<&str> = self.methods.iter().map(|(name, _)| *name).collect();
        let compare = |measure: &'static str| {
            let (reference, settings) = (Reference::default(), &[self.setting][..]);
            Comparison { results, reference, data: self.data, settings, methods: &methods, measure }.grid(3)
        };
        let mut blocks = Vec::new();
        for (measure, title) in [
            ("log_z", "log Z, sites at rest, where training ended"),
            ("nll", "Negative log-likelihood on the test set"),
            ("error", "Error on the test set"),
            ("seconds", "Seconds of training"),
            ("seconds_to_99", "Seconds to 99 % of the way of log Z"),
        ] {
            blocks.push(Block::text(format!("{title}:")));
            blocks.push(compare(measure));
        }
        let names = ["seconds", "log Z", "log Z by seconds"];
        blocks.extend(course(results, self.file, [self.data[0], self.setting], &methods, names, Scale::Log));
        blocks
    }
}
