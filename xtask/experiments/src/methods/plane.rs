//! Classifier predictions on a grid, stored as curves for plots.

use super::fitted::Fitted;
use super::scores;
use crate::data::Part;
use crate::error::ExperimentError;
use crate::harness::Outcome;
use faer::Mat;

/// Cells per side; relative margin.
const CELLS: usize = 48;
const MARGIN: f64 = 0.08;

/// Grid of cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// Limits per axis.
    pub ends: [[f64; 2]; 2],
    /// Cells per axis.
    pub cells: usize,
}

impl Plane {
    /// Grid around two-dimensional observations.
    #[must_use]
    pub fn around(part: &Part) -> Self {
        let ends = [0, 1].map(|d| {
            let all = || part.inputs.col(d).iter().copied();
            let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
            let room = MARGIN * (high - low);
            [low - room, high + room]
        });
        Self { ends, cells: CELLS }
    }

    /// `cells` + 1 edges along an axis.
    #[must_use]
    pub fn edges(&self, axis: usize) -> Vec<f64> {
        let [low, high] = self.ends[axis];
        (0..=self.cells).map(|k| low + (high - low) * k as f64 / self.cells as f64).collect()
    }

    fn middles(&self) -> Mat<f64> {
        let edges = [0, 1].map(|axis| self.edges(axis));
        Mat::from_fn(self.cells * self.cells, 2, |i, d| {
            let k = if d == 0 { i % self.cells } else { i / self.cells };
            0.5 * (edges[d][k] + edges[d][k + 1])
        })
    }

    /// Adds score `near_boundary`; curves `plane` (axis limits), `region` (most probable class per cell,
    /// probability to three digits), `inducing K` per latent, `class K` (training points).
    ///
    /// # Errors
    /// Failed prediction.
    pub fn describe(
        &self,
        outcome: Outcome,
        fitted: &dyn Fitted,
        training: &Part,
    ) -> Result<Outcome, ExperimentError> {
        let outcome = outcome.with("near_boundary", scores::near_boundary(fitted, training)?);
        let (p, written) = scores::probabilities(fitted, self.middles().as_ref())?;
        let region = |i: usize| {
            let best = scores::best(&p, i);
            (best as f64, (1000.0 * p[(i, best)]).round() / 1000.0)
        };
        let ends = self.ends.map(|[low, high]| (low, high)).to_vec();
        let mut outcome =
            outcome.with_curve("plane", ends).with_curve("region", (0..p.nrows()).map(region).collect());
        for (k, points) in fitted.inducing().into_iter().enumerate() {
            let points = (0..points.nrows()).map(|i| (points[(i, 0)], points[(i, 1)])).collect();
            outcome = outcome.with_curve(&format!("inducing {k}"), points);
        }
        let labels = training.labels();
        for (class, label) in written.iter().enumerate() {
            let rows = (0..labels.len()).filter(|&i| labels[i] == *label);
            let points = rows.map(|i| (training.inputs[(i, 0)], training.inputs[(i, 1)])).collect();
            outcome = outcome.with_curve(&format!("class {class}"), points);
        }
        Ok(outcome)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baselines::Logistic;

    #[test]
    fn a_plane_is_cut_where_a_straight_classifier_cuts_it() {
        let inputs = Mat::from_fn(40, 2, |i, d| if d == 0 { i as f64 - 19.5 } else { (i % 5) as f64 });
        let targets = Mat::from_fn(40, 1, |i, _| if i < 20 { -1.0 } else { 1.0 });
        let part = Part { inputs, targets };
        let found = Logistic::fit(&part, &[-1.0, 1.0], 1.0).unwrap();
        let plane = Plane::around(&part);
        let outcome = plane.describe(Outcome::default(), &found, &part).unwrap();
        let region = &outcome.curves["region"];
        assert_eq!(region.len(), CELLS * CELLS);
        // Near the middle the boundary may deviate.
        assert!(region.iter().enumerate().all(|(i, (class, p))| {
            let right = f64::from(u8::from(i % CELLS >= CELLS / 2));
            *p >= 0.5 && (*class == right || (i % CELLS).abs_diff(CELLS / 2) < 4)
        }));
        assert_eq!(outcome.curves["class 0"].len(), 20);
        assert_eq!(plane.edges(0).len(), CELLS + 1);
    }
}
