//! Seed 001, Figures 31 and 32, and seed 003, Figure 4 above: odd and even digits in mini-batches, against time.

use crate::data::{Digits, Task};
use crate::error::ExperimentError;
use crate::harness::{Cell, Context, Extent, Item, Outcome, Results};
use crate::methods::streams::{Method, Stream};
use crate::report::{Block, Comparison, Reference, courses};

const DATA: [&str; 1] = ["mnist-b"];
const SETTINGS: [(&str, usize); 2] = [("M=100", 100), ("M=200", 200)];
const METHODS: [(&str, Method); 4] = [
    ("vfe", Method::Variational),
    ("pep0.5", Method::Own(0.5)),
    ("pep0.8", Method::Own(0.8)),
    ("ep", Method::Own(1.0)),
];

/// The figures.
#[derive(Debug)]
pub(super) struct ParityCourse;

impl Item for ParityCourse {
    fn name(&self) -> &'static str {
        "001-figures-31-32"
    }

    fn title(&self) -> &'static str {
        "odd and even digits of MNIST in mini-batches, by the power of Power EP, against time (and 003, Figure 4 above)"
    }

    fn needs(&self) -> Vec<String> {
        Digits::FILES.map(str::to_owned).to_vec()
    }

    fn method(&self) -> &'static str {
        "As the seeds say: 60,000 images for training and 10,000 for tests, M = 100 and 200 (seed 003: 200), batches of 200, \
         error and negative log-likelihood against time; `ep` is scalable EP too, `vfe` the variational bound. Chosen \
         where they are silent: all else as in `000-figure-5-mnist`, Adam's rate 0.01 for all. Neither has numbers that \
         could be put beside ours. Batch methods, beside which seed 003 puts these, are in `004-table-3`.\n\n\
         Reduced form: M = 100, 600 batches (two epochs) instead of 12,000, without α = 0.8."
    }

    fn takes(&self) -> [&'static str; 2] {
        ["6 hours", "8 minutes"]
    }

    fn cells(&self, extent: &Extent) -> Vec<Cell> {
        let settings = extent.choose(&SETTINGS[..], &SETTINGS[..1], &SETTINGS[..1]);
        let methods = || METHODS.iter().filter(|(name, _)| extent.choose(true, *name != "pep0.8", true));
        let of = |(setting, _): &(&'static str, usize)| {
            methods().map(|(method, _)| Cell::new(DATA[0], *setting, *method, 0)).collect::<Vec<_>>()
        };
        settings.iter().flat_map(of).collect()
    }

    fn run(&self, cell: &Cell, context: &Context) -> Result<Outcome, ExperimentError> {
        let setting = SETTINGS.iter().find(|(name, _)| *name == cell.setting);
        let method = METHODS.iter().find(|(name, _)| *name == cell.method);
        let ((_, inducing), (_, method)) = setting.zip(method).ok_or_else(|| cell.unknown())?;
        let digits = Digits::load(&context.store)?.parity();
        let stream = Stream {
            training: &digits.training,
            test: &digits.test,
            task: Task::Binary,
            inducing: context.extent.choose(*inducing, *inducing, 10),
            batch: 200,
            steps: context.extent.choose(12_000, 600, 20),
            rate: 0.01,
            lengthscale: 0.3,
            seed: 1,
        };
        stream.course(*method)
    }

    fn show(&self, results: &Results) -> Vec<Block> {
        let (settings, methods) = (SETTINGS.map(|(name, _)| name), METHODS.map(|(name, _)| name));
        let of = Comparison {
            results,
            reference: Reference::default(),
            data: &DATA,
            settings: &settings,
            methods: &methods,
            measure: "error",
        };
        let ends = [
            ("error", "Error in the end"),
            ("nll", "Negative log-likelihood in the end"),
            ("seconds", "Seconds in the end"),
        ];
        courses(&of, "001-parity", &ends, &["error", "nll"], 4)
    }
}
