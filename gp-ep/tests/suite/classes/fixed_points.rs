//! Fixed points of EP.

use super::problem::{alike, disagreement, exact, gradients, nearly, process, processes, thirds};
use super::support::{Problem, RBF, assert_close, converged, tight};
use super::weights::{of_weighed_classes, weighed};
use gp_ep::power_ep::{GradientKind, MiniBatchEp, Sharing, SiteOrder};
use gp_ep::{BatchEp, EpOptions, Level, PowerEp, Powers, Table};
use gp_kernels::Evaluator;
use gp_likelihoods::MulticlassProbit;
use gp_linalg::Threading;
use gp_optim::ParameterSet;
use std::f64::consts::PI;

#[test]
fn one_observation_is_exact() {
    let problem = Problem::new(1, 2, 71);
    let data = Table::with_targets(problem.inputs.as_ref(), &[1.0]).unwrap();
    let z = problem.all_inputs();
    let processes = (0..2).map(|_| process(RBF, z.clone())).collect();
    let likelihood = Box::new(MulticlassProbit::with_noise(2, 0.3).unwrap());
    for level in [Level::Projection, Level::Latent] {
        let model = PowerEp::new(Vec::clone(&processes), likelihood.clone()).unwrap().with_level(level);
        let mut ep = converged(&model, &data, &tight());
        assert_close(ep.log_z(&model).unwrap(), 0.5f64.ln(), 1e-12);
        // f_y − f_c ~ N(0, 3.4), observed through Φ(·/√0.3): the gradient by its mean is 2 N(0)/√3.7.
        let pull = (2.0 / PI / 3.7).sqrt();
        for (class, sign) in [(0, -1.0), (1, 1.0)] {
            let posterior = ep.posterior(&model, class).unwrap();
            let found = posterior.predict(problem.inputs.as_ref(), &Evaluator::default()).unwrap();
            assert_close(found.mean[0], sign * 1.7 * pull, 1e-12);
            assert_close(found.variance[0], 1.7 - (1.7 * pull).powi(2), 1e-12);
        }
    }
}

#[test]
fn gradients_are_those_of_log_z() {
    let problem = Problem::new(6, 1, 72);
    let y = thirds(&problem);
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    let shared = exact(PowerEp::of_alike_classes(3, process(RBF, problem.inducing(2)), 0.2).unwrap());
    let own = |noise| exact(PowerEp::of_classes(processes(&problem, &[0, 1, 2], 2), noise).unwrap());
    let (rest, estimate) = (GradientKind::Converged, GradientKind::OfEstimate);
    for (name, model, kind) in [
        ("steps", own(0.0), rest),
        ("steps, estimate", own(0.0), estimate),
        ("half powers", own(0.3).with_powers(Powers::Same(0.5)), rest),
        ("vanishing powers", own(0.3).with_powers(Powers::Same(0.0)), rest),
        ("latent level", own(0.3).with_level(Level::Latent), rest),
        ("latent level, steps", own(0.0).with_level(Level::Latent), rest),
        ("shared", shared.clone(), rest),
        ("shared, estimate", shared.clone(), estimate),
        ("shared, latent level", shared.with_level(Level::Latent), rest),
    ] {
        let both = gradients(&model, &data, |ep, out| ep.log_z_gradient(&model, kind, out));
        // Fourth-order differences over 2e-3 err by about 1e-9; EP has converged to 3e-11.
        assert!(disagreement(&both) < 1e-7, "{name}: {both:?}");
    }
    let columns = weighed(&y, |i| [0.6, 1.0, 2.5][y[i] as usize]);
    let data = Table::new(problem.inputs.as_ref(), columns.as_ref()).unwrap();
    let own = of_weighed_classes(&problem, 2, 0.3);
    for (name, model, kind) in [
        ("weights", own.clone(), rest),
        ("weights, estimate", own.clone(), estimate),
        ("weights, latent level", own.clone().with_level(Level::Latent), rest),
        ("weights, vanishing powers", own.with_powers(Powers::Same(0.0)), rest),
    ] {
        let both = gradients(&model, &data, |ep, out| ep.log_z_gradient(&model, kind, out));
        assert!(disagreement(&both) < 1e-7, "{name}: {both:?}");
    }
}

#[test]
fn schedules_and_batches_end_in_one_place() {
    let problem = Problem::new(30, 2, 73);
    let y = thirds(&problem);
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    for level in [Level::Projection, Level::Latent] {
        let model = alike(&problem, 3, 0.1, 6).with_level(level);
        let at_once = converged(&model, &data, &nearly());
        let in_turn = converged(&model, &data, &EpOptions { schedule: SiteOrder::InTurn, ..nearly() });
        let mut batches = MiniBatchEp::new(&model, &data, Sharing::Own, 9).unwrap();
        for _ in 0..150 {
            for start in (0..30).step_by(9) {
                let rows: Vec<usize> = (start..(start + 9).min(30)).collect();
                batches.step(&model, &data, &rows, &EpOptions::default()).unwrap();
            }
        }
        for q in 0..3 {
            let expected = at_once.posterior(&model, q).unwrap();
            let of = [in_turn.posterior(&model, q).unwrap(), batches.posterior(&model, q).unwrap()];
            for found in of {
                found.mean().iter().zip(expected.mean()).for_each(|(a, b)| assert_close(*a, *b, 1e-9));
            }
        }
    }
}

#[test]
fn a_batch_of_everything_is_a_sweep() {
    let problem = Problem::new(40, 2, 75);
    let y = thirds(&problem);
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    let model = exact(PowerEp::of_classes(processes(&problem, &[0, 1, 2], 6), 0.0).unwrap());
    let (mut whole, mut batches) =
        (BatchEp::new(&model, &data).unwrap(), MiniBatchEp::new(&model, &data, Sharing::Own, 40).unwrap());
    let rows: Vec<usize> = (0..40).collect();
    for _ in 0..5 {
        let sweep = whole.sweep(&model, &EpOptions::default()).unwrap();
        let step = batches.step(&model, &data, &rows, &EpOptions::default()).unwrap();
        assert_close(step.log_z, sweep.log_z, 1e-12);
        for q in 0..3 {
            let (a, b) = (whole.posterior(&model, q).unwrap(), batches.posterior(&model, q).unwrap());
            a.mean().iter().zip(b.mean()).for_each(|(a, b)| assert_close(*a, *b, 1e-12));
        }
    }
}

#[test]
fn a_shared_process_is_several_alike() {
    let problem = Problem::new(30, 2, 76);
    let y = thirds(&problem);
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    let (shared, each) = (
        exact(PowerEp::of_alike_classes(3, process(RBF, problem.inducing(6)), 0.2).unwrap()),
        alike(&problem, 3, 0.2, 6),
    );
    let (mut one, mut three) = (converged(&shared, &data, &nearly()), converged(&each, &data, &nearly()));
    let mut by_one = vec![0.0; shared.parameter_count()];
    let mut by_three = vec![0.0; each.parameter_count()];
    let log_z = one.log_z_gradient(&shared, GradientKind::Converged, &mut by_one).unwrap();
    assert_close(log_z, three.log_z_gradient(&each, GradientKind::Converged, &mut by_three).unwrap(), 1e-12);
    // Gradients by shared parameters are sums over classes.
    let own = by_one.len() - 1;
    for k in 0..own {
        assert_close(by_one[k], (0..3).map(|class| by_three[class * own + k]).sum(), 1e-10);
    }
    assert_close(by_one[own], by_three[3 * own], 1e-10);
}

#[test]
fn threads_change_no_bits() {
    let problem = Problem::new(450, 2, 77);
    let y = thirds(&problem);
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    let found = |threads: Option<usize>| {
        let run = || {
            let threading = if threads.is_some() { Threading::Pool } else { Threading::Here };
            let model = PowerEp::of_classes(processes(&problem, &[0, 1, 2, 0, 1], 9), 0.1).unwrap();
            let model = model.with_threading(threading);
            let mut bits = Vec::new();
            let mut gradient = vec![0.0; model.parameter_count()];
            let mut ep = BatchEp::new(&model, &data).unwrap();
            ep.sweep(&model, &EpOptions::default()).unwrap();
            ep.log_z_gradient(&model, GradientKind::OfEstimate, &mut gradient).unwrap();
            bits.extend(gradient.iter().map(|g| g.to_bits()));
            for sharing in [Sharing::Own, Sharing::Tied] {
                let mut ep = MiniBatchEp::new(&model, &data, sharing, 200).unwrap();
                let rows: Vec<usize> = (100..300).collect();
                ep.step(&model, &data, &rows, &EpOptions::default()).unwrap();
                ep.log_z_gradient(&model, &mut gradient).unwrap();
                bits.extend(gradient.iter().map(|g| g.to_bits()));
                let probabilities =
                    ep.predictor(&model).unwrap().class_probabilities(problem.inputs.as_ref()).unwrap();
                bits.extend((0..450).map(|i| probabilities[(i, 2)].to_bits()));
            }
            bits
        };
        match threads {
            None => run(),
            Some(count) => rayon::ThreadPoolBuilder::new().num_threads(count).build().unwrap().install(run),
        }
    };
    let expected = found(None);
    for threads in [1, 2, 8] {
        assert!(found(Some(threads)) == expected, "{threads} threads");
    }
}

#[test]
fn labels_that_are_none_and_powers_of_steps_are_refused() {
    let problem = Problem::new(3, 1, 74);
    let model = alike(&problem, 3, 0.0, 2);
    for wrong in [3.0, -1.0, 0.5, f64::NAN] {
        let y = [0.0, wrong, 1.0];
        let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
        let error = BatchEp::new(&model, &data).unwrap_err().to_string();
        assert!(error.starts_with("observation 1:"), "{error}");
    }
    let y = [0.0, 1.0, 2.0];
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    let model = model.with_powers(Powers::Same(0.5));
    let mut ep = BatchEp::new(&model, &data).unwrap();
    assert!(ep.sweep(&model, &EpOptions::default()).unwrap_err().to_string().contains("step function"));
    assert!(MulticlassProbit::with_noise(1, 0.0).is_err() && MulticlassProbit::with_noise(3, -1.0).is_err());
    assert!(MulticlassProbit::with_noise(3, 0.0).unwrap().with_label_noise(1.1).is_err());
    assert!(PowerEp::of_classes(vec![process(RBF, problem.inducing(2))], 0.0).is_err());
}
