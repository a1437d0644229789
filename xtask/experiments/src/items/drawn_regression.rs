//! Seed 001, Figure 3 (and 8 to 13): Power EP on functions drawn from a Gaussian process.

use crate::data::draw_regression;
use crate::error::ExperimentError;
use crate::harness::{Cell, Context, Extent, Item, Outcome, Results};
use crate::methods::regress;
use crate::report::{Block, Comparison, Pairing, Reference, Scale, Summary, levels, wins};
use gp_cli::picture::{INK, Layer};

const DATA: [&str; 1] = ["drawn"];
const SETTINGS: [(&str, f64); 7] = [
    ("M=5", 5.0),
    ("M=10", 10.0),
    ("M=20", 20.0),
    ("M=50", 50.0),
    ("M=100", 100.0),
    ("M=200", 200.0),
    ("M=500", 500.0),
];
const REDUCED: [(&str, f64); 5] = [SETTINGS[0], SETTINGS[2], SETTINGS[3], SETTINGS[4], SETTINGS[5]];
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
/// The process without approximation, which has no M.
const EXACT: &str = "gp";
const ALL: &str = "all points";
const PAIRINGS: [Pairing; 6] = [
    Pairing { first: "pep0.5", second: "vfe", score: "smse", seed: None },
    Pairing { first: "pep0.5", second: "ep", score: "smse", seed: None },
    Pairing { first: "vfe", second: "ep", score: "smse", seed: None },
    Pairing { first: "pep0.5", second: "vfe", score: "smll", seed: None },
    Pairing { first: "pep0.5", second: "ep", score: "smll", seed: None },
    Pairing { first: "vfe", second: "ep", score: "smll", seed: None },
];
const SCORES: [(&str, &str); 3] =
    [("smse", "SMSE"), ("smll", "SMLL"), ("log_evidence", "Log marginal likelihood, as estimated")];

/// The figures.
#[derive(Debug)]
pub(super) struct DrawnRegression;

impl Item for DrawnRegression {
    fn name(&self) -> &'static str {
        "001-figure-3"
    }

    fn title(&self) -> &'static str {
        "Power EP on functions drawn from a Gaussian process: which power, how many inducing inputs, beside the process itself"
    }

    fn needs(&self) -> Vec<String> {
        Vec::new()
    }

    fn method(&self) -> &'static str {
        "As the seed says: thirty data sets of 1000 rows with five inputs, half of them for training, drawn from a process with \
         a length-scale for each input; everything learned by L-BFGS; `gp` is exact regression. Chosen where it is \
         silent: standard normal inputs, amplitude 1, logarithms of length-scales uniform between those of 1 and 5, noise of \
         standard deviation 0.2; starts and scores as in `001-figures-4-5`, 1000 iterations for all. A split is a data \
         set.\n\n\
         Reduced form: ten data sets, M = 5, 20, 50, 100 and 200, α = 0, 0.5, 0.8 and 1."
    }

    fn takes(&self) -> [&'static str; 2] {
        ["10 hours", "8 minutes"]
    }

    fn cells(&self, extent: &Extent) -> Vec<Cell> {
        let settings = extent.choose(&SETTINGS[..], &REDUCED[..], &SETTINGS[..1]);
        let methods = extent.choose(&METHODS[..], &REDUCED_METHODS[..], &REDUCED_METHODS[..2]);
        let mut cells = Vec::new();
        for split in 0..extent.splits(30, 10) {
            cells.push(Cell::new(DATA[0], ALL, EXACT, split));
            for (setting, _) in settings {
                cells.extend(methods.iter().map(|(method, _)| Cell::new(DATA[0], *setting, *method, split)));
            }
        }
        cells
    }

    fn run(&self, cell: &Cell, context: &Context) -> Result<Outcome, ExperimentError> {
        let split = draw_regression(context.extent.choose(1000, 1000, 80), 5, cell.split as u64)?;
        let iterations = context.extent.choose(1000, 1000, 5);
        if cell.method == EXACT {
            return regress::exact(&split, iterations);
        }
        let setting = SETTINGS.iter().find(|(name, _)| *name == cell.setting);
        let method = METHODS.iter().find(|(name, _)| *name == cell.method);
        let ((_, inducing), (_, power)) = setting.zip(method).ok_or_else(|| cell.unknown())?;
        regress::sparse(&split, *inducing as usize, *power, iterations)
    }

    fn show(&self, results: &Results) -> Vec<Block> {
        let settings: Vec<&str> = SETTINGS.iter().map(|(name, _)| *name).chain([ALL]).collect();
        let methods: Vec<&str> = METHODS.iter().map(|(name, _)| *name).chain([EXACT]).collect();
        let mut blocks = vec![
            Block::text(
                "The seed has no shares for these data; it says that powers from 0.5 to 0.8 predict best on the mean, and \
                 that α = 0.8 and 1 estimate too large a marginal likelihood at intermediate M:",
            ),
            wins(results, &DATA, &PAIRINGS),
        ];
        for (measure, title) in SCORES {
            let reference = Reference::default();
            let all = Comparison {
                results,
                reference,
                data: &DATA,
                settings: &settings,
                methods: &methods,
                measure,
            };
            blocks.push(Block::Heading(3, title.to_owned()));
            blocks.push(all.grid(3));
            let file = format!("001-drawn-{measure}");
            let figure = levels(results, &file, DATA[0], &SETTINGS, &methods, ["M", measure], Scale::Log);
            blocks.extend(figure.map(|figure| with_level(figure, results, measure)));
        }
        blocks
    }
}

/// The figure with a level line at what the process itself has, of which M is no setting.
fn with_level(mut figure: Block, results: &Results, measure: &str) -> Block {
    let exact = Summary::of(&results.scores(DATA[0], ALL, EXACT, measure));
    if let (Block::Figure(_, picture), Some(exact)) = (&mut figure, exact) {
        let x: Vec<f64> = picture
            .layers
            .iter()
            .flat_map(|layer| match layer {
                Layer::Line { x, .. } => x.clone(),
                _ => Vec::new(),
            })
            .collect();
        let ends = [
            x.iter().copied().fold(f64::INFINITY, f64::min),
            x.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        ];
        let y = vec![exact.mean; 2];
        picture.layers.push(Layer::Line { x: ends.to_vec(), y, colour: INK, label: EXACT.to_owned() });
    }
    figure
}
