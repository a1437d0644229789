//! Seed 000, Figures 4 and 6: Satellite against time.

use crate::data::{files_of, set};
use crate::error::ExperimentError;
use crate::harness::{Cell, Context, Extent, Item, Outcome, Results};
use crate::methods::classify::{Method, Setup};
use crate::report::{Block, Comparison, Reference, courses};

const DATA: [&str; 1] = ["satellite"];
const SETTINGS: [(&str, usize); 3] = [("M=4", 4), ("M=20", 20), ("M=100", 100)];
const METHODS: [(&str, Method); 4] = [
    ("gfitc", Method::Gfitc),
    ("ep", Method::OwnSites),
    ("sep", Method::TiedSites),
    ("vi", Method::Variational),
];

/// The figures.
#[derive(Debug)]
pub(super) struct SatelliteCourse;

impl Item for SatelliteCourse {
    fn name(&self) -> &'static str {
        "000-figures-4-6"
    }

    fn title(&self) -> &'static str {
        "Satellite against time, by GFITC, EP, stochastic EP and variational inference"
    }

    fn needs(&self) -> Vec<String> {
        files_of(&DATA)
    }

    fn method(&self) -> &'static str {
        "As the seed says: Satellite, M = 4, 20 and 100 inducing inputs a class, all of them batch methods, error and negative \
         log-likelihood on the test set against time; EP too, which the seed leaves out because it “performs equal to \
         SEP”. Everything else as in `000-tables-2-3`, 250 iterations. Test scores are taken after powers of two of \
         iterations; `gfitc` and `vi`, which nobody can look at while L-BFGS goes on, are started anew for each. The \
         figures hold no numbers that could be put beside ours.\n\n\
         Reduced form: the first split instead of twenty (the seed: 100 repetitions), M = 4 and 20, 64 iterations."
    }

    fn takes(&self) -> [&'static str; 2] {
        ["40 hours", "15 minutes"]
    }

    fn cells(&self, extent: &Extent) -> Vec<Cell> {
        let settings = extent.choose(&SETTINGS[..], &SETTINGS[..2], &SETTINGS[..1]);
        let mut cells = Vec::new();
        for split in 0..extent.splits(20, 1) {
            for (setting, _) in settings {
                cells.extend(METHODS.map(|(method, _)| Cell::new(DATA[0], *setting, method, split)));
            }
        }
        cells
    }

    fn run(&self, cell: &Cell, context: &Context) -> Result<Outcome, ExperimentError> {
        let find = || {
            let inducing = SETTINGS.iter().find(|(name, _)| *name == cell.setting)?.1;
            let method = METHODS.iter().find(|(name, _)| *name == cell.method)?.1;
            Some((set(&cell.data)?, inducing, method))
        };
        let (set, inducing, method) = find().ok_or_else(|| cell.unknown())?;
        let split = context.store.split(set, cell.split)?;
        let setup = Setup {
            split: &split,
            task: set.task,
            inducing,
            seed: 100 * cell.split as u64,
            steps: context.extent.choose(250, 64, 3),
            kernel: None,
        };
        setup.course(method)
    }

    fn show(&self, results: &Results) -> Vec<Block> {
        let (settings, methods) = (SETTINGS.map(|(name, _)| name), METHODS.map(|(name, _)| name));
        let of = Comparison {
            results,
            reference: Reference::default(),
            data: &DATA,
            settings: &settings,
            methods: &methods,
            measure: "nll",
        };
        let ends = [
            ("nll", "Negative log-likelihood in the end"),
            ("error", "Error in the end"),
            ("seconds", "Seconds"),
        ];
        courses(&of, "000-satellite", &ends, &["nll", "error"], 3)
    }
}
