//! Seed 000, Figure 3: where four methods put inducing inputs, and the boundaries they find, between three classes.

use crate::data::{Split, Task, draw_classes};
use crate::error::ExperimentError;
use crate::harness::{Cell, Context, Extent, Item, Outcome, Results, Stopwatch};
use crate::methods::classify::{Method, Setup};
use crate::methods::plane::Plane;
use crate::methods::scores::{self, Labels};
use crate::report::{Block, Comparison, Reference, regions};
use gp_kernels::data::Table;
use gp_likelihoods::RobustMax;
use gp_optim::{Adam, Batches};
use gp_variational::Savigp;
use gp_variational::savigp::BatchOptions;

const DATA: [&str; 1] = ["three classes"];
const SETTINGS: [(&str, usize); 9] = [
    ("M=1", 1),
    ("M=2", 2),
    ("M=4", 4),
    ("M=8", 8),
    ("M=16", 16),
    ("M=32", 32),
    ("M=64", 64),
    ("M=128", 128),
    ("M=256", 256),
];
const REDUCED: [(&str, usize); 3] = [SETTINGS[2], SETTINGS[4], SETTINGS[6]];
/// No method for variational inference by batches.
const METHODS: [(&str, Option<Method>); 4] = [
    ("gfitc", Some(Method::Gfitc)),
    ("ep", Some(Method::OwnSites)),
    ("sep", Some(Method::TiedSites)),
    ("vi", None),
];
/// The kernel that data are drawn from, and the same as a kernel of a model, with nothing to be learned.
const TRUE: &str = "1 * rbf(lengthscale=1)";
const FIXED: &str = "fixed(1) * rbf(lengthscale=fixed(1)) + white(variance=fixed(0.001))";

/// The figure.
#[derive(Debug)]
pub(super) struct ThreeClasses;

impl Item for ThreeClasses {
    fn name(&self) -> &'static str {
        "000-figure-3"
    }

    fn title(&self) -> &'static str {
        "decision boundaries and inducing inputs between three classes that were drawn, by four methods"
    }

    fn needs(&self) -> Vec<String> {
        Vec::new()
    }

    fn method(&self) -> &'static str {
        "As the seed says: three functions drawn from a process, the class of the largest, 1000 training points uniform in a \
         square of side 5; M from 1 to 256 inducing inputs a class, learned from random training rows; kernels are the \
         true ones and stay; 2000 iterations in batch, and for `vi` 2000 epochs in batches of 100 by Adam's usual \
         settings. Chosen where it is silent: amplitude and length-scale 1 (and noise of variance 10⁻³ in the models), \
         1000 points more for tests, sign-adaptive steps of first rate 0.01 for `ep` and `sep`, L-BFGS for `gfitc`, the \
         whole of `vi` by Adam, whose posterior starts at the prior. A split is a draw.\n\n\
         Reduced form: M = 4, 16 and 64; 200 iterations and 200 epochs."
    }

    fn takes(&self) -> [&'static str; 2] {
        ["20 hours", "10 minutes"]
    }

    fn cells(&self, extent: &Extent) -> Vec<Cell> {
        let settings = extent.choose(&SETTINGS[..], &REDUCED[..], &REDUCED[..1]);
        let mut cells = Vec::new();
        for split in 0..extent.splits(1, 1) {
            for (setting, _) in settings {
                cells.extend(METHODS.map(|(method, _)| Cell::new(DATA[0], *setting, method, split)));
            }
        }
        cells
    }

    fn run(&self, cell: &Cell, context: &Context) -> Result<Outcome, ExperimentError> {
        let setting = SETTINGS.iter().find(|(name, _)| *name == cell.setting);
        let method = METHODS.iter().find(|(name, _)| *name == cell.method);
        let ((_, inducing), (_, method)) = setting.zip(method).ok_or_else(|| cell.unknown())?;
        let kernel = gp_kernels::parse(TRUE)?;
        let rows = context.extent.choose(1000, 1000, 60);
        let split = draw_classes(kernel.as_ref(), 3, rows, 1 + cell.split as u64)?;
        let setup = Setup {
            split: &split,
            task: Task::Classes(3),
            inducing: *inducing,
            seed: 1,
            steps: context.extent.choose(2000, 200, 5),
            kernel: Some(FIXED),
        };
        let watch = Stopwatch::start();
        let predictor = match method {
            Some(method) => setup.learned(*method)?,
            None => variational(&setup, &split)?,
        };
        let seconds = watch.seconds();
        let (error, nll) = scores::of_labels(predictor.as_ref(), &split.test)?;
        let outcome = Outcome::of([("error", error), ("nll", nll), ("seconds", seconds)]);
        let near = scores::near_boundary(predictor.as_ref(), &split.training)?;
        let plane = Plane::around(&split.training);
        plane.describe(outcome.with("near_boundary", near), predictor.as_ref(), &split.training)
    }

    fn show(&self, results: &Results) -> Vec<Block> {
        let (settings, methods) = (SETTINGS.map(|(name, _)| name), METHODS.map(|(name, _)| name));
        let mut blocks = Vec::new();
        for (measure, title) in [
            ("error", "Error on the test set"),
            ("nll", "Negative log-likelihood"),
            (
                "near_boundary",
                "Share of inducing inputs at which a second class has at least 10 %, over that of training rows: above 1, they \
                 seek the boundary, as the seed says of `vi`",
            ),
            ("seconds", "Seconds"),
        ] {
            let reference = Reference::default();
            blocks.push(Block::text(format!("{title}:")));
            blocks.push(
                Comparison {
                    results,
                    reference,
                    data: &DATA,
                    settings: &settings,
                    methods: &methods,
                    measure,
                }
                .grid(3),
            );
        }
        for setting in settings {
            for method in methods {
                let file = format!("000-three-{setting}-{method}");
                blocks.extend(regions(results, &file, [DATA[0], setting, method]));
            }
        }
        blocks
    }
}

/// Batches of 100 by Adam, as many epochs as there are steps.
fn variational(setup: &Setup<'_>, split: &Split) -> Result<Box<dyn Labels>, ExperimentError> {
    let (training, labels) = (&split.training, split.training.labels());
    let data = Table::with_targets(training.inputs.as_ref(), &labels)?;
    let mut model = Savigp::new(setup.processes()?, Box::new(RobustMax::new(3, 1e-3)?))?;
    let size = 100.min(training.len());
    let mut options = BatchOptions::default();
    options.steps = setup.steps * training.len().div_ceil(size) as u64;
    let batches = Batches::shuffled(training.len(), size, 1)?;
    model.train_in_batches(&data, batches, Adam::with_rate(1e-3), &options, |_| {})?;
    Ok(Box::new(model.predictor()?))
}
