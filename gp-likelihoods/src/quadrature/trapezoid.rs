//! Nested trapezoidal sums for analytic integrands with Gaussian decay.
//!
//! Errors fall as `exp(−2πd/h)`, d the distance of the nearest singularity, and `exp(−2π²/h²)` for a Gaussian. (L. N.
//! Trefethen, J. A. C. Weideman, "The exponentially convergent trapezoidal rule", SIAM Review 56, 2014.)

use super::Integrals;

/// Coarsest step in widths: Gaussian error 1e-2 (half: 1e-8).
const FIRST_STEP: f64 = 2.0;
/// Panels handle finer features.
const MAX_HALVINGS: u32 = 6;
/// Coarsest grid, one direction.
const MAX_REACH: u32 = 100;
/// Weight exp(−45) ends a sum unless it contributes.
const NO_WEIGHT: f64 = 2.9e-20;
/// Contributing share of the sum.
const COUNTS: f64 = 1e-17;
/// Agreement of two accurate sums.
const EQUAL: f64 = 1e-10;
/// Sufficient agreement if halving about squared the difference.
const CLOSE: f64 = 1e-6;
const SQUARED: f64 = 10.0;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    /// Approximate maximum of the weight.
    pub(crate) centre: f64,
    /// Scale of the weight, or a narrower feature.
    pub(crate) width: f64,
    /// Range covered at least.
    pub(crate) span: (f64, f64),
}

struct TrapezoidSums<const K: usize> {
    plain: [f64; K],
    sizes: [f64; K],
}

impl<const K: usize> TrapezoidSums<K> {
    /// `true` if any value contributes.
    fn add(&mut self, weight: f64, values: &[f64; K]) -> bool {
        let mut counts = false;
        for ((sum, size), value) in self.plain.iter_mut().zip(&mut self.sizes).zip(values) {
            let term = if weight == 0.0 { 0.0 } else { weight * value };
            counts |= term.abs() > COUNTS * *size;
            *sum += term;
            *size += term.abs();
        }
        counts
    }

    /// Largest relative difference from twice `before`; NaN if not finite.
    fn change(&self, before: &[f64; K]) -> f64 {
        let terms = self.plain.iter().zip(&self.sizes).zip(before);
        let relative = terms.map(|((sum, size), before)| {
            let off = (sum - 2.0 * before).abs();
            if off == 0.0 { 0.0 } else { off / size }
        });
        relative.fold(0.0, |most: f64, x| if x <= most || most.is_nan() { most } else { x })
    }
}

/// `∫ w(t) g_k(t) dt`, if converged; nodes and weights `h w(t)` in `rule`. `w` must decay outside the span.
pub(crate) fn trapezoid<const K: usize>(
    grid: Grid,
    rule: &mut Vec<(f64, f64)>,
    integrand: &mut impl FnMut(f64) -> (f64, [f64; K]),
) -> Option<Integrals<K>> {
    let (centre, mut step) = (grid.centre, FIRST_STEP * grid.width);
    let mut sums = TrapezoidSums { plain: [0.0; K], sizes: [0.0; K] };
    rule.clear();
    let mut at = |t: f64, sums: &mut TrapezoidSums<K>, rule: &mut Vec<(f64, f64)>| {
        let (weight, values) = integrand(t);
        rule.push((t, weight));
        (weight, sums.add(weight, &values))
    };
    let (first, _) = at(centre, &mut sums, rule);
    let [left, right] = [-step, step].map(|step| {
        let mut reach = 0;
        loop {
            reach += 1;
            let t = centre + f64::from(reach) * step;
            let (weight, counts) = at(t, &mut sums, rule);
            let inside = grid.span.0 <= t && t <= grid.span.1;
            if (weight < NO_WEIGHT * first && !counts && !inside) || reach == MAX_REACH {
                return reach;
            }
        }
    });
    let low = centre - f64::from(left) * step;
    let mut last_change = f64::INFINITY;
    for halving in 1..=MAX_HALVINGS {
        let before = sums.plain;
        for k in 0..(left + right) << (halving - 1) {
            at(low + (f64::from(k) + 0.5) * step, &mut sums, rule);
        }
        step *= 0.5;
        let change = sums.change(&before);
        if change <= EQUAL || (change <= CLOSE && change <= SQUARED * last_change * last_change) {
            rule.iter_mut().for_each(|(_, weight)| *weight *= step);
            let [values, sizes] = [sums.plain, sums.sizes].map(|sums| sums.map(|sum| step * sum));
            return Some(Integrals { values, sizes });
        }
        if change.is_nan() {
            break;
        }
        last_change = change;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integrate(width: f64, g: impl Fn(f64) -> f64) -> Option<f64> {
        let mut rule = Vec::new();
        let grid = Grid { centre: 0.1, width, span: (0.0, 0.0) };
        let found = trapezoid(grid, &mut rule, &mut |t| ((-0.5 * t * t).exp(), [1.0, g(t)]))?;
        // The rule gives the same sum.
        let again: f64 = rule.iter().map(|&(t, weight)| weight * g(t)).sum();
        assert!((again - found.values[1]).abs() <= 1e-13 * found.sizes[1]);
        assert!((found.values[0] - std::f64::consts::TAU.sqrt()).abs() < 1e-12);
        Some(found.values[1] / std::f64::consts::TAU.sqrt())
    }

    #[test]
    fn smooth_integrands_come_out_to_rounding() {
        for width in [0.1, 0.6, 1.0] {
            assert!((integrate(width, |t| t.powi(6)).unwrap_or_default() - 15.0).abs() < 1e-11);
            // The mass of E[exp(s t)] = exp(s²/2) is at s, far from the centre.
            let found = integrate(width, |t| (6.0 * t - 18.0).exp()).unwrap_or_default();
            assert!((found - 1.0).abs() < 1e-12, "{found}");
            // E[cos ωt] = exp(−ω²/2)
            let found = integrate(width, |t| (3.0 * t).cos()).unwrap_or_default();
            assert!((found - (-4.5f64).exp()).abs() < 1e-12, "{found}");
        }
    }

    #[test]
    fn kinks_jumps_and_needles_are_refused() {
        assert!(integrate(1.0, |t| (t - 0.3).abs()).is_none());
        assert!(integrate(1.0, |t| f64::from(t > 0.37)).is_none());
        assert!(integrate(1.0, |t| 1.0 / (1e-6 + (t - 0.3) * (t - 0.3))).is_none());
        assert!(integrate(1.0, |t| if t > 2.0 { f64::NAN } else { 1.0 }).is_none());
    }
}
