//! Weighted observations of classes.

use super::problem::{exact, nearly, process, processes, thirds};
use super::support::{Problem, RBF, assert_close, converged, tight};
use faer::Mat;
use gp_ep::power_ep::{MiniBatchEp, Sharing};
use gp_ep::{BatchEp, EpOptions, PowerEp, Powers, Table};
use gp_likelihoods::{Adjusted, Gaussian, Likelihood, MulticlassProbit};
use std::f64::consts::TAU;

pub(crate) fn weighed(y: &[f64], weight: impl Fn(usize) -> f64) -> Mat<f64> {
    Mat::from_fn(y.len(), 3, |i, column| [y[i], 0.0, weight(i)][column])
}

pub(crate) fn of_weighed_classes(problem: &Problem, inducing: usize, noise: f64) -> PowerEp {
    let likelihood = MulticlassProbit::with_noise(3, noise).unwrap().in_pairs();
    let likelihood = Box::new(Adjusted::new(Box::new(likelihood)));
    exact(PowerEp::new(processes(problem, &[0, 1, 2], inducing), likelihood).unwrap())
}

#[test]
fn whole_weights_are_copies() {
    let problem = Problem::new(18, 1, 111);
    let y = thirds(&problem);
    let weights = [2.0, 1.0, 3.0];
    let copies: Vec<usize> =
        (0..18).flat_map(|i| std::iter::repeat_n(i, weights[y[i] as usize] as usize)).collect();
    let x = Mat::from_fn(copies.len(), 1, |k, _| problem.inputs[(copies[k], 0)]);
    let labels: Vec<f64> = copies.iter().map(|&i| y[i]).collect();
    let columns = weighed(&y, |i| weights[y[i] as usize]);
    let (data, copied) = (
        Table::new(problem.inputs.as_ref(), columns.as_ref()).unwrap(),
        Table::with_targets(x.as_ref(), &labels).unwrap(),
    );
    for alpha in [1.0, 0.5, 0.0] {
        let model = exact(PowerEp::of_classes(processes(&problem, &[0, 1, 2], 5), 0.2).unwrap());
        let model = model.with_powers(Powers::Same(alpha));
        let weighted = of_weighed_classes(&problem, 5, 0.2).with_powers(Powers::Same(alpha));
        let (mut found, mut expected) =
            (converged(&weighted, &data, &nearly()), converged(&model, &copied, &nearly()));
        assert_close(found.log_z(&weighted).unwrap(), expected.log_z(&model).unwrap(), 1e-9);
        for q in 0..3 {
            let (a, b) = (found.posterior(&weighted, q).unwrap(), expected.posterior(&model, q).unwrap());
            a.mean().iter().zip(b.mean()).for_each(|(a, b)| assert_close(*a, *b, 1e-8));
        }
    }
}

#[test]
fn weights_of_gaussian_observations_divide_the_noise() {
    let problem = Problem::new(20, 1, 112);
    let data = Table::with_targets(problem.inputs.as_ref(), &problem.signal).unwrap();
    let model = |noise: f64, weighs: bool| {
        let gaussian: Box<dyn Likelihood> = Box::new(Gaussian::new(noise).unwrap());
        let gaussian = if weighs { Box::new(Adjusted::new(gaussian)) } else { gaussian };
        exact(PowerEp::new(vec![process(RBF, problem.inducing(5))], gaussian).unwrap())
    };
    for (weight, alpha) in [(0.3, 1.0), (2.5, 1.0), (0.3, 0.5), (2.5, 0.5), (0.3, 0.0)] {
        let weighted = model(0.2, true).with_powers(Powers::Same(alpha));
        let columns = weighed(&problem.signal, |_| weight);
        let weighed = Table::new(problem.inputs.as_ref(), columns.as_ref()).unwrap();
        // A power α of t^w is a power α/w of a factor; EP of t^w with α ≥ w is EP of a factor.
        let power = if alpha == 0.0 { 0.0 } else { f64::min(alpha / weight, 1.0) };
        let quieter = model(0.2 / weight, false).with_powers(Powers::Same(power));
        let (mut found, mut expected) =
            (converged(&weighted, &weighed, &tight()), converged(&quieter, &data, &tight()));
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
    let model = of_weighed_classes(&problem, 4, 0.2);
    let rows: Vec<usize> = (0..12).collect();
    let step = |weights: [f64; 3], sharing: Sharing| {
        let columns = weighed(&y, |i| weights[y[i] as usize]);
        let data = Table::new(problem.inputs.as_ref(), columns.as_ref()).unwrap();
        let mut ep = MiniBatchEp::new(&model, &data, sharing, 12).unwrap();
        ep.step(&model, &data, &rows, &EpOptions::default()).map(|_| ()).map_err(|error| error.to_string())
    };
    assert!(step([0.5, 1.0, 1.0], Sharing::Tied).unwrap_err().contains("but one is 0.5"));
    assert_eq!(step([0.5, 1.0, 1.0], Sharing::Own), Ok(()));
    assert_eq!(step([1.0, 2.0, 1.0], Sharing::Tied), Ok(()));
    let columns = weighed(&y, |i| if y[i] == 1.0 { 0.0 } else { 1.0 });
    let none = Table::new(problem.inputs.as_ref(), columns.as_ref()).unwrap();
    assert!(BatchEp::new(&model, &none).unwrap_err().to_string().contains("weight"));
}
