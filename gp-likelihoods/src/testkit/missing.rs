//! Missing outputs: densities integrate over them.

use super::cases::latent_values;
use super::{Report, log_density, moved};
use crate::derivatives::ObservationMoments;
use crate::likelihood::Likelihood;
use crate::quadrature::Panels;
use crate::support::Support;

/// Panels are refined to 1e-12.
const MASS: f64 = 1e-10;

pub(super) fn check(likelihood: &dyn Likelihood, observations: &[Vec<f64>], report: &mut Report) {
    if !likelihood.takes_missing_outputs()
        || likelihood.outputs() < 2
        || likelihood.support() != Support::Real
    {
        return;
    }
    let whole = observations.iter().filter(|y| y.iter().all(|y| !y.is_nan()));
    for y in whole {
        for f in latent_values(likelihood) {
            (0..likelihood.outputs()).for_each(|output| integral(likelihood, (y, &f), output, report));
        }
    }
}

fn integral(likelihood: &dyn Likelihood, (y, f): (&[f64], &[f64]), output: usize, report: &mut Report) {
    let mut given = vec![ObservationMoments::default(); likelihood.outputs()];
    report.value("conditional moments", likelihood.conditional_moments(f, &mut given));
    let ObservationMoments { mean, variance } = given[output];
    let edges: Vec<f64> = (-8..=8).map(|k| mean + 2.0 * f64::from(k) * variance.sqrt()).collect();
    let without = log_density(likelihood, &moved(y, output, f64::NAN), f);
    // Relative to the density without the output: the integrand is not tiny.
    let ratio = |t: f64| (log_density(likelihood, &moved(y, output, t), f) - without).exp();
    let mass = Panels::default().adapt(&edges, 1e-12, |t| [ratio(t)]).map_or(f64::NAN, |[mass]| mass);
    report.close(|| format!("integral over output {output} at y = {y:?}, f = {f:?}"), mass, 1.0, MASS);
}
