//! The expectation of a distribution function that falls with the latent, from 1 to 0 about a place that is known: outside
//! the transition the Gaussian's own distribution function is all there is to it, however sharp the transition is.

use crate::latent::Latent;
use crate::quadrature::GaussLegendre;
use crate::special::{HALF_LN_TAU, standard_normal_cdf};

/// A Gaussian has mass 1e-16 beyond so many deviations.
const REACH: f64 = 8.3;
/// Panels are at most so wide, in deviations: 16 nodes integrate the Gaussian over them to rounding.
const WIDEST: f64 = 2.0;
/// Transitions narrower than this, in deviations, are jumps.
const NARROWEST: f64 = 1e-16;
/// Most of a fall.
const MOST: f64 = 0.7;
/// A distribution function is at its end when so little is left.
const ENDED: f64 = f64::EPSILON;
/// A transition at least so wide, in deviations, is nothing that a grid steps over.
const BROAD: f64 = 0.25;

/// Where a distribution function falls, in deviations of the Gaussian from its mean.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transition {
    centre: f64,
    width: f64,
}

impl Transition {
    /// About a place in the latent, so wide that most of the fall is not inside, but is inside four times the width.
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

    /// `E[F]`; NaN where a value is.
    ///
    /// Panels double in width on the way out, up to some 60 on either side for the narrowest transition, each of which
    /// costs 17 evaluations.
    pub(super) fn expectation(self, cdf: &mut impl FnMut(f64) -> f64) -> f64 {
        self.side(-1.0, cdf) + self.side(1.0, cdf)
    }

    /// All that is on one side of the centre.
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
            // Below the transition it ends at 1, above it at 0.
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
