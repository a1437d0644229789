//! Covariance of sums of independent functions.

use faer::prelude::ReborrowMut;
use gp_optim::Parameter;

use super::with_ranges;
use crate::error::KernelError;
use crate::expression::Form;
use crate::inducing::Windowed;
use crate::kernel::{
    Block, BlockMut, Gradients, Kernel, Pair, Points, TileShape, split_record, split_record_mut,
};
use crate::views;
use crate::workspace::Workspace;

/// `k₁ + k₂ + …`
#[derive(Clone, Debug)]
pub struct Sum {
    terms: Vec<Box<dyn Kernel>>,
}

impl Sum {
    /// Flattened sum; a single kernel unchanged.
    ///
    /// # Errors
    /// [`KernelError::Setting`] without kernels.
    pub fn of(terms: Vec<Box<dyn Kernel>>) -> Result<Box<dyn Kernel>, KernelError> {
        if terms.is_empty() {
            return Err(super::nothing_in("sum"));
        }
        Ok(Self::of_some(terms))
    }

    pub(crate) fn of_some(terms: Vec<Box<dyn Kernel>>) -> Box<dyn Kernel> {
        let mut terms = super::flattened(Form::Sum, terms);
        if terms.len() == 1 { terms.swap_remove(0) } else { Box::new(Self { terms }) }
    }
}

impl Kernel for Sum {
    fn name(&self) -> &str {
        "sum"
    }

    fn parameters(&self) -> &[Parameter] {
        &[]
    }

    fn parameters_mut(&mut self) -> &mut [Parameter] {
        &mut []
    }

    fn form(&self) -> Form {
        Form::Sum
    }

    fn children(&self) -> &[Box<dyn Kernel>] {
        &self.terms
    }

    fn children_mut(&mut self) -> &mut [Box<dyn Kernel>] {
        &mut self.terms
    }

    fn check_inputs(&self, points: Points<'_>, ws: &mut Workspace) -> Result<(), KernelError> {
        self.terms.iter().try_for_each(|term| term.check_inputs(points, ws))
    }

    fn record_len(&self, shape: TileShape) -> usize {
        self.terms.iter().map(|term| term.record_len(shape)).sum()
    }

    fn tile(&self, pair: Pair<'_>, mut out: BlockMut<'_>, mut record: &mut [f64], ws: &mut Workspace) {
        let Some((first, rest)) = self.terms.split_first() else {
            return out.fill(0.0);
        };
        first.tile(pair, out.rb_mut(), split_record_mut(&mut record, first.record_len(pair.shape())), ws);
        let (m, n) = (out.nrows(), out.ncols());
        let mut buffer = ws.take_dirty(m * n);
        for term in rest {
            let record = split_record_mut(&mut record, term.record_len(pair.shape()));
            term.tile(pair, views::block_mut(&mut buffer, m, n), record, ws);
            views::zip_columns(&mut out, views::block(&buffer, m, n), |out, value| *out += value);
        }
        ws.give(buffer);
    }

    fn tile_reverse(
        &self,
        pair: Pair<'_>,
        upstream: Block<'_>,
        mut grads: Gradients<'_>,
        mut record: &[f64],
        ws: &mut Workspace,
    ) -> f64 {
        let mut inner = 0.0;
        with_ranges(&self.terms, 0, |_, term, range| {
            let record = split_record(&mut record, term.record_len(pair.shape()));
            inner += term.tile_reverse(pair, upstream, grads.for_params(range), record, ws);
        });
        inner
    }

    fn diagonal(&self, points: Points<'_>, out: &mut [f64], ws: &mut Workspace) {
        let mut own = ws.take_dirty(out.len());
        out.fill(0.0);
        for term in &self.terms {
            term.diagonal(points, &mut own, ws);
            out.iter_mut().zip(&own).for_each(|(out, own)| *out += own);
        }
        ws.give(own);
    }

    fn diagonal_reverse(
        &self,
        points: Points<'_>,
        upstream: &[f64],
        mut grads: Gradients<'_>,
        ws: &mut Workspace,
    ) {
        with_ranges(&self.terms, 0, |_, term, range| {
            term.diagonal_reverse(points, upstream, grads.for_params(range), ws);
        });
    }

    fn windowed(&self) -> Option<&dyn Windowed> {
        self.terms.iter().all(|term| term.windowed().is_some()).then_some(self)
    }
}
