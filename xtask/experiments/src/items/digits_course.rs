//! Seed 000, Figure 5 above: digits in mini-batches, against time.

use crate::baselines::Logistic;
use crate::data::{Digits, Task};
use crate::error::ExperimentError;
use crate::harness::{Cell, Context, Extent, Item, Outcome, Results, Stopwatch};
use crate::methods::scores;
use crate::methods::streams::{Method, Stream};
use crate::report::{Block, Comparison, Reference, Scale, course};

const SEED: &str = include_str!("../../seeds/000_text.csv");
const DATA: [&str; 1] = ["mnist"];
const SETTING: &str = "M=200;batch=200";
const METHODS: [(&str, Option<Method>); 4] = [
    ("sep", Some(Method::Tied)),
    ("ep", Some(Method::Own(1.0))),
    ("vi", Some(Method::Variational)),
    ("logistic", None),
];

/// The figure.
#[derive(Debug)]
pub(super) struct DigitsCourse;

impl Item for DigitsCourse {
    fn name(&self) -> &'static str {
        "000-figure-5-mnist"
    }

    fn title(&self) -> &'static str {
        "the digits of MNIST in mini-batches, against time"
    }

    fn needs(&self) -> Vec<String> {
        Digits::FILES.map(str::to_owned).to_vec()
    }

    fn method(&self) -> &'static str {
        "As the seed says: 60,000 images for training and 10,000 for tests, ten classes with 200 inducing inputs each, \
         batches of 200, Adam. Chosen where it is silent: pixels between 0 and 1, length-scales 0.3 √784, amplitude 1, noise \
         0.1, Adam's rate 0.01 (its usual 0.001 needs ten times as many batches); the posterior of `vi` by natural \
         gradients of rate 0.1. `logistic` is multinomial logistic regression on the pixels, beside which the seed puts \
         none.\n\n\
         Reduced form: 1,200 batches (four epochs) instead of 12,000, without `ep`."
    }

    fn takes(&self) -> [&'static str; 2] {
        ["6 hours", "30 minutes"]
    }

    fn cells(&self, extent: &Extent) -> Vec<Cell> {
        let methods = METHODS.iter().filter(|(name, _)| extent.choose(true, *name != "ep", true));
        methods.map(|(method, _)| Cell::new(DATA[0], SETTING, *method, 0)).collect()
    }

    fn run(&self, cell: &Cell, context: &Context) -> Result<Outcome, ExperimentError> {
        let method = METHODS.iter().find(|(name, _)| *name == cell.method).ok_or_else(|| cell.unknown())?.1;
        let digits = Digits::load(&context.store)?;
        let Some(method) = method else { return logistic(&digits) };
        let stream = Stream {
            training: &digits.training,
            test: &digits.test,
            task: Task::Classes(10),
            inducing: context.extent.choose(200, 200, 10),
            batch: 200,
            steps: context.extent.choose(12_000, 1200, 20),
            rate: 0.01,
            lengthscale: 0.3,
            seed: 1,
        };
        stream.course(method)
    }

    fn reference(&self) -> Reference {
        Reference::new(SEED)
    }

    fn show(&self, results: &Results) -> Vec<Block> {
        let methods = METHODS.map(|(name, _)| name);
        let error = Comparison {
            results,
            reference: self.reference(),
            data: &DATA,
            settings: &[SETTING],
            methods: &methods,
            measure: "error",
        };
        let nll = Comparison { measure: "nll", ..error.clone() };
        let mut blocks = vec![error.table(4), nll.table(4)];
        for score in ["error", "nll"] {
            let (file, curve) = (format!("000-mnist-{score}"), format!("{score} by seconds"));
            let names = ["seconds", score, curve.as_str()];
            blocks.extend(course(results, &file, [DATA[0], SETTING], &methods, names, Scale::Log));
        }
        blocks
    }
}

/// Logistic regression on the pixels.
fn logistic(digits: &Digits) -> Result<Outcome, ExperimentError> {
    let watch = Stopwatch::start();
    let labels: Vec<f64> = (0..10).map(f64::from).collect();
    let found = Logistic::fit(&digits.training, &labels, 1.0)?;
    let seconds = watch.seconds();
    let (error, nll) = scores::of_labels(&found, &digits.test)?;
    let flat = |value: f64| vec![(1.0, value), (seconds.max(1000.0), value)];
    Ok(Outcome::of([("error", error), ("nll", nll), ("seconds", seconds)])
        .with_curve("error by seconds", flat(error))
        .with_curve("nll by seconds", flat(nll)))
}
