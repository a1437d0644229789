//! Expectation of a distribution function that falls at a known latent.

use crate::latent::Latent;
use crate::quadrature::GaussLegendre;
use crate::special::{HALF_LN_TAU, standard_normal_cdf};

/// Standard deviations; mass 1e-16 beyond.
const REACH: f64 = 8.3;
/// Standard deviations resolved by 16 nodes.
const WIDEST: f64 = 2.0;
/// Jump width in standard deviations.
const NARROWEST: f64 = 1e-16;
/// Share counted as most of the fall.
const MOST: f64 = 0.7;
const ENDED: f64 = f64::EPSILON;
/// Grid resolution in standard deviations.
const BROAD: f64 = 0.25;

/// Fall, in standard deviations from the mean.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transition {
    centre: f64,
    width: f64,
}

impl Transition {
    /// Most of the fall is in `centre ± 4 width`, not `± width`.
    pub(super) fn find(q: Latent, place: f64, cdf: &mut impl FnMut(f64) -> f64) -> Self {
        let deviation = q.variance().sqrt();
        let centre = ((place - q.mean()) / deviation).clamp(-REACH, REACH);
        let mut width = 1.0;
        let mut fall = |width: f64| cdf(centre - width) - cdf(centre + width);
        while width > NARROWEST && fall(width) > MOST {
            width *= 0.25;
        }
        Self { centre, width }
    }

    pub(super) fn is_broad(self) -> bool {
        self.width >= BROAD
    }

    /// `E[F]`, or NaN; ≤ 60 panels per side, 17 evaluations each.
    pub(super) fn expectation(self, cdf: &mut impl FnMut(f64) -> f64) -> f64 {
        self.side(-1.0, cdf) + self.side(1.0, cdf)
    }

    fn side(self, direction: f64, cdf: &mut impl FnMut(f64) -> f64) -> f64 {
        let (mut from, mut width, mut sum) = (self.centre, self.width, 0.0);
        let end = direction * REACH;
        loop {
            let next = from + direction * width;
            let to = if direction * next < REACH { next } else { end };
            sum += panel(from.min(to), from.max(to), cdf);
            let there = cdf(to);
            if there.is_nan() {
                return f64::NAN;
            }
            // F is 1 left of the transition, 0 right of it.
            let left = if direction < 0.0 { 1.0 - there } else { there };
            if to == end || left <= ENDED {
                return sum + there * standard_normal_cdf(-direction * to);
            }
            (from, width) = (to, (2.0 * width).min(WIDEST));
        }
    }
}

fn panel(low: f64, high: f64, cdf: &mut impl FnMut(f64) -> f64) -> f64 {
    let nodes = GaussLegendre::shared().nodes_between(low, high);
    nodes.iter().map(|&(t, weight)| weight * (-HALF_LN_TAU - 0.5 * t * t).exp() * cdf(t)).sum()
}
