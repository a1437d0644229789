//! Bad input gives an error with value and place.

use super::support::{Problem, RBF, model};
use faer::Mat;
use gp_ep::{ClosedEvidence as _, DataError, ExactWorkspace, InferenceError, Observations};
use gp_kernels::posterior::LatentPosterior as _;
use gp_kernels::{Evaluator, KernelError};
use gp_linalg::{JitterPolicy, Threading};
use gp_optim::{ParameterSet, ParameterSetMut};

#[test]
fn observations_are_checked() {
    let inputs = Mat::<f64>::zeros(3, 2);
    let refused = |targets: &[f64]| Observations::new(inputs.as_ref(), targets).unwrap_err().to_string();
    assert_eq!(refused(&[0.0, f64::NAN, 1.0]), "target 1 is NaN, but must be finite");
    assert_eq!(refused(&[0.0]), "target vector has 1 entries, expected 3");
    let empty = Mat::<f64>::zeros(0, 2);
    assert_eq!(Observations::new(empty.as_ref(), &[]).unwrap_err(), DataError::NoData.into());

    let data = Observations::new(inputs.as_ref(), &[0.0; 3]).unwrap();
    assert_eq!((data.len(), data.known_noise(0), data.known_noise(99)), (3, 0.0, 0.0));
    let refused = data.with_known_noise(&[0.1, 0.2, -0.3]).unwrap_err();
    assert_eq!(refused, InferenceError::KnownNoise { row: 2, value: -0.3 });
    assert!(matches!(data.with_known_noise(&[0.1]), Err(InferenceError::Shape { .. })));
}

#[test]
fn inputs_are_checked_by_the_kernel() {
    let mut problem = Problem::new(4, 2, 50);
    let wrong = model("rbf(lengthscale=[1, 2, 3])", 0.1).condition(&problem.data()).unwrap_err();
    assert!(matches!(wrong, InferenceError::Kernel(_)), "{wrong}");
    problem.inputs[(2, 1)] = f64::INFINITY;
    let infinite = model(RBF, 0.1).condition(&problem.data()).unwrap_err();
    assert_eq!(infinite.to_string(), "points holds inf in row 2, column 1");
}

#[test]
fn new_points_are_checked() {
    let problem = Problem::new(4, 2, 51);
    let (posterior, by) = (model(RBF, 0.1).condition(&problem.data()).unwrap(), Evaluator::default());
    assert!(matches!(posterior.predict(Mat::zeros(3, 1).as_ref(), &by), Err(KernelError::Shape { .. })));
    let nan = Mat::from_fn(3, 2, |_, _| f64::NAN);
    assert!(matches!(posterior.predict(nan.as_ref(), &by), Err(KernelError::NotFinite { .. })));
    assert!(posterior.predict_joint(nan.as_ref(), &by).is_err());
}

#[test]
fn a_singular_covariance_without_jitter_is_refused_with_the_pair_of_points() {
    let problem = Problem { inputs: Mat::zeros(2, 1), targets: vec![0.0; 2] };
    let strict = model(RBF, 1e-40).with_jitter(JitterPolicy::none());
    let refused = strict.condition(&problem.data()).unwrap_err();
    assert!(matches!(refused, InferenceError::Linalg(_)));
    assert!(
        refused.to_string().contains("rows 1 and 0 of the matrix, counted from 0, have correlation 1"),
        "{refused}"
    );
}

#[test]
fn targets_beyond_floating_point_are_refused() {
    let problem = Problem { inputs: Mat::zeros(1, 1), targets: vec![1e200] };
    let refused = model(RBF, 0.1).condition(&problem.data()).unwrap_err();
    assert!(matches!(refused, InferenceError::Overflow { .. }), "{refused}");
}

#[test]
fn slices_of_the_wrong_length_are_refused() {
    let problem = Problem::new(4, 2, 52);
    let mut model = model(RBF, 0.1);
    let mut workspace = ExactWorkspace::new(Threading::Here);
    let mut short = [0.0; 2];
    let data = problem.data();
    let gradient = model.log_marginal_likelihood_gradient(&data, &mut workspace, &mut short);
    assert!(matches!(gradient, Err(InferenceError::Shape { expected: 3, found: 2, .. })));
    assert!(model.write_free(&mut short).is_err());
    assert!(model.set_free(&short).is_err());
    assert!(model.chain_gradient(&[0.0; 3], &mut short).is_err());
    assert!(model.chain_gradient(&short, &mut [0.0; 3]).is_err());
    assert!(model.add_log_prior_gradient(&mut short).is_err());
    assert!(model.set_free(&[0.0, f64::NAN, 0.0]).is_err());
}

#[test]
fn parameters_are_listed_by_name() {
    let model = model("1.3 * rbf(lengthscale=[0.5, 2])", 0.1);
    let names = model.parameter_names();
    assert_eq!(names.last().map(String::as_str), Some("noise.variance"));
    assert!(names.contains(&"kernel.rbf.lengthscale[1]".to_owned()), "{names:?}");
    assert_eq!(names.len(), model.parameter_values().len());
    assert_eq!(model.parameter_values(), [1.3, 0.5, 2.0, 0.1]);
}

#[test]
fn gradients_of_another_length_and_posteriors_before_an_evaluation_are_refused() {
    let problem = Problem::new(4, 2, 52);
    let (exact, mut workspace) = (model(RBF, 0.1), ExactWorkspace::new(Threading::Here));
    assert!(matches!(exact.conditioned(&mut workspace), Err(InferenceError::Data(DataError::NoData))));
    for length in [0, exact.parameter_count() + 1] {
        let mut gradient = vec![0.0; length];
        let refused = exact.evaluate(&problem.data(), &mut workspace, Some(&mut gradient)).unwrap_err();
        assert!(matches!(refused, InferenceError::Shape { .. }), "{refused}");
    }
    assert!(exact.conditioned(&mut workspace).is_ok());
    assert!(exact.conditioned(&mut workspace).is_err());
}
