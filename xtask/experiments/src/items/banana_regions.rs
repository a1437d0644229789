//! Seed 003, Figure 2: where three methods put inducing inputs, and the boundaries they find, on Banana.

use crate::data::{BANANA, Task, banana};
use crate::error::ExperimentError;
use crate::harness::{Cell, Context, Extent, Item, Outcome, Results, Stopwatch};
use crate::methods::classify::{Method, Setup};
use crate::methods::plane::Plane;
use crate::methods::scores;
use crate::report::{Block, Comparison, Reference, regions};

const DATA: [&str; 1] = ["banana"];
const SETTINGS: [(&str, usize); 6] =
    [("M=4", 4), ("M=8", 8), ("M=16", 16), ("M=32", 32), ("M=64", 64), ("M=128", 128)];
const METHODS: [(&str, Method); 3] =
    [("gfitc", Method::Gfitc), ("sep", Method::OwnSites), ("svi", Method::Variational)];

/// The figure.
#[derive(Debug)]
pub(super) struct BananaRegions;

impl Item for BananaRegions {
    fn name(&self) -> &'static str {
        "003-figure-2"
    }

    fn title(&self) -> &'static str {
        "decision boundaries and inducing inputs on Banana, by GFITC, scalable EP and variational inference"
    }

    fn needs(&self) -> Vec<String> {
        BANANA.map(str::to_owned).to_vec()
    }

    fn method(&self) -> &'static str {
        "As the seed says: the two-dimensional Banana data, M from 4 to 128 (in six steps, which by its six columns are powers \
         of two), inducing inputs from random training rows and learned; everything else as in `003-table-1`, 250 \
         iterations. Chosen where it is silent: the posterior of `svi` starts at rest; the 400 rows for training that others use too, the other 4,900 for tests. \
         In pictures, cells have the colour of the more probable class, paler where it is less certain; black dots are \
         inducing inputs.\n\n\
         Reduced form: the same."
    }

    fn takes(&self) -> [&'static str; 2] {
        ["3 minutes", "3 minutes"]
    }

    fn cells(&self, extent: &Extent) -> Vec<Cell> {
        let settings = extent.choose(&SETTINGS[..], &SETTINGS[..], &SETTINGS[..1]);
        let of =
            |(setting, _): &(&str, usize)| METHODS.map(|(method, _)| Cell::new(DATA[0], *setting, method, 0));
        settings.iter().flat_map(of).collect()
    }

    fn run(&self, cell: &Cell, context: &Context) -> Result<Outcome, ExperimentError> {
        let setting = SETTINGS.iter().find(|(name, _)| *name == cell.setting);
        let method = METHODS.iter().find(|(name, _)| *name == cell.method);
        let ((_, inducing), (_, method)) = setting.zip(method).ok_or_else(|| cell.unknown())?;
        let split = banana(&context.store)?;
        let setup = Setup {
            split: &split,
            task: Task::Binary,
            inducing: *inducing,
            seed: 1,
            steps: context.extent.choose(250, 250, 5),
            kernel: None,
        };
        let watch = Stopwatch::start();
        let predictor = setup.learned(*method)?;
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
                "Share of inducing inputs at which both classes have at least 10 %, over that of training rows: above 1, they \
                 seek the boundary",
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
                let file = format!("003-banana-{setting}-{method}");
                blocks.extend(regions(results, &file, [DATA[0], setting, method]));
            }
        }
        blocks
    }
}
