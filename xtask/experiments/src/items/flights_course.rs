//! Seed 000, Figure 5 below, and seed 003, Figure 4 below: two million flights, against time.

use crate::baselines::Logistic;
use crate::data::{Flights, Task};
use crate::error::ExperimentError;
use crate::harness::{Cell, Context, Extent, Item, Outcome, Results, Stopwatch};
use crate::methods::scores;
use crate::methods::streams::{Method, Stream};
use crate::report::{Block, Comparison, Reference, Scale, course};

const SEED: &str = include_str!("../../seeds/000_text.csv");
const DATA: [&str; 2] = ["flights, 3 classes", "flights, 2 classes"];
const SETTING: &str = "M=200;batch=200";
const METHODS: [(&str, Option<Method>); 3] =
    [("sep", Some(Method::Tied)), ("vi", Some(Method::Variational)), ("logistic", None)];

/// The figures.
#[derive(Debug)]
pub(super) struct FlightsCourse;

impl Item for FlightsCourse {
    fn name(&self) -> &'static str {
        "000-figure-5-flights"
    }

    fn title(&self) -> &'static str {
        "two million flights, late or not and early, on time or late, in mini-batches, against time (and 003, Figure 4)"
    }

    fn needs(&self) -> Vec<String> {
        vec![Flights::FILE.to_owned()]
    }

    fn method(&self) -> &'static str {
        "As the seeds say: January to April 2008, eight facts about each flight, 10,000 flights for tests and all others \
         for training; three classes (more than five minutes early, on time, more than five minutes late; seed 000) or two \
         (late or not; seed 003); 200 inducing inputs a class, batches of 200, Adam. Our table has 2,055,733 flights \
         of known aircraft age, the seed's 2,127,068. Chosen where they are silent: delays on arrival, inputs of \
         variance 1, length-scales √8, amplitude 1, noise 0.1, Adam's rate 0.01, `sep` with one site for all rows of a \
         class (whose memory does not grow with rows), the posterior of `vi` by natural gradients of rate 0.1, \
         `logistic` by L-BFGS on all rows. The figures hold no numbers that could be put beside ours.\n\n\
         Reduced form: 4,000 batches instead of 40,000."
    }

    fn takes(&self) -> [&'static str; 2] {
        ["3 hours", "20 minutes"]
    }

    fn cells(&self, extent: &Extent) -> Vec<Cell> {
        let _ = extent;
        let cells = |data: &'static str| METHODS.map(|(method, _)| Cell::new(data, SETTING, method, 0));
        DATA.into_iter().flat_map(cells).collect()
    }

    fn run(&self, cell: &Cell, context: &Context) -> Result<Outcome, ExperimentError> {
        let method = METHODS.iter().find(|(name, _)| *name == cell.method).ok_or_else(|| cell.unknown())?.1;
        let task = if cell.data == DATA[0] { Task::Classes(3) } else { Task::Binary };
        let split = Flights::load(&context.store)?.split(10_000, None, task, 1);
        let Some(method) = method else {
            let labels: &[f64] = if task == Task::Binary { &[-1.0, 1.0] } else { &[0.0, 1.0, 2.0] };
            let watch = Stopwatch::start();
            let found = Logistic::fit(&split.training, labels, 1.0)?;
            let seconds = watch.seconds();
            let (error, nll) = scores::of_labels(&found, &split.test)?;
            let flat = |value: f64| vec![(1.0, value), (seconds.max(300.0), value)];
            return Ok(Outcome::of([("error", error), ("nll", nll), ("seconds", seconds)])
                .with_curve("error by seconds", flat(error))
                .with_curve("nll by seconds", flat(nll)));
        };
        let stream = Stream {
            training: &split.training,
            test: &split.test,
            task,
            inducing: context.extent.choose(200, 200, 10),
            batch: 200,
            steps: context.extent.choose(40_000, 4000, 20),
            rate: 0.01,
            lengthscale: 1.0,
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
            reference: Reference::default(),
            data: &DATA,
            settings: &[SETTING],
            methods: &methods,
            measure: "error",
        };
        let nll = Comparison { measure: "nll", ..error.clone() };
        let seconds = Comparison { measure: "seconds", ..error.clone() };
        let mut blocks = Vec::new();
        for comparison in [&nll, &error, &seconds] {
            blocks.push(Block::Heading(3, comparison.measure.to_owned()));
            blocks.push(comparison.grid(4));
        }
        for (file, data) in ["3", "2"].into_iter().zip(DATA) {
            let file = format!("flights-{file}-nll");
            let names = ["seconds", "nll", "nll by seconds"];
            blocks.extend(course(results, &file, [data, SETTING], &methods, names, Scale::Log));
        }
        blocks
    }
}
