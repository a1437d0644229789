//! One shared process equals equal processes.

use super::support::{Problem, Sharing, shared_and_own};
use gp_optim::ParameterSet;
use gp_variational::NaturalOptions;
use gp_variational::savigp::{Bound, Covariance, Mixture};

/// Gradients are summed in another order.
const ROUNDING: f64 = 1e-11;

#[test]
fn bounds_and_gradients_are_those_of_equal_processes() {
    let problem = Problem::new(150, 2, 71);
    let classes = problem.classes();
    let data = problem.table(&classes);
    for (covariance, components) in [(Covariance::Full, 1), (Covariance::Diagonal, 2)] {
        let Sharing { mut shared, mut own } = shared_and_own("robust_max(classes=3)", &problem.inducing(7));
        let posterior = Mixture::spread(shared.posterior().counts(), covariance, components, 3).unwrap();
        shared.set_posterior(posterior.clone()).unwrap();
        own.set_posterior(posterior).unwrap();
        let gradient = |model: &gp_variational::Savigp| {
            let mut gradient = vec![0.0; model.parameter_count()];
            let value = Bound::new(model, &data).unwrap().gradient(model, &mut gradient).unwrap();
            (value, gradient)
        };
        let ((value, of_shared), (expected, of_own)) = (gradient(&shared), gradient(&own));
        assert!((value - expected).abs() < ROUNDING * expected.abs(), "{value} {expected}");
        let size = shared.processes()[0].parameter_count();
        for (i, found) in of_shared.iter().enumerate() {
            let sum: f64 = match i {
                i if i < size => (0..3).map(|q| of_own[q * size + i]).sum(),
                i => of_own[i + 2 * size],
            };
            let scale = 1.0 + sum.abs();
            assert!((found - sum).abs() < 1e-9 * scale, "{i}: {found} {sum}");
        }
    }
}

#[test]
fn posteriors_converge_to_the_same_place() {
    let problem = Problem::new(90, 2, 72);
    let classes = problem.classes();
    let data = problem.table(&classes);
    let Sharing { mut shared, mut own } = shared_and_own("softmax(classes=3)", &problem.inducing(5));
    for model in [&mut shared, &mut own] {
        let mut bound = Bound::new(model, &data).unwrap();
        assert!(model.converge(&mut bound, &NaturalOptions::default()).unwrap().converged);
    }
    let (found, expected) = (shared.predictor().unwrap(), own.predictor().unwrap());
    let found = found.class_probabilities(problem.inputs.as_ref()).unwrap();
    let expected = expected.class_probabilities(problem.inputs.as_ref()).unwrap();
    assert!((&found - &expected).norm_max() < 1e-7);
}
