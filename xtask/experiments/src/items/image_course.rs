//! Seed 003, Figure 3, left: Image against time.

use crate::data::{files_of, set};
use crate::error::ExperimentError;
use crate::harness::{Cell, Context, Extent, Item, Outcome, Results};
use crate::methods::classify::{Method, Setup};
use crate::report::{Block, Comparison, Reference, courses};

const DATA: [&str; 1] = ["image"];
const SETTINGS: [(&str, usize); 3] = [("M=4", 4), ("M=50", 50), ("M=200", 200)];
const METHODS: [(&str, Method); 3] =
    [("gfitc", Method::Gfitc), ("sep", Method::OwnSites), ("svi", Method::Variational)];
/// Repetitions of the seed.
const SPLITS: usize = 100;

/// The figure.
#[derive(Debug)]
pub(super) struct ImageCourse;

impl Item for ImageCourse {
    fn name(&self) -> &'static str {
        "003-figure-3-image"
    }

    fn title(&self) -> &'static str {
        "Image against time, by GFITC, scalable EP and variational inference"
    }

    fn needs(&self) -> Vec<String> {
        files_of(&DATA)
    }

    fn method(&self) -> &'static str {
        "As the seed says: 90 % of the 2,310 rows of Image for training, drawn anew for each of 100 repetitions, negative \
         log-likelihood on the other 10 % against time, for different numbers of inducing points; everything else as in \
         `003-table-1`, 250 iterations. Which numbers of inducing points is in the figure alone: M = 4, 50 and 200 were \
         chosen. Test scores are taken after powers of two of iterations; `gfitc` and `svi`, which nobody can look at \
         while L-BFGS goes on, are started anew for each. The curves are those of the first split; tables have means \
         over splits. The figure holds no numbers that could be put beside ours. 224 rows of Image repeat others, so \
         that some of the test rows have been seen in training.\n\n\
         Reduced form: three splits."
    }

    fn takes(&self) -> [&'static str; 2] {
        ["5 hours", "10 minutes"]
    }

    fn cells(&self, extent: &Extent) -> Vec<Cell> {
        let settings = extent.choose(&SETTINGS[..], &SETTINGS[..], &SETTINGS[..1]);
        let mut cells = Vec::new();
        for split in 0..extent.splits(SPLITS, 3) {
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
            seed: cell.split as u64,
            steps: context.extent.choose(250, 250, 5),
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
            ("seconds", "Seconds of training"),
        ];
        courses(&of, "003-image", &ends, &["nll"], 3)
    }
}
