//! Class likelihoods as one factor on all latents.

use super::problem::{disagreement, exact, gradients, processes, thirds};
use super::support::{Problem, assert_close, converged};
use gp_ep::power_ep::GradientKind;
use gp_ep::{EpOptions, Level, PowerEp, Table};
use gp_optim::ParameterSetMut;

fn model(problem: &Problem, likelihood: &str, inducing: usize) -> PowerEp {
    let likelihood = gp_likelihoods::parse(likelihood).unwrap();
    exact(PowerEp::new(processes(problem, &[0, 1, 2], inducing), likelihood).unwrap())
}

/// `multiclass_probit` is integrated along a line, to rounding; softmax with quasi-random nodes, whose
/// derivatives are of the integral, not the sum.
#[test]
fn gradients_are_those_of_log_z() {
    let problem = Problem::new(6, 1, 141);
    let y = thirds(&problem);
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    for (likelihood, level, tolerance) in [
        ("robust_max(classes=3, epsilon=0.05)", Level::Projection, 1e-6),
        ("robust_max(classes=3, epsilon=0.05)", Level::Latent, 1e-6),
        ("multiclass_probit(classes=3)", Level::Projection, 1e-6),
        ("softmax(classes=3)", Level::Projection, 2e-2),
    ] {
        let mut model = model(&problem, likelihood, 2).with_level(level);
        // Enough parameters: one variance, and the likelihood's.
        for (q, process) in model.processes_mut().iter_mut().enumerate() {
            process.visit_mut(&mut |parameter| {
                parameter.fix_all(q > 0 || parameter.name() != "variance");
            });
        }
        let both =
            gradients(&model, &data, |ep, out| ep.log_z_gradient(&model, GradientKind::Converged, out));
        assert!(disagreement(&both) < tolerance, "{likelihood}: {both:?}");
    }
}

#[test]
fn whole_labels_and_pairs_find_similar_probabilities() {
    let problem = Problem::new(40, 2, 142);
    let y = thirds(&problem);
    let x = problem.inputs.as_ref();
    let data = Table::with_targets(x, &y).unwrap();
    let found = |model: PowerEp| {
        let ep = converged(&model, &data, &EpOptions::default());
        ep.predictor(&model).unwrap().class_probabilities(x).unwrap()
    };
    let whole = found(model(&problem, "multiclass_probit(classes=3)", 8));
    // Noise of variance 1 on latents is 2 on differences.
    let pairs = found(exact(PowerEp::of_classes(processes(&problem, &[0, 1, 2], 8), 2.0).unwrap()));
    let mut worst: f64 = 0.0;
    for i in 0..40 {
        assert_close((0..3).map(|c| whole[(i, c)]).sum(), 1.0, 1e-10);
        (0..3).for_each(|c| worst = worst.max((whole[(i, c)] - pairs[(i, c)]).abs()));
    }
    println!("largest difference {worst:.4}");
    // Two approximations; tolerance: twice the observed 0.046.
    assert!(worst < 0.1, "{worst}");
}

#[test]
fn left_out_labels_have_probabilities() {
    let problem = Problem::new(12, 1, 143);
    let y = thirds(&problem);
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    for likelihood in ["robust_max(classes=3, epsilon=0.05)", "softmax(classes=3)"] {
        let model = model(&problem, likelihood, 3);
        let mut ep = converged(&model, &data, &EpOptions::default());
        let left_out = ep.leave_one_out(&model).unwrap();
        let with = ep.predictor(&model).unwrap().log_densities(problem.inputs.as_ref(), &y).unwrap();
        assert!(left_out.iter().all(|&log_p| log_p < 0.0));
        // A posterior that includes observations predicts them better.
        assert!(with.iter().sum::<f64>() > left_out.iter().sum::<f64>(), "{likelihood}");
    }
}
