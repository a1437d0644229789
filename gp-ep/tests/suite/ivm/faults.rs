//! Errors of bad data and settings, with place.

use super::support::{Problem, kernel, probabilities, three_classes};
use faer::Mat;
use gp_ep::ivm::{Coupling, Ivm, IvmOptions, Reweighting, Rule};
use gp_ep::{InferenceError, Observations};
use gp_likelihoods::{BernoulliProbit, Gaussian, LikelihoodError, Softmax};

#[test]
fn models_that_cannot_be_are_refused() {
    let one = || vec![kernel("rbf")];
    let fault = Ivm::new(one(), Box::new(Softmax::new(3).unwrap())).unwrap_err();
    assert!(matches!(fault, InferenceError::Shape { expected: 3, found: 1, .. }), "{fault}");
    let fault = Ivm::new(one(), Box::new(Gaussian::new(1.0).unwrap())).unwrap_err();
    assert!(matches!(fault, InferenceError::Unsupported { .. }), "{fault}");
    let binary = Ivm::new(one(), Box::new(BernoulliProbit)).unwrap();
    let fault = binary.with_coupling(Coupling::Coupled).unwrap_err();
    assert!(matches!(fault, InferenceError::Unsupported { .. }), "{fault}");
    let fault = three_classes().with_rule(Rule::Product(2000)).unwrap_err();
    assert!(matches!(fault, InferenceError::Likelihood(LikelihoodError::Count { .. })), "{fault}");
}

#[test]
fn labels_and_inputs_are_checked_with_their_row() {
    let problem = Problem::stripes(30, 3, 1);
    let mut y = problem.y.clone();
    y[17] = 3.0;
    let data = Observations::new(problem.inputs(), &y).unwrap();
    let fault = three_classes().build(&data, &IvmOptions::default()).unwrap_err();
    assert!(matches!(fault, InferenceError::Observation { row: 17, .. }), "{fault}");

    let mut x = problem.x.clone();
    x[(3, 1)] = f64::NAN;
    let data = Observations::new(x.as_ref(), &problem.y).unwrap();
    assert!(matches!(three_classes().build(&data, &IvmOptions::default()), Err(InferenceError::Kernel(_))));

    let run =
        three_classes().build(&problem.data(), &IvmOptions { active: 5, ..IvmOptions::default() }).unwrap();
    let fault =
        run.posterior.predictor().unwrap().class_probabilities(Mat::zeros(2, 3).as_ref()).unwrap_err();
    assert!(matches!(fault, InferenceError::Shape { expected: 2, found: 3, .. }), "{fault}");
    let fault = three_classes().criterion_gradient(&problem.data(), &run.posterior, &mut [0.0]).unwrap_err();
    assert!(matches!(fault, InferenceError::Shape { what: "gradient", .. }), "{fault}");
}

#[test]
fn settings_are_checked() {
    let usual = IvmOptions::default;
    let weights = |start, rate, span| Some(Reweighting { start, rate, span });
    let bad = [
        IvmOptions { active: 0, ..usual() },
        IvmOptions { refresh: 0, ..usual() },
        IvmOptions { candidates: Some(0), ..usual() },
        IvmOptions { retained: 1.0, ..usual() },
        IvmOptions { reweighting: weights(0.0, 0.1, 2), ..usual() },
        IvmOptions { reweighting: weights(0.5, 0.0, 2), ..usual() },
        IvmOptions { reweighting: weights(0.5, 0.1, 20), ..usual() },
    ];
    let problem = Problem::stripes(30, 3, 1);
    for options in bad {
        let fault = three_classes().build(&problem.data(), &options).unwrap_err();
        assert!(matches!(fault, InferenceError::Option { .. }), "{fault}");
    }
}

/// More active points than data; equal points; a class without observations.
#[test]
fn degenerate_data_go_through() {
    let problem = Problem::stripes(20, 3, 2);
    let run = three_classes().build(&problem.data(), &IvmOptions::default()).unwrap();
    assert_eq!(run.posterior.active(0).len(), 20);

    let x = Mat::from_fn(30, 2, |_, d| 0.3 + d as f64);
    let y: Vec<f64> = (0..30).map(|i| f64::from(u8::from(i % 3 == 0))).collect();
    let data = Observations::new(x.as_ref(), &y).unwrap();
    for coupling in [Coupling::Coupled, Coupling::Independent] {
        let model = three_classes().with_coupling(coupling).unwrap();
        let run = model.build(&data, &IvmOptions { active: 30, liquid: 5, ..IvmOptions::default() }).unwrap();
        let found = probabilities(&run.posterior, x.as_ref().subrows(0, 1));
        // Twenty of one class and ten of another at one point.
        assert!(found[(0, 0)] > found[(0, 1)] && found[(0, 1)] > found[(0, 2)], "{coupling:?} {found:?}");
    }
}
