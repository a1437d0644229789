//! Seed 004, Figures 6, 8, 14 and 16: digits by the share of images that are inducing inputs, which stay or are learned.

use crate::data::{Digits, Task};
use crate::error::ExperimentError;
use crate::harness::{Cell, Context, Extent, Form, Item, Outcome, Results, Stopwatch};
use crate::methods::{images, scores};
use crate::report::{Block, Comparison, Reference, Scale, levels};
use gp_kernels::data::Table;
use gp_optim::{Adam, Batches};
use gp_variational::savigp::BatchOptions;

const SEED: &str = include_str!("../../seeds/004_figures.csv");
const DATA: [(&str, Task); 2] = [("mnist-b", Task::Binary), ("mnist", Task::Classes(10))];
const SETTINGS: [(&str, f64); 4] =
    [("SF=0.001", 0.001), ("SF=0.004", 0.004), ("SF=0.02", 0.02), ("SF=0.04", 0.04)];
/// Names, whether inducing inputs are learned, and of how many settings.
const METHODS: [(&str, bool, usize); 2] = [("fg", false, 4), ("ind", true, 2)];

/// The figures.
#[derive(Debug)]
pub(super) struct DigitsBySparsity;

impl Item for DigitsBySparsity {
    fn name(&self) -> &'static str {
        "004-figures-6-8-14-16"
    }

    fn title(&self) -> &'static str {
        "the digits of MNIST, all ten and odd or even, by the number of inducing inputs, which stay or are learned"
    }

    fn needs(&self) -> Vec<String> {
        Digits::FILES.map(str::to_owned).to_vec()
    }

    fn method(&self) -> &'static str {
        "As the seed says: 60,000 images for training and 10,000 for tests; `mnist` has ten classes, softmax and ten latent \
         functions, `mnist-b` odd and even digits and a logistic likelihood; a squared exponential, one full Gaussian \
         posterior, M a share SF of the images, inducing inputs from k-means that stay (`fg`; Figures 6 and 14) or, where \
         they are few, are learned (`ind`; Figures 8 and 16). **Not as the seed says**: it has L-BFGS on all images, at most \
         200 rounds, for which `mnist` at SF = 0.04 would need 12 gigabytes of projections; here all is learned in \
         batches of 500 images (of M where that is more), the posterior by natural gradients of rate 0.1, all else by \
         Adam of rate 0.01, for 100 epochs. `004-table-3` has L-BFGS beside batches. Chosen where the seed is silent: \
         pixels between 0 and 1, one length-scale of 0.3 √784, amplitude 1, functions with inducing inputs at the same \
         places to start from, k-means among the first 5,000 images or 10 M; softmax by 100 samples for each image, \
         as many as the seed has, but quasi-random ones (its integrals, exact to rounding, take some three times as \
         long), logistic by quadrature. Predictions are exact.\n\n\
         Reduced form: ten epochs, SF = 0.001 and 0.004, ten classes at 0.004 without learned inputs."
    }

    fn takes(&self) -> [&'static str; 2] {
        ["2 days", "10 minutes"]
    }

    fn cells(&self, extent: &Extent) -> Vec<Cell> {
        let mut cells = Vec::new();
        for (data, task) in DATA {
            for (method, learned, settings) in METHODS {
                let dear = learned && task != Task::Binary;
                let reduced = if dear { 1 } else { 2 };
                let count = extent.choose(settings, reduced, 1);
                cells.extend(SETTINGS[..count].iter().map(|(name, _)| Cell::new(data, *name, method, 0)));
            }
        }
        cells
    }

    fn run(&self, cell: &Cell, context: &Context) -> Result<Outcome, ExperimentError> {
        let find = || {
            let share = SETTINGS.iter().find(|(name, _)| *name == cell.setting)?.1;
            let learned = METHODS.iter().find(|(name, ..)| *name == cell.method)?.1;
            let task = DATA.iter().find(|(name, _)| *name == cell.data)?.1;
            Some((share, learned, task))
        };
        let (share, learned, task) = find().ok_or_else(|| cell.unknown())?;
        let all = Digits::load(&context.store)?;
        let digits = if task == Task::Binary { all.parity() } else { all };
        let training = &digits.training;
        let count =
            if context.extent.form == Form::Quick { 5 } else { (share * training.len() as f64) as usize };
        let table = Table::new(training.inputs.as_ref(), training.targets.as_ref())?;
        let watch = Stopwatch::start();
        let process = images::process(training, count)?;
        let mut model = images::model(if learned { process } else { process.with_fixed_inputs() }, task)?;
        let size = 500.max(count).min(training.len());
        let mut options = BatchOptions::default();
        let epochs = context.extent.choose(100, 10, 3);
        (options.steps, options.natural) = ((epochs * training.len()).div_ceil(size) as u64, Some(0.1));
        let batches = Batches::shuffled(training.len(), size, 1)?;
        model.train_in_batches(&table, batches, Adam::with_rate(0.01), &options, |_| {})?;
        let seconds = watch.seconds();
        let (error, nll) = scores::of_labels(&model.predictor()?, &digits.test)?;
        Ok(Outcome::of([("error", error), ("nll", nll), ("seconds", seconds)]))
    }

    fn reference(&self) -> Reference {
        Reference::new(SEED)
    }

    fn show(&self, results: &Results) -> Vec<Block> {
        let (settings, methods) = (SETTINGS.map(|(name, _)| name), METHODS.map(|(name, ..)| name));
        let data = DATA.map(|(name, _)| name);
        let error = Comparison {
            results,
            reference: self.reference(),
            data: &data,
            settings: &settings,
            methods: &methods,
            measure: "error",
        };
        let mut blocks =
            ["error", "nll"].map(|measure| Comparison { measure, ..error.clone() }.table(4)).to_vec();
        blocks.push(Block::text("Seconds:"));
        blocks.push(Comparison { measure: "seconds", ..error }.grid(0));
        for data in data {
            for score in ["error", "nll"] {
                let file = format!("004-sparsity-{data}-{score}");
                blocks.extend(levels(results, &file, data, &SETTINGS, &methods, ["SF", score], Scale::Log));
            }
        }
        blocks
    }
}
