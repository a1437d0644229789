//! `gp fit` with `--target` only, compared with scikit-learn.

use crate::data::{Plain, Task};
use crate::error::ExperimentError;
use crate::harness::{Cell, Context, Extent, Form, Item, Outcome, Results};
use crate::methods::command;
use crate::report::{Block, Comparison, Reference};
use std::collections::BTreeMap;

#[derive(Debug)]
pub(super) struct Defaults;

const NAME: &str = "defaults";
const METHOD: &str = "gp";
const SETTING: &str = "--target";
const PEERS: [&str; 3] = ["linear", "boosting", "sklearn-gp"];
const REFERENCE: Reference = Reference::new(&[include_str!("../../papers/defaults.csv")]);
/// Maximum numbers per table, reduced form.
const NUMBERS: usize = 120_000;
const QUICK: [&str; 3] = ["pima", "iris", "yacht"];
/// Seconds beyond which fits are listed.
const LONG: f64 = 60.0;

const ABOUT: &str = "Our own question: `gp fit TABLE --target COLUMN` without other flags, then `gp eval` on \
    held-out rows. Tables are used as they are; the last column is the target. A fifth of the rows are test rows, in \
    three splits, by a rule shared by Rust and Python (`is_test` in `src/data/plain.rs`); USPS, MNIST and kin40k \
    have their own test sets and one split.\n\n\
    Peers are from scikit-learn, on the same rows and with one thread; `xtask/experiments/peers/README.md` has \
    versions and settings. `linear` is logistic regression (C = 1) or ridge regression (penalty by cross-validation) \
    on standardised inputs, `boosting` is histogram gradient boosting with default settings, `sklearn-gp` a Gaussian \
    process with a constant times an RBF with one length-scale per input (and noise, for numbers), limited to 1,000 \
    training rows and 60 s. The first two predict numbers by a Gaussian around their mean, with the variance of \
    out-of-fold residuals; seconds include the folds.\n\n\
    `nll` is the mean negative log probability of the labels; `smll` is that of numbers, minus that of a Gaussian \
    with the mean and variance of the training targets; `smse` the mean squared error over the variance of the test \
    targets; `coverage` the share of test targets inside the 95 % interval. The last column names peers that are \
    better by more than two standard errors of the mean difference on equal splits. With three splits, that is a \
    hint rather than a test. A single split has no marks.\n\n\
    The five sets `breast_cancer`, `diabetes`, `digits`, `iris` and `wine (scikit-learn)` are bundled with \
    scikit-learn. `python3 xtask/experiments/peers/defaults.py sets --data FOLDER` writes them to the data folder; \
    without them, their runs fail with this advice.\n\n\
    Omitted: `banana_train400` (rows of `banana`); `sarcos_test` (seven targets, and its training set was not \
    available); `snelson_test_x` (no target); `seismic_savigp` (four targets of one position, in other items); the \
    flights (two million rows, in other items) and the events of `lgcp` (no table of inputs and targets).\n\n\
    Reduced form: tables of at most 120,000 numbers, which omits `satellite`, `usps`, `usps (479)`, `mnist`, \
    `kin40k`, `naval` and `protein`.";

impl Item for Defaults {
    fn name(&self) -> &'static str {
        NAME
    }

    fn title(&self) -> &'static str {
        "`gp fit` with only `--target`, on every available table, compared with scikit-learn"
    }

    fn needs(&self) -> Vec<String> {
        let all = Plain::all().into_iter().filter(|set| !set.is_made());
        all.flat_map(|set| set.files().map(str::to_owned).collect::<Vec<_>>()).collect()
    }

    fn method(&self) -> &'static str {
        ABOUT
    }

    fn takes(&self) -> [&'static str; 2] {
        ["10 minutes", "5 minutes"]
    }

    fn cells(&self, extent: &Extent) -> Vec<Cell> {
        let sets: Vec<Plain> = Plain::all().into_iter().filter(|set| is_in(set, extent.form)).collect();
        let splits = extent.splits(usize::MAX, usize::MAX).min(most_splits(&sets));
        let split = |split| {
            let sets = sets.iter().filter(move |set| split < set.splits());
            sets.map(move |set| Cell::new(set.name, SETTING, METHOD, split))
        };
        (0..splits).flat_map(split).collect()
    }

    fn run(&self, cell: &Cell, context: &Context) -> Result<Outcome, ExperimentError> {
        let set = Plain::all().into_iter().find(|set| set.name == cell.data);
        let set =
            set.filter(|_| cell.method == METHOD && cell.setting == SETTING).ok_or_else(|| cell.unknown())?;
        let folder = tempfile::tempdir()?;
        let split = set.split(&context.store, cell.split, folder.path())?;
        command::by_default(&context.names, &split, folder.path())
    }

    fn reference(&self) -> Reference {
        REFERENCE
    }

    fn show(&self, results: &Results) -> Vec<Block> {
        let sets = Plain::all();
        let names = |is_number: bool| -> Vec<&str> {
            let all = sets.iter().filter(|set| (set.task == Task::Number) == is_number);
            all.map(|set| set.name).collect()
        };
        let (classes, numbers) = (names(false), names(true));
        let mut blocks = scores(results, &classes, "nll", "Classes: negative log-likelihood");
        blocks.extend(scores(results, &classes, "error", "Classes: error"));
        blocks.extend(scores(results, &numbers, "smll", "Numbers: standardised log loss"));
        blocks.extend(scores(
            results,
            &numbers,
            "smse",
            "Numbers: squared error over the variance of the test targets",
        ));
        let plain = |data, measure, digits| about(results, data, measure).peers(&PEERS, digits, false);
        blocks.push(Block::text("Numbers: coverage of the 95 % interval"));
        blocks.push(plain(&numbers, "coverage", 3));
        blocks.push(Block::text("Processor seconds per fit"));
        blocks.push(plain(&[classes.as_slice(), &numbers].concat(), "seconds", 2));
        blocks.push(Block::text(faults(results)));
        blocks
    }
}

fn is_in(set: &Plain, form: Form) -> bool {
    match form {
        Form::Full => true,
        Form::Reduced => set.size.0 * set.size.1 <= NUMBERS,
        Form::Quick => QUICK.contains(&set.name),
    }
}

fn most_splits(sets: &[Plain]) -> usize {
    sets.iter().map(Plain::splits).max().unwrap_or(0)
}

fn about<'a>(results: &'a Results, data: &'a [&'a str], measure: &'a str) -> Comparison<'a> {
    Comparison { results, reference: REFERENCE, data, settings: &[SETTING], methods: &[METHOD], measure }
}

fn scores(results: &Results, data: &[&str], measure: &str, title: &str) -> Vec<Block> {
    let of = about(results, data, measure);
    vec![Block::text(format!("{title}. {}", of.tally(&PEERS))), of.peers(&PEERS, 4, true)]
}

fn faults(results: &Results) -> String {
    let named = |is_bad: &dyn Fn(&Outcome) -> bool| {
        let mut counts = BTreeMap::new();
        for record in results.records().filter(|record| is_bad(&record.outcome)) {
            *counts.entry(record.cell.data.as_str()).or_insert(0) += 1;
        }
        let names: Vec<String> = counts.iter().map(|(data, count)| format!("{data} ({count})")).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    };
    let long = named(&|outcome| outcome.scores.get("seconds").is_some_and(|seconds| *seconds > LONG));
    let open = named(&|outcome| outcome.scores.get("converged") == Some(&0.0));
    format!("Fits of more than {LONG} s, by data set: {long}. Fits that did not converge: {open}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_have_their_tables_and_tables_their_splits() {
        let cells = |form| Defaults.cells(&Extent { form, splits: None });
        assert_eq!(cells(Form::Quick).len(), QUICK.len());
        assert!(cells(Form::Reduced).iter().all(|cell| cell.data != "usps" && cell.data != "naval"));
        let full = cells(Form::Full);
        let count = |name: &str| full.iter().filter(|cell| cell.data == name).count();
        assert_eq!((count("mnist"), count("naval"), count("iris")), (1, 3, 3));
    }

    #[test]
    fn numbers_of_peers_are_whole_and_of_known_sets() {
        assert_eq!(REFERENCE.check(), Ok(()));
        let names: Vec<&str> = Plain::all().iter().map(|set| set.name).collect();
        let lines = include_str!("../../papers/defaults.csv").lines().skip(1);
        for line in lines {
            let cells: Vec<&str> = line.split(',').collect();
            assert!(names.contains(&cells[0]) && PEERS.contains(&cells[1]), "{line}");
        }
    }
}
