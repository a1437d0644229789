//! Seed 001, Figures 4 and 5 (and 14 to 22): Power EP on eight regression data sets.

use crate::data::{files_of, set};
use crate::error::ExperimentError;
use crate::harness::{Cell, Context, Extent, Item, Outcome, Results};
use crate::methods::regress;
use crate::report::{Block, Comparison, Pairing, Reference, Scale, levels, wins};

const DATA: [&str; 8] = ["boston", "concrete", "energy", "kin8nm", "naval", "yacht", "power", "wine_red"];
const SETTINGS: [(&str, f64); 6] =
    [("M=5", 5.0), ("M=10", 10.0), ("M=20", 20.0), ("M=50", 50.0), ("M=100", 100.0), ("M=200", 200.0)];
const REDUCED: [(&str, f64); 2] = [SETTINGS[1], SETTINGS[3]];
/// The method of the smallest and of the largest power have the seed's names.
const METHODS: [(&str, f64); 8] = [
    ("vfe", 0.0),
    ("pep0.2", 0.2),
    ("pep0.4", 0.4),
    ("pep0.5", 0.5),
    ("pep0.6", 0.6),
    ("pep0.8", 0.8),
    ("pep0.9", 0.9),
    ("ep", 1.0),
];
const REDUCED_METHODS: [(&str, f64); 4] = [METHODS[0], METHODS[3], METHODS[5], METHODS[7]];
const PAIRINGS: [Pairing; 6] = [
    Pairing { first: "pep0.5", second: "vfe", score: "smse", seed: Some(0.67) },
    Pairing { first: "pep0.5", second: "ep", score: "smse", seed: Some(0.78) },
    Pairing { first: "vfe", second: "ep", score: "smse", seed: Some(0.64) },
    Pairing { first: "ep", second: "vfe", score: "smll", seed: Some(0.93) },
    Pairing { first: "ep", second: "pep0.5", score: "smll", seed: Some(0.71) },
    Pairing { first: "pep0.5", second: "vfe", score: "smll", seed: Some(0.93) },
];

/// The figures.
#[derive(Debug)]
pub(super) struct Regression;

impl Item for Regression {
    fn name(&self) -> &'static str {
        "001-figures-4-5"
    }

    fn title(&self) -> &'static str {
        "Power EP on eight regression data sets: which power, how many inducing inputs"
    }

    fn needs(&self) -> Vec<String> {
        files_of(&DATA)
    }

    fn method(&self) -> &'static str {
        "As the seed says: twenty 90/10 splits, a squared exponential with a length-scale for each input, hyperparameters \
         and inducing inputs by L-BFGS on Power EP's energy. Chosen where it is silent: inputs and targets of mean 0 and \
         variance 1, length-scales √D, amplitude 1, noise variance 0.1, inducing inputs from k-means, at most 1000 \
         iterations. `vfe` is α = 0, `ep` (FITC) α = 1. SMSE is relative to the variance of the test targets, SMLL to a \
         Gaussian with the moments of the training targets; of both, less is better.\n\n\
         Reduced form: five splits, M = 10 and 50, α = 0, 0.5, 0.8 and 1."
    }

    fn takes(&self) -> [&'static str; 2] {
        ["30 hours", "40 minutes"]
    }

    fn cells(&self, extent: &Extent) -> Vec<Cell> {
        let settings = extent.choose(&SETTINGS[..], &REDUCED[..], &SETTINGS[..1]);
        let methods = extent.choose(&METHODS[..], &REDUCED_METHODS[..], &REDUCED_METHODS[..]);
        let data = extent.choose(&DATA[..], &DATA[..], &DATA[..1]);
        let mut cells = Vec::new();
        for split in 0..extent.splits(20, 5) {
            for (setting, _) in settings {
                for data in data {
                    cells
                        .extend(methods.iter().map(|(method, _)| Cell::new(*data, *setting, *method, split)));
                }
            }
        }
        cells
    }

    fn run(&self, cell: &Cell, context: &Context) -> Result<Outcome, ExperimentError> {
        let find = || {
            let inducing = SETTINGS.iter().find(|(name, _)| *name == cell.setting)?.1;
            let power = METHODS.iter().find(|(name, _)| *name == cell.method)?.1;
            Some((set(&cell.data)?, inducing as usize, power))
        };
        let (set, inducing, power) = find().ok_or_else(|| cell.unknown())?;
        let split = context.store.split(set, cell.split)?;
        regress::sparse(&split, inducing, power, context.extent.choose(1000, 1000, 5))
    }

    fn show(&self, results: &Results) -> Vec<Block> {
        let (settings, methods) = (SETTINGS.map(|(name, _)| name), METHODS.map(|(name, _)| name));
        let smse = Comparison {
            results,
            reference: Reference::default(),
            data: &DATA,
            settings: &settings,
            methods: &methods,
            measure: "smse",
        };
        let smll = Comparison { measure: "smll", ..smse.clone() };
        let mut blocks = vec![
            Block::text(
                "How often one method is better than another. The seed's shares are over M = 5 … 200:",
            ),
            wins(results, &DATA, &PAIRINGS),
            Block::Heading(3, "SMSE".to_owned()),
            smse.grid(3),
            Block::Heading(3, "SMLL".to_owned()),
            smll.grid(3),
        ];
        for data in DATA {
            for score in ["smse", "smll"] {
                let file = format!("001-{data}-{score}");
                blocks.extend(levels(results, &file, data, &SETTINGS, &methods, ["M", score], Scale::Log));
            }
        }
        blocks
    }
}
