//! Nodes for `∫ F(t) dt`, `F(t) = φ(t) Π_c Φ(z_c)`, `z_c = (t − l_c)/r_c`: rivals' leads l_c and deviations
//! r_c over the winner's deviation.
//!
//! Grid: at `t + ia` Φ(z_c) grows by ≤ `exp(½ (a/r_c)²)`; error at step h ≤ `2 exp(½ a² p − 2π a/h)`,
//! `p = 1 + Σ_c 1/r_c²` (Trefethen and Weideman 2014, see `quadrature::trapezoid`). The best a, `2π/(h p)`,
//! gives `2 exp(−2π²/(h² p))`.
//!
//! Panels: p over rivals not surely beaten; 16 nodes integrate 4.5 deviations to 1e-15.

use super::rivals::{REACH, Rival};
use crate::quadrature::{GaussLegendre, LANES};

/// Error 1e-16 on a grid.
const LOG_ERROR: f64 = 36.8;
/// Panel width in units of `1/√p`.
const PANEL: f64 = 4.5;
/// Grid nodes above which panels are cheaper.
const MAX_GRID: f64 = 200.0;
/// Limit, beyond which F is negligible.
const MAX_PANELS: usize = 4_000;

pub(super) type NodeLanes = ([f64; LANES], [f64; LANES]);

/// Passes nodes to `take` until `false`; `tail`: F may fall like the winner's density.
pub(super) fn visit(
    (low, high): (f64, f64),
    tail: bool,
    own: f64,
    rivals: &[Rival],
    take: impl FnMut(NodeLanes) -> bool,
) {
    let precision = 1.0 + rivals.iter().map(|rival| own / rival.variance).sum::<f64>();
    let step = std::f64::consts::TAU / (2.0 * LOG_ERROR * precision).sqrt();
    let count = ((high - low) / step).ceil();
    if count <= MAX_GRID {
        grid(low, step, count as usize, take);
    } else {
        panels((low, high), tail, own, rivals, take);
    }
}

fn grid(low: f64, step: f64, count: usize, mut take: impl FnMut(NodeLanes) -> bool) {
    for block in 0..count.div_ceil(LANES) {
        let node = |k| low + step * ((block * LANES + k) as f64 + 0.5);
        if !take((std::array::from_fn(node), [step; LANES])) {
            return;
        }
    }
}

fn panels(
    (low, high): (f64, f64),
    tail: bool,
    own: f64,
    rivals: &[Rival],
    mut take: impl FnMut(NodeLanes) -> bool,
) {
    let scale = own.sqrt();
    let beaten = |rival: &Rival| (rival.lead + REACH * rival.deviation) / scale;
    let mut from = low;
    for _ in 0..MAX_PANELS {
        let open = || rivals.iter().filter(|rival| beaten(rival) > from);
        let precision = 1.0 + open().map(|rival| own / rival.variance).sum::<f64>();
        let next = open().map(beaten).fold(high, f64::min);
        let slope = if tail { from.max(0.0) } else { 0.0 };
        let to = next.min(from + PANEL / (precision + slope * slope).sqrt());
        if to <= from || !panel(from, to, &mut take) {
            return;
        }
        from = to;
    }
}

fn panel(from: f64, to: f64, take: &mut impl FnMut(NodeLanes) -> bool) -> bool {
    let nodes = GaussLegendre::shared().nodes_between(from, to);
    nodes.chunks_exact(LANES).all(|some| {
        let (t, weights) = (std::array::from_fn(|k| some[k].0), std::array::from_fn(|k| some[k].1));
        take((t, weights))
    })
}
