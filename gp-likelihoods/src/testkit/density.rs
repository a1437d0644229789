//! Layer 1 checks.

use super::cases::{labels, latent_values};
use super::{Report, difference, log_density, moved, parameter_step, with_parameter};
use crate::derivatives::{ObservationMoments, PointDerivatives};
use crate::likelihood::{Likelihood, parameter_count, parameter_value};
use crate::link::Link;
use crate::quadrature::Panels;
use crate::support::Support;

/// Step 1e-3, functions of size 100.
const DIFFERENCE: f64 = 1e-8;

pub(super) fn check(likelihood: &dyn Likelihood, observations: &[Vec<f64>], report: &mut Report) {
    unconstrained(likelihood, report);
    refusals(likelihood, observations, report);
    for y in observations {
        for f in latent_values(likelihood) {
            latent_slopes(likelihood, y, &f, report);
            parameter_slopes(likelihood, y, &f, report);
            link(likelihood, y, &f, report);
        }
    }
    if likelihood.outputs() == 1 {
        latent_values(likelihood).iter().for_each(|f| normalisation(likelihood, f, report));
    }
}

fn latent_slopes(likelihood: &dyn Likelihood, y: &[f64], f: &[f64], report: &mut Report) {
    let mut point = PointDerivatives::default();
    if report.value("slopes", likelihood.log_density_slopes(y, f, &mut point)).is_none() {
        return;
    }
    let at = |what: &str| format!("{what} at y = {y:?}, f = {f:?}");
    report.close(|| at("density of the jet"), point.value, log_density(likelihood, y, f), 1e-13);
    let mut shifted = PointDerivatives::default();
    for (q, &here) in f.iter().enumerate() {
        let expected = difference(here, 1e-3, |x| log_density(likelihood, y, &moved(f, q, x)));
        report.close(|| at(&format!("derivative by latent {q}")), point.by_latent[q], expected, DIFFERENCE);
        let expected = difference(here, 1e-3, |x| {
            let found = likelihood.log_density_slopes(y, &moved(f, q, x), &mut shifted);
            found.map_or(f64::NAN, |()| shifted.by_latent[q])
        });
        let found = point.by_latent_twice[q];
        report.close(|| at(&format!("second derivative by latent {q}")), found, expected, DIFFERENCE);
        if likelihood.is_log_concave() {
            report.require(found <= 0.0, || at(&format!("not concave in latent {q}")));
        }
    }
}

fn parameter_slopes(likelihood: &dyn Likelihood, y: &[f64], f: &[f64], report: &mut Report) {
    let mut found = vec![0.0; parameter_count(likelihood.parameters())];
    report.value("slopes by parameters", likelihood.log_density_by_params(y, f, &mut found));
    for (index, found) in found.into_iter().enumerate() {
        let value = parameter_value(likelihood.parameters(), index);
        let expected = difference(value, parameter_step(likelihood, index), |value| {
            with_parameter(likelihood, index, value).map_or(f64::NAN, |moved| log_density(&*moved, y, f))
        });
        let what = || format!("derivative by parameter {index} at y = {y:?}, f = {f:?}");
        report.close(what, found, expected, 10.0 * DIFFERENCE);
    }
}

fn link(likelihood: &dyn Likelihood, y: &[f64], f: &[f64], report: &mut Report) {
    const STEP: f64 = 0.7;
    let further = moved(f, 0, f[0] + STEP);
    let mut mean = |f: &[f64]| {
        let mut out = vec![ObservationMoments::default(); likelihood.outputs()];
        report.value("moments", likelihood.conditional_moments(f, &mut out));
        out[0].mean
    };
    let (before, after) = (mean(f), mean(&further));
    match likelihood.link() {
        Link::Identity => {
            let with_it = log_density(likelihood, &moved(y, 0, y[0] + STEP), &further);
            let what = || format!("density of observation and latent moved together at y = {y:?}, f = {f:?}");
            report.close(what, with_it, log_density(likelihood, y, f), 1e-10);
        }
        Link::Log => {
            report.close(|| format!("mean under a log link at f = {f:?}"), after, before * STEP.exp(), 1e-12);
        }
        Link::Other => {}
    }
}

fn normalisation(likelihood: &dyn Likelihood, f: &[f64], report: &mut Report) {
    let density = |y: f64| log_density(likelihood, &[y], f).exp();
    let cdf = |y: f64, report: &mut Report| {
        report.value("distribution function", likelihood.conditional_cdf(0, y, f)).unwrap_or(f64::NAN)
    };
    let (low, high, mass) = match likelihood.support() {
        Support::Real => between(&(-8..=8).map(|k| f[0] + 2.5 * f64::from(k)).collect::<Vec<_>>(), density),
        Support::Positive => between(&(-40..=9).map(|k| 2f64.powi(k)).collect::<Vec<_>>(), density),
        Support::UnitInterval => {
            let tails = (2..=40).map(|k| 0.5f64.powi(k));
            let edges = tails.clone().rev().chain([0.5]).chain(tails.map(|t| 1.0 - t));
            between(&edges.collect::<Vec<_>>(), density)
        }
        Support::Counts => (-1.0, 60.0, (0..=60).map(|y| density(f64::from(y))).sum()),
        Support::Signs | Support::Classes(_) => {
            let first = likelihood.support().label(0);
            (first - 1.0, first, density(first))
        }
    };
    let expected = cdf(high, report) - cdf(low, report);
    report.close(|| format!("probability of [{low}, {high}] at f = {f:?}"), mass, expected, 1e-10);
    let labels = labels(likelihood.support());
    if !labels.is_empty() {
        let mass = labels.iter().map(|&y| density(y)).sum();
        report.close(|| format!("probability of all classes at f = {f:?}"), mass, 1.0, 1e-13);
    }
    let (bottom, top) = (cdf(-1e15, report), cdf(1e15, report));
    report.require(bottom < 1e-6 && top > 1.0 - 1e-6, || format!("distribution from {bottom} to {top}"));
}

fn between(edges: &[f64], density: impl Fn(f64) -> f64) -> (f64, f64, f64) {
    let mass = Panels::default().adapt(edges, 1e-12, |y| [density(y)]).map_or(f64::NAN, |[mass]| mass);
    (edges[0], edges[edges.len() - 1], mass)
}

fn unconstrained(likelihood: &dyn Likelihood, report: &mut Report) {
    let mut copy = likelihood.clone_box();
    for (before, after) in likelihood.parameters().iter().zip(copy.parameters_mut()) {
        let mut free = vec![0.0; before.free_len()];
        report.value("writing unconstrained parameters", before.write_free_unconstrained(&mut free));
        report.value("setting unconstrained parameters", after.set_free_unconstrained(&free));
        for (a, b) in before.values().iter().zip(after.values()) {
            report.close(|| format!("parameter `{}` there and back", before.name()), *b, *a, 1e-12);
        }
    }
}

fn refusals(likelihood: &dyn Likelihood, observations: &[Vec<f64>], report: &mut Report) {
    for y in [f64::NAN, f64::INFINITY] {
        let refused = likelihood.check_observation(&vec![y; likelihood.outputs()]).is_err();
        report.require(refused, || format!("accepts the observation {y}"));
    }
    report.require(likelihood.check_observation(&[]).is_err(), || "accepts no observation".to_owned());
    for y in observations {
        let wrong = likelihood.log_density_slopes(y, &[], &mut PointDerivatives::default());
        report.require(wrong.is_err(), || "accepts no latent".to_owned());
    }
    let beyond = likelihood.conditional_cdf(likelihood.outputs(), 0.0, &latent_values(likelihood)[0]);
    report.require(beyond.is_err(), || "accepts an output that does not exist".to_owned());
}
