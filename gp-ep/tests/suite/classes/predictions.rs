//! Predictions of classes and left-out observations.

use super::problem::{alike, exact, process, processes, thirds};
use super::support::{Problem, RBF, assert_close, converged, tight};
use faer::Mat;
use gp_ep::{BatchEp, Level, PowerEp, Table};
use gp_likelihoods::special::log_normal_cdf;
use gp_likelihoods::{Latent, MulticlassProbit};
use std::f64::consts::TAU;

/// `∫ N(f; m_y, v_y) Π Φ((f − m_c)/√v_c) df` by the trapezoidal rule (Villacampa-Calvo & Hernández-Lobato 2017 eq. 68).
fn largest(latents: &[Latent], class: usize) -> f64 {
    let own = latents[class];
    let step = 0.01;
    let term = |k: i32| {
        let t = step * f64::from(k);
        let f = own.mean() + own.variance().sqrt() * t;
        let others = latents.iter().enumerate().filter(|(c, _)| *c != class);
        let log_p: f64 = others.map(|(_, q)| log_normal_cdf((f - q.mean()) / q.variance().sqrt())).sum();
        (log_p - 0.5 * t * t).exp()
    };
    (-900..=900).map(term).sum::<f64>() * step / TAU.sqrt()
}

#[test]
fn class_probabilities_are_those_of_quadrature_and_sum_to_one() {
    let problem = Problem::new(25, 2, 101);
    let y = thirds(&problem);
    let x = problem.inputs.as_ref();
    let data = Table::with_targets(x, &y).unwrap();
    for noise in [0.0, 0.4] {
        let model = exact(PowerEp::of_classes(processes(&problem, &[0, 1, 2], 6), noise).unwrap());
        let predictor = converged(&model, &data, &tight()).predictor(&model).unwrap();
        let found = predictor.class_probabilities(x).unwrap();
        let latents = predictor.latents(x).unwrap();
        let log_densities = predictor.log_densities(x, &y).unwrap();
        let noisy =
            MulticlassProbit::with_noise(3, noise).unwrap().with_label_noise(0.06).unwrap().in_pairs();
        let noisy = exact(PowerEp::new(processes(&problem, &[0, 1, 2], 6), Box::new(noisy)).unwrap());
        let noisy = converged(&noisy, &data, &tight()).predictor(&noisy).unwrap();
        let blurred = noisy.class_probabilities(x).unwrap();
        for i in 0..25 {
            let q: Vec<Latent> = latents
                .iter()
                .map(|l| Latent::new(l.mean[i], l.variance[i] + 0.5 * noise).unwrap())
                .collect();
            assert!(((0..3).map(|c| found[(i, c)]).sum::<f64>() - 1.0).abs() < 1e-10);
            assert!(((0..3).map(|c| blurred[(i, c)]).sum::<f64>() - 1.0).abs() < 1e-10);
            for c in 0..3 {
                assert_close(found[(i, c)], largest(&q, c), 1e-10);
                assert_close(blurred[(i, c)], 0.94 * found[(i, c)] + 0.02, 1e-10);
            }
            assert_close(log_densities[i].exp(), found[(i, y[i] as usize)], 1e-10);
        }
    }
}

#[test]
fn labels_unseen_in_training_are_refused_by_place() {
    let problem = Problem::new(10, 1, 102);
    let y = thirds(&problem);
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    let model = alike(&problem, 3, 0.0, 3);
    let predictor = BatchEp::new(&model, &data).unwrap().predictor(&model).unwrap();
    let mut asked = y.clone();
    asked[4] = 3.0;
    let error = predictor.log_densities(problem.inputs.as_ref(), &asked).unwrap_err().to_string();
    assert!(error.starts_with("observation 4:") && error.contains('3'), "{error}");
    assert!(predictor.log_densities(problem.inputs.as_ref(), &y[1..]).is_err());
    assert!(predictor.class_probabilities(Mat::zeros(2, 2).as_ref()).is_err());
}

#[test]
fn the_only_observation_left_out_leaves_the_prior() {
    let problem = Problem::new(1, 1, 103);
    let data = Table::with_targets(problem.inputs.as_ref(), &[2.0]).unwrap();
    for level in [Level::Projection, Level::Latent] {
        let model = exact(PowerEp::of_alike_classes(4, process(RBF, problem.all_inputs()), 0.0).unwrap());
        let model = model.with_level(level);
        let mut ep = converged(&model, &data, &tight());
        assert_close(ep.leave_one_out(&model).unwrap()[0], 0.25f64.ln(), 1e-10);
    }
}

#[test]
fn left_out_observations_are_nearly_those_of_other_fits() {
    let problem = Problem::new(24, 1, 104);
    let y = thirds(&problem);
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    for level in [Level::Projection, Level::Latent] {
        let model =
            exact(PowerEp::of_classes(processes(&problem, &[0, 1, 2], 6), 0.1).unwrap()).with_level(level);
        let found = converged(&model, &data, &tight()).leave_one_out(&model).unwrap();
        let (mut worst, mut sum) = (0.0f64, 0.0);
        for i in 0..24 {
            let others: Vec<usize> = (0..24).filter(|&k| k != i).collect();
            let x = Mat::from_fn(23, 1, |k, _| problem.inputs[(others[k], 0)]);
            let labels: Vec<f64> = others.iter().map(|&k| y[k]).collect();
            let fit = converged(&model, &Table::with_targets(x.as_ref(), &labels).unwrap(), &tight());
            let own = problem.inputs.as_ref().subrows(i, 1);
            let expected = fit.predictor(&model).unwrap().log_densities(own, &y[i..=i]).unwrap()[0];
            sum += found[i] - expected;
            worst = worst.max((found[i].exp() - expected.exp()).abs());
        }
        // A pair's site treats the rival's uncertainty as noise, so it is sharper when other observations
        // determine the rival. Removing an observation then removes too much: probabilities are too low.
        println!("{level:?}: {worst:.3} {:.3}", sum / 24.0);
        assert!(worst < 0.3 && sum < 0.0 && sum / 24.0 > -0.5, "{level:?}: {worst} {sum}");
    }
}
