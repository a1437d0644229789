//! Seed 000, Figure 7: the mean log probability of test flights, and the log of their mean probability, while a bound is
//! raised.

use crate::data::{Flights, Part, Task};
use crate::error::ExperimentError;
use crate::harness::{Cell, Context, Extent, Item, Outcome, Results, Stopwatch};
use crate::methods::course::{started_anew, stops};
use crate::methods::scores;
use crate::methods::streams::Stream;
use crate::report::{Block, Comparison, Reference, Scale, course};
use gp_kernels::Evaluator;
use gp_likelihoods::{Latent, Slopes, Workspace};
use gp_variational::VariationalPosterior;

const DATA: [&str; 1] = ["flights, 3 classes"];
const SETTING: &str = "M=200;batch=200";
const METHODS: [&str; 1] = ["vi"];
const SCORES: [&str; 2] = ["mean_log", "log_mean"];

/// The figure.
#[derive(Debug)]
pub(super) struct TwoAverages;

impl Item for TwoAverages {
    fn name(&self) -> &'static str {
        "000-figure-7"
    }

    fn title(&self) -> &'static str {
        "what a variational bound raises and what it does not: E[log p] and log E[p] of test flights"
    }

    fn needs(&self) -> Vec<String> {
        vec![Flights::FILE.to_owned()]
    }

    fn method(&self) -> &'static str {
        "As the seed says: `vi` of `000-figure-5-flights`, three classes; over 10,000 test flights, the mean of E[log p(y|f)] \
         under the posterior (`mean_log`), which its bound has for training flights, and of log E[p(y|f)] (`log_mean`), by \
         which predictions are judged. The seed's text has it that the second rises and the first falls, which, by what \
         it says next, it means the other way round. Everything else as in `000-figure-5-flights`, started anew for each \
         point of the curves.\n\n\
         Reduced form: 2,000 batches instead of 40,000."
    }

    fn takes(&self) -> [&'static str; 2] {
        ["3 hours", "8 minutes"]
    }

    fn cells(&self, extent: &Extent) -> Vec<Cell> {
        (0..extent.splits(1, 1)).map(|split| Cell::new(DATA[0], SETTING, METHODS[0], split)).collect()
    }

    fn run(&self, cell: &Cell, context: &Context) -> Result<Outcome, ExperimentError> {
        if cell.method != METHODS[0] {
            return Err(cell.unknown());
        }
        let split = Flights::load(&context.store)?.split(10_000, None, Task::Classes(3), 1);
        let run = |steps: u64| {
            let stream = Stream {
                training: &split.training,
                test: &split.test,
                task: Task::Classes(3),
                inducing: context.extent.choose(200, 200, 10),
                batch: 200,
                steps,
                rate: 0.01,
                lengthscale: 1.0,
                seed: 1,
            };
            let watch = Stopwatch::start();
            let posterior = stream.variational()?;
            let seconds = watch.seconds();
            let (error, nll) = scores::of_labels(&posterior, &split.test)?;
            let outcome = Outcome::of([("log_mean", -nll), ("error", error), ("seconds", seconds)]);
            Ok(outcome.with("mean_log", mean_log(&posterior, &split.test)?))
        };
        started_anew(&stops(4, context.extent.choose(40_000, 2000, 20)), &SCORES, "seconds", run)
    }

    fn show(&self, results: &Results) -> Vec<Block> {
        let mut blocks = Vec::new();
        for measure in SCORES.into_iter().chain(["error", "seconds"]) {
            let reference = Reference::default();
            blocks.push(Block::text(format!("{measure} in the end:")));
            blocks.push(
                Comparison {
                    results,
                    reference,
                    data: &DATA,
                    settings: &[SETTING],
                    methods: &METHODS,
                    measure,
                }
                .grid(4),
            );
        }
        for score in SCORES {
            let (file, curve) = (format!("000-averages-{score}"), format!("{score} by seconds"));
            let names = ["seconds", score, curve.as_str()];
            blocks.extend(course(results, &file, [DATA[0], SETTING], &METHODS, names, Scale::Log));
        }
        blocks
    }
}

/// The mean over observations of `E[ln p(y | f)]` under a posterior of one component.
fn mean_log(posterior: &VariationalPosterior, test: &Part) -> Result<f64, ExperimentError> {
    let latents = posterior.latents(test.inputs.as_ref(), &Evaluator::default())?;
    let (mut workspace, mut slopes, mut sum) = (Workspace::new(), Slopes::default(), 0.0);
    for (i, y) in test.labels().into_iter().enumerate() {
        let latent = |latent: &gp_kernels::posterior::LatentPrediction| {
            Latent::new(latent.mean[i], latent.variance[i])
        };
        let belief: Vec<Latent> = latents.iter().map(latent).collect::<Result<_, _>>()?;
        posterior.likelihood().expected_log_density(&[y], &belief, &mut workspace, &mut slopes)?;
        sum += slopes.value;
    }
    Ok(sum / test.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::Mat;
    use gp_kernels::inducing::{InducingInputs, SparseProcess};
    use gp_likelihoods::Gaussian;
    use gp_variational::Savigp;

    /// Under the prior N(0, 2) and noise 0.5: −½ ln(2π 0.5) − (y² + 2) / (2 · 0.5).
    #[test]
    fn the_mean_log_density_of_a_normal_is_known() {
        let inputs = Mat::from_fn(3, 1, |i, _| i as f64);
        let kernel = gp_kernels::parse("2 * rbf(lengthscale=1)").unwrap();
        let process = SparseProcess::new(kernel, InducingInputs::points(inputs.as_ref()).unwrap()).unwrap();
        let model = Savigp::new(vec![process], Box::new(Gaussian::new(0.5).unwrap())).unwrap();
        let test = Part { inputs, targets: Mat::from_fn(3, 1, |i, _| i as f64 - 1.0) };
        let squares = [1.0, 0.0, 1.0];
        let expected =
            squares.iter().map(|y| -0.5 * std::f64::consts::PI.ln() - (y + 2.0)).sum::<f64>() / 3.0;
        let found = mean_log(&model.predictor().unwrap(), &test).unwrap();
        assert!((found - expected).abs() < 1e-9, "{found} and {expected}");
    }
}
