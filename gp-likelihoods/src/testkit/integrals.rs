//! Layers 2 to 4: closed form against quadrature, quadrature against brute force, derivatives, extremes.

use super::{Report, difference, integral, log_density, moments, numbers, observations, with_parameter};
use crate::defaults;
use crate::latent::Latent;
use crate::likelihood::{Likelihood, parameter_value};
use crate::slopes::{PointSlopes, Slopes};
use crate::special::{HALF_LN_TAU, log_sum_exp};
use crate::workspace::Workspace;

const BELIEFS: [(f64, f64); 4] = [(0.3, 0.8), (-1.7, 0.01), (2.2, 4.0), (0.0, 1e-6)];
const POWERS: [f64; 3] = [1.0, 0.5, 1e-2];
/// A fourth-order difference of integrals of size 100.
const DIFFERENCE: f64 = 1e-7;
/// What the quadrature defaults promise.
const QUADRATURE: f64 = 1e-9;

pub(super) fn check(likelihood: &dyn Likelihood, report: &mut Report) {
    let mut ws = Workspace::new();
    for y in observations(likelihood.support()) {
        for (m, v) in BELIEFS {
            let Some(q) = report.value("belief", Latent::new(m, v)) else { continue };
            closed_forms(likelihood, y, q, &mut ws, report);
            for power in [None].into_iter().chain(POWERS.map(Some)) {
                slopes(likelihood, y, q, power, &mut ws, report);
            }
            brute_force(likelihood, y, q, &mut ws, report);
        }
        extremes(likelihood, y, &mut ws, report);
    }
    predictions(likelihood, &mut ws, report);
}

/// What a likelihood answers in its own way is what the default answers.
fn closed_forms(likelihood: &dyn Likelihood, y: f64, q: Latent, ws: &mut Workspace, report: &mut Report) {
    for power in [None].into_iter().chain(POWERS.map(Some)) {
        let mut expected = Slopes::default();
        let by_default = match power {
            Some(power) => defaults::tilted(likelihood, &[y], &[q], power, ws, &mut expected),
            None => defaults::expected_log_density(likelihood, &[y], &[q], ws, &mut expected),
        };
        report.value("the default", by_default);
        let Some(found) = integral(likelihood, y, q, power, ws) else {
            report.require(false, || format!("no answer at y = {y}, {q:?}, power {power:?}"));
            continue;
        };
        let all = |s: &Slopes| [&[s.value][..], &s.by_mean, &s.by_variance, &s.by_params].concat();
        let (found, expected) = (all(&found), all(&expected));
        report.require(found.len() == expected.len(), || "wrong number of derivatives".to_owned());
        for (k, (found, expected)) in found.into_iter().zip(expected).enumerate() {
            let what = || format!("number {k} and its default at y = {y}, {q:?}, power {power:?}");
            report.close(what, found, expected, QUADRATURE);
        }
    }
}

/// Derivatives of layers 2 and 3 against differences, and the sign of the tilted variance.
fn slopes(
    likelihood: &dyn Likelihood,
    y: f64,
    q: Latent,
    power: Option<f64>,
    ws: &mut Workspace,
    report: &mut Report,
) {
    let Some(found) = integral(likelihood, y, q, power, ws) else { return };
    let Some([_, by_mean, by_variance]) = numbers(&found) else { return };
    let (m, v) = (q.mean(), q.variance());
    let what = |by: &str| format!("derivative by {by} at y = {y}, {q:?}, power {power:?}");
    let mut value = |likelihood: &dyn Likelihood, m: f64, v: f64| {
        let q = Latent::new(m, v).ok();
        q.and_then(|q| integral(likelihood, y, q, power, ws)).map_or(f64::NAN, |s| s.value)
    };
    let expected = difference(m, 1e-3, |m| value(likelihood, m, v));
    report.close(|| what("mean"), by_mean, expected, DIFFERENCE);
    if v > 1e-3 {
        let expected = difference(v, 1e-2 * v.min(1.0), |v| value(likelihood, m, v));
        report.close(|| what("variance"), by_variance, expected, 10.0 * DIFFERENCE);
    }
    for (index, found) in found.by_params.iter().enumerate() {
        let theta = parameter_value(likelihood.parameters(), index);
        let expected = difference(theta, 1e-3 * theta.abs().max(0.1), |theta| {
            with_parameter(likelihood, index, theta).map_or(f64::NAN, |moved| value(&*moved, m, v))
        });
        report.close(|| what("a parameter"), *found, expected, 10.0 * DIFFERENCE);
    }
    if power.is_some() && likelihood.is_log_concave() {
        // ∂²ln Z/∂m² = 2 ∂ln Z/∂v − (∂ln Z/∂m)², and the tilted variance is v + v² ∂²ln Z/∂m².
        let ratio = 1.0 + v * (2.0 * by_variance - by_mean * by_mean);
        report.require(0.0 < ratio && ratio <= 1.0 + QUADRATURE, || what("mean: tilted variance ratio"));
    }
}

/// The tilted normaliser by the trapezoidal rule with 286 points a deviation, which is right to rounding for smooth
/// integrands.
fn brute_force(likelihood: &dyn Likelihood, y: f64, q: Latent, ws: &mut Workspace, report: &mut Report) {
    const STEP: f64 = 3.5e-3;
    let s = q.variance().sqrt();
    let half = ((14.0 + farthest_mode(likelihood, y, q)) / STEP).ceil() as i32;
    for power in POWERS {
        let terms: Vec<f64> = (-half..=half)
            .map(|k| {
                let t = STEP * f64::from(k);
                power * log_density(likelihood, y, q.mean() + s * t) - 0.5 * t * t - HALF_LN_TAU
            })
            .collect();
        let expected = STEP.ln() + log_sum_exp(&terms);
        let found = integral(likelihood, y, q, Some(power), ws).map_or(f64::NAN, |s| s.value);
        report.close(|| format!("ln Z at y = {y}, {q:?}, power {power}"), found, expected, QUADRATURE);
    }
}

/// How far from the cavity's mean, in its deviations, a concave likelihood can move the mode: no farther than its own
/// peak, and no farther than its slope at the mean carries it.
fn farthest_mode(likelihood: &dyn Likelihood, y: f64, q: Latent) -> f64 {
    let (m, s) = (q.mean(), q.variance().sqrt());
    let mut point = PointSlopes::default();
    let slope = likelihood.log_density_slopes(&[y], &[m], &mut point).map_or(0.0, |()| point.by_latent[0]);
    let peak = likelihood.landmark(&[y]).unwrap_or(m);
    (s * slope.abs()).min((peak - m).abs() / s)
}

/// Means 40 deviations away, values known exactly, tiny and huge variances: all finite.
fn extremes(likelihood: &dyn Likelihood, y: f64, ws: &mut Workspace, report: &mut Report) {
    for (m, v) in
        [(40.0, 1.0), (-40.0, 1.0), (0.5, 0.0), (0.5, 1e-14), (0.0, 1e4), (4.0, 1e-2), (-400.0, 100.0)]
    {
        let Some(q) = report.value("belief", Latent::new(m, v)) else { continue };
        for power in POWERS {
            let found = integral(likelihood, y, q, Some(power), ws).and_then(|s| numbers(&s));
            let finite = found.is_some_and(|numbers| numbers.iter().all(|x| x.is_finite()));
            report.require(finite, || format!("tilted at y = {y}, {q:?}, power {power}: {found:?}"));
        }
    }
}

/// Moments by their own way and by the default; class probabilities; quantiles invert the distribution function.
fn predictions(likelihood: &dyn Likelihood, ws: &mut Workspace, report: &mut Report) {
    for (m, v) in [(0.3, 0.5), (-1.0, 0.02)] {
        let Some(q) = report.value("belief", Latent::new(m, v)) else { continue };
        let own = moments(|out| likelihood.predictive_moments(&[q], ws, out));
        let own = report.value("predictive moments", own);
        let default = moments(|out| defaults::predictive_moments(likelihood, &[q], ws, out));
        let default = report.value("their default", default);
        if let (Some(own), Some(default)) = (own, default) {
            report.close(|| format!("predictive mean at {q:?}"), own.mean, default.mean, QUADRATURE);
            report.close(
                || format!("predictive variance at {q:?}"),
                own.variance,
                default.variance,
                QUADRATURE,
            );
        }
        let classes = likelihood.support().classes();
        let mut probabilities = vec![0.0; classes];
        report.value("class probabilities", likelihood.class_probabilities(&[q], ws, &mut probabilities));
        if classes > 0 {
            report.close(
                || "sum of class probabilities".to_owned(),
                probabilities.iter().sum(),
                1.0,
                QUADRATURE,
            );
        }
        quantiles(likelihood, q, ws, report);
    }
}

/// Quantiles grow with the probability, and for a latent known exactly they invert the distribution function.
fn quantiles(likelihood: &dyn Likelihood, q: Latent, ws: &mut Workspace, report: &mut Report) {
    let mut last = f64::NEG_INFINITY;
    for probability in [0.05, 0.3, 0.5, 0.9] {
        let found = likelihood.predictive_quantile(&[q], 0, probability, ws);
        let Some(found) = report.value("quantile", found) else { continue };
        report.require(found >= last, || format!("quantile {found} after {last}"));
        last = found;
        let Some(exact) = report.value("belief", Latent::new(q.mean(), 0.0)) else { continue };
        let Some(point) =
            report.value("quantile", likelihood.predictive_quantile(&[exact], 0, probability, ws))
        else {
            continue;
        };
        let cdf = |y| likelihood.conditional_cdf(0, y, &[q.mean()]).unwrap_or(f64::NAN);
        let reached =
            cdf(point) >= probability - 1e-12 && cdf(point - 1e-6 * point.abs().max(1.0)) <= probability;
        report
            .require(reached, || format!("{point} is not the quantile of {probability} at f = {}", q.mean()));
    }
}
