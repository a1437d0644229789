//! Stability of mini-batch EP over many steps, on ten digits.

use crate::data::{Digits, Task};
use crate::grid::Grid;
use crate::grid::Show::{Curves, Scores};
use crate::harness::Effort;
use crate::methods::course::Course;
use crate::methods::kernels;
use crate::methods::rule::Rule;
use gp_ep::power_ep::{EpLearning, Sharing};
use gp_ep::{Inference as _, Learning, PowerEp, Table};
use gp_optim::Batches;

/// Steps per scoring, scorings per mean.
const STEPS_A_LOOK: u64 = 100;
const LOOKS_A_MEAN: usize = 5;

pub(super) const MANY_STEPS: Grid<Sharing> = Grid {
    name: "many-steps",
    title: "ten digits by EP in mini-batches over 20,000 steps: does learning remain stable?",
    about: "Our own question. A site enters the sums of EP under the current parameters, which keep moving. A scheme \
         that removes sites under other parameters than it added them with accumulates the differences, and fails \
         after some hundred steps. All ten classes share one kernel and one set of 200 inducing inputs, which are \
         learned; batches of 200; Adam at a constant rate of .01; pixels between 0 and 1, length-scale 10, amplitude \
         1. `own` has one site per observation, `tied` one per class. The test set is scored every 100 steps; `worst \
         excess` is the largest relative excess of a mean of five scorings over the lowest earlier mean.\n\n\
         Reduced form: 2,000 steps.",
    takes: ["3 hours", "20 minutes"],
    data: &["mnist"],
    settings: &["M=200;batch=200"],
    methods: &[("own", Sharing::Own), ("tied", Sharing::Tied)],
    run: |at| {
        let split = Digits::load(&at.context.store)?.split(Task::Classes(10));
        let (inducing, batch) = (at.count("M", 10)?, at.count("batch", 50)?);
        let steps = at.choose(20_000, 2000, 200);
        let inputs = split.training.inputs.as_ref();
        let process = kernels::at_random_rows(at.kernel("1 * rbf(lengthscale=10)")?, inputs, inducing, 1)?;
        let mut model = PowerEp::of_alike_classes(10, process, 0.0)?;
        let labels = split.training.labels();
        let data = Table::with_targets(inputs, &labels)?;
        let batches = Batches::shuffled(labels.len(), batch, 1)?;
        let stops = (1..=steps / STEPS_A_LOOK).map(|look| look * STEPS_A_LOOK).collect();
        let mut course = Course::start(&split.test, stops);
        let steps = Rule::Adam(0.01).steps(steps);
        let settings = EpLearning::default().with_sharing(*at.how);
        let found = model.learn_with(&data, Learning::Batches(batches, steps), &settings, &mut |now| {
            course.look(now.progress.evaluation, &|| now.predictor());
        })?;
        let outcome = course.end(&found.state.predictor(&model)?)?.by(Effort::from(&found.run));
        let looks: Vec<f64> = outcome.curves["nll by seconds"].iter().map(|(_, nll)| *nll).collect();
        Ok(outcome.with("worst excess", worst_excess(&looks)))
    },
    show: &[
        Scores("nll", "Final negative log-likelihood of the test set", 4),
        Scores("error", "Final error", 4),
        Scores(
            "worst excess",
            "Largest relative excess of a mean of five scorings over the lowest earlier mean",
            4,
        ),
        Scores("seconds", "Seconds", 0),
        Curves("many-steps-{score}", &["nll by seconds"], &[]),
    ],
    ..Grid::EMPTY
};

/// Largest relative excess over the lowest earlier mean.
fn worst_excess(looks: &[f64]) -> f64 {
    let (mut lowest, mut worst) = (f64::INFINITY, 0.0_f64);
    for looks in looks.chunks_exact(LOOKS_A_MEAN) {
        let mean = looks.iter().sum::<f64>() / looks.len() as f64;
        worst = worst.max(mean / lowest - 1.0);
        lowest = lowest.min(mean);
    }
    worst
}

#[cfg(test)]
mod tests {
    use super::worst_excess;

    #[test]
    fn an_excess_is_over_the_lowest_mean_before() {
        let looks = |means: &[f64]| means.iter().flat_map(|mean| [*mean; 5]).collect::<Vec<_>>();
        assert_eq!(worst_excess(&looks(&[4.0, 2.0, 1.0])), 0.0);
        assert_eq!(worst_excess(&looks(&[4.0, 2.0, 3.0, 1.0])), 0.5);
        assert_eq!(worst_excess(&[1.0]), 0.0);
    }
}
