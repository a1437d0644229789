//! Seed 001, Figure 23: where Power EP puts inducing inputs, by its power.

use crate::data::{BANANA, Task, banana};
use crate::error::ExperimentError;
use crate::harness::{Cell, Context, Extent, Item, Outcome, Results, Stopwatch};
use crate::methods::plane::Plane;
use crate::methods::scores;
use crate::methods::streams::{Method, Stream};
use crate::report::{Block, Comparison, Reference, regions};

const DATA: [&str; 1] = ["banana"];
const SETTING: &str = "M=32";
const METHODS: [(&str, Method); 5] = [
    ("vfe", Method::Variational),
    ("pep0.1", Method::Own(0.1)),
    ("pep0.5", Method::Own(0.5)),
    ("pep0.8", Method::Own(0.8)),
    ("ep", Method::Own(1.0)),
];

/// The figure.
#[derive(Debug)]
pub(super) struct BananaPowers;

impl Item for BananaPowers {
    fn name(&self) -> &'static str {
        "001-figure-23"
    }

    fn title(&self) -> &'static str {
        "where inducing inputs come to lie on Banana, by the power of Power EP"
    }

    fn needs(&self) -> Vec<String> {
        BANANA.map(str::to_owned).to_vec()
    }

    fn method(&self) -> &'static str {
        "As the seed says: Power EP of two classes, α from close to 0 to 1. It does not say on which data, or with how many \
         inducing inputs; here Banana (400 rows for training) and M = 32. Everything else as in `001-figures-6-7`: batches \
         of 50, Adam, `vfe` is the variational bound; but 20,000 steps, and pictures as in `003-figure-2`.\n\n\
         Reduced form: the same."
    }

    fn takes(&self) -> [&'static str; 2] {
        ["2 minutes", "2 minutes"]
    }

    fn cells(&self, extent: &Extent) -> Vec<Cell> {
        let methods = METHODS.iter().enumerate().filter(|(k, _)| extent.choose(true, true, k % 2 == 0));
        methods.map(|(_, (method, _))| Cell::new(DATA[0], SETTING, *method, 0)).collect()
    }

    fn run(&self, cell: &Cell, context: &Context) -> Result<Outcome, ExperimentError> {
        let method = METHODS.iter().find(|(name, _)| *name == cell.method).ok_or_else(|| cell.unknown())?.1;
        let split = banana(&context.store)?;
        let stream = Stream {
            training: &split.training,
            test: &split.test,
            task: Task::Binary,
            inducing: 32,
            batch: 50,
            steps: context.extent.choose(20_000, 20_000, 20),
            rate: 1e-3,
            lengthscale: 1.0,
            seed: 1,
        };
        let watch = Stopwatch::start();
        let predictor = stream.learned(method)?;
        let seconds = watch.seconds();
        let (error, nll) = scores::of_labels(predictor.as_ref(), &split.test)?;
        let near = scores::near_boundary(predictor.as_ref(), &split.training)?;
        let outcome =
            Outcome::of([("error", error), ("nll", nll), ("seconds", seconds), ("near_boundary", near)]);
        Plane::around(&split.training).describe(outcome, predictor.as_ref(), &split.training)
    }

    fn show(&self, results: &Results) -> Vec<Block> {
        let methods = METHODS.map(|(name, _)| name);
        let mut blocks = Vec::new();
        for (measure, title) in [
            (
                "near_boundary",
                "Share of inducing inputs at which both classes have at least 10 %, over that of training rows. The seed: they \
                 gather at the boundary as α goes to 0, and spread over the data as α goes to 1",
            ),
            ("error", "Error on the test set"),
            ("nll", "Negative log-likelihood"),
        ] {
            let reference = Reference::default();
            blocks.push(Block::text(format!("{title}:")));
            blocks.push(
                Comparison {
                    results,
                    reference,
                    data: &DATA,
                    settings: &[SETTING],
                    methods: &methods,
                    measure,
                }
                .grid(3),
            );
        }
        let picture = |method: &str| {
            regions(results, &format!("001-inducing-{}", method.replace('.', "")), [DATA[0], SETTING, method])
        };
        blocks.extend(methods.into_iter().filter_map(picture));
        blocks
    }
}
