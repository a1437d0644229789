//! Layer 4 checks.

use super::Report;
use super::cases::{accuracy, beliefs, labels};
use crate::defaults;
use crate::derivatives::{LatentDerivatives, ObservationMoments};
use crate::latent::Latent;
use crate::likelihood::Likelihood;
use crate::workspace::Workspace;

pub(super) fn check(likelihood: &dyn Likelihood, observations: &[Vec<f64>], report: &mut Report) {
    let mut ws = Workspace::new();
    let exact = accuracy(likelihood.latents(), likelihood, None);
    let count = if likelihood.latents() == 1 { 2 } else { 1 };
    for q in report.value("beliefs", beliefs(likelihood)).unwrap_or_default().into_iter().take(count) {
        moments(likelihood, &q, exact, &mut ws, report);
        classes(likelihood, &q, exact, &mut ws, report);
        densities(likelihood, observations, &q, &mut ws, report);
        for output in 0..likelihood.outputs() {
            quantiles(likelihood, &q, output, &mut ws, report);
        }
        growth(likelihood, observations, report);
    }
}

fn moments(likelihood: &dyn Likelihood, q: &[Latent], exact: f64, ws: &mut Workspace, report: &mut Report) {
    let nothing = ObservationMoments { mean: f64::NAN, variance: f64::NAN };
    let (mut own, mut default) = (vec![nothing; likelihood.outputs()], vec![nothing; likelihood.outputs()]);
    report.value("predictive moments", likelihood.predictive_moments(q, ws, &mut own));
    report.value("their default", defaults::predictive_moments(likelihood, q, ws, &mut default));
    for (output, (own, default)) in own.iter().zip(&default).enumerate() {
        let what = |what: &str| format!("predictive {what} of output {output} at {q:?}");
        report.close(|| what("mean"), own.mean, default.mean, exact);
        report.close(|| what("variance"), own.variance, default.variance, exact);
    }
}

fn classes(likelihood: &dyn Likelihood, q: &[Latent], exact: f64, ws: &mut Workspace, report: &mut Report) {
    let labels = labels(likelihood.support());
    if labels.is_empty() || likelihood.outputs() != 1 {
        return;
    }
    let mut probabilities = vec![f64::NAN; labels.len()];
    report.value("class probabilities", likelihood.class_probabilities(q, ws, &mut probabilities));
    let sum = probabilities.iter().sum();
    report.close(|| format!("sum of class probabilities at {q:?}"), sum, 1.0, 1e-9);
    for (probability, label) in probabilities.into_iter().zip(labels) {
        let density = report.value("predictive density", likelihood.log_predictive_density(&[label], q, ws));
        let what = || format!("probability of class {label} at {q:?}");
        report.close(
            what,
            probability,
            density.map_or(f64::NAN, f64::exp),
            exact.max(accuracy(likelihood.latents(), likelihood, Some(1.0))),
        );
    }
}

fn densities(
    likelihood: &dyn Likelihood,
    observations: &[Vec<f64>],
    q: &[Latent],
    ws: &mut Workspace,
    report: &mut Report,
) {
    let exact = accuracy(likelihood.latents(), likelihood, Some(1.0));
    for y in observations {
        let mut tilted = LatentDerivatives::default();
        report.value("tilted", likelihood.tilted(y, q, 1.0, ws, &mut tilted));
        let found = report.value("predictive density", likelihood.log_predictive_density(y, q, ws));
        let what = || format!("predictive density of {y:?} at {q:?}");
        report.close(what, found.unwrap_or(f64::NAN), tilted.value, exact);
    }
}

fn growth(likelihood: &dyn Likelihood, observations: &[Vec<f64>], report: &mut Report) {
    if !likelihood.grows_with_latent() {
        return;
    }
    for y in observations {
        let mut last = 1.0;
        for f in [-9.0, -3.0, -1.2, -0.3, 0.0, 0.4, 1.5, 4.0, 10.0] {
            let cdf = likelihood.conditional_cdf(0, y[0], &[f]).unwrap_or(f64::NAN);
            report
                .require(cdf <= last + 1e-12, || format!("P(y ≤ {}) is {cdf} at f = {f} after {last}", y[0]));
            last = cdf;
        }
    }
}

/// Inverse of the distribution function.
fn quantiles(
    likelihood: &dyn Likelihood,
    q: &[Latent],
    output: usize,
    ws: &mut Workspace,
    report: &mut Report,
) {
    let f: Vec<f64> = q.iter().map(|q| q.mean()).collect();
    let exact: Result<Vec<Latent>, _> = f.iter().map(|&f| Latent::new(f, 0.0)).collect();
    let Some(exact) = report.value("beliefs", exact) else { return };
    let mut last = f64::NEG_INFINITY;
    for probability in [0.05, 0.3, 0.5, 0.9] {
        let found = likelihood.predictive_quantile(q, output, probability, ws);
        let Some(found) = report.value("quantile", found) else { continue };
        report.require(found >= last, || format!("quantile {found} after {last}"));
        last = found;
        let point = likelihood.predictive_quantile(&exact, output, probability, ws);
        let Some(point) = report.value("quantile", point) else { continue };
        let cdf = |y| likelihood.conditional_cdf(output, y, &f).unwrap_or(f64::NAN);
        let reached =
            cdf(point) >= probability - 1e-12 && cdf(point - 1e-6 * point.abs().max(1.0)) <= probability;
        report.require(reached, || format!("{point} is not the quantile of {probability} at f = {f:?}"));
    }
}
