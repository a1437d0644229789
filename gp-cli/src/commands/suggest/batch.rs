//! Points for several targets with separate latents.

use crate::error::CliError;
use crate::model::{Functions, Model};
use faer::MatRef;
use gp_ep::design::{Criterion, Design};

/// One design per target; values are summed.
#[derive(Debug)]
pub(super) struct Batch<'a>(Vec<Design<'a, Functions>>);

impl<'a> Batch<'a> {
    pub(super) fn new(targets: &'a [Model], criterion: Criterion) -> Result<Self, CliError> {
        let design = |target: &'a Model| Ok(Design::new(target.posterior(), criterion)?);
        targets.iter().map(design).collect::<Result<_, CliError>>().map(Self)
    }

    /// Values of `points` (N×D) as the next choice.
    pub(super) fn values(&self, points: MatRef<'_, f64>) -> Result<Vec<f64>, CliError> {
        self.sums(points.nrows(), |design| Ok(design.values(points)?))
    }

    /// [`values`](Self::values), accurate to about 1 %.
    pub(super) fn rough_values(&self, points: MatRef<'_, f64>) -> Result<Vec<f64>, CliError> {
        self.sums(points.nrows(), |design| Ok(design.rough_values(points)?))
    }

    /// Adds a point (1×D); returns its value.
    pub(super) fn choose(&mut self, point: MatRef<'_, f64>) -> Result<f64, CliError> {
        self.0.iter_mut().try_fold(0.0, |sum, design| Ok(sum + design.choose(point)?))
    }

    fn sums(
        &self,
        count: usize,
        values: impl Fn(&Design<'a, Functions>) -> Result<Vec<f64>, CliError>,
    ) -> Result<Vec<f64>, CliError> {
        let mut sums = vec![0.0; count];
        for design in &self.0 {
            sums.iter_mut().zip(values(design)?).for_each(|(sum, value)| *sum += value);
        }
        Ok(sums)
    }
}
