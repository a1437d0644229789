//! White: latent noise, different at every point.

use gp_optim::Parameter;

use crate::error::KernelError;
use crate::expression::{KernelEntry, ParameterKind};
use crate::inducing::Windowed;
use crate::kernel::{Block, BlockMut, Gradients, Kernel, Pair, Points, column, column_mut};
use crate::workspace::Workspace;

/// White kernel: `variance` for a point with itself, 0 for two points, even at one place.
///
/// Part of `K_zz` and `diag K_xx` but not of `K_zx`: the "additive noise parameter" of papers on scalable
/// EP.
#[derive(Clone, Debug)]
pub struct White {
    params: [Parameter; 1],
}

fn variance() -> Parameter {
    Parameter::positive("variance")
}

impl White {
    /// White noise of variance 1.
    pub fn new() -> Self {
        Self { params: [variance()] }
    }

    /// Entry in a [`Registry`](crate::Registry).
    pub fn entry() -> KernelEntry {
        KernelEntry::new("white", "variance for a point with itself, else 0: latent noise", |arguments| {
            Ok(Box::new(Self { params: [arguments.parameter(variance(), ParameterKind::Shared)?] }))
        })
    }
}

impl Default for White {
    fn default() -> Self {
        Self::new()
    }
}

impl Kernel for White {
    fn name(&self) -> &str {
        "white"
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

    fn tile(&self, pair: Pair<'_>, mut out: BlockMut<'_>, _: &mut [f64], _ws: &mut Workspace) {
        for j in 0..out.ncols() {
            let column = column_mut(&mut out, j);
            column.fill(0.0);
            if pair.same && j < column.len() {
                column[j] = self.params[0].value();
            }
        }
    }

    fn tile_reverse(
        &self,
        pair: Pair<'_>,
        upstream: Block<'_>,
        grads: Gradients<'_>,
        _: &[f64],
        _ws: &mut Workspace,
    ) -> f64 {
        if !pair.same {
            return 0.0;
        }
        let diagonal = upstream.nrows().min(upstream.ncols());
        let trace: f64 = (0..diagonal).map(|j| column(upstream, j)[j]).sum();
        grads.params[0] += trace;
        trace * self.params[0].value()
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
