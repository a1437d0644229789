//! Weighted observations in sparse regression.

use super::gradients;
use super::models::{places, scattered_blocks, sparse};
use super::support::{Problem, RBF, assert_close};
use faer::Mat;
use gp_ep::{
    Blocks, ClosedEvidence as _, DataSource, ExactGp, Inference as _, Powers, RegressionWorkspace,
    SparseRegression,
};
use gp_likelihoods::Gaussian;
use gp_linalg::Threading;
use gp_optim::ParameterSet;

const POWERS: [f64; 4] = [0.0, 1e-8, 0.5, 1.0];

fn everything(model: &SparseRegression, data: &dyn DataSource) -> Vec<f64> {
    let mut natural = vec![f64::NAN; model.parameter_count()];
    let mut workspace = RegressionWorkspace::new();
    let value = model.log_marginal_likelihood_gradient(data, &mut workspace, &mut natural).unwrap();
    let posterior = model.posterior(data).unwrap();
    let beliefs = posterior.beliefs(Problem::new(4, 2, 61).inputs.as_ref()).unwrap();
    natural.push(value);
    natural.extend(beliefs.functions()[0].mean.iter().chain(&beliefs.functions()[0].variance));
    natural
}

#[test]
fn whole_weights_are_copies() {
    let problem = Problem::new(20, 2, 60);
    let weight = |row: usize| 1 + row % 3;
    let rows: Vec<usize> = (0..20).flat_map(|row| std::iter::repeat_n(row, weight(row))).collect();
    let known: Vec<f64> = (0..20).map(|row| 0.1 * f64::from(row % 4)).collect();
    let weights: Vec<f64> = (0..20).map(|row| weight(row as usize) as f64).collect();
    let inputs = Mat::from_fn(rows.len(), 2, |k, d| problem.inputs[(rows[k], d)]);
    let copied = Problem { inputs, targets: rows.iter().map(|&row| problem.targets[row]).collect() };
    let known_of_copies: Vec<f64> = rows.iter().map(|&row| known[row]).collect();
    let once = problem.data().with_known_noise(&known).unwrap().with_weights(&weights).unwrap();
    let often = copied.data().with_known_noise(&known_of_copies).unwrap();
    let labels: Vec<usize> = (0..20).map(|row| row % 3).collect();
    let labels_of_copies: Vec<usize> = rows.iter().map(|&row| labels[row]).collect();
    for power in POWERS {
        let model = sparse(RBF, places(5, 2).as_ref(), 0.3, power);
        let compare = |weighted: &SparseRegression, plain: &SparseRegression| {
            let (found, expected) = (everything(weighted, &once), everything(plain, &often));
            found.iter().zip(&expected).for_each(|(found, expected)| assert_close(*found, *expected, 1e-9));
        };
        compare(&model, &model);
        // Copies are in the observation's block.
        let with = |labels: &[usize]| model.clone().with_blocks(Blocks::from_labels(labels).unwrap());
        compare(&with(&labels), &with(&labels_of_copies));
    }
}

#[test]
fn gradients_are_differences_whatever_the_weights() {
    let problem = Problem::new(25, 2, 62);
    let (known, weights): (Vec<f64>, Vec<f64>) =
        (0..25).map(|i| (0.1 * f64::from(i % 3), 0.2 + 0.4 * f64::from(i % 5))).unzip();
    let data = problem.data().with_known_noise(&known).unwrap().with_weights(&weights).unwrap();
    for power in [0.0, 0.5, 1.0] {
        let model = sparse(RBF, places(5, 2).as_ref(), 0.04, power);
        gradients::check(&model, &data);
        gradients::check(&model.with_blocks(scattered_blocks(25)), &data);
    }
}

/// Nothing is unexplained: every power is exact.
#[test]
fn all_powers_are_exact_with_inducing_inputs_at_the_data() {
    let problem = Problem::new(15, 2, 63);
    let weights: Vec<f64> = (0..15).map(|i| 0.2 + 0.4 * f64::from(i % 5)).collect();
    let data = problem.data().with_weights(&weights).unwrap();
    let exact = ExactGp::new(gp_kernels::parse(RBF).unwrap(), Gaussian::new(0.3).unwrap());
    let expected = exact.with_threading(Threading::Here).log_evidence(&data).unwrap().value;
    for power in POWERS {
        let model = sparse(RBF, problem.inputs.as_ref(), 0.3, power);
        assert_close(model.log_evidence(&data).unwrap().value, expected, 1e-7);
        let blocks = model.with_blocks(scattered_blocks(15)).with_powers(Powers::Same(power));
        assert_close(blocks.log_evidence(&data).unwrap().value, expected, 1e-7);
    }
}
