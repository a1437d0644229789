//! Vectorised softmax at integration nodes.

use super::numbers::Column;
use super::observation::{ClassBelief, IntegralScratch, ObservationModel};
use super::small::Root;
use gp_linalg::pulp::{Simd, WithSimd};
use gp_linalg::vector::dispatch;

/// `p(y | γ u + β) = 1/(1 + Σ_{c≠y} exp(f_c − f_y))`, `u = h + R s`, per node s.
pub(super) fn probabilities(
    observed: &ObservationModel<'_>,
    y: usize,
    gamma: f64,
    (q, root): (&ClassBelief, &Root),
    at: &mut IntegralScratch,
) {
    let (latents, count) = (observed.latents(), observed.nodes.count());
    at.values.resize(count, 0.0);
    at.rows.resize(count * latents, 0.0);
    let differences = &mut at.rows[..count * (latents - 1)];
    let others = (0..latents).filter(|&c| c != y);
    for (c, row) in others.zip(differences.chunks_exact_mut(count)) {
        let constant = gamma * (q.mean[c] - q.mean[y]) + observed.intercepts[c] - observed.intercepts[y];
        let slopes = root.root.row(c).iter().zip(root.root.row(y)).map(|(c, y)| gamma * (c - y));
        observed.nodes.exponentials(constant, &slopes.collect::<Column>(), row);
    }
    dispatch(Reciprocals { ratios: differences, out: &mut at.values });
}

/// `1/(1 + Σ ratios)` per column.
struct Reciprocals<'a> {
    /// By row, each as long as `out`.
    ratios: &'a [f64],
    out: &'a mut [f64],
}

impl WithSimd for Reciprocals<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let Self { ratios, out } = self;
        out.fill(1.0);
        for row in ratios.chunks_exact(out.len()) {
            out.iter_mut().zip(row).for_each(|(sum, ratio)| *sum += ratio);
        }
        out.iter_mut().for_each(|sum| *sum = 1.0 / *sum);
    }
}
