//! Growth of evaluation cost with each size, compared with operation counts.

mod batches;
mod cases;
mod drawn;
mod measure;
mod operations;
mod show;
mod size;
mod slope;
mod whole;

use crate::error::ExperimentError;
use crate::harness::{Cell, Context, Extent, Form, Item, Outcome, Results};
use crate::report::Block;
use cases::CASES;
use gp_linalg::Threading;
use measure::Threads;
use size::Axis;

pub(super) use drawn::{Drawn, process};
pub(super) use size::Sizes;

type Evaluation = Box<dyn FnMut() -> Result<(), ExperimentError>>;

struct Case {
    name: &'static str,
    what: &'static str,
    /// Base sizes; one varies at a time.
    base: &'static str,
    axes: &'static [Axis],
    rows: fn(&Sizes) -> Drawn,
    prepare: fn(&Sizes, Drawn, Threading) -> Result<Evaluation, ExperimentError>,
    /// Multiply-adds or bytes per evaluation; `unit` is their rate's.
    work: fn(&Sizes) -> f64,
    unit: &'static str,
}

impl Case {
    /// Distinct settings of all axes.
    fn settings(&self, form: Form) -> Vec<String> {
        let mut settings = Vec::new();
        for setting in self.axes.iter().flat_map(|axis| axis.settings(self.base, form)) {
            if !settings.contains(&setting) {
                settings.push(setting);
            }
        }
        settings
    }
}

#[derive(Debug)]
pub(super) struct Growth;

const ABOUT: &str = "Our own question: the time of one evaluation (a value with its gradient, a step, a prediction, \
    or an active set) while one size grows and the others are fixed. N rows, batches of B, M inducing inputs, D \
    inputs, C classes, A active points, T new rows; inputs uniform between −1 and 1, squared exponentials with one \
    length-scale of 0.3 √D per input, all of them learned. `seconds` are the shortest of several runs after a \
    warm-up run: processor time on one thread, wall-clock time on all threads. Both do the same work, to the same \
    bits. Runs are sequential, regardless of `--threads`.\n\n\
    `theory` is the exponent of the leading term; of two exponents, the first holds until the other term is as \
    large. `operations` is the slope of the count of all terms over the same sizes. Slopes are of least-squares lines \
    through logarithms, over the upper half of the sizes. Rates are counted operations over seconds, on one \
    thread at the largest size. Memory is that of model, state and workspace after the first run, without the table \
    and without the product buffers of each thread.\n\n\
    Reduced form: without the largest size of each axis.";

impl Item for Growth {
    fn name(&self) -> &'static str {
        "growth"
    }

    fn title(&self) -> &'static str {
        "growth of time and memory with each size, compared with theory"
    }

    fn needs(&self) -> Vec<String> {
        Vec::new()
    }

    fn method(&self) -> &'static str {
        ABOUT
    }

    fn takes(&self) -> [&'static str; 2] {
        ["4 minutes", "2 minutes"]
    }

    fn cells(&self, extent: &Extent) -> Vec<Cell> {
        let mut cells = Vec::new();
        for case in CASES {
            for setting in case.settings(extent.form) {
                let cell = |threads: Threads| Cell::new(case.name, setting.clone(), threads.name(), 0);
                cells.extend(Threads::ALL.map(cell));
            }
        }
        cells
    }

    fn run(&self, cell: &Cell, context: &Context) -> Result<Outcome, ExperimentError> {
        let case = CASES.iter().find(|case| case.name == cell.data);
        let case = case.filter(|case| case.settings(Form::Full).contains(&cell.setting));
        let threads = Threads::ALL.into_iter().find(|threads| threads.name() == cell.method);
        let (case, threads) = case.zip(threads).ok_or_else(|| cell.unknown())?;
        measure::measured(case, &Sizes::read(&cell.setting), threads, &context.extent)
    }

    fn is_alone(&self) -> bool {
        true
    }

    fn show(&self, results: &Results) -> Vec<Block> {
        show::blocks(results)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_has_two_sizes_on_every_axis_and_each_setting_once() {
        let count = |form| Growth.cells(&Extent { form, splits: None }).len();
        assert!(count(Form::Quick) < count(Form::Reduced) && count(Form::Reduced) < count(Form::Full));
        for case in CASES {
            let mut settings = case.settings(Form::Full);
            assert!(
                case.axes.iter().all(|axis| axis.settings(case.base, Form::Quick).len() == 2),
                "{}",
                case.name
            );
            let all = settings.len();
            settings.sort();
            settings.dedup();
            assert_eq!(settings.len(), all, "{}", case.name);
        }
    }

    #[test]
    fn more_work_at_every_larger_size_but_of_rows_of_which_batches_are() {
        for case in CASES {
            for axis in case.axes {
                let settings = axis.settings(case.base, Form::Full);
                let work: Vec<f64> =
                    settings.iter().map(|setting| (case.work)(&Sizes::read(setting))).collect();
                let is_flat = axis.theory == "0";
                assert!(work.windows(2).all(|pair| if is_flat {
                    pair[0] == pair[1]
                } else {
                    pair[0] < pair[1]
                }));
            }
        }
    }
}
