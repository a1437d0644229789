//! Gradients of the evidence against central differences.

use super::models::{places, scattered_blocks, sparse, with_inputs};
use super::support::{Problem, assert_close};
use faer::Mat;
use gp_ep::{
    Blocks, ClosedEvidence as _, DataSource, Observations, Powers, RegressionWorkspace, SparseRegression,
};
use gp_kernels::inducing::InducingInputs;
use gp_optim::{ParameterSet, ParameterSetMut};

fn difference(model: &SparseRegression, data: &Observations<'_>, coordinate: usize) -> f64 {
    const H: f64 = 1e-3;
    let mut workspace = RegressionWorkspace::new();
    let mut start = vec![0.0; model.free_count()];
    model.write_free(&mut start).unwrap();
    let mut at = |step: f64| {
        let (mut moved, mut x) = (model.clone(), start.clone());
        x[coordinate] += step;
        moved.set_free(&x).unwrap();
        moved.log_marginal_likelihood(data, &mut workspace).unwrap()
    };
    (8.0 * (at(H) - at(-H)) - (at(2.0 * H) - at(-2.0 * H))) / (12.0 * H)
}

/// In log parameters, and Z per length-scale, the objective varies on a scale of one: truncation error about
/// h⁴ = 1e-12 of its size, rounding (1e-13 of values up to 1e3, over h) below 1e-7.
#[track_caller]
pub(crate) fn check(model: &SparseRegression, data: &Observations<'_>) {
    let mut workspace = RegressionWorkspace::new();
    let mut natural = vec![f64::NAN; model.parameter_count()];
    model.log_marginal_likelihood_gradient(data, &mut workspace, &mut natural).unwrap();
    let mut free = vec![f64::NAN; model.free_count()];
    model.chain_gradient(&natural, &mut free).unwrap();
    assert_eq!(free.len(), model.parameter_names().len());
    for (i, found) in free.iter().enumerate() {
        assert_close(*found, difference(model, data, i), 1e-6);
    }
}

const CASES: [(&str, usize); 3] = [
    ("1.7 * rbf(lengthscale=0.8)", 1),
    ("1.3 * rbf(lengthscale=[0.9, 2]) + linear(dims=[0]) * periodic(period=1.5)", 2),
    ("0.7 * matern52(lengthscale=[0.9, 1.4, 0.6]) + white(variance=0.2) + constant(variance=0.5)", 3),
];

#[test]
fn by_kernel_noise_and_inducing_inputs_for_every_power() {
    for (kernel, dim) in CASES {
        let problem = Problem::new(25, dim, 20);
        for power in [0.0, 1e-8, 0.3, 1.0] {
            let model = sparse(kernel, places(5, dim).as_ref(), 0.04, power);
            check(&model, &problem.data());
            check(&model.with_blocks(scattered_blocks(25)), &problem.data());
        }
    }
}

#[test]
fn for_powers_of_their_own_and_known_noise() {
    let problem = Problem::new(25, 2, 21);
    let known: Vec<f64> = (0..25).map(|i| 0.1 * f64::from(i % 3)).collect();
    let data = problem.data().with_known_noise(&known).unwrap();
    let powers = |count: usize| Powers::Each((0..count).map(|i| (i % 5) as f64 / 4.0).collect());
    let model = sparse(CASES[1].0, places(5, 2).as_ref(), 0.02, 0.0);
    check(&model.clone().with_powers(powers(25)), &data);
    let blocks = scattered_blocks(25);
    let powers = powers(blocks.count());
    check(&model.with_blocks(blocks).with_powers(powers), &data);
}

#[test]
fn by_windows_and_their_centres() {
    let problem = Problem::new(25, 2, 22);
    let windows = Mat::from_fn(5, 2, |i, d| 0.05 + 0.1 * (i + d) as f64);
    let inputs =
        InducingInputs::points(places(5, 2).as_ref()).unwrap().with_windows(windows.as_ref()).unwrap();
    for power in [0.0, 0.5, 1.0] {
        let model = with_inputs("1.3 * rbf(lengthscale=[0.9, 2])", inputs.clone(), 0.04, power);
        assert!(model.parameter_names().contains(&"window[4,1]".to_owned()));
        check(&model, &problem.data());
        check(&model.with_blocks(scattered_blocks(25)), &problem.data());
    }
}

#[test]
fn with_duplicates_and_more_inducing_inputs_than_data() {
    let mut problem = Problem::new(12, 2, 23);
    for row in 6..12 {
        for d in 0..2 {
            problem.inputs[(row, d)] = problem.inputs[(row - 6, d)];
        }
    }
    for power in [0.0, 0.5, 1.0] {
        let model = sparse("1.3 * matern32(lengthscale=0.9)", places(20, 2).as_ref(), 0.04, power);
        check(&model, &problem.data());
        check(&model.with_blocks(Blocks::from_labels(&[0; 12]).unwrap()), &problem.data());
    }
}

#[test]
fn over_several_lanes() {
    let problem = Problem::new(1300, 1, 24);
    for power in [0.0, 0.5, 1.0] {
        let model = sparse(CASES[0].0, places(4, 1).as_ref(), 0.04, power);
        check(&model, &problem.data());
        check(&model.with_blocks(scattered_blocks_of(1300, 60)), &problem.data());
    }
}

fn scattered_blocks_of(observations: usize, size: usize) -> Blocks {
    let blocks = observations.div_ceil(size);
    Blocks::from_labels(&(0..observations).map(|i| i % blocks).collect::<Vec<_>>()).unwrap()
}

fn evaluated(model: &SparseRegression, data: &dyn DataSource) -> (f64, Vec<f64>) {
    let mut natural = vec![f64::NAN; model.parameter_count()];
    let mut workspace = RegressionWorkspace::new();
    let value = model.log_marginal_likelihood_gradient(data, &mut workspace, &mut natural).unwrap();
    (value, natural)
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// The bound's reverse pass against the general one, through columns of zero noise and unit weights. Inducing
/// inputs apart, more than data, and so close that rounding moves the gradient: agreement to ten times that,
/// or to rounding of sums.
#[test]
fn of_the_bound_by_fewer_products() {
    let problem = Problem::new(700, 2, 25);
    let mut rounded = Problem::new(700, 2, 25);
    for (i, target) in rounded.targets.iter_mut().enumerate() {
        let sign = if i % 3 == 0 { -1.0 } else { 1.0 };
        *target *= 1.0 + sign * f64::EPSILON;
        (0..2).for_each(|d| rounded.inputs[(i, d)] *= 1.0 - sign * f64::EPSILON);
    }
    let close = Mat::from_fn(30, 2, |i, d| 0.02 * i as f64 * (1.0 + 0.3 * d as f64));
    let (zeros, ones) = (vec![0.0; 700], vec![1.0; 700]);
    for z in [places(5, 2), places(900, 2), close] {
        for kernel in [CASES[1].0, "2 * rbf(lengthscale=1.1) + white(variance=0.1)"] {
            let model = sparse(kernel, z.as_ref(), 0.04, 0.0);
            let general = |of: &Problem| {
                let data = of.data().with_known_noise(&zeros).unwrap().with_weights(&ones).unwrap();
                evaluated(&model, &data)
            };
            let (value, found) = evaluated(&model, &problem.data());
            let (expected_value, expected) = general(&problem);
            assert_eq!(value, expected_value);
            let largest = apart(&expected, &vec![0.0; expected.len()]);
            let noise = apart(&expected, &general(&rounded).1);
            let error = apart(&found, &expected);
            assert!(error <= 10.0 * noise + 1e-11 * largest, "{kernel}: {error} of {largest}, noise {noise}");
        }
    }
}

/// With residuals below the rounding of targets: the general pass, to the bit.
#[test]
fn of_the_bound_without_noise_is_that_of_what_was_computed() {
    let problem = Problem::new(150, 2, 26);
    let (zeros, ones) = (vec![0.0; 150], vec![1.0; 150]);
    let data = problem.data().with_known_noise(&zeros).unwrap().with_weights(&ones).unwrap();
    let differ = |noise: f64| {
        let model = sparse(CASES[1].0, places(20, 2).as_ref(), noise, 0.0);
        evaluated(&model, &problem.data()) != evaluated(&model, &data)
    };
    assert_eq!([1e-2, 1e-9, 1e-12].map(differ), [true, false, false]);
}
