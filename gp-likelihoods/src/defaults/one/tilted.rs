//! Tilted normaliser around modes.

use super::{REFINEMENT, grid_width, sum_by_params, width_of_bend};
use crate::derivatives::LatentDerivatives;
use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::likelihood::Likelihood;
use crate::quadrature::{Grid, Integrals, trapezoid};
use crate::special::HALF_LN_TAU;
use crate::workspace::Workspace;

/// Log drop at the end.
const NEGLIGIBLE: f64 = 60.0;
/// Cavity tails end before 2⁶⁰ widths.
const MAX_DOUBLINGS: u32 = 60;
const MAX_STEPS: u32 = 100;
const MAX_HALVINGS: u32 = 80;
/// Standard deviations to a far landmark; points between.
const FAR: f64 = 5.0;
const BETWEEN: u32 = 25;
/// Relative rounding: about 16 per term.
const NOISE: f64 = 16.0 * f64::EPSILON;
/// Mode precision in widths: refinement, grid.
const PRECISE: f64 = 1e-9;
const ROUGH: f64 = 0.05;

pub(crate) fn tilted<L: Likelihood + ?Sized>(
    likelihood: &L,
    y: &[f64],
    q: Latent,
    power: f64,
    ws: &mut Workspace,
    out: &mut LatentDerivatives,
) -> Result<(), LikelihoodError> {
    let mut point = std::mem::take(&mut ws.point);
    let mut failure = None;
    let shape = Shape {
        landmark: likelihood.landmark(y),
        single: likelihood.is_log_concave(),
        smooth: likelihood.is_smooth(),
    };
    let found = tilted_along(q, shape, ws, |f| {
        if let Err(error) = likelihood.log_density_slopes(y, &[f], &mut point) {
            failure = Some(error);
        }
        let derivative = |values: &[f64]| values.first().map_or(f64::NAN, |d| power * d);
        [power * point.value, derivative(&point.by_latent), derivative(&point.by_latent_twice)]
    });
    ws.point = point;
    // The likelihood's error explains more than quadrature's.
    if let Some(error) = failure {
        return Err(error);
    }
    let [log_z, by_mean, by_variance] = found?;
    sum_by_params(likelihood, y, power, ws)?;
    out.set(log_z, by_mean, by_variance, &ws.by_params);
    Ok(())
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Peak or bend.
    pub(crate) landmark: Option<f64>,
    /// `true` if log-concave.
    pub(crate) single: bool,
    /// `true` without jumps and kinks.
    pub(crate) smooth: bool,
}

/// `ln ∫ exp(g(f)) N(f; m, v) df` with derivatives, from `[g, g′, g″]`; leaves f and normalised weights in `ws.rule`.
pub(crate) fn tilted_along(
    q: Latent,
    shape: Shape,
    ws: &mut Workspace,
    mut g: impl FnMut(f64) -> [f64; 3],
) -> Result<[f64; 3], LikelihoodError> {
    let (m, s) = (q.mean(), q.variance().sqrt());
    let mut at = |t: f64| TiltedJet::new(g(m + s * t), t);
    if s == 0.0 {
        ws.rule.clear();
        ws.rule.push((m, 1.0));
        let jet = at(0.0);
        return Ok([jet.tempered, jet.first, 0.5 * (jet.first * jet.first + jet.second)]);
    }
    let landmark = shape.landmark.map(|f| (f - m) / s);
    let (shift, sums) = integrate(&mut at, (m / s, s), landmark, shape, ws)?;
    ws.rule.iter_mut().for_each(|(t, _)| *t = m + s * *t);
    Ok(slopes(shift, &sums, s, shape.smooth))
}

/// Log integrand at t; `α ℓ` with derivatives by f.
#[derive(Clone, Copy)]
pub(super) struct TiltedJet {
    height: f64,
    tempered: f64,
    first: f64,
    second: f64,
}

impl TiltedJet {
    pub(super) fn new([tempered, first, second]: [f64; 3], t: f64) -> Self {
        // Densities that are 0 or NaN have no weight.
        let height = if tempered.is_nan() { f64::NEG_INFINITY } else { tempered - 0.5 * t * t - HALF_LN_TAU };
        Self { height, tempered, first, second }
    }

    fn weighted(self, shift: f64, t: f64) -> (f64, [f64; 6]) {
        let square = self.first * self.first;
        // Smooth, at least square + |second|, and not 0 if the terms cancel.
        let size = square + square.hypot(self.second);
        let values = [1.0, t, t * t, self.first, square + self.second, size];
        ((self.height - shift).exp(), values)
    }
}

/// `ln Z` and derivatives, from [`TiltedJet::weighted`].
pub(super) fn slopes(shift: f64, sums: &Integrals<6>, s: f64, smooth: bool) -> [f64; 3] {
    let mass = sums.values[0];
    let log_z = shift + mass.ln();
    let [t, square, first, second] = [1, 2, 3, 4].map(|k| sums.values[k] / mass);
    // Size of terms determines rounding, even if they cancel.
    let size = sums.values[5] / mass;
    // Equal by parts: moments of t lose digits for flat likelihoods, their derivatives for sharp ones.
    if smooth && size * s * s <= square + 1.0 {
        [log_z, first, 0.5 * second]
    } else {
        [log_z, t / s, 0.5 * (square - 1.0) / (s * s)]
    }
}

/// Mode with Gaussian width.
#[derive(Clone, Copy)]
struct IntegrandPeak {
    t: f64,
    height: f64,
    width: f64,
}

impl IntegrandPeak {
    /// `true` if its panels serve both.
    fn is_near(&self, other: &Self) -> bool {
        (self.t - other.t).abs() <= 0.1 * self.width && self.width >= 0.5 * other.width
    }
}

fn integrate(
    at: &mut impl FnMut(f64) -> TiltedJet,
    (far, s): (f64, f64),
    landmark: Option<f64>,
    shape: Shape,
    ws: &mut Workspace,
) -> Result<(f64, Integrals<6>), LikelihoodError> {
    let landmark = landmark.filter(|t| t.is_finite());
    if shape.smooth
        && let Some(found) = on_a_grid(at, s, landmark, shape.single, ws)
    {
        return Ok(found);
    }
    let peaks = peaks(at, s, landmark, PRECISE);
    let best = highest(&peaks);
    if !best.height.is_finite() {
        ws.rule.clear();
        return Ok((f64::NEG_INFINITY, Integrals { values: [0.0; 6], sizes: [0.0; 6] }));
    }
    // Refined at the landmark too: a step could be narrower than a panel.
    let bend = landmark.map_or(best, |t| bend(t, s, at));
    let [first, second, third] = peaks;
    edges(&[best, first, second, third, bend], at, &mut ws.edges);
    // Far from the cavity, rounding of height and position (relative to a narrow peak) limits accuracy.
    let misplaced = 0.5 * f64::EPSILON * (best.t.abs() + far.abs()) / best.width;
    let tolerance = REFINEMENT.max(NOISE * (best.height.abs() + best.t * best.t)).max(misplaced);
    let sums = ws.panels.integrals(&ws.edges, tolerance, |t| {
        let (weight, values) = at(t).weighted(best.height, t);
        values.map(|x| if weight == 0.0 { 0.0 } else { weight * x })
    })?;
    ws.rule.clear();
    let weight = |t: f64, w: f64, at: &mut dyn FnMut(f64) -> TiltedJet| {
        w * (at(t).height - best.height).exp() / sums.values[0]
    };
    ws.rule.extend(ws.panels.rule().map(|(t, w)| (t, weight(t, w, at))));
    Ok((best.height, sums))
}

/// `None` for narrow features, or without convergence.
fn on_a_grid(
    at: &mut impl FnMut(f64) -> TiltedJet,
    s: f64,
    landmark: Option<f64>,
    concave: bool,
    ws: &mut Workspace,
) -> Option<(f64, Integrals<6>)> {
    let (height, grid) = if concave { one_peak(at, s, landmark) } else { two_peaks(at, s, landmark?)? };
    if !height.is_finite() {
        return None;
    }
    let sums = trapezoid(grid, &mut ws.rule, &mut |t| at(t).weighted(height, t))?;
    ws.rule.iter_mut().for_each(|(_, weight)| *weight /= sums.values[0]);
    Some((height, sums))
}

/// Log integrand and grid, centre approximate.
pub(super) fn one_peak(at: &mut impl FnMut(f64) -> TiltedJet, s: f64, landmark: Option<f64>) -> (f64, Grid) {
    let start = landmark.filter(|&t| at(t).height > at(0.0).height).unwrap_or(0.0);
    let peak = climb(start, s, ROUGH, at);
    (peak.height, Grid { centre: peak.t, width: peak.width, span: (peak.t, peak.t) })
}

fn two_peaks(at: &mut impl FnMut(f64) -> TiltedJet, s: f64, landmark: f64) -> Option<(f64, Grid)> {
    let bend = bend(landmark, s, at);
    grid_width(bend.width)?;
    let peaks = peaks(at, s, Some(landmark), ROUGH);
    let best = highest(&peaks);
    let width = grid_width(peaks.iter().map(|peak| peak.width).fold(bend.width, f64::min))?;
    let places = || peaks.iter().map(|peak| peak.t);
    let span = (places().fold(landmark, f64::min), places().fold(landmark, f64::max));
    Some((best.height, Grid { centre: best.t, width, span }))
}

/// Modes from cavity mean, landmark, highest point between: long Newton steps may miss some.
fn peaks(
    at: &mut impl FnMut(f64) -> TiltedJet,
    s: f64,
    landmark: Option<f64>,
    precision: f64,
) -> [IntegrandPeak; 3] {
    let first = climb(0.0, s, precision, at);
    let Some(landmark) = landmark else { return [first; 3] };
    let second = climb(landmark, s, precision, at);
    if landmark.abs() < FAR {
        return [first, second, second];
    }
    let places = (1..BETWEEN).map(|k| landmark * f64::from(k) / f64::from(BETWEEN));
    let heights = places.map(|t| (t, at(t).height));
    let start =
        heights.fold((0.0, f64::NEG_INFINITY), |best, place| if place.1 > best.1 { place } else { best });
    [first, second, climb(start.0, s, precision, at)]
}

fn highest(peaks: &[IntegrandPeak; 3]) -> IntegrandPeak {
    peaks.iter().copied().fold(peaks[0], |best, peak| if peak.height > best.height { peak } else { best })
}

/// Newton to `precision` widths, curvature ≥ the cavity's, halved steps.
fn climb(start: f64, s: f64, precision: f64, at: &mut impl FnMut(f64) -> TiltedJet) -> IntegrandPeak {
    let (mut t, mut jet) = (start, at(start));
    for _ in 0..MAX_STEPS {
        let step = (s * jet.first - t) / curvature(jet, s);
        let Some((next, found)) = first_higher(t, step, jet.height, at) else { break };
        let moved = (next - t).abs();
        (t, jet) = (next, found);
        if moved <= precision / curvature(jet, s).sqrt() {
            break;
        }
    }
    IntegrandPeak { t, height: jet.height, width: 1.0 / curvature(jet, s).sqrt() }
}

fn bend(t: f64, s: f64, at: &mut impl FnMut(f64) -> TiltedJet) -> IntegrandPeak {
    let jet = at(t);
    IntegrandPeak { t, height: jet.height, width: width_of_bend(jet.first, jet.second, s * s) }
}

fn curvature(jet: TiltedJet, s: f64) -> f64 {
    let curvature = 1.0 - s * s * jet.second;
    if curvature.is_finite() { curvature.max(1.0) } else { 1.0 }
}

/// First larger of `t + step, t + step/2, …`
fn first_higher(
    t: f64,
    step: f64,
    height: f64,
    at: &mut impl FnMut(f64) -> TiltedJet,
) -> Option<(f64, TiltedJet)> {
    let mut step = if step.is_finite() { step } else { return None };
    for _ in 0..MAX_HALVINGS {
        let jet = at(t + step);
        if jet.height > height {
            return Some((t + step, jet));
        }
        step *= 0.5;
    }
    None
}

/// Panels doubling in width from each peak.
fn edges(peaks: &[IntegrandPeak; 5], at: &mut impl FnMut(f64) -> TiltedJet, edges: &mut Vec<f64>) {
    let highest = peaks[0].height;
    edges.clear();
    let outermost = |sign: f64| peaks.iter().map(|p| sign * p.t).fold(f64::NEG_INFINITY, f64::max);
    let (leftmost, rightmost) = (-outermost(-1.0), outermost(1.0));
    for (k, peak) in peaks.iter().enumerate() {
        if peaks[..k].iter().any(|other| peak.is_near(other)) {
            continue;
        }
        edges.push(peak.t);
        for direction in [-1.0, 1.0] {
            let mut reach = peak.width;
            for _ in 0..MAX_DOUBLINGS {
                let t = peak.t + direction * reach;
                edges.push(t);
                let outside = t <= leftmost || t >= rightmost;
                if outside && at(t).height < highest - NEGLIGIBLE {
                    break;
                }
                reach *= 2.0;
            }
        }
    }
    edges.sort_by(f64::total_cmp);
    edges.dedup();
}
