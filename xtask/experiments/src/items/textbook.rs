//! Bui et al. 2017, Figure 33: EP with an inducing input per observation, compared with textbook EP.

use crate::baselines::TextbookEp;
use crate::data::Part;
use crate::error::ExperimentError;
use crate::grid::{At, Grid, Show};
use crate::harness::{Effort, Form, Outcome, Results};
use crate::methods::scores;
use crate::report::Block;
use gp_cli::picture::{Colour, Layer, Picture};
use gp_ep::Predictor;
use gp_ep::{BatchEp, EpOptions, PowerEp, SparseProcess, Table};
use gp_kernels::Kernel;
use gp_kernels::inducing::InducingInputs;
use gp_likelihoods::BernoulliProbit;

const DATA: &str = "ionosphere";
const METHODS: [&str; 2] = ["ep, textbook", "power ep, Z = X"];
const SCORES: [(&str, &str); 2] = [("log_z", "log Z"), ("nll", "negative log-likelihood on the test set")];
/// Grid points per axis; ln ℓ starts at 0, ln σ at −1.
const STEPS: usize = 9;
const FIRST: [f64; 2] = [0.0, -1.0];

/// `true` for textbook EP.
pub(super) const TEXTBOOK: Grid<bool> = Grid {
    name: "001-figure-33",
    title: "Power EP with an inducing input at every observation, compared with textbook EP, on Ionosphere",
    about: "From the paper: Ionosphere, α = 1, M = N and Z = X, log Z on the training set and the mean negative \
         log-likelihood on the test set over a grid of hyperparameters, compared with Rasmussen and Williams' EP \
         (their Algorithms 3.5 and 3.6, implemented separately without code of Power EP). Own choices: a squared \
         exponential with one length-scale ℓ and amplitude σ², ln ℓ from 0 to 4 and ln σ from −1 to 5 in nine steps \
         each, inputs of variance 1, the first of the published splits, both methods until the relative change of \
         log Z is below about 10⁻⁹.\n\n\
         Reduced form: the same.",
    takes: ["2 minutes", "2 minutes"],
    data: &[DATA],
    more_settings: |form| grid(if form == Form::Quick { 4 } else { 1 }),
    methods: &[(METHODS[0], true), (METHODS[1], false)],
    is_whole_run_by_run: true,
    run,
    show: &[Show::Own(show)],
    ..Grid::EMPTY
};

fn setting(i: usize, j: usize) -> (String, [f64; 2]) {
    let at = [FIRST[0] + 0.5 * i as f64, FIRST[1] + 0.75 * j as f64];
    (format!("lnl={};lns={}", at[0], at[1]), at)
}

fn grid(every: usize) -> Vec<String> {
    let steps = || (0..STEPS).step_by(every);
    steps().flat_map(|i| steps().map(move |j| setting(i, j).0)).collect()
}

fn run(at: &At<'_, bool>) -> Result<Outcome, ExperimentError> {
    let (variance, scale) = ((2.0 * at.number("lns")?).exp(), at.number("lnl")?.exp());
    let kernel = at.kernel(&format!("{variance} * rbf(lengthscale={scale})"))?;
    let split = at.split()?;
    if *at.how {
        let (found, seconds) = scores::timed(|| TextbookEp::fit(kernel.as_ref(), &split.training))?;
        let outcome = scores::of_labels(&found, &split.test, seconds)?;
        let effort = Effort::ended("log Z converged", found.sweeps() as u64);
        return Ok(outcome.with("log_z", found.log_z()).with("sweeps", found.sweeps() as f64).by(effort));
    }
    let ((posterior, found), seconds) = scores::timed(|| power_ep(kernel, &split.training))?;
    let outcome = scores::of_labels(&posterior, &split.test, seconds)?;
    let [.., (_, sweeps), (_, converged)] = found;
    let stop = if converged > 0.0 { "EP converged" } else { "the sweep limit was reached" };
    let outcome = outcome.by(Effort::ended(stop, sweeps as u64));
    Ok(found.into_iter().fold(outcome, |outcome, (name, value)| outcome.with(name, value)))
}

type Found = [(&'static str, f64); 3];

fn power_ep(kernel: Box<dyn Kernel>, training: &Part) -> Result<(Predictor, Found), ExperimentError> {
    let labels = training.labels();
    let data = Table::with_targets(training.inputs.as_ref(), &labels)?;
    let inputs = InducingInputs::points(training.inputs.as_ref())?;
    let model = PowerEp::new(vec![SparseProcess::new(kernel, inputs)?], Box::new(BernoulliProbit))?;
    let options =
        EpOptions { tolerance: 1e-8, log_z_tolerance: 1e-10, max_sweeps: 2000, ..EpOptions::default() };
    let mut state = BatchEp::new(&model, &data)?;
    let rest = state.converge(&model, &options)?;
    let converged = f64::from(u8::from(rest.converged));
    let found = [("log_z", state.log_z(&model)?), ("sweeps", rest.sweeps as f64), ("at_rest", converged)];
    Ok((state.predictor(&model)?, found))
}

fn show(results: &Results) -> Vec<Block> {
    let mut rows = Vec::new();
    for (score, title) in SCORES.into_iter().chain([("error", "error"), ("seconds", "seconds")]) {
        rows.extend(differences(results, score, title));
    }
    let header =
        ["score", "grid points", "mean of textbook EP", "mean of Power EP", "largest difference", "at"];
    let mut blocks = vec![
        Block::text(
            "The paper: “both methods give virtually identical results”. Differences of both methods over the grid, also \
             of seconds, which show the cost of M = N:",
        ),
        Block::table(header, rows),
    ];
    for (score, title) in SCORES {
        for (method, file) in METHODS.iter().zip(["textbook", "power-ep"]) {
            blocks.extend(map(results, method, score, title, file));
        }
    }
    blocks
}

fn differences(results: &Results, score: &str, title: &str) -> Option<Vec<String>> {
    let of = |name: &str, method: &str| results.score_of(DATA, name, method, 0, score);
    let pair = |name: String| {
        let (first, second) = of(&name, METHODS[0]).zip(of(&name, METHODS[1]))?;
        Some((name, first, second))
    };
    let found: Vec<(String, f64, f64)> = grid(1).into_iter().filter_map(pair).collect();
    let off = |entry: &&(String, f64, f64)| (entry.1 - entry.2).abs();
    let largest = found.iter().max_by(|a, b| off(a).total_cmp(&off(b)))?;
    let mean =
        |of: &dyn Fn(&(String, f64, f64)) -> f64| found.iter().map(of).sum::<f64>() / found.len() as f64;
    Some(vec![
        title.to_owned(),
        found.len().to_string(),
        format!("{:.4}", mean(&|entry| entry.1)),
        format!("{:.4}", mean(&|entry| entry.2)),
        format!("{:.1e}", off(&largest)),
        largest.0.clone(),
    ])
}

/// Map over the grid; methods share the scale.
fn map(results: &Results, method: &str, score: &str, title: &str, file: &str) -> Option<Block> {
    let known = |i: usize, j: usize| {
        let name = setting(i, j).0;
        results.score_of(DATA, &name, method, 0, score)
    };
    let lines: Vec<usize> = (0..STEPS).filter(|&i| (0..STEPS).any(|j| known(i, j).is_some())).collect();
    if lines.len() < 2 {
        return None;
    }
    let values: Vec<Option<f64>> =
        lines.iter().flat_map(|&j| lines.iter().map(move |&i| known(i, j))).collect();
    let all =
        |method| grid(1).into_iter().filter_map(move |name| results.score_of(DATA, &name, method, 0, score));
    let both = || METHODS.into_iter().flat_map(all);
    let (low, high) = (both().fold(f64::INFINITY, f64::min), both().fold(f64::NEG_INFINITY, f64::max));
    let edges = |axis: usize| {
        let at = |k: usize| setting(k, k).1[axis];
        let half = 0.5 * (at(lines[1]) - at(lines[0]));
        lines.iter().map(|&k| at(k) - half).chain([at(lines[lines.len() - 1]) + half]).collect()
    };
    let colours = values.iter().map(|value| shade(*value, low, high)).collect();
    let picture = Picture {
        title: format!("{method}: {title}, from {low:.3} (dark) to {high:.3}"),
        x_name: "ln length-scale".to_owned(),
        y_name: "ln amplitude".to_owned(),
        layers: vec![Layer::Cells { x: edges(0), y: edges(1), colours }],
        ..Picture::default()
    };
    Some(Block::Figure(format!("001-textbook-{score}-{file}"), Box::new(picture)))
}

/// Dark blue to yellow; white if unknown.
fn shade(value: Option<f64>, low: f64, high: f64) -> Colour {
    const ENDS: [[f64; 3]; 3] = [[40.0, 20.0, 90.0], [40.0, 145.0, 140.0], [250.0, 230.0, 60.0]];
    let Some(value) = value else { return [255; 3] };
    let place = 2.0 * ((value - low) / (high - low).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    let (from, share) = if place < 1.0 { (0, place) } else { (1, place - 1.0) };
    [0, 1, 2].map(|k| (ENDS[from][k] + share * (ENDS[from + 1][k] - ENDS[from][k])).round() as u8)
}
