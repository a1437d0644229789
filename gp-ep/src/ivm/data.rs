//! Labelled points in memory, checked once.

use super::model::Ivm;
use crate::error::{EpError, check_count};
use faer::MatRef;
use gp_kernels::data::{DataError, DataSource, Rows};

/// All rows of a source: points, targets and the class of each target.
#[derive(Debug)]
pub(super) struct Labelled {
    points: Vec<f64>,
    dim: usize,
    pub(super) targets: Vec<f64>,
    pub(super) classes: Vec<usize>,
}

impl Labelled {
    /// Reads everything.
    pub(super) fn read(model: &Ivm, data: &dyn DataSource) -> Result<Self, EpError> {
        let (count, dim) = (data.count(), data.dim());
        if count == 0 {
            return Err(DataError::NoData.into());
        }
        check_count("targets", "columns", 1, data.outputs())?;
        let (mut points, mut targets) = (vec![0.0; count * dim], vec![0.0; count]);
        data.read(&Rows::Range(0..count), &mut points, &mut targets)?;
        let support = model.likelihood().support();
        let class_of = |(row, &y): (usize, &f64)| {
            let found = model.likelihood().check_observation(&[y]);
            found.map_err(|fault| EpError::Observation { row, fault })?;
            Ok((0..support.classes()).find(|&class| support.label(class) == y).unwrap_or(0))
        };
        let classes = targets.iter().enumerate().map(class_of).collect::<Result<_, EpError>>()?;
        Ok(Self { points, dim, targets, classes })
    }

    pub(super) fn len(&self) -> usize {
        self.targets.len()
    }

    /// The points, N×D.
    pub(super) fn inputs(&self) -> MatRef<'_, f64> {
        MatRef::from_row_major_slice(&self.points, self.len(), self.dim)
    }
}
