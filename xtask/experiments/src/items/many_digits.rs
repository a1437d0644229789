//! Bonilla et al. 2019, Figure 11: eight million digits in mini-batches.

use crate::data::{Deformed, Digits, EIGHT_MILLION, Part, Task};
use crate::error::ExperimentError;
use crate::grid::Show::{Curve, Own};
use crate::grid::{At, Grid};
use crate::harness::{Effort, Form, Outcome, Results};
use crate::methods::rule::Rule;
use crate::methods::savigp::in_batches;
use crate::methods::{images, scores};
use crate::report::{Block, Reference, Summary};
use gp_kernels::data::DataSource;
use gp_optim::{Batches, ParameterSetMut};
use gp_variational::{Predictor, Savigp};

const PAPER: Reference = Reference::new(&[include_str!("../../papers/004_figures.csv")]);
const PAPER_SETTING: &str = "M=2000;batch=1000;19 hours";
const DATA: &str = "mnist8m";
const KERNEL: &str = "11 * rbf(lengthscale=9)";
const SETTINGS: [&str; 2] = ["M=2000;batch=1000", "M=200;batch=1000"];
/// Natural-gradient rate; None: Adadelta moves the posterior.
const METHODS: [(&str, Option<f64>); 2] = [("adadelta", None), ("natural", Some(0.1))];
const POINTS: u64 = 200;
const QUARTILES: [(&str, f64); 3] =
    [("nlp_quartile25", 0.25), ("nlp_quartile50", 0.5), ("nlp_quartile75", 0.75)];

pub(super) const IMAGES: Grid<Option<f64>> = Grid {
    name: "004-figure-11",
    title: "8.1 million images of digits, mostly deformed copies, in mini-batches: bound by steps",
    about: "From the paper: 8.1 million images, ten classes with softmax, a squared exponential with one \
         length-scale, 2,000 inducing inputs from k-means, batches of 1,000; only variational parameters are \
         learned, by Adadelta with decay 0.95 and ε = 10⁻⁶ (`adadelta`). `natural` uses natural gradients of rate \
         0.1 instead. **Different images**: those of MNIST8M were not available. Ours are the 60,000 images of MNIST \
         and 134 deformations of each, generated on demand from the row number: rotated by at most 10°, stretched \
         along both axes by at most 10 %, sheared by at most 0.1, shifted by at most one pixel, and displaced pixel \
         by pixel by a field of standard deviation 1, smoothed by a Gaussian of 4 pixels. As in the authors' \
         program: variance 11, length-scale 9, 1,000 samples. Own choices: pixels between 0 and 1, the same inducing \
         inputs for all classes, k-means on 20,000 images of MNIST, quasi-random samples, a posterior that starts as \
         the prior, 6,000 steps (the paper: 19 hours). The curve is the negative bound per image, estimated from the \
         current batch, in nats; each point is a mean over several batches.\n\n\
         Reduced form: 200 inducing inputs, k-means on 5,000 images, 100 samples, 500 steps.",
    takes: ["1 day", "10 minutes"],
    data: &[DATA],
    files: &Digits::FILES,
    settings: &SETTINGS,
    methods: &METHODS,
    protocol: 2,
    has: |form, cell, _| (form == Form::Full) == (cell.setting == SETTINGS[0]),
    run,
    reference: PAPER,
    show: &[
        Own(beside_the_paper),
        Curve("004-many-digits-{setting}", "nelbo by step", ["step", "nelbo per image"], &[]),
    ],
    ..Grid::EMPTY
};

fn run(at: &At<'_, Option<f64>>) -> Result<Outcome, ExperimentError> {
    let (digits, inducing) = (Digits::load(&at.context.store)?, at.count("M", 5)?);
    let (batch, steps) = (at.number("batch")? as usize, at.choose(6000, 500, 10));
    let mut process = images::process(&digits.training, inducing, at.kernel(KERNEL)?)?;
    process.visit_mut(&mut |parameter| parameter.fix_all(true));
    let model = images::model_by(process, Task::Classes(10), at.choose(1000, 100, 10))?;
    let learn = || learn(model, &digits.training, batch, (steps, *at.how));
    let (found, seconds) = scores::timed(learn)?;
    let (error, mut each) = scores::of_each_label(&found.posterior, &digits.test)?;
    let nll = each.iter().sum::<f64>() / each.len() as f64;
    let outcome = Outcome::of([("error", error), ("nll", nll), ("seconds", seconds)])
        .with("steps", found.effort.steps as f64)
        .by(found.effort)
        .with_curve("nelbo by step", found.nelbo);
    each.sort_by(f64::total_cmp);
    Ok(QUARTILES.iter().fold(outcome, |outcome, (name, share)| outcome.with(name, quantile(&each, *share))))
}

fn beside_the_paper(results: &Results) -> Vec<Block> {
    let all = SETTINGS.iter().flat_map(|setting| METHODS.map(|(method, _)| (*setting, method)));
    let was_run =
        |(setting, method): &(&str, &str)| !results.scores(DATA, setting, method, "error").is_empty();
    let runs: Vec<(&str, &str)> = all.filter(was_run).collect();
    let row = |(name, digits): (&str, usize)| {
        let paper = PAPER.get(DATA, "savigp", PAPER_SETTING, name);
        let text = |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.digits$}"));
        let ours = runs.iter().map(|(setting, method)| {
            text(Summary::of(&results.scores(DATA, setting, method, name)).map(|found| found.mean))
        });
        [name.to_owned(), text(paper.map(|paper| paper.value))].into_iter().chain(ours).collect()
    };
    let scores = [("error", 4), ("nll", 4), ("steps", 0), ("seconds", 0)];
    let scores = scores.into_iter().chain(QUARTILES.map(|(name, _)| (name, 5)));
    let names = runs.iter().map(|(setting, method)| format!("{method}, {setting}"));
    let header = ["score".to_owned(), format!("paper, {PAPER_SETTING}")].into_iter().chain(names).collect();
    vec![Block::Table { header, rows: scores.map(row).collect() }]
}

struct Found {
    posterior: Predictor,
    effort: Effort,
    /// By step, per image.
    nelbo: Vec<(f64, f64)>,
}

/// Learns the posterior only.
fn learn(
    mut model: Savigp,
    images: &Part,
    batch: usize,
    plan: (u64, Option<f64>),
) -> Result<Found, ExperimentError> {
    let rows = Deformed::new(images, EIGHT_MILLION)?;
    let count = rows.count();
    let batches = Batches::in_blocks(count, batch, batch, 1)?;
    let mut means = Means::of((plan.0 / POINTS).max(1));
    let effort = in_batches(&mut model, &rows, batches, Rule::Adadelta, plan, |now| {
        means.add(now.evaluation, -now.log_posterior / count as f64);
    })?;
    Ok(Found { posterior: model.predictor()?, effort, nelbo: means.points })
}

/// Means of `each` values, at the last position.
#[derive(Debug)]
struct Means {
    each: u64,
    seen: u64,
    sum: f64,
    points: Vec<(f64, f64)>,
}

impl Means {
    fn of(each: u64) -> Self {
        Self { each, seen: 0, sum: 0.0, points: Vec::new() }
    }

    fn add(&mut self, place: u64, value: f64) {
        (self.seen, self.sum) = (self.seen + 1, self.sum + value);
        if self.seen == self.each {
            self.points.push((place as f64, self.sum / self.each as f64));
            (self.seen, self.sum) = (0, 0.0);
        }
    }
}

fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() as f64 - 1.0);
    let at = |place: f64| sorted.get(place as usize).copied().unwrap_or(f64::NAN);
    at(place.floor()) + (place - place.floor()) * (at(place.ceil()) - at(place.floor()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_lie_between_numbers() {
        let four = [1.0, 2.0, 4.0, 8.0];
        assert_eq!(QUARTILES.map(|(_, share)| quantile(&four, share)), [1.75, 3.0, 5.0]);
        assert_eq!(quantile(&four[..1], 0.75), 1.0);
    }

    #[test]
    fn means_have_the_place_of_their_last_value() {
        let mut means = Means::of(2);
        [4.0, 6.0, 1.0, 2.0, 9.0].iter().zip(1..).for_each(|(value, place)| means.add(place, *value));
        assert_eq!(means.points, [(2.0, 5.0), (4.0, 1.5)]);
    }
}
