//! Product of kernels.

use faer::prelude::ReborrowMut;
use gp_optim::Parameter;

use super::with_ranges;
use crate::error::KernelError;
use crate::expression::Form;
use crate::kernel::{
    Block, BlockMut, Gradients, Kernel, Pair, Points, TileShape, split_record, split_record_mut,
};
use crate::views;
use crate::workspace::Workspace;

/// `k₁ · k₂ · …`
#[derive(Clone, Debug)]
pub struct Product {
    factors: Vec<Box<dyn Kernel>>,
}

impl Product {
    /// Flattened product; a single kernel unchanged.
    ///
    /// # Errors
    /// [`KernelError::Setting`] without kernels.
    pub fn of(factors: Vec<Box<dyn Kernel>>) -> Result<Box<dyn Kernel>, KernelError> {
        if factors.is_empty() {
            return Err(super::nothing_in("product"));
        }
        Ok(Self::of_some(factors))
    }

    pub(crate) fn of_some(factors: Vec<Box<dyn Kernel>>) -> Box<dyn Kernel> {
        let mut factors = super::flattened(Form::Product, factors);
        if factors.len() == 1 { factors.swap_remove(0) } else { Box::new(Self { factors }) }
    }

    /// Record: all values, then each factor's record.
    fn fill_record(&self, pair: Pair<'_>, record: &mut [f64], ws: &mut Workspace) {
        let (m, n) = (pair.rows.nrows(), pair.cols.nrows());
        let (values, mut rest) = record.split_at_mut(self.factors.len() * m * n);
        for (i, factor) in self.factors.iter().enumerate() {
            let own = split_record_mut(&mut rest, factor.record_len(pair.shape()));
            factor.tile(pair, views::block_mut(&mut values[i * m * n..], m, n), own, ws);
        }
    }
}

/// `weights ← upstream ∘ Π_{k ≠ skip} values_k`.
fn weights_without(skip: usize, values: &[f64], weights: &mut [f64]) {
    for (k, others) in values.chunks_exact(weights.len()).enumerate() {
        if k != skip {
            weights.iter_mut().zip(others).for_each(|(weight, other)| *weight *= other);
        }
    }
}

impl Kernel for Product {
    fn name(&self) -> &str {
        "product"
    }

    fn parameters(&self) -> &[Parameter] {
        &[]
    }

    fn parameters_mut(&mut self) -> &mut [Parameter] {
        &mut []
    }

    fn form(&self) -> Form {
        Form::Product
    }

    fn children(&self) -> &[Box<dyn Kernel>] {
        &self.factors
    }

    fn children_mut(&mut self) -> &mut [Box<dyn Kernel>] {
        &mut self.factors
    }

    fn check_inputs(&self, points: Points<'_>, ws: &mut Workspace) -> Result<(), KernelError> {
        self.factors.iter().try_for_each(|factor| factor.check_inputs(points, ws))
    }

    fn record_len(&self, shape: TileShape) -> usize {
        let own: usize = self.factors.iter().map(|factor| factor.record_len(shape)).sum();
        self.factors.len() * shape.rows * shape.cols + own
    }

    fn tile(&self, pair: Pair<'_>, mut out: BlockMut<'_>, record: &mut [f64], ws: &mut Workspace) {
        let Some((first, rest)) = self.factors.split_first() else {
            return out.fill(1.0);
        };
        let (m, n) = (out.nrows(), out.ncols());
        let times = |out: &mut f64, value: f64| *out *= value;
        if !record.is_empty() {
            self.fill_record(pair, record, ws);
            out.copy_from(views::block(record, m, n));
            for i in 1..self.factors.len() {
                views::zip_columns(&mut out, views::block(&record[i * m * n..], m, n), times);
            }
            return;
        }
        first.tile(pair, out.rb_mut(), &mut [], ws);
        let mut buffer = ws.take_dirty(m * n);
        for factor in rest {
            factor.tile(pair, views::block_mut(&mut buffer, m, n), &mut [], ws);
            views::zip_columns(&mut out, views::block(&buffer, m, n), times);
        }
        ws.give(buffer);
    }

    fn tile_reverse(
        &self,
        pair: Pair<'_>,
        upstream: Block<'_>,
        mut grads: Gradients<'_>,
        record: &[f64],
        ws: &mut Workspace,
    ) -> f64 {
        let (m, n) = (upstream.nrows(), upstream.ncols());
        if m * n == 0 {
            return 0.0;
        }
        // Gradients of a factor need the values of all others.
        let mut own = Vec::new();
        if record.is_empty() {
            own = ws.take_dirty(self.record_len(pair.shape()));
            self.fill_record(pair, &mut own, ws);
        }
        let record = if record.is_empty() { &own } else { record };
        let (values, mut rest) = record.split_at(self.factors.len() * m * n);
        let mut weights = ws.take_dirty(m * n);
        let mut inner = 0.0;
        with_ranges(&self.factors, 0, |i, factor, range| {
            views::block_mut(&mut weights, m, n).copy_from(upstream);
            weights_without(i, values, &mut weights);
            let weights = views::block(&weights, m, n);
            let record = split_record(&mut rest, factor.record_len(pair.shape()));
            // All factors return the same sum, Σ upstream ∘ Π values.
            inner = factor.tile_reverse(pair, weights, grads.for_params(range), record, ws);
        });
        ws.give(weights);
        if !own.is_empty() {
            ws.give(own);
        }
        inner
    }

    fn diagonal(&self, points: Points<'_>, out: &mut [f64], ws: &mut Workspace) {
        let mut own = ws.take_dirty(out.len());
        out.fill(1.0);
        for factor in &self.factors {
            factor.diagonal(points, &mut own, ws);
            out.iter_mut().zip(&own).for_each(|(out, own)| *out *= own);
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
        let count = upstream.len();
        if count == 0 {
            return;
        }
        let mut values = ws.take_dirty(self.factors.len() * count);
        for (factor, values) in self.factors.iter().zip(values.chunks_exact_mut(count)) {
            factor.diagonal(points, values, ws);
        }
        let mut weights = ws.take_dirty(count);
        with_ranges(&self.factors, 0, |i, factor, range| {
            weights.copy_from_slice(upstream);
            weights_without(i, &values, &mut weights);
            factor.diagonal_reverse(points, &weights, grads.for_params(range), ws);
        });
        ws.give(values);
        ws.give(weights);
    }
}
