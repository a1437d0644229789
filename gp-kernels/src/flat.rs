//! Kernels constant on some pairs, else 0.

use gp_optim::Parameter;
use std::ops::Range;

use crate::error::KernelError;
use crate::expression::{KernelEntry, ParameterKind};
use crate::inducing::Windowed;
use crate::kernel::{Block, BlockMut, Gradients, Kernel, Pair, Points, column, column_mut};
use crate::workspace::Workspace;

/// Pairs with covariance, including identical points.
pub trait Reach: Clone + std::fmt::Debug + Default + Send + Sync + 'static {
    /// Name in expressions.
    const NAME: &'static str;
    /// One line with the formula.
    const SUMMARY: &'static str;
    /// Other common names.
    const ALIASES: &'static [&'static str] = &[];

    /// Rows with covariance in column `j`.
    fn rows(&self, pair: Pair<'_>, j: usize) -> Range<usize>;
}

/// `variance` at pairs of a [`Reach`], else 0.
#[derive(Clone, Debug)]
pub struct Flat<R: Reach> {
    reach: R,
    params: [Parameter; 1],
}

fn variance() -> Parameter {
    Parameter::positive("variance")
}

impl<R: Reach> Flat<R> {
    /// Variance 1.
    pub fn new() -> Self {
        Self::of(variance())
    }

    fn of(variance: Parameter) -> Self {
        Self { reach: R::default(), params: [variance] }
    }
}

impl<R: Reach> Default for Flat<R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<R: Reach> Flat<R>
where
    Self: Windowed,
{
    /// [`Registry`](crate::Registry) entry.
    pub fn entry() -> KernelEntry {
        KernelEntry::new(R::NAME, R::SUMMARY, |arguments| {
            Ok(Box::new(Self::of(arguments.parameter(variance(), ParameterKind::Shared)?)))
        })
        .with_aliases(R::ALIASES)
    }
}

impl<R: Reach> Kernel for Flat<R>
where
    Self: Windowed,
{
    fn name(&self) -> &str {
        R::NAME
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
            column[self.reach.rows(pair, j)].fill(self.params[0].value());
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
        let sum = |j: usize| column(upstream, j)[self.reach.rows(pair, j)].iter().sum::<f64>();
        let total: f64 = (0..upstream.ncols()).map(sum).sum();
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
