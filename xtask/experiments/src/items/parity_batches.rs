//! Seed 004, Table 3: odd and even digits, with gradients of all images or of batches.

use crate::data::{Digits, Task};
use crate::error::ExperimentError;
use crate::harness::{Cell, Context, Extent, Form, Item, Outcome, Results, Stopwatch};
use crate::methods::{images, scores};
use crate::report::{Block, Comparison, Reference};
use gp_kernels::data::Table;
use gp_optim::{Adam, Batches, MinimiseOptions};
use gp_variational::savigp::BatchOptions;

const SEED: &str = include_str!("../../seeds/004_table3.csv");
const DATA: [&str; 1] = ["mnist-b"];
/// Settings of the seed: batch or not, and the share of images that are inducing inputs.
const SETTINGS: [(&str, bool, f64); 4] = [
    ("batch;SF=0.001", true, 0.001),
    ("batch;SF=0.004", true, 0.004),
    ("stochastic;SF=0.001", false, 0.001),
    ("stochastic;SF=0.004", false, 0.004),
];
const METHODS: [&str; 1] = ["savigp"];

/// The table.
#[derive(Debug)]
pub(super) struct ParityBatches;

impl Item for ParityBatches {
    fn name(&self) -> &'static str {
        "004-table-3"
    }

    fn title(&self) -> &'static str {
        "odd and even digits of MNIST, with all images at once and in mini-batches"
    }

    fn needs(&self) -> Vec<String> {
        Digits::FILES.map(str::to_owned).to_vec()
    }

    fn method(&self) -> &'static str {
        "As the seed says: 60,000 images for training and 10,000 for tests, logistic likelihood, a squared exponential, \
         M = 60 and 240 inducing inputs (SF = 0.001 and 0.004) that start from k-means and are learned. Chosen where it is \
         silent: pixels between 0 and 1, one length-scale of 0.3 √784, amplitude 1, one full Gaussian posterior, \
         expectations by quadrature, k-means among the first 5,000 images; `batch` by L-BFGS on everything at once, 200 \
         iterations; `stochastic` in batches of 500, Adam's rate 0.01 (the seed: Adadelta), the posterior by natural \
         gradients of rate 0.1, 12,000 batches (100 epochs).\n\n\
         Reduced form: 1,200 batches; `batch` at M = 60 only."
    }

    fn takes(&self) -> [&'static str; 2] {
        ["6 hours", "10 minutes"]
    }

    fn cells(&self, extent: &Extent) -> Vec<Cell> {
        let settings = SETTINGS.iter().enumerate().filter(|(k, _)| extent.choose(true, *k != 1, true));
        settings.map(|(_, setting)| Cell::new(DATA[0], setting.0, METHODS[0], 0)).collect()
    }

    fn run(&self, cell: &Cell, context: &Context) -> Result<Outcome, ExperimentError> {
        let setting = SETTINGS.iter().find(|(name, _, _)| *name == cell.setting);
        let (_, batch, share) = setting.ok_or_else(|| cell.unknown())?;
        let digits = Digits::load(&context.store)?.parity();
        let training = &digits.training;
        let count =
            if context.extent.form == Form::Quick { 5 } else { (share * training.len() as f64) as usize };
        let labels = training.labels();
        let data = Table::with_targets(training.inputs.as_ref(), &labels)?;
        let watch = Stopwatch::start();
        let mut model = images::model(images::process(training, count)?, Task::Binary)?;
        if *batch {
            let max_iterations = context.extent.choose(200, 200, 3);
            model.train(&data, &MinimiseOptions { max_iterations, ..MinimiseOptions::default() }, |_| {})?;
        } else {
            let mut options = BatchOptions::default();
            (options.steps, options.natural) = (context.extent.choose(12_000, 1200, 5), Some(0.1));
            let batches = Batches::shuffled(training.len(), 500.min(training.len()), 1)?;
            model.train_in_batches(&data, batches, Adam::with_rate(0.01), &options, |_| {})?;
        }
        let seconds = watch.seconds();
        let (error, nll) = scores::of_labels(&model.predictor()?, &digits.test)?;
        Ok(Outcome::of([("error", error), ("nll", nll), ("seconds", seconds)]))
    }

    fn reference(&self) -> Reference {
        Reference::new(SEED)
    }

    fn show(&self, results: &Results) -> Vec<Block> {
        let settings = SETTINGS.map(|setting| setting.0);
        let error = Comparison {
            results,
            reference: self.reference(),
            data: &DATA,
            settings: &settings,
            methods: &METHODS,
            measure: "error",
        };
        ["error", "nll", "seconds"].map(|measure| Comparison { measure, ..error.clone() }.table(4)).to_vec()
    }
}
