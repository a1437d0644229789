//! Gradients of log Z against central differences.

use super::support::{Problem, converged, model, tight};
use gp_ep::power_ep::GradientKind;
use gp_ep::{BatchEp, EpOptions, Level, PowerEp, Powers, Table};
use gp_optim::{ParameterSet, ParameterSetMut};

/// Derivatives by free coordinates.
pub(crate) fn chained(model: &PowerEp, natural: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; model.free_count()];
    model.chain_gradient(natural, &mut out).unwrap();
    out
}

/// Fourth-order central differences by free coordinates.
pub(crate) fn differences(model: &PowerEp, mut log_z: impl FnMut(&PowerEp) -> f64) -> Vec<f64> {
    let mut at = vec![0.0; model.free_count()];
    model.write_free(&mut at).unwrap();
    let mut value = |k: usize, step: f64| {
        let (mut moved, mut x) = (model.clone(), at.clone());
        x[k] += step;
        moved.set_free(&x).unwrap();
        log_z(&moved)
    };
    let h = 2e-3;
    (0..model.free_count())
        .map(|k| (8.0 * (value(k, h) - value(k, -h)) - (value(k, 2.0 * h) - value(k, -2.0 * h))) / (12.0 * h))
        .collect()
}

#[track_caller]
pub(crate) fn assert_gradient(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    let scale = expected.iter().fold(1.0, |a: f64, b| a.max(b.abs()));
    for (k, (found, expected)) in found.iter().zip(expected).enumerate() {
        let error = (found - expected).abs() / scale;
        assert!(error <= tolerance, "{what}, coordinate {k}: {found} instead of {expected}, {error:.1e}");
    }
}

fn cases(problem: &Problem) -> Vec<(&'static str, Vec<f64>)> {
    vec![
        ("bernoulli_probit", problem.signs()),
        ("student_t(scale=0.2, dof=4)", problem.signal.clone()),
        ("gaussian(variance=0.09)", problem.signal.clone()),
        ("poisson(offset=0.4)", problem.counts()),
    ]
}

#[test]
fn the_gradient_of_converged_sites_is_that_of_log_z() {
    let problem = Problem::new(9, 1, 11);
    for (likelihood, y) in cases(&problem) {
        let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
        for (alpha, level) in [
            (1.0, Level::Projection),
            (0.5, Level::Projection),
            (0.0, Level::Projection),
            (1.0, Level::Latent),
            (0.5, Level::Latent),
            (0.0, Level::Latent),
        ] {
            let model =
                model(likelihood, problem.inducing(3)).with_powers(Powers::Same(alpha)).with_level(level);
            let what = format!("{likelihood}, α = {alpha}, {level:?}");
            let mut natural = vec![0.0; model.parameter_count()];
            let options = EpOptions { step: 0.8, ..tight() };
            let mut ep = converged(&model, &data, &options);
            let log_z = ep.log_z(&model).unwrap();
            let value = ep.log_z_gradient(&model, GradientKind::Converged, &mut natural).unwrap();
            assert!((value - log_z).abs() < 1e-11 * log_z.abs(), "{what}");
            let expected = differences(&model, |moved| {
                ep.refresh(moved).unwrap();
                assert!(ep.converge(moved, &options).unwrap().converged, "{what}");
                ep.log_z(moved).unwrap()
            });
            assert_gradient(&chained(&model, &natural), &expected, 1e-7, &what);
        }
    }
}

#[test]
fn away_from_rest_the_gradient_of_the_estimate_is_that_of_log_z_with_these_sites() {
    let problem = Problem::new(20, 2, 12);
    for (likelihood, y) in cases(&problem) {
        let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
        for alpha in [1.0, 0.5, 0.0] {
            let model = model(likelihood, problem.inducing(4)).with_powers(Powers::Same(alpha));
            let what = format!("{likelihood}, α = {alpha}");
            let mut ep = BatchEp::new(&model, &data).unwrap();
            for _ in 0..2 {
                ep.sweep(&model, &EpOptions { step: 0.3, ..EpOptions::default() }).unwrap();
            }
            let mut natural = vec![0.0; model.parameter_count()];
            ep.log_z_gradient(&model, GradientKind::OfEstimate, &mut natural).unwrap();
            let expected = differences(&model, |moved| {
                ep.refresh(moved).unwrap();
                ep.log_z(moved).unwrap()
            });
            assert_gradient(&chained(&model, &natural), &expected, 1e-7, &what);
        }
    }
}
