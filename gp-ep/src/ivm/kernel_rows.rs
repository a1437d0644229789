//! Covariances of data rows, by class.

use crate::error::InferenceError;
use faer::{MatMut, MatRef};
use gp_kernels::{Evaluator, Kernel, KernelExt};
use gp_linalg::Threading;
use std::sync::Arc;

/// Kernels by class, equal ones evaluated once.
#[derive(Debug)]
pub(super) struct KernelRows<'a> {
    kernels: &'a [Box<dyn Kernel>],
    /// First class with the same kernel.
    first: Vec<usize>,
    inputs: MatRef<'a, f64>,
    evaluator: Evaluator,
    /// Prior variances by class, with white noise.
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
        let first: Vec<usize> = first.collect();
        let evaluator = Evaluator::new(threading);
        let mut diagonals: Vec<Arc<Vec<f64>>> = Vec::with_capacity(first.len());
        for (class, &first) in first.iter().enumerate() {
            let mut diagonal = vec![0.0; if first == class { inputs.nrows() } else { 0 }];
            if first == class {
                evaluator.diagonal(kernels[class].as_ref(), inputs, &mut diagonal)?;
            }
            diagonals.push(if first < class { diagonals[first].clone() } else { Arc::new(diagonal) });
        }
        Ok(Self { kernels, first, inputs, evaluator, diagonals })
    }

    pub(super) fn inputs(&self) -> MatRef<'a, f64> {
        self.inputs
    }

    pub(super) fn first(&self) -> &[usize] {
        &self.first
    }

    pub(super) fn distinct(&self) -> impl Iterator<Item = usize> {
        (0..self.first.len()).filter(|&class| self.first[class] == class)
    }

    /// Covariances of a row; white noise with itself only.
    pub(super) fn one(&self, row: usize, class: usize) -> Result<Vec<f64>, InferenceError> {
        let count = self.inputs.nrows();
        let mut covariances = vec![0.0; count];
        let out = MatMut::from_row_major_slice_mut(&mut covariances, 1, count);
        self.cross(class, self.inputs.subrows(row, 1), self.inputs, out)?;
        covariances[row] = self.diagonals[class][row];
        Ok(covariances)
    }

    /// Covariances of x with z, without white noise.
    pub(super) fn cross(
        &self,
        class: usize,
        x: MatRef<'_, f64>,
        z: MatRef<'_, f64>,
        out: MatMut<'_, f64>,
    ) -> Result<(), InferenceError> {
        if x.nrows() > 0 && z.nrows() > 0 {
            self.evaluator.cross(self.kernels[class].as_ref(), x, z, out)?;
        }
        Ok(())
    }
}
