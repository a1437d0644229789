//! Covariances of one point with all points, by class.

use crate::error::InferenceError;
use faer::{MatMut, MatRef};
use gp_kernels::{Evaluator, Kernel, KernelExt};
use gp_linalg::Threading;
use std::sync::Arc;

/// Rows of all classes' covariance matrices, shared by equal kernels.
#[derive(Debug)]
pub(super) struct KernelRows<'a> {
    kernels: &'a [Box<dyn Kernel>],
    /// First class with the same kernel.
    first: Vec<usize>,
    inputs: MatRef<'a, f64>,
    evaluator: Evaluator,
    /// Prior variances of all points, by class.
    pub(super) diagonals: Vec<Arc<Vec<f64>>>,
}

impl<'a> KernelRows<'a> {
    pub(super) fn new(
        kernels: &'a [Box<dyn Kernel>],
        inputs: MatRef<'a, f64>,
        threading: Threading,
    ) -> Result<Self, InferenceError> {
        let texts: Vec<String> = kernels.iter().map(|kernel| kernel.expression()).collect();
        let first = texts.iter().map(|text| texts.iter().position(|other| other == text).unwrap_or(0));
        let (first, diagonals) = (first.collect(), Vec::new());
        let mut rows = Self { kernels, first, inputs, evaluator: Evaluator::new(threading), diagonals };
        rows.diagonals = rows.shared(|class| {
            let mut diagonal = vec![0.0; inputs.nrows()];
            rows.evaluator.diagonal(kernels[class].as_ref(), inputs, &mut diagonal)?;
            Ok(diagonal)
        })?;
        Ok(rows)
    }

    /// Covariances of point `row` with all points, by class; with itself the prior variance including white
    /// noise.
    pub(super) fn row(&self, row: usize) -> Result<Vec<Arc<Vec<f64>>>, InferenceError> {
        self.shared(|class| self.one(row, class))
    }

    /// Covariances of one class.
    pub(super) fn one(&self, row: usize, class: usize) -> Result<Vec<f64>, InferenceError> {
        let count = self.inputs.nrows();
        let mut covariances = vec![0.0; count];
        let point = self.inputs.subrows(row, 1);
        let out = MatMut::from_row_major_slice_mut(&mut covariances, 1, count);
        self.evaluator.cross(self.kernels[class].as_ref(), point, self.inputs, out)?;
        covariances[row] = self.diagonals[class][row];
        Ok(covariances)
    }

    /// One vector per class, computed once for equal kernels.
    fn shared(
        &self,
        compute: impl Fn(usize) -> Result<Vec<f64>, InferenceError>,
    ) -> Result<Vec<Arc<Vec<f64>>>, InferenceError> {
        let mut found: Vec<Arc<Vec<f64>>> = Vec::with_capacity(self.first.len());
        for (class, &first) in self.first.iter().enumerate() {
            found.push(if first < class { found[first].clone() } else { Arc::new(compute(class)?) });
        }
        Ok(found)
    }
}
