//! Seed 002's experiment: even digits of MNIST, 800 for training and 200 to be predicted, 150 active and 25 liquid.
//!
//! ```sh
//! GP_DATA=folder/of/data cargo run --release -p gp-ep --example ivm_benchmarks
//! cargo run --release -p gp-ep --example ivm_benchmarks -- grid
//! ```
//!
//! - `grid`: the rows of its Table 1, with what is found here beside them: the share of wrong predictions, the mean
//!   probability of the right label, the least and the largest entropy of a prediction. Which digits the seed drew, and
//!   how its inputs were scaled, is not known; here pixels are between 0 and 1.
//! - `curves`: error and mean probability of the right label over the size of the active set, as in its Figures 1 to 4.
//! - `selection`: the same by information gain, exact information gain, entropy and chance, means over five draws.
//! - `learned`: kernels and intercepts learned from a bad start, and from a good one.

#[path = "../../tests/support/mnist.rs"]
mod mnist;

use faer::Mat;
use gp_ep::ivm::{Coupling, Ivm, IvmOptions, IvmPosterior, Phase, Selection};
use gp_ep::{EpError, Observations};
use gp_likelihoods::Softmax;
use gp_optim::{MinimiseOptions, ParameterSet};
use mnist::Digits;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::time::Instant;

const CLASSES: usize = 5;

/// v, w, err, lh, minent, maxent of Table 1.
const TABLE: [[f64; 6]; 21] = [
    [0.5, 40.0, 0.03, 0.250_980, 1.577_508, 1.608_262],
    [2.0, 40.0, 0.03, 0.329_869, 1.465_741, 1.603_344],
    [3.0, 50.0, 0.03, 0.318_090, 1.475_719, 1.605_220],
    [5.0, 40.0, 0.03, 0.378_992, 1.362_901, 1.598_936],
    [5.0, 50.0, 0.03, 0.334_296, 1.439_076, 1.603_916],
    [0.5, 50.0, 0.035, 0.234_370, 1.596_795, 1.608_964],
    [0.5, 75.0, 0.035, 0.214_800, 1.604_509, 1.609_399],
    [1.0, 50.0, 0.035, 0.259_384, 1.572_066, 1.608_069],
    [1.0, 75.0, 0.035, 0.225_446, 1.594_087, 1.609_345],
    [2.0, 30.0, 0.035, 0.366_623, 1.403_297, 1.597_981],
    [2.0, 50.0, 0.035, 0.297_387, 1.493_768, 1.606_813],
    [3.0, 30.0, 0.035, 0.402_858, 1.227_390, 1.595_801],
    [3.0, 75.0, 0.035, 0.248_621, 1.573_701, 1.609_153],
    [5.0, 25.0, 0.035, 0.458_838, 1.013_761, 1.586_853],
    [5.0, 30.0, 0.035, 0.434_059, 1.194_334, 1.591_372],
    [5.0, 75.0, 0.035, 0.254_237, 1.555_642, 1.608_953],
    [1.0, 30.0, 0.04, 0.312_231, 1.497_278, 1.603_975],
    [1.0, 40.0, 0.04, 0.284_071, 1.541_226, 1.607_647],
    [2.0, 75.0, 0.04, 0.237_900, 1.574_186, 1.609_215],
    [3.0, 25.0, 0.04, 0.427_809, 1.252_592, 1.589_746],
    [5.0, 20.0, 0.04, 0.477_860, 1.069_909, 1.591_897],
];

struct Part {
    images: Mat<f64>,
    labels: Vec<f64>,
}

/// 200 of each even digit, drawn; 200 of these, drawn, to be predicted.
fn parts() -> Option<(Part, Part)> {
    let digits = Digits::training()?;
    let mut rng = ChaCha8Rng::seed_from_u64(2004);
    let mut rows = Vec::new();
    for class in 0..CLASSES {
        let mut all: Vec<usize> =
            (0..digits.digits.len()).filter(|&i| usize::from(digits.digits[i]) == 2 * class).collect();
        shuffle(&mut all, &mut rng);
        rows.extend_from_slice(&all[..200]);
    }
    shuffle(&mut rows, &mut rng);
    let part = |rows: &[usize]| Part {
        images: Mat::from_fn(rows.len(), digits.images.ncols(), |i, d| digits.images[(rows[i], d)]),
        labels: rows.iter().map(|&row| f64::from(digits.digits[row] / 2)).collect(),
    };
    Some((part(&rows[200..]), part(&rows[..200])))
}

fn shuffle(rows: &mut [usize], rng: &mut ChaCha8Rng) {
    for last in (1..rows.len()).rev() {
        rows.swap(last, rng.random_range(0..=last));
    }
}

/// `v exp(−w ‖x − x'‖² / 2p)` for every class.
fn model(v: f64, w: f64, dim: usize) -> Result<Ivm, EpError> {
    let kernel = gp_kernels::parse(&format!("{v} * rbf(lengthscale={})", (dim as f64 / w).sqrt()))?;
    Ivm::shared(kernel.as_ref(), Box::new(Softmax::new(CLASSES)?))
}

fn options() -> IvmOptions {
    IvmOptions { active: 150, liquid: 25, sweeps: 3, candidates: Some(160), ..IvmOptions::default() }
}

#[derive(Clone, Copy, Debug, Default)]
struct Score {
    error: f64,
    likelihood: f64,
    least_entropy: f64,
    largest_entropy: f64,
    log_likelihood: f64,
}

fn score(posterior: &IvmPosterior, test: &Part) -> Result<Score, EpError> {
    let found = posterior.probabilities(test.images.as_ref())?;
    let count = test.labels.len() as f64;
    let mut score = Score { least_entropy: f64::INFINITY, ..Score::default() };
    for (i, &label) in test.labels.iter().enumerate() {
        let label = label as usize;
        let row: Vec<f64> = (0..CLASSES).map(|c| found[(i, c)]).collect();
        let best = (0..CLASSES).fold(0, |best, c| if row[c] > row[best] { c } else { best });
        let entropy = -row.iter().filter(|p| **p > 0.0).map(|p| p * p.ln()).sum::<f64>();
        score.error += f64::from(u8::from(best != label)) / count;
        score.likelihood += row[label] / count;
        score.log_likelihood += row[label].ln() / count;
        score.least_entropy = score.least_entropy.min(entropy);
        score.largest_entropy = score.largest_entropy.max(entropy);
    }
    Ok(score)
}

fn grid(training: &Part, test: &Part) -> Result<(), EpError> {
    let data = Observations::new(training.images.as_ref(), &training.labels)?;
    println!("    v    w | err    (seed) | lh    (seed) | minent (seed) | maxent (seed) | log lh | seconds");
    println!("-----------|---------------|--------------|---------------|---------------|--------|--------");
    for [v, w, err, lh, minent, maxent] in TABLE {
        let start = Instant::now();
        let run = model(v, w, training.images.ncols())?.build(&data, &options())?;
        let found = score(&run.posterior, test)?;
        println!(
            "{v:5} {w:4} | {:.3} ({err:.3}) | {:.3} ({lh:.3}) | {:.3} ({minent:.3}) | {:.3} ({maxent:.3}) | {:.3} | {:.1}",
            found.error,
            found.likelihood,
            found.least_entropy,
            found.largest_entropy,
            found.log_likelihood,
            start.elapsed().as_secs_f64()
        );
    }
    Ok(())
}

/// Scores at every tenth size of the active set.
fn curve(
    model: &Ivm,
    training: &Part,
    test: &Part,
    options: &IvmOptions,
) -> Result<Vec<(usize, Score)>, EpError> {
    let data = Observations::new(training.images.as_ref(), &training.labels)?;
    let mut points = Vec::new();
    model.build_with(&data, options, |stage| {
        if stage.phase == Phase::Ep && stage.active.is_multiple_of(10) {
            points.push((stage.active, score(&stage.posterior()?, test)?));
        }
        Ok(())
    })?;
    Ok(points)
}

fn curves(training: &Part, test: &Part) -> Result<(), EpError> {
    let settings = [(5.0, 50.0), (5.0, 25.0), (1.0, 40.0), (5.0, 20.0)];
    let mut found = Vec::new();
    for (v, w) in settings {
        found.push(curve(&model(v, w, training.images.ncols())?, training, test, &options())?);
    }
    println!("\nerr and lh; (v, w) = {settings:?}");
    for i in 0..found[0].len() {
        let cells: Vec<String> = found
            .iter()
            .map(|curve| format!("{:.3} {:.3}", curve[i].1.error, curve[i].1.likelihood))
            .collect();
        println!("d {:3} | {}", found[0][i].0, cells.join(" | "));
    }
    Ok(())
}

fn selection(training: &Part, test: &Part) -> Result<(), EpError> {
    const DRAWS: u64 = 5;
    let rules = [
        Selection::InformationGain,
        Selection::ExactInformationGain,
        Selection::MaxEntropy,
        Selection::Random,
    ];
    let model = model(5.0, 25.0, training.images.ncols())?;
    let mut found = Vec::new();
    for selection in rules {
        let mut sums: Vec<(usize, f64, f64)> = Vec::new();
        for seed in 0..DRAWS {
            let options = IvmOptions { selection, seed, sweeps: 2, ..options() };
            for (i, (active, score)) in curve(&model, training, test, &options)?.into_iter().enumerate() {
                if sums.len() <= i {
                    sums.push((active, 0.0, 0.0));
                }
                sums[i].1 += score.error / DRAWS as f64;
                sums[i].2 += score.likelihood / DRAWS as f64;
            }
        }
        found.push(sums);
    }
    println!("\nerr and lh, means over {DRAWS} draws, v = 5, w = 25; {rules:?}");
    for i in 0..found[0].len() {
        let cells: Vec<String> =
            found.iter().map(|sums| format!("{:.3} {:.3}", sums[i].1, sums[i].2)).collect();
        println!("d {:3} | {}", found[0][i].0, cells.join(" | "));
    }
    Ok(())
}

fn learned(training: &Part, test: &Part) -> Result<(), EpError> {
    let data = Observations::new(training.images.as_ref(), &training.labels)?;
    println!("\nlearned: v, w → criterion before and after, err, lh, log lh");
    for (coupling, v, w) in
        [(Coupling::Coupled, 1.0, 75.0), (Coupling::Coupled, 5.0, 25.0), (Coupling::Independent, 5.0, 25.0)]
    {
        let mut model = model(v, w, training.images.ncols())?.with_coupling(coupling)?;
        model.intercepts_mut().fix_all(false);
        // As many active latents: 150 points for five classes.
        let options = IvmOptions { sweeps: 2, ..options() };
        let minor = MinimiseOptions { max_iterations: 6, ..MinimiseOptions::default() };
        let start = Instant::now();
        let trained = model.train(&data, &options, 6, &minor)?;
        let found = score(&trained.run.posterior, test)?;
        println!(
            "{coupling:?} {v} {w}: {:.1} → {:.1}, {:.3}, {:.3}, {:.3}, {:.0} s, {:?}",
            trained.rounds[0].criterion,
            trained.criterion,
            found.error,
            found.likelihood,
            found.log_likelihood,
            start.elapsed().as_secs_f64(),
            model.parameter_values()
        );
    }
    Ok(())
}

fn main() -> Result<(), EpError> {
    let Some((training, test)) = parts() else {
        return Ok(());
    };
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let asked = |name: &str| wanted.is_empty() || wanted.iter().any(|word| word == name);
    type Section = fn(&Part, &Part) -> Result<(), EpError>;
    let sections: [(&str, Section); 4] =
        [("grid", grid), ("curves", curves), ("selection", selection), ("learned", learned)];
    sections
        .into_iter()
        .filter(|(name, _)| asked(name))
        .try_for_each(|(_, section)| section(&training, &test))
}
