//! Uncertainty about levels that did not occur in training.
//!
//! An unknown level has 0 in the columns of all known ones, where kernels of inner products have no variance and other
//! kernels are close to every level. It may however be as far from the known levels as these are from each other.

use super::Model;
use crate::data::{Column, Frame, Values};
use crate::encode::{Feature, FeatureEncoding};
use crate::error::CliError;
use faer::Mat;
use std::ops::Range;

/// Maximum number of known levels that stand for all.
const MOST_LEVELS: usize = 8;
/// Rows that are looked at together.
const AT_ONCE: usize = 1024;

impl Model {
    /// Variance to add to the latent function, per row: an unknown level is one of the known ones, with equal
    /// probabilities. Empty if all levels are known, and for several latent functions.
    ///
    /// # Errors
    /// [`Data`](crate::ErrorKind::Data) for a missing column; [`Numerical`](crate::ErrorKind::Numerical).
    pub(super) fn variances_of_unknown(
        &self,
        frame: &Frame,
        points: &Mat<f64>,
    ) -> Result<Vec<f64>, CliError> {
        let (mut more, inputs) = (Vec::new(), self.inputs());
        if self.posterior().likelihood().latents() != 1 || self.has_several_targets() {
            return Ok(more);
        }
        let columns = frame.require(&inputs.names())?;
        for ((feature, column), place) in inputs.features().iter().zip(columns).zip(inputs.places()) {
            let rows = unknown_rows(feature, column);
            if !rows.is_empty() {
                more.resize(frame.row_count(), 0.0);
            }
            let known = place.start..place.end - usize::from(feature.missing.is_some());
            for some in rows.chunks(AT_ONCE) {
                let found = self.variances_over(points, some, known.clone())?;
                some.iter().zip(found).for_each(|(&row, variance)| more[row] += variance);
            }
        }
        Ok(more)
    }

    /// Rise of the variance at these rows if any of these columns may be 1.
    fn variances_over(
        &self,
        points: &Mat<f64>,
        rows: &[usize],
        columns: Range<usize>,
    ) -> Result<Vec<f64>, CliError> {
        let at = |level: Option<usize>| -> Result<(Vec<f64>, Vec<f64>), CliError> {
            let value = |i: usize, d: usize| if Some(d) == level { 1.0 } else { points[(rows[i], d)] };
            let points = Mat::from_fn(rows.len(), points.ncols(), value);
            let function = self.posterior().beliefs(points.as_ref())?.into_functions().swap_remove(0);
            Ok((function.mean, function.variance))
        };
        let ((means, variances), count) = (at(None)?, columns.len().min(MOST_LEVELS));
        let mut squares = vec![0.0; rows.len()];
        for level in 0..count {
            let (mean, variance) = at(Some(columns.start + level * columns.len() / count))?;
            for (i, square) in squares.iter_mut().enumerate() {
                *square += (variance[i] + (mean[i] - means[i]).powi(2)) / count as f64;
            }
        }
        Ok(squares.iter().zip(variances).map(|(all, own)| (all - own).max(0.0)).collect())
    }
}

/// Rows whose level did not occur in training.
fn unknown_rows(feature: &Feature, column: &Column) -> Vec<usize> {
    let (FeatureEncoding::OneHot(known), Values::Levels { codes, levels }) =
        (&feature.encoding, column.values())
    else {
        return Vec::new();
    };
    let is_unknown: Vec<bool> = levels.iter().map(|level| known.binary_search(level).is_err()).collect();
    let unknown = |code: &u32| is_unknown.get(*code as usize).copied().unwrap_or(false);
    (0..codes.len()).filter(|&row| unknown(&codes[row])).collect()
}
