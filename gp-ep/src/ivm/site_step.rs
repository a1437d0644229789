//! Steps of an active set's sites.

use super::active_set::ActiveSet;
use super::projection::precision_times;
use super::small::add;
use std::ops::Range;

const BOUNDS: (f64, f64) = (-23.0, 23.0);

/// Latents by active point, then class.
#[derive(Clone, Debug)]
pub(super) struct Order {
    classes: Range<usize>,
    coupled: bool,
}

impl Order {
    pub(super) fn of(classes: &Range<usize>, active: &ActiveSet) -> Self {
        Self { classes: classes.clone(), coupled: active.coupled }
    }

    /// Coupled latents per point; None if independent.
    pub(super) fn coupled(&self) -> Option<usize> {
        self.coupled.then_some(self.classes.len())
    }

    pub(super) fn precisions(&self, active: &ActiveSet) -> Vec<f64> {
        self.gather(active.classes[self.classes.start].rows.len(), |c, i| {
            active.classes[self.classes.start + c].precision[i]
        })
    }

    pub(super) fn shifts(&self, active: &ActiveSet) -> Vec<f64> {
        self.gather(active.classes[self.classes.start].rows.len(), |c, i| {
            active.classes[self.classes.start + c].shift[i]
        })
    }

    pub(super) fn by_class(&self, by_point: &[f64]) -> Vec<f64> {
        let (count, points) = (self.classes.len(), by_point.len() / self.classes.len());
        (0..by_point.len()).map(|l| by_point[(l % points) * count + l / points]).collect()
    }

    pub(super) fn by_point(&self, by_class: &[f64]) -> Vec<f64> {
        let points = by_class.len() / self.classes.len();
        self.gather(points, |c, i| by_class[c * points + i])
    }

    fn gather(&self, points: usize, of: impl Fn(usize, usize) -> f64) -> Vec<f64> {
        let count = self.classes.len();
        (0..count * points).map(|l| of(l % count, l / count)).collect()
    }
}

/// Step of sites; latents by active point.
pub(super) struct SiteStep {
    pub(super) order: Order,
    /// `K⁻¹ h` and h, with changes.
    pub(super) dual: Vec<f64>,
    pub(super) mean: Vec<f64>,
    pub(super) by_dual: Vec<f64>,
    pub(super) by_mean: Vec<f64>,
    /// π, and changes of ln π.
    pub(super) precision: Vec<f64>,
    pub(super) by_log_precision: Vec<f64>,
}

impl SiteStep {
    /// Applies a fraction of the step, with `b = K⁻¹ h + Π h`.
    pub(super) fn apply(&self, share: f64, active: &mut ActiveSet) {
        let moved = |from: &[f64], by: &[f64]| -> Vec<f64> {
            from.iter().zip(by).map(|(from, by)| from + share * by).collect()
        };
        let log_bounded = |pi: f64| pi.ln().clamp(BOUNDS.0, BOUNDS.1).exp();
        let precision = self.precision.iter().zip(&self.by_log_precision);
        let precision: Vec<f64> = precision.map(|(pi, by)| log_bounded(pi * (share * by).exp())).collect();
        let mean = moved(&self.mean, &self.by_mean);
        let mut shift = moved(&self.dual, &self.by_dual);
        add(&mut shift, 1.0, &site_precision(&precision, &mean, self.order.coupled()));
        let (first, count) = (self.order.classes.start, self.order.classes.len());
        for (l, (precision, shift)) in precision.into_iter().zip(shift).enumerate() {
            let class = &mut active.classes[first + l % count];
            (class.precision[l / count], class.shift[l / count]) = (precision, shift);
        }
    }
}

/// `Π x` for sites of `coupled` latents each; None: of one.
pub(super) fn site_precision(precision: &[f64], x: &[f64], coupled: Option<usize>) -> Vec<f64> {
    match coupled {
        None => precision.iter().zip(x).map(|(pi, x)| pi * x).collect(),
        Some(count) => {
            let sites = precision.chunks_exact(count).zip(x.chunks_exact(count));
            sites.flat_map(|(pi, x)| precision_times(pi, x).to_vec()).collect()
        }
    }
}
