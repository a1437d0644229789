//! Grids under the standard normal density, for analytic integrands.
//!
//! Error at step h ≤ `exp(a²/2 − 2πa/h)` times the integrand's size at distance a from the real line, up to
//! the nearest singularity (Trefethen and Weideman 2014, see `trapezoid`).

use crate::special::HALF_LN_TAU;
use std::sync::OnceLock;

/// Nodes evaluated at once.
pub(crate) const LANES: usize = 8;

/// Negative log error: exp(−38) = 3e-17.
const DIGITS: f64 = 38.0;
/// Used share of the strip.
const CLOSEST: f64 = 0.95;
/// Range per side, to relative density exp(−37).
pub(super) const REACH: f64 = 8.6;
/// Step ratio; the finest grid has 200 nodes, like [graded](super::graded) panels.
const RATIO: f64 = 0.8;
const STEPS: usize = 11;

/// Nodes and weights; unused lanes are zero.
pub(crate) type GridNodes = Vec<([f64; LANES], [f64; LANES])>;

/// Coarsest grid for a strip (standard deviations), if wide enough.
pub(crate) fn grid_for(strip: f64) -> Option<&'static GridNodes> {
    static LADDER: OnceLock<Vec<(f64, GridNodes)>> = OnceLock::new();
    let step = if strip.is_nan() { 0.0 } else { step_for(strip) };
    let ladder = LADDER.get_or_init(|| (0..STEPS).map(rung).collect());
    ladder.iter().find(|(rung, _)| *rung <= step).map(|(_, nodes)| nodes)
}

fn step_for(strip: f64) -> f64 {
    // Beyond √(2 · 38), the density's growth outweighs the finer grid.
    let a = (CLOSEST * strip).min((2.0 * DIGITS).sqrt());
    std::f64::consts::TAU * a / (DIGITS + 0.5 * a * a)
}

fn rung(place: usize) -> (f64, GridNodes) {
    let step = step_for(f64::INFINITY) * RATIO.powi(place as i32);
    let count = 2 * (REACH / step).ceil() as usize + 1;
    let node = |i: usize| if i < count { step * (i as f64 - (count / 2) as f64) } else { 0.0 };
    let weight = |i: usize| if i < count { step * (-HALF_LN_TAU - 0.5 * node(i).powi(2)).exp() } else { 0.0 };
    let lanes = |block: usize| {
        let of = |k: usize| block * LANES + k;
        (std::array::from_fn(|k| node(of(k))), std::array::from_fn(|k| weight(of(k))))
    };
    (step, (0..count.div_ceil(LANES)).map(lanes).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(nodes: &GridNodes, g: impl Fn(f64) -> f64) -> f64 {
        nodes.iter().flat_map(|(t, w)| t.iter().zip(w)).map(|(&t, w)| w * g(t)).sum()
    }

    /// Poles at the strip's end.
    #[test]
    fn a_grid_is_right_up_to_its_strip() {
        for strip in [0.6, 1.0, 3.0, 20.0] {
            let g = |t: f64| strip * strip / (t * t + strip * strip);
            let found = sum(grid_for(strip).unwrap(), g);
            let exact = sum(&rung(STEPS + 4).1, g);
            assert!((found - exact).abs() < 1e-13, "{strip}: {found} and {exact}");
        }
    }

    #[test]
    fn moments_are_those_of_the_normal() {
        let coarsest = grid_for(f64::INFINITY).unwrap();
        assert!(coarsest.len() <= 4, "{}", coarsest.len());
        // Off the real line, at distance 8.7, powers are this large.
        for (power, exact) in [(0, 1.0), (1, 0.0), (2, 1.0), (4, 3.0), (6, 15.0)] {
            let allowed = 1e-16 * 9f64.powi(power) + 1e-15;
            assert!((sum(coarsest, |t| t.powi(power)) - exact).abs() < allowed, "t^{power}");
        }
    }

    #[test]
    fn what_is_too_near_has_no_grid() {
        assert!(grid_for(0.3).is_none() && grid_for(0.0).is_none() && grid_for(f64::NAN).is_none());
        let finest = grid_for(0.51).unwrap().len() * LANES;
        assert!(finest < 250, "{finest}");
    }
}
