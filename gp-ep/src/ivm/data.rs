//! Checked labelled points in memory.

use super::model::Ivm;
use crate::error::InferenceError;
use faer::MatRef;
use gp_kernels::data::{DataSource, Loaded};

#[derive(Debug)]
pub(super) struct Labelled {
    rows: Loaded,
    pub(super) classes: Vec<usize>,
}

impl Labelled {
    pub(super) fn read(model: &Ivm, data: &dyn DataSource) -> Result<Self, InferenceError> {
        let rows = Loaded::of(data, 1)?;
        let support = model.likelihood().support();
        let class_of = |(row, &y): (usize, &f64)| {
            let found = model.likelihood().check_observation(&[y]);
            found.map_err(|fault| InferenceError::Observation { row, fault })?;
            Ok((0..support.classes()).find(|&class| support.label(class) == y).unwrap_or(0))
        };
        let classes =
            rows.targets().iter().enumerate().map(class_of).collect::<Result<_, InferenceError>>()?;
        Ok(Self { rows, classes })
    }

    pub(super) fn len(&self) -> usize {
        self.rows.count()
    }

    pub(super) fn targets(&self) -> &[f64] {
        self.rows.targets()
    }

    pub(super) fn inputs(&self) -> MatRef<'_, f64> {
        self.rows.inputs()
    }
}
