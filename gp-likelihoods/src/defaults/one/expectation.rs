//! Expectations under one Gaussian.

use super::REFINEMENT;
use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::quadrature::{Grid, Integrals, trapezoid};
use crate::special::HALF_LN_TAU;
use crate::workspace::Workspace;

/// Panels per side, each a quarter as wide.
const GRADES: i32 = 14;
/// Largest range (standard deviations).
const FARTHEST: f64 = 60.0;
/// Smallest range; mass 1e-15 beyond.
const NEAREST: f64 = 8.0;
/// Log drop at the end.
const NEGLIGIBLE: f64 = 50.0;

/// `E[g(f, t)]`, `f ~ q`, `v > 0`, `t = (f − m)/√v`; rule in `ws`. `grid`: narrowest width of g in standard
/// deviations (≤ 1), if resolvable.
pub(super) fn expectation<const K: usize>(
    q: Latent,
    landmark: Option<f64>,
    grid: Option<f64>,
    ws: &mut Workspace,
    mut g: impl FnMut(f64, f64) -> [f64; K],
) -> Result<Integrals<K>, LikelihoodError> {
    let (m, s) = (q.mean(), q.variance().sqrt());
    let mut at = |t: f64| g(m + s * t, t);
    if let Some(total) = grid.and_then(|width| on_a_grid(width, ws, &mut at)) {
        ws.rule.iter_mut().for_each(|(t, _)| *t = m + s * *t);
        return Ok(total);
    }
    edges(landmark.map(|f| (f - m) / s), &mut at, &mut ws.edges);
    let total = ws.panels.integrals(&ws.edges, REFINEMENT, |t| {
        let weight = density(t);
        at(t).map(|x| if weight == 0.0 { 0.0 } else { weight * x })
    })?;
    ws.rule.clear();
    ws.rule.extend(ws.panels.rule().map(|(t, w)| (m + s * t, w * density(t))));
    Ok(total)
}

pub(super) fn on_a_grid<const K: usize>(
    width: f64,
    ws: &mut Workspace,
    at: &mut impl FnMut(f64) -> [f64; K],
) -> Option<Integrals<K>> {
    trapezoid(Grid { centre: 0.0, width, span: (0.0, 0.0) }, &mut ws.rule, &mut |t| (density(t), at(t)))
}

fn density(t: f64) -> f64 {
    (-HALF_LN_TAU - 0.5 * t * t).exp()
}

/// Unit panels, finer at the landmark.
fn edges<const K: usize>(landmark: Option<f64>, at: &mut impl FnMut(f64) -> [f64; K], edges: &mut Vec<f64>) {
    let (low, high) = (-reach(-1.0, at), reach(1.0, at));
    edges.clear();
    let steps = (high - low).ceil().clamp(1.0, 2.0 * FARTHEST);
    let mut t = low;
    while t < high {
        edges.push(t);
        t += (high - low) / steps;
    }
    edges.push(high);
    if let Some(centre) = landmark {
        // The bend's width is unknown: panels shrink by factors of 4, down to 4e-9.
        let steps = (1..=GRADES).flat_map(|k| [-0.25f64.powi(k), 0.25f64.powi(k)]);
        let graded = steps.map(|step| centre + step).chain([centre]);
        edges.extend(graded.filter(|t| low < *t && *t < high));
    }
    edges.sort_by(f64::total_cmp);
    edges.dedup();
}

fn reach<const K: usize>(direction: f64, at: &mut impl FnMut(f64) -> [f64; K]) -> f64 {
    let (mut largest, mut t) = (f64::NEG_INFINITY, 0.0);
    while t < FARTHEST {
        let magnitude: f64 = at(direction * t).iter().map(|x| x.abs()).sum();
        let size = magnitude.ln() - 0.5 * t * t;
        if !magnitude.is_finite() || (t >= NEAREST && size < largest - NEGLIGIBLE) {
            break;
        }
        largest = largest.max(size);
        t += 0.5;
    }
    t
}
