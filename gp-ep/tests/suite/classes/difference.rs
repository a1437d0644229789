//! Two classes equal the binary model of their difference.

use super::problem::{exact, kernel, process, processes, thirds};
use super::support::{Problem, RBF, assert_close, converged, tight};
use gp_ep::power_ep::GradientKind;
use gp_ep::{Level, PowerEp, Powers, Table};
use gp_kernels::Evaluator;
use gp_likelihoods::BernoulliProbit;
use gp_likelihoods::special::log_normal_cdf;
use gp_optim::ParameterSet;

#[test]
fn two_classes_are_the_binary_model_of_the_difference() {
    let problem = Problem::new(30, 2, 91);
    let signs = problem.signs();
    let labels: Vec<f64> = signs.iter().map(|sign| 0.5 * (sign + 1.0)).collect();
    let x = problem.inputs.as_ref();
    let (binary_data, data) =
        (Table::with_targets(x, &signs).unwrap(), Table::with_targets(x, &labels).unwrap());
    let sum = format!("{} + {}", kernel(0), kernel(1));
    for (alpha, level) in
        [(1.0, Level::Projection), (0.5, Level::Projection), (0.0, Level::Projection), (1.0, Level::Latent)]
    {
        let set = |model: PowerEp| exact(model).with_powers(Powers::Same(alpha)).with_level(level);
        // A probit is a step with noise of variance 1.
        let two = set(PowerEp::of_classes(processes(&problem, &[0, 1], 7), 1.0).unwrap());
        let binary = vec![process(&sum, problem.inducing(7))];
        let binary = set(PowerEp::new(binary, Box::new(BernoulliProbit)).unwrap());
        let (mut found, mut expected) =
            (converged(&two, &data, &tight()), converged(&binary, &binary_data, &tight()));
        assert_close(found.log_z(&two).unwrap(), expected.log_z(&binary).unwrap(), 1e-10);
        let gradient = |ep: &mut gp_ep::BatchEp, model: &PowerEp| {
            let mut gradient = vec![0.0; model.parameter_count()];
            ep.log_z_gradient(model, GradientKind::Converged, &mut gradient).unwrap();
            gradient
        };
        let (by_two, by_binary) = (gradient(&mut found, &two), gradient(&mut expected, &binary));
        assert_eq!(by_two.len(), by_binary.len() + 1);
        by_two.iter().zip(&by_binary).for_each(|(a, b)| assert_close(*a, *b, 1e-8));
        let probabilities = found.predictor(&two).unwrap().class_probabilities(x).unwrap();
        let latent = expected.posterior(&binary, 0).unwrap().predict(x, &Evaluator::default()).unwrap();
        for i in 0..30 {
            let p = log_normal_cdf(latent.mean[i] / (1.0 + latent.variance[i]).sqrt()).exp();
            assert_close(probabilities[(i, 1)], p, 1e-8);
            assert_close(probabilities[(i, 0)] + probabilities[(i, 1)], 1.0, 1e-12);
        }
        let alone = expected.leave_one_out(&binary).unwrap();
        let together = found.leave_one_out(&two).unwrap();
        together.iter().zip(&alone).for_each(|(a, b)| assert_close(*a, *b, 1e-9));
    }
}

#[test]
fn two_alike_classes_have_twice_the_kernel() {
    let problem = Problem::new(20, 1, 92);
    let labels: Vec<f64> = thirds(&problem).iter().map(|&label| f64::min(label, 1.0)).collect();
    let data = Table::with_targets(problem.inputs.as_ref(), &labels).unwrap();
    let alike = exact(PowerEp::of_alike_classes(2, process(RBF, problem.inducing(5)), 0.0).unwrap());
    let each = (0..2).map(|_| process(RBF, problem.inducing(5))).collect();
    let each = exact(PowerEp::of_classes(each, 0.0).unwrap());
    let log_z = |model| converged(model, &data, &tight()).log_z(model).unwrap();
    assert_close(log_z(&alike), log_z(&each), 1e-11);
    // One set of parameters of the shared kernel.
    assert_eq!(alike.free_count(), 2 + 5);
}

/// Independent sites on both functions overstate certainty, unlike `of_alike_classes`.
#[test]
fn independent_functions_of_two_classes_are_another_approximation() {
    let problem = Problem::new(20, 1, 93);
    let labels: Vec<f64> = thirds(&problem).iter().map(|&label| f64::min(label, 1.0)).collect();
    let data = Table::with_targets(problem.inputs.as_ref(), &labels).unwrap();
    let independent = super::problem::alike(&problem, 2, 1.0, 5);
    let difference = exact(PowerEp::of_alike_classes(2, process(RBF, problem.inducing(5)), 1.0).unwrap());
    let log_z = |model| converged(model, &data, &tight()).log_z(model).unwrap();
    let gap = log_z(&independent) - log_z(&difference);
    assert!(gap.abs() > 1e-2, "{gap}");
}
