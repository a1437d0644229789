//! Villacampa-Calvo & Hernández-Lobato 2017, Figure 7: E[log p] and log E[p] of test flights.

use crate::data::Part;
use crate::error::ExperimentError;
use crate::grid::Grid;
use crate::grid::Show::{Curves, Scores};
use crate::methods::classify::Setup;
use crate::methods::course::{started_anew, stops};
use crate::methods::rule::Rule;
use crate::methods::scores;
use gp_likelihoods::{Latent, LatentDerivatives, Workspace};
use gp_variational::Predictor;

/// Rate of natural gradients, if used.
pub(super) const TWO_AVERAGES: Grid<Option<f64>> = Grid {
    name: "000-figure-7",
    title: "effect of variational training on E[log p] and log E[p] of test flights",
    about: "From the paper: `vi` of `000-figure-5-flights`, three classes. Over 10,000 test flights, `mean_log` is \
         the mean of E[log p(y|f)] under the posterior, which the bound contains for training flights, and \
         `log_mean` that of log E[p(y|f)], which measures predictions. The paper's text says that the second rises \
         and the first falls; its next sentences imply the opposite. ε of the robust likelihood is fixed at 10⁻³. \
         The rest is as in `000-figure-5-flights`: Adam with its default parameters on everything (`vi`), or natural \
         gradients for the posterior (`vi, natural`, not in the paper); run again for each point of the curves.\n\n\
         Reduced form: 2,000 batches instead of 40,000.",
    takes: ["3 hours", "8 minutes"],
    data: &["flights, 3 classes"],
    settings: &["M=200;batch=200"],
    methods: &[("vi", None), ("vi, natural", Some(0.1))],
    protocol: 2,
    run: |at| {
        let (split, inducing) = (at.split()?, at.count("M", 10)?);
        let batch = at.number("batch")? as usize;
        let run = |steps: u64| {
            let setup = Setup { batch, rule: Rule::ADAM, ..Setup::new(&split, inducing, steps, 1) };
            let learn = || setup.variational_in_batches(*at.how);
            let ((posterior, effort), seconds) = scores::timed(learn)?;
            let outcome = scores::of_labels(&posterior, &split.test, seconds)?.by(effort);
            let log_mean = -outcome.scores["nll"];
            Ok(outcome.with("log_mean", log_mean).with("mean_log", mean_log(&posterior, &split.test)?))
        };
        let stops = stops(4, at.choose(40_000, 2000, 20));
        started_anew(&stops, &["mean_log", "log_mean"], "seconds", run)
    },
    show: &[
        Scores("mean_log", "Final mean_log", 4),
        Scores("log_mean", "Final log_mean", 4),
        Scores("error", "Final error", 4),
        Scores("seconds", "Seconds", 4),
        Curves("000-averages-{score}", &["mean_log by seconds", "log_mean by seconds"], &[]),
    ],
    ..Grid::EMPTY
};

/// Mean `E[ln p(y | f)]` under a single-component posterior.
fn mean_log(posterior: &Predictor, test: &Part) -> Result<f64, ExperimentError> {
    let latents = posterior.latents(test.inputs.as_ref())?;
    let (mut workspace, mut slopes, mut sum) = (Workspace::new(), LatentDerivatives::default(), 0.0);
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

    /// Prior N(0, 2), noise 0.5: −½ ln(2π 0.5) − (y² + 2) / (2 · 0.5).
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
