//! Multi-class EP, stochastic EP and generalised FITC on the data of seed 000: its Tables 2 and 3 for M = 5 %, the
//! three schemes of its Figure 1, digits in mini-batches (Figure 5), and rows streamed from a file.
//!
//! ```sh
//! GP_DATA=folder/of/data cargo run --release -p gp-ep --example multiclass_benchmarks -- tables 20
//! cargo run --release -p gp-ep --example multiclass_benchmarks -- tables 5 glass wine
//! cargo run --release -p gp-ep --example multiclass_benchmarks -- schemes
//! cargo run --release -p gp-ep --example multiclass_benchmarks -- stream
//! cargo run --release -p gp-ep --example multiclass_benchmarks -- digits tied 1500 0.01
//! ```
//!
//! Every class has a squared exponential with one length-scale an input and noise, and inducing inputs of its own, drawn
//! at random and trained. NLL is the mean negative log predictive probability of the test labels.

#[expect(dead_code, reason = "regression and binary data come with other splits")]
#[path = "../../tests/support/data.rs"]
mod data;
mod digits;
#[path = "../../tests/support/partitions.rs"]
mod partitions;
mod stream;
mod tables;

use data::DataSet;
use faer::MatRef;
use gp_ep::power_ep::Predictor;
use gp_ep::{EpError, PowerEp, SparseProcess};
use gp_kernels::placement::{Placement, RandomSubset};

/// A model of so many classes with `m` inducing inputs each, from `lengthscale` times √D on.
fn model(classes: usize, inputs: MatRef<'_, f64>, m: usize, lengthscale: f64) -> Result<PowerEp, EpError> {
    let each = format!("{}", lengthscale * (inputs.ncols() as f64).sqrt());
    let each = vec![each; inputs.ncols()].join(", ");
    let process = |class: usize| -> Result<SparseProcess, EpError> {
        let kernel = gp_kernels::parse(&format!("1 * rbf(lengthscale=[{each}]) + 0.1 * white"))?;
        let placed = RandomSubset.place(kernel.as_ref(), inputs, m, class as u64)?;
        Ok(SparseProcess::new(kernel, placed.inputs)?)
    };
    PowerEp::of_classes((0..classes).map(process).collect::<Result<_, _>>()?, 0.0)
}

/// Error and mean negative log predictive probability.
fn score(predictor: &Predictor, test: &DataSet) -> Result<(f64, f64), EpError> {
    let found = predictor.class_probabilities(test.inputs.as_ref())?;
    let (mut wrong, mut nll) = (0.0, 0.0);
    for (i, label) in test.targets.iter().map(|&y| y as usize).enumerate() {
        let best =
            (0..found.ncols()).fold(0, |best, c| if found[(i, c)] > found[(i, best)] { c } else { best });
        wrong += f64::from(u8::from(best != label));
        nll -= found[(i, label)].ln();
    }
    let count = test.targets.len() as f64;
    Ok((wrong / count, nll / count))
}

fn main() -> Result<(), EpError> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let word = |k: usize| arguments.get(k).map(String::as_str);
    let number = |k: usize, usual: usize| word(k).and_then(|text| text.parse().ok()).unwrap_or(usual);
    match word(0) {
        Some("schemes") => tables::schemes(),
        Some("stream") => stream::run(),
        Some("digits") => {
            let rate = word(3).and_then(|text| text.parse().ok()).unwrap_or(0.01);
            digits::run(word(1) == Some("own"), number(2, 1500) as u64, rate)
        }
        _ => tables::run(number(1, 3), arguments.get(2..).unwrap_or_default()),
    }
}
