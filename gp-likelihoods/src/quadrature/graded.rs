//! Panels under the standard normal density, narrow at a bend and wider away from it.

use super::GaussLegendre;
use super::ladder::{LANES, REACH};
use crate::special::HALF_LN_TAU;

/// Panel width over the strip (error 1e-15).
const AT_BEND: f64 = 1.4;
/// Panel width over distance to the bend (error 2e-17).
const GROWTH: f64 = 2.5;
/// Limit due to the density.
const WIDEST: f64 = 3.0;

/// Requires analyticity within `strip` at the bend, farther elsewhere.
pub(crate) fn graded(bend: f64, strip: f64, take: &mut impl FnMut(&[f64; LANES], &[f64; LANES])) {
    // Point of the range nearest to the bend.
    let start = bend.clamp(-REACH, REACH);
    let away = (bend - start).abs();
    for side in [-1.0, 1.0] {
        let (mut near, end) = (0.0, REACH - side * start);
        while near < end {
            let far = end.min(near + (GROWTH * (away + near)).max(AT_BEND * strip).min(WIDEST));
            panel(start + side * near, start + side * far, take);
            near = far;
        }
    }
}

fn panel(one: f64, other: f64, take: &mut impl FnMut(&[f64; LANES], &[f64; LANES])) {
    let nodes = GaussLegendre::shared().nodes_between(one.min(other), one.max(other));
    for lanes in nodes.chunks_exact(LANES) {
        let t: [f64; LANES] = std::array::from_fn(|k| lanes[k].0);
        take(&t, &std::array::from_fn(|k| lanes[k].1 * (-HALF_LN_TAU - 0.5 * t[k] * t[k]).exp()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integral(bend: f64, strip: f64, g: impl Fn(f64) -> f64) -> f64 {
        let mut sum = 0.0;
        graded(bend, strip, &mut |t, w| sum += t.iter().zip(w).map(|(&t, w)| w * g(t)).sum::<f64>());
        sum
    }

    #[test]
    fn polynomials_are_those_of_the_normal_wherever_the_bend_is() {
        for bend in [-1e300, -300.0, -8.6, -3.0, 0.0, 0.1, 7.0, 40.0] {
            for strip in [1e-3, 0.1, 2.0] {
                for (power, exact) in [(0, 1.0), (1, 0.0), (2, 1.0), (4, 3.0)] {
                    let found = integral(bend, strip, |t| t.powi(power));
                    assert!((found - exact).abs() < 1e-12, "t^{power} with {strip} at {bend}: {found}");
                }
            }
        }
    }

    #[test]
    fn the_narrowest_bends_take_a_few_hundred_nodes() {
        let count = |strip: f64| {
            let mut count = 0;
            graded(0.0, strip, &mut |t, _| count += t.len());
            count
        };
        let found = [1e-1, 1e-3, 1e-6, 1e-9].map(count);
        assert!(found.iter().zip([224, 352, 544, 704]).all(|(found, most)| *found <= most), "{found:?}");
    }

    /// `E[max(t, 0)] = φ(0)`; a softplus of width w adds `π² w²/6 · φ(0)`, up to w⁴.
    #[test]
    fn a_narrow_bend_is_resolved() {
        for width in [1e-3, 1e-4] {
            let softplus = |t: f64| t.max(0.0) + width * (-(t / width).abs()).exp().ln_1p();
            let found = integral(0.0, std::f64::consts::PI * width, softplus);
            let exact = (-HALF_LN_TAU).exp() * (1.0 + (std::f64::consts::PI * width).powi(2) / 6.0);
            assert!((found - exact).abs() < 3.0 * width.powi(4) + 1e-14, "{width}: {found} and {exact}");
        }
    }
}
