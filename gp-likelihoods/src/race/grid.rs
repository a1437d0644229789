//! A race as one sum over an equidistant grid whose step is known beforehand.
//!
//! With `t = (u − m_w)/√v_w`, `P = ∫ F(t) dt` for `F(t) = φ(t) Π_c Φ(z_c)`, `z_c = (t − l_c)/r_c`, where l_c is the lead
//! and r_c the deviation of a rival in deviations of the winner. At `t + ia` a factor Φ(z_c) grows by no more than
//! `exp(½ (a/r_c)²)`, so that a sum of step h is wrong by no more than `2 exp(½ a² p − 2π a/h)` with
//! `p = 1 + Σ_c 1/r_c²`, for every a; the best of them, `a = 2π/(h p)`, leaves `2 exp(−2π²/(h² p))`. (L. N. Trefethen,
//! J. A. C. Weideman, "The exponentially convergent trapezoidal rule", SIAM Review 56, 2014.)
//!
//! ln F bends at least as much as a Gaussian of variance 1: nothing is left of it some deviations from its mode.

use super::Rival;
use crate::slopes::Slopes;
use crate::special::{HALF_LN_TAU, log_normal_cdf_slopes, normal_cdfs};

/// `ln(1/ε)` for an error of ε = 1e-16.
const LOG_ERROR: f64 = 36.8;
/// A Gaussian has mass 2e-16 beyond so many deviations.
const REACH: f64 = 8.2;
/// A finer grid costs more than panels that know where it has to be fine.
const MAX_NODES: f64 = 1_000.0;
/// What is less likely has its mode away from the winner's mean.
const LIKELY: f64 = 1e-4;
/// How near a mode has to be found for a grid about it, in deviations, and steps of Newton's method.
const NEAR: f64 = 0.1;
const MAX_STEPS: usize = 100;
/// Nodes that are computed side by side.
const LANES: usize = 8;

/// `z_c` and `φ(z_c)/(Φ(z_c) √v_c)` of a few nodes, for one rival.
type Lane = ([f64; LANES], [f64; LANES]);

/// Memory for a few nodes, a lane for each rival.
pub(super) type Lanes = Vec<Lane>;

/// Sets value and slopes of `ln P(all rivals lose)`, or tells that a grid is not the way; `own` is the winner's variance.
pub(super) fn win(winner: usize, own: f64, rivals: &[Rival], lanes: &mut Lanes, out: &mut Slopes) -> bool {
    let Some(grid) = Grid::about_the_mean(own, rivals) else { return false };
    grid.sum(winner, rivals, lanes, out);
    if out.value > LIKELY.ln() {
        return true;
    }
    out.reset(out.by_mean.len(), 0);
    let Some(grid) = Grid::about_the_mode(own, rivals) else { return false };
    grid.sum(winner, rivals, lanes, out);
    out.value.is_finite()
}

/// Where the sum begins, and how fine it is.
struct Grid {
    /// √v_w
    scale: f64,
    low: f64,
    step: f64,
    blocks: usize,
    /// Weights are relative to this, a logarithm.
    height: f64,
    /// Whether the rivals' distribution functions bend less than the winner's density.
    smooth: bool,
}

impl Grid {
    /// From where a rival is too far ahead.
    fn about_the_mean(own: f64, rivals: &[Rival]) -> Option<Self> {
        let far_ahead = |rival: &Rival| (rival.lead - REACH * rival.deviation) / own.sqrt();
        let low = rivals.iter().map(far_ahead).fold(-REACH, f64::max);
        Self::new(own, rivals, low.min(REACH), REACH)
    }

    fn about_the_mode(own: f64, rivals: &[Rival]) -> Option<Self> {
        let scale = own.sqrt();
        // From above every bend Newton's method on a concave function needs no safeguard but its own length.
        let mut t = rivals.iter().map(|rival| rival.lead / scale).fold(0.0, f64::max);
        let mut height = 0.0;
        for _ in 0..MAX_STEPS {
            let (mut slope, mut bend) = (-t, 1.0);
            height = -0.5 * t * t;
            for rival in rivals {
                let [value, ratio, excess] =
                    log_normal_cdf_slopes((scale * t - rival.lead) / rival.deviation);
                let narrow = scale / rival.deviation;
                height += value;
                slope += ratio * narrow;
                bend += ratio * excess * narrow * narrow;
            }
            t += slope / bend;
            if slope.abs() <= NEAR * bend {
                break;
            }
        }
        Some(Self { height, ..Self::new(own, rivals, t - REACH - NEAR, t + REACH + NEAR)? })
    }

    fn new(own: f64, rivals: &[Rival], low: f64, high: f64) -> Option<Self> {
        let precision = 1.0 + rivals.iter().map(|rival| own / rival.variance).sum::<f64>();
        let step = std::f64::consts::TAU / (2.0 * LOG_ERROR * precision).sqrt();
        let nodes = ((high - low) / step).ceil();
        let blocks = (nodes <= MAX_NODES).then_some((nodes as usize).div_ceil(LANES))?;
        Some(Self { scale: own.sqrt(), low, step, blocks, height: 0.0, smooth: precision <= 2.0 })
    }

    fn sum(&self, winner: usize, rivals: &[Rival], lanes: &mut Lanes, out: &mut Slopes) {
        lanes.resize(rivals.len(), Lane::default());
        let (mut mass, mut by_own) = (0.0, 0.0);
        for block in 0..self.blocks {
            let t = std::array::from_fn(|k| self.low + self.step * ((block * LANES + k) as f64 + 0.5));
            let (weights, second) = self.block(&t, rivals, lanes);
            mass += weights.iter().sum::<f64>();
            by_own += dot(&weights, &second);
            for (rival, (z, pull)) in rivals.iter().zip(&*lanes) {
                let pull = std::array::from_fn(|k| weights[k] * pull[k]);
                out.by_mean[rival.class] -= pull.iter().sum::<f64>();
                out.by_variance[rival.class] -= 0.5 * dot(&pull, z) / rival.deviation;
            }
        }
        out.by_variance[winner] = 0.5 * by_own;
        out.by_mean.iter_mut().chain(&mut out.by_variance).for_each(|slope| *slope /= mass);
        // All means may move alike.
        out.by_mean[winner] = -out.by_mean.iter().sum::<f64>();
        out.value = self.height - HALF_LN_TAU + (self.step * mass).ln();
    }

    /// Weights in proportion to `F(t)`, and what they weigh for twice the slope of ln P by the winner's variance.
    fn block(&self, t: &[f64; LANES], rivals: &[Rival], lanes: &mut Lanes) -> ([f64; LANES], [f64; LANES]) {
        let (mut exponents, mut factors) = (t.map(|t| -0.5 * t * t - self.height), [1.0; LANES]);
        let (mut slope, mut bend) = ([0.0; LANES], [0.0; LANES]);
        for (rival, (z, pull)) in rivals.iter().zip(lanes) {
            *z = t.map(|t| (self.scale * t - rival.lead) / rival.deviation);
            let cdfs = normal_cdfs(z);
            for k in 0..LANES {
                exponents[k] += cdfs.exponent[k];
                factors[k] *= cdfs.factor[k];
                pull[k] = cdfs.ratio[k] / rival.deviation;
                slope[k] += pull[k];
                bend[k] -= pull[k] * (pull[k] + z[k] / rival.deviation);
            }
        }
        // Two forms, by parts: the one that adds up the smaller numbers loses fewer digits.
        let second = |k: usize| {
            if self.smooth { slope[k] * slope[k] + bend[k] } else { t[k] * slope[k] / self.scale }
        };
        (std::array::from_fn(|k| factors[k] * exponents[k].exp()), std::array::from_fn(second))
    }
}

fn dot(a: &[f64; LANES], b: &[f64; LANES]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
