//! Order and number of classes; few or no observations of one.

use super::problem::{alike, exact, process, processes, thirds};
use super::support::{Problem, RBF, assert_close, converged, tight};
use gp_ep::power_ep::{MiniBatchEp, Sharing};
use gp_ep::{EpOptions, Level, PowerEp, Table};

/// Up to rounding: sums over classes are permuted too.
#[test]
fn the_order_of_classes_is_of_no_consequence() {
    let problem = Problem::new(25, 2, 81);
    let y = thirds(&problem);
    let order = [2, 0, 1];
    let renamed: Vec<f64> =
        y.iter().map(|&label| order.iter().position(|&c| c == label as usize).unwrap() as f64).collect();
    let x = problem.inputs.as_ref();
    for level in [Level::Projection, Level::Latent] {
        let find = |classes: &[usize], y: &[f64]| {
            let model = exact(PowerEp::of_classes(processes(&problem, classes, 6), 0.2).unwrap());
            let model = model.with_level(level);
            let data = Table::with_targets(x, y).unwrap();
            let mut ep = converged(&model, &data, &tight());
            let log_z = ep.log_z(&model).unwrap();
            (log_z, ep.predictor(&model).unwrap().class_probabilities(x).unwrap())
        };
        let (found, expected) = (find(&order, &renamed), find(&[0, 1, 2], &y));
        assert_close(found.0, expected.0, 1e-12);
        for i in 0..25 {
            for (place, &class) in order.iter().enumerate() {
                assert_close(found.1[(i, place)], expected.1[(i, class)], 1e-11);
            }
        }
    }
}

#[test]
fn twenty_six_classes_of_one_observation_each() {
    let problem = Problem::new(26, 2, 82);
    let y: Vec<f64> = (0..26).map(f64::from).collect();
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    let model = PowerEp::of_alike_classes(26, process(RBF, problem.inducing(13)), 0.0).unwrap();
    for level in [Level::Projection, Level::Latent] {
        let model = model.clone().with_level(level);
        let mut ep = converged(&model, &data, &EpOptions { step: 0.3, ..EpOptions::default() });
        let log_z = ep.log_z(&model).unwrap();
        // Better than chance in each of 26·25 pairs.
        assert!(log_z > -650.0 * 2f64.ln() && log_z < 0.0, "{log_z}");
        let found = ep.predictor(&model).unwrap().class_probabilities(problem.inputs.as_ref()).unwrap();
        let mut own = 0.0;
        for i in 0..26 {
            let row: Vec<f64> = (0..26).map(|c| found[(i, c)]).collect();
            assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-10);
            assert!(row.iter().all(|&p| p > 0.0));
            own += row[i].ln();
        }
        // With half as many inducing inputs neighbours can be more probable; the result is better than
        // chance.
        assert!(own > -20.0 * 26f64.ln(), "{own}");
    }
}

#[test]
fn absent_classes_lose() {
    let problem = Problem::new(30, 2, 83);
    let y: Vec<f64> = thirds(&problem).iter().map(|&label| f64::min(label, 1.0)).collect();
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    let model = alike(&problem, 3, 0.0, 6);
    let whole = converged(&model, &data, &EpOptions::default()).predictor(&model).unwrap();
    let mut sorted: Vec<usize> = (0..30).collect();
    sorted.sort_by(|&i, &j| y[i].total_cmp(&y[j]));
    for sharing in [Sharing::Own, Sharing::Tied] {
        let mut ep = MiniBatchEp::new(&model, &data, sharing, 5).unwrap();
        for _ in 0..20 {
            for batch in sorted.chunks(5) {
                let step = ep.step(&model, &data, batch, &EpOptions::default()).unwrap();
                assert!(step.log_z.is_finite());
            }
        }
        for predictor in [&whole, &ep.predictor(&model).unwrap()] {
            let found = predictor.class_probabilities(problem.inputs.as_ref()).unwrap();
            let absent = (0..30).map(|i| found[(i, 2)]).sum::<f64>() / 30.0;
            // A third without data.
            assert!(absent < 0.2, "{absent}");
        }
    }
}
