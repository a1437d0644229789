//! Bad data give a typed error with place; awkward data a result.

use super::models::{places, scattered_blocks, sparse, with_inputs};
use super::support::{Problem, RBF};
use faer::Mat;
use gp_ep::Inference as _;
use gp_ep::{
    ClosedEvidence as _, InferenceError, Powers, RegressionWorkspace, SparseProcess, SparseRegression,
};
use gp_kernels::inducing::InducingInputs;
use gp_optim::ParameterSet;

fn with_gradient(model: &SparseRegression, problem: &Problem) -> Result<f64, InferenceError> {
    let mut gradient = vec![0.0; model.parameter_count()];
    let mut workspace = RegressionWorkspace::new();
    let value = model.log_marginal_likelihood_gradient(&problem.data(), &mut workspace, &mut gradient)?;
    assert!(gradient.iter().all(|g| g.is_finite()), "{gradient:?}");
    Ok(value)
}

#[test]
fn awkward_data_have_results() {
    let wide = Problem::new(20, 500, 50);
    let mut twice = Problem::new(20, 2, 51);
    twice.inputs.fill(0.3);
    let flat = Problem { targets: vec![-3.0; 20], ..Problem::new(20, 2, 52) };
    let nothing = Problem { targets: vec![0.0; 20], ..Problem::new(20, 2, 53) };
    for problem in [wide, twice, flat, nothing] {
        let dim = problem.inputs.ncols();
        // Inducing inputs elsewhere, all in one place, at the data.
        for z in [places(6, dim), Mat::zeros(6, dim), problem.inputs.subrows(0, 6).to_owned()] {
            for lengthscale in [1e-6, 1e-3, 1.0, 1e3, 1e6] {
                for (power, noise) in [(0.0, 0.1), (0.5, 1e-10), (1.0, 1e6)] {
                    let kernel = format!("1.7 * rbf(lengthscale={lengthscale})");
                    let points = sparse(&kernel, z.as_ref(), noise, power);
                    let value = with_gradient(&points, &problem).unwrap();
                    let blocks = points.with_blocks(scattered_blocks(20));
                    assert!(with_gradient(&blocks, &problem).is_ok_and(f64::is_finite) && value.is_finite());
                    let found = blocks.posterior(&problem.data()).unwrap();
                    let found = found.latents(problem.inputs.as_ref()).unwrap();
                    assert!(found[0].variance.iter().all(|v| *v >= 0.0));
                }
            }
        }
    }
}

#[test]
fn targets_beyond_floating_point_are_refused() {
    let problem = Problem { targets: vec![1e200; 4], ..Problem::new(4, 1, 54) };
    let refused = with_gradient(&sparse(RBF, places(2, 1).as_ref(), 0.1, 0.5), &problem).unwrap_err();
    assert!(matches!(refused, InferenceError::Overflow { .. }), "{refused}");
}

#[test]
fn inputs_of_another_kind_are_refused() {
    let problem = Problem::new(10, 2, 55);
    let refused = with_gradient(&sparse(RBF, places(3, 1).as_ref(), 0.1, 0.5), &problem).unwrap_err();
    assert!(matches!(refused, InferenceError::Kernel(_)), "{refused}");
    let mut hole = Problem::new(10, 2, 56);
    hole.inputs[(7, 1)] = f64::NAN;
    for model in [
        sparse(RBF, places(3, 2).as_ref(), 0.1, 0.5),
        sparse(RBF, places(3, 2).as_ref(), 0.1, 0.5).with_blocks(scattered_blocks(10)),
    ] {
        let refused = with_gradient(&model, &hole).unwrap_err();
        assert!(matches!(refused, InferenceError::Kernel(_)), "{refused}");
    }
    let none = InducingInputs::points(Mat::zeros(0, 2).as_ref()).unwrap();
    let kernel = gp_kernels::parse(RBF).unwrap();
    assert_eq!(SparseProcess::new(kernel, none).err(), Some(gp_kernels::KernelError::NoInducingInputs));
}

#[test]
fn windows_need_a_kernel_that_has_them() {
    let windows = Mat::from_fn(3, 2, |_, _| 0.1);
    let inputs =
        InducingInputs::points(places(3, 2).as_ref()).unwrap().with_windows(windows.as_ref()).unwrap();
    let model = with_inputs("matern32(lengthscale=1)", inputs, 0.1, 0.5);
    let refused = with_gradient(&model, &Problem::new(10, 2, 57)).unwrap_err();
    assert!(refused.to_string().contains("matern32"), "{refused}");
}

#[test]
fn factors_of_other_data_are_refused() {
    let problem = Problem::new(10, 2, 58);
    let model = sparse(RBF, places(3, 2).as_ref(), 0.1, 0.5);
    let refused = |model: SparseRegression| with_gradient(&model, &problem).unwrap_err().to_string();
    assert_eq!(
        refused(model.clone().with_blocks(scattered_blocks(11))),
        "partition into blocks has 11 entries, expected 10"
    );
    assert_eq!(
        refused(model.clone().with_powers(Powers::Each(vec![0.5; 9]))),
        "list of powers has 9 entries, expected 10"
    );
    let each = Powers::Each(vec![0.5; 10]);
    assert_eq!(
        refused(model.clone().with_blocks(scattered_blocks(10)).with_powers(each)),
        "list of powers has 10 entries, expected 4"
    );
    assert_eq!(
        refused(model.with_powers(Powers::Same(1.5))),
        "the power of factor 0 is 1.5, but must be between 0 and 1"
    );
}

#[test]
fn slices_of_the_wrong_length_are_refused() {
    let problem = Problem::new(10, 2, 59);
    let model = sparse(RBF, places(3, 2).as_ref(), 0.1, 0.5);
    let (mut workspace, mut short) = (RegressionWorkspace::new(), [0.0; 8]);
    let refused = model.log_marginal_likelihood_gradient(&problem.data(), &mut workspace, &mut short);
    assert!(matches!(refused, Err(InferenceError::Shape { expected: 9, found: 8, .. })));
    let posterior = model.posterior(&problem.data()).unwrap();
    let refused = posterior.log_densities(problem.inputs.as_ref(), &[0.0]);
    assert!(matches!(refused, Err(InferenceError::Shape { expected: 10, found: 1, .. })));
}

#[test]
fn densities_of_new_targets_are_those_of_their_normal_distributions() {
    let problem = Problem::new(30, 1, 60);
    let model = sparse(RBF, places(6, 1).as_ref(), 0.1, 0.5);
    let posterior = model.posterior(&problem.data()).unwrap();
    let found = posterior.moments(problem.inputs.as_ref()).unwrap();
    let densities = posterior.log_densities(problem.inputs.as_ref(), &problem.targets).unwrap();
    for (i, density) in densities.iter().enumerate() {
        let (miss, variance) = (problem.targets[i] - found[i].mean, found[i].variance);
        let expected = (-0.5 * miss * miss / variance).exp() / (std::f64::consts::TAU * variance).sqrt();
        // Tolerance: a few roundings.
        assert!((density.exp() - expected).abs() <= 1e-14 * expected);
    }
}

#[test]
fn gradients_of_another_length_and_posteriors_before_an_evaluation_are_refused() {
    let (problem, mut workspace) = (Problem::new(10, 2, 57), RegressionWorkspace::new());
    for power in [0.0, 0.5] {
        let model = sparse(RBF, places(3, 2).as_ref(), 0.1, power);
        assert!(model.conditioned(&mut RegressionWorkspace::new()).is_err());
        for length in [0, model.parameter_count() + 1] {
            let mut gradient = vec![0.0; length];
            let refused = model.evaluate(&problem.data(), &mut workspace, Some(&mut gradient)).unwrap_err();
            assert!(matches!(refused, InferenceError::Shape { .. }), "{refused}");
        }
        assert!(model.conditioned(&mut workspace).is_ok());
    }
}
