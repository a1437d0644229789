//! Tails of densities whose logarithms are concave.

use crate::quadrature::GaussLegendre;

/// What is below exp(−38) of the height where the tail starts is left out.
const DROP: f64 = 38.0;
/// The bend of a logarithm that is asked for here falls on the way out to no less than this share, on average.
const STEADY: f64 = 0.6;
/// Panels of 16 nodes each: the density is looked at 48 times.
const PANELS: u32 = 3;

/// `∫ exp(−d(s)) ds` from 0 on, for a convex d with d(0) = 0 of which slope and second derivative at 0 are given.
pub(super) fn tail(slope: f64, bend: f64, drop: impl Fn(f64) -> f64) -> f64 {
    let bend = STEADY * bend;
    let reach = 2.0 * DROP / (slope + (slope * slope + 2.0 * DROP * bend).sqrt());
    let width = reach / f64::from(PANELS);
    let panel = |k: u32| {
        let nodes = GaussLegendre::shared().nodes_between(width * f64::from(k), width * f64::from(k + 1));
        nodes.iter().map(|&(s, weight)| weight * (-drop(s)).exp()).sum::<f64>()
    };
    (0..PANELS).map(panel).sum()
}
