//! Cases and tolerances.

use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::likelihood::{Described, Likelihood};
use crate::support::Support;

/// Limit for several latents.
const MOST: usize = 3;

/// Near, far, at the ends; one without output.
pub(super) fn observations(likelihood: &dyn Likelihood) -> Vec<Vec<f64>> {
    let values = match likelihood.support() {
        // Reference grids over several latents end here.
        Support::Real if likelihood.latents() > 1 => vec![-1.3, 0.2, 2.6],
        Support::Real => vec![-3.1, 0.2, 9.0],
        Support::Positive => vec![0.03, 0.9, 14.0],
        Support::UnitInterval => vec![0.01, 0.4, 0.98],
        Support::Counts => vec![0.0, 1.0, 7.0, 40.0],
        support @ (Support::Signs | Support::Classes(_)) => labels(support),
    };
    let count = if likelihood.latents() == 1 { values.len() } else { values.len().min(MOST) };
    let value = |k: usize| values[k % values.len()];
    let outputs = likelihood.outputs();
    let mut all: Vec<Vec<f64>> = (0..count).map(|k| (0..outputs).map(|p| value(k + p)).collect()).collect();
    if likelihood.takes_missing_outputs() && outputs > 1 {
        all.extend(all.first().map(|y| super::moved(y, 0, f64::NAN)));
    }
    all
}

pub(super) fn labels(support: Support) -> Vec<f64> {
    (0..support.classes()).map(|class| support.label(class)).collect()
}

/// Q per row.
pub(super) fn latent_values(likelihood: &dyn Likelihood) -> Vec<Vec<f64>> {
    const VALUES: [f64; 4] = [-2.3, -0.4, 0.7, 2.1];
    // Steps of 3 and a drift keep a row's latents distinct.
    let value = |k: usize, q: usize| VALUES[(k + 3 * q) % 4] - 0.07 * (q / 4) as f64;
    (0..VALUES.len()).map(|k| (0..likelihood.latents()).map(|q| value(k, q)).collect()).collect()
}

/// Q per row; one latent: narrow and wide too.
pub(super) fn beliefs(likelihood: &dyn Likelihood) -> Result<Vec<Vec<Latent>>, LikelihoodError> {
    if likelihood.latents() == 1 {
        let all = [(0.3, 0.8), (-1.7, 0.01), (2.2, 4.0), (0.0, 1e-6)];
        return all.into_iter().map(|(m, v)| Ok(vec![Latent::new(m, v)?])).collect();
    }
    let all = [[(0.3, 0.8), (-0.5, 0.3), (0.1, 0.5)], [(-1.1, 0.02), (0.8, 0.6), (0.4, 1e-6)]];
    let row = |three: [(f64, f64); 3]| {
        (0..likelihood.latents()).map(move |q| three[q % 3]).map(|(m, v)| Latent::new(m, v)).collect()
    };
    all.into_iter().map(row).collect()
}

/// 40 deviations away, exactly known, tiny, huge; equal or alternating.
pub(super) fn extreme_beliefs(likelihood: &dyn Likelihood) -> Result<Vec<Vec<Latent>>, LikelihoodError> {
    const EXTREMES: [(f64, f64); 7] =
        [(40.0, 1.0), (-40.0, 1.0), (0.5, 0.0), (0.5, 1e-14), (0.0, 1e4), (4.0, 1e-2), (-400.0, 100.0)];
    let signs: &[f64] = if likelihood.latents() == 1 { &[1.0] } else { &[1.0, -1.0] };
    let mut all = Vec::new();
    for (m, v) in EXTREMES {
        for other in signs {
            let mean = |q: usize| if q.is_multiple_of(2) { m } else { other * m };
            all.push((0..likelihood.latents()).map(|q| Latent::new(mean(q), v)).collect::<Result<_, _>>()?);
        }
    }
    Ok(all)
}

pub(super) fn tried_latents(likelihood: &dyn Likelihood) -> Vec<usize> {
    let latents = likelihood.latents();
    if latents == 1 { vec![0] } else { vec![0, latents - 1] }
}

/// None: expected log density.
pub(super) fn powers(likelihood: &dyn Described) -> Vec<Option<f64>> {
    if likelihood.latents() == 1 {
        vec![None, Some(1.0), Some(0.5), Some(1e-2)]
    } else {
        vec![None, Some(1.0), Some(0.3)]
    }
}

/// Accuracy of quadrature; None: expectation.
pub(super) fn accuracy(latents: usize, likelihood: &dyn Likelihood, power: Option<f64>) -> f64 {
    let (smooth, single) = (likelihood.is_smooth(), power.is_none() || likelihood.is_log_concave());
    match latents {
        1 => 1e-9,
        2 | 3 if smooth && single => 1e-6,
        _ if smooth && single => 2e-2,
        _ if smooth => 1e-1,
        _ => 5e-2,
    }
}

pub(super) fn own_accuracy(likelihood: &dyn Likelihood) -> f64 {
    if likelihood.latents() == 1 { 1e-9 } else { 1e-8 }
}
