//! Integral over the winner: `P = ∫ F(t) dt`, `t = (u − m_w)/√v_w`.

use super::nodes::{self, NodeLanes};
use super::rivals::{Lane, Lanes, REACH, Rival};
use crate::derivatives::LatentDerivatives;
use crate::quadrature::LANES;
use crate::special::{HALF_LN_TAU, log_normal_cdf_slopes, normal_cdfs};

/// Probability below which ranges surround the mode, not the mean.
const LIKELY: f64 = 1e-4;
/// Mode precision in widths; Newton steps.
const NEAR: f64 = 0.1;
const MAX_STEPS: usize = 100;
/// Negligible share of the total, right of the mode.
const NOTHING: f64 = 1e-18;

/// Sets `ln P(all rivals lose)`; `own`: winner's variance.
pub(super) fn win(winner: usize, own: f64, rivals: &[Rival], lanes: &mut Lanes, out: &mut LatentDerivatives) {
    Line::about_the_mean(own, rivals).integrate(winner, rivals, lanes, out);
    if out.value.is_nan() || out.value < LIKELY.ln() {
        out.reset(out.by_mean.len(), 0);
        Line::about_the_mode(own, rivals).integrate(winner, rivals, lanes, out);
    }
}

struct Line {
    /// v_w and √v_w
    own: f64,
    scale: f64,
    low: f64,
    middle: f64,
    high: f64,
    /// `true` if only the winner's tail counts.
    tail: bool,
    height: f64,
    /// Rivals are smoother than the winner's density.
    smooth: bool,
}

impl Line {
    fn new(own: f64, rivals: &[Rival]) -> Self {
        let smooth = rivals.iter().map(|rival| own / rival.variance).sum::<f64>() <= 1.0;
        Self {
            own,
            scale: own.sqrt(),
            low: -REACH,
            middle: 0.0,
            high: REACH,
            tail: false,
            height: 0.0,
            smooth,
        }
    }

    /// Starts where no rival is too far ahead.
    fn about_the_mean(own: f64, rivals: &[Rival]) -> Self {
        let line = Self::new(own, rivals);
        let far_ahead = |rival: &Rival| (rival.lead - REACH * rival.deviation) / line.scale;
        let low = rivals.iter().map(far_ahead).fold(line.low, f64::max).min(REACH);
        Self { low, ..line }
    }

    /// `ln F` has at least unit curvature, more left.
    fn about_the_mode(own: f64, rivals: &[Rival]) -> Self {
        let line = Self::new(own, rivals);
        // Right of all bends, Newton's method on a concave function is safe.
        let mut t = rivals.iter().map(|rival| rival.lead / line.scale).fold(0.0, f64::max);
        let (mut height, mut width) = (0.0, 1.0);
        for _ in 0..MAX_STEPS {
            let (mut slope, mut bend) = (-t, 1.0);
            height = -0.5 * t * t;
            for rival in rivals {
                let [value, ratio, excess] = log_normal_cdf_slopes(rival.place(t, line.scale));
                let narrow = line.scale / rival.deviation;
                height += value;
                slope += ratio * narrow;
                bend += ratio * excess * narrow * narrow;
            }
            width = 1.0 / bend.sqrt();
            if slope.abs() * width <= NEAR {
                break;
            }
            t += slope / bend;
        }
        let reach = REACH + NEAR;
        Self { low: t - reach * width, middle: t, high: t + reach, tail: true, height, ..line }
    }

    fn integrate(&self, winner: usize, rivals: &[Rival], lanes: &mut Lanes, out: &mut LatentDerivatives) {
        lanes.resize(rivals.len(), Lane::default());
        let (mut mass, mut by_own) = (0.0, 0.0);
        nodes::visit((self.low, self.high), self.tail, self.own, rivals, |(t, steps): NodeLanes| {
            let (heights, second) = self.look(&t, rivals, lanes);
            let weights = std::array::from_fn(|k| steps[k] * heights[k]);
            let here = weights.iter().sum::<f64>();
            mass += here;
            by_own += dot(&weights, &second);
            for (rival, (z, pull)) in rivals.iter().zip(&*lanes) {
                let pull = std::array::from_fn(|k| weights[k] * pull[k]);
                out.by_mean[rival.class] -= pull.iter().sum::<f64>();
                out.by_variance[rival.class] -= 0.5 * dot(&pull, z) / rival.deviation;
            }
            here > NOTHING * mass || t[0] < self.middle
        });
        out.by_variance[winner] = 0.5 * by_own;
        out.by_mean.iter_mut().chain(&mut out.by_variance).for_each(|slope| *slope /= mass);
        // A common shift of all means changes nothing.
        out.by_mean[winner] = -out.by_mean.iter().sum::<f64>();
        out.value = self.height - HALF_LN_TAU + mass.ln();
    }

    /// `F(t) √(2π)/exp(height)`; its weight in `2 ∂ ln P/∂v_w`.
    fn look(&self, t: &[f64; LANES], rivals: &[Rival], lanes: &mut Lanes) -> ([f64; LANES], [f64; LANES]) {
        let (mut exponents, mut factors) = (t.map(|t| -0.5 * t * t - self.height), [1.0; LANES]);
        let (mut slope, mut bend) = ([0.0; LANES], [0.0; LANES]);
        for (rival, (z, pull)) in rivals.iter().zip(lanes) {
            *z = t.map(|t| rival.place(t, self.scale));
            let cdfs = normal_cdfs(z);
            for k in 0..LANES {
                exponents[k] += cdfs.exponent[k];
                factors[k] *= cdfs.factor[k];
                pull[k] = cdfs.ratio[k] / rival.deviation;
                slope[k] += pull[k];
                bend[k] -= pull[k] * (pull[k] + z[k] / rival.deviation);
            }
        }
        // Equal by parts: the form with smaller terms loses fewer digits.
        let second = |k: usize| {
            if self.smooth { slope[k] * slope[k] + bend[k] } else { t[k] * slope[k] / self.scale }
        };
        (std::array::from_fn(|k| factors[k] * exponents[k].exp()), std::array::from_fn(second))
    }
}

fn dot(a: &[f64; LANES], b: &[f64; LANES]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
