//! Observations that count more or less than once.

use crate::problem::{exact, nearly, process, processes, thirds};
use crate::support::{Problem, RBF, assert_close, converged, tight};
use faer::Mat;
use gp_ep::power_ep::{MiniBatchEp, Sharing};
use gp_ep::{BatchEp, PowerEp, Powers, Table, Weights};
use gp_likelihoods::Gaussian;
use std::f64::consts::TAU;

/// Whole weights are as many copies of the observation.
#[test]
fn whole_weights_are_copies() {
    let problem = Problem::new(18, 1, 111);
    let y = thirds(&problem);
    let weights = [2.0, 1.0, 3.0];
    let copies: Vec<usize> =
        (0..18).flat_map(|i| std::iter::repeat_n(i, weights[y[i] as usize] as usize)).collect();
    let x = Mat::from_fn(copies.len(), 1, |k, _| problem.inputs[(copies[k], 0)]);
    let labels: Vec<f64> = copies.iter().map(|&i| y[i]).collect();
    let (data, copied) = (
        Table::with_targets(problem.inputs.as_ref(), &y).unwrap(),
        Table::with_targets(x.as_ref(), &labels).unwrap(),
    );
    for alpha in [1.0, 0.5, 0.0] {
        let model = exact(PowerEp::of_classes(processes(&problem, &[0, 1, 2], 5), 0.2).unwrap());
        let model = model.with_powers(Powers::Same(alpha));
        let weighted = model.clone().with_weights(Weights::Classes(weights.to_vec()));
        let (mut found, mut expected) =
            (converged(&weighted, &data, &nearly()), converged(&model, &copied, &nearly()));
        assert_close(found.log_z(&weighted).unwrap(), expected.log_z(&model).unwrap(), 1e-9);
        for q in 0..3 {
            let (a, b) = (found.posterior(&weighted, q).unwrap(), expected.posterior(&model, q).unwrap());
            a.mean().iter().zip(b.mean()).for_each(|(a, b)| assert_close(*a, *b, 1e-8));
        }
    }
}

/// Under Gaussian noise a weight divides the variance of the noise.
#[test]
fn weights_of_gaussian_observations_divide_the_noise() {
    let problem = Problem::new(20, 1, 112);
    let data = Table::with_targets(problem.inputs.as_ref(), &problem.signal).unwrap();
    let model = |noise: f64| {
        let gaussian = Box::new(Gaussian::new(noise).unwrap());
        exact(PowerEp::new(vec![process(RBF, problem.inducing(5))], gaussian).unwrap())
    };
    for (weight, alpha) in [(0.3, 1.0), (2.5, 1.0), (0.3, 0.5), (2.5, 0.5), (0.3, 0.0)] {
        let weighted = model(0.2).with_weights(Weights::Each(vec![weight; 20]));
        let weighted = weighted.with_powers(Powers::Same(alpha));
        // A power α of t^w is the power α/w of a factor, and EP of t^w with α ≥ w is EP of a factor.
        let power = if alpha == 0.0 { 0.0 } else { f64::min(alpha / weight, 1.0) };
        let quieter = model(0.2 / weight).with_powers(Powers::Same(power));
        let (mut found, mut expected) =
            (converged(&weighted, &data, &tight()), converged(&quieter, &data, &tight()));
        // N(y; f, σ²)^w = N(y; f, σ²/w) · √(2πσ²/w)/√(2πσ²)^w
        let constant = 10.0 * ((TAU * 0.2 / weight).ln() - weight * (TAU * 0.2).ln());
        assert_close(found.log_z(&weighted).unwrap() - constant, expected.log_z(&quieter).unwrap(), 1e-9);
        let (a, b) = (found.posterior(&weighted, 0).unwrap(), expected.posterior(&quieter, 0).unwrap());
        a.mean().iter().zip(b.mean()).for_each(|(a, b)| assert_close(*a, *b, 1e-9));
    }
}

#[test]
fn tied_sites_take_weights_from_the_power_on() {
    let problem = Problem::new(12, 1, 113);
    let y = thirds(&problem);
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    let with = |weights: [f64; 3]| {
        let model = exact(PowerEp::of_classes(processes(&problem, &[0, 1, 2], 4), 0.2).unwrap());
        model.with_weights(Weights::Classes(weights.to_vec()))
    };
    let error = MiniBatchEp::new(&with([0.5, 1.0, 1.0]), &data, Sharing::Tied, 4).unwrap_err().to_string();
    assert!(error.contains("weights below the power"), "{error}");
    assert!(MiniBatchEp::new(&with([0.5, 1.0, 1.0]), &data, Sharing::Own, 4).is_ok());
    assert!(MiniBatchEp::new(&with([1.0, 2.0, 1.0]), &data, Sharing::Tied, 4).is_ok());
    assert!(BatchEp::new(&with([1.0, 0.0, 1.0]), &data).unwrap_err().to_string().contains("weight"));
}
