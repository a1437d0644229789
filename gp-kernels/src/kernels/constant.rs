//! Constant: functions of one unknown level.

use gp_optim::Parameter;

use crate::error::KernelError;
use crate::expression::{KernelEntry, ParameterKind};
use crate::inducing::Windowed;
use crate::kernel::{Block, BlockMut, Gradients, Kernel, Pair, Points, column, column_mut};
use crate::workspace::Workspace;

/// Constant kernel `variance`.
#[derive(Clone, Debug)]
pub struct Constant {
    params: [Parameter; 1],
}

fn variance() -> Parameter {
    Parameter::positive("variance")
}

impl Constant {
    /// Constant of variance 1.
    pub fn new() -> Self {
        Self { params: [variance()] }
    }

    /// Entry in a [`Registry`](crate::Registry).
    pub fn entry() -> KernelEntry {
        KernelEntry::new("constant", "variance: one unknown level everywhere (an intercept)", |arguments| {
            Ok(Box::new(Self { params: [arguments.parameter(variance(), ParameterKind::Shared)?] }))
        })
    }
}

impl Default for Constant {
    fn default() -> Self {
        Self::new()
    }
}

impl Kernel for Constant {
    fn name(&self) -> &str {
        "constant"
    }

    fn parameters(&self) -> &[Parameter] {
        &self.params
    }

    fn parameters_mut(&mut self) -> &mut [Parameter] {
        &mut self.params
    }

    fn check_inputs(&self, _points: Points<'_>, _ws: &mut Workspace) -> Result<(), KernelError> {
        Ok(())
    }

    fn tile(&self, _pair: Pair<'_>, mut out: BlockMut<'_>, _: &mut [f64], _ws: &mut Workspace) {
        for j in 0..out.ncols() {
            column_mut(&mut out, j).fill(self.params[0].value());
        }
    }

    fn tile_reverse(
        &self,
        _pair: Pair<'_>,
        upstream: Block<'_>,
        grads: Gradients<'_>,
        _: &[f64],
        _ws: &mut Workspace,
    ) -> f64 {
        let total: f64 = (0..upstream.ncols()).map(|j| column(upstream, j).iter().sum::<f64>()).sum();
        grads.params[0] += total;
        total * self.params[0].value()
    }

    fn diagonal(&self, _points: Points<'_>, out: &mut [f64], _ws: &mut Workspace) {
        out.fill(self.params[0].value());
    }

    fn diagonal_reverse(
        &self,
        _points: Points<'_>,
        upstream: &[f64],
        grads: Gradients<'_>,
        _ws: &mut Workspace,
    ) {
        grads.params[0] += upstream.iter().sum::<f64>();
    }

    fn windowed(&self) -> Option<&dyn Windowed> {
        Some(self)
    }
}
