//! Training on external data sets, if present.

use crate::data;
use gp_ep::{ExactGp, Inference, Learning, Observations, Powers, SparseProcess, SparseRegression};
use gp_kernels::placement::{KMeans, Placement};
use gp_likelihoods::Gaussian;
use gp_optim::MinimiseOptions;

#[expect(clippy::unwrap_used, reason = "a helper that fails is a failed test")]
fn learned(model: &mut impl Inference, data: &Observations<'_>) -> f64 {
    let run = model.learn(data, Learning::Outer(MinimiseOptions::default())).unwrap().run;
    run.training().unwrap().log_marginal_likelihood
}

#[test]
fn snelson_is_regression_for_a_few_inducing_inputs() {
    let Some(set) = data::table("regression/snelson.csv") else { return };
    let test: Vec<usize> = (0..set.targets.len()).step_by(10).collect();
    let (training, test) = set.split(&test);
    let data = Observations::new(training.inputs.as_ref(), &training.targets).unwrap();
    let kernel = || gp_kernels::parse("1 * rbf(lengthscale=1)").unwrap();
    let error = |mean: &[f64]| {
        let squares = mean.iter().zip(&test.targets).map(|(mean, y)| (mean - y).powi(2));
        squares.sum::<f64>() / test.targets.len() as f64
    };
    let mut exact = ExactGp::new(kernel(), Gaussian::new(0.1).unwrap());
    let best = learned(&mut exact, &data);
    let predicted = exact.posterior(&data).unwrap().latents(test.inputs.as_ref()).unwrap();
    let reference = error(&predicted[0].mean);
    for power in [0.0, 0.5, 1.0] {
        let placed = KMeans::new().place(kernel().as_ref(), training.inputs.as_ref(), 10, 1).unwrap();
        let process = SparseProcess::new(kernel(), placed.inputs).unwrap();
        let mut model = SparseRegression::new(process, Gaussian::new(0.1).unwrap(), Powers::Same(power));
        let evidence = learned(&mut model, &data);
        let posterior = model.posterior(&data).unwrap();
        let found = error(&posterior.latents(test.inputs.as_ref()).unwrap()[0].mean);
        // Ten inducing inputs can represent about five length-scales; targets have variance 1.
        assert!(found < reference + 0.02, "α = {power}: {found}, exact {reference}");
        assert!(evidence > best - 2.0, "α = {power}: {evidence}, exact {best}");
        assert!(power > 0.0 || evidence <= best + 1e-6, "a bound: {evidence}, exact {best}");
    }
}
