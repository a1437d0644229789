//! Kernel times a variance.

use faer::prelude::ReborrowMut;
use gp_optim::{Parameter, Transform};

use crate::error::KernelError;
use crate::expression::Form;
use crate::inducing::Windowed;
use crate::kernel::{Block, BlockMut, Gradients, Kernel, Pair, Points, TileShape, column_mut};
use crate::views;
use crate::workspace::Workspace;

/// `variance · k`
#[derive(Clone, Debug)]
pub struct Scaled {
    variance: [Parameter; 1],
    child: [Box<dyn Kernel>; 1],
}

impl Scaled {
    /// Name of the parameter.
    pub const PARAMETER: &'static str = "variance";

    /// `kernel` times a positive `variance`.
    ///
    /// # Errors
    /// [`KernelError::Setting`] unless a positive scalar named `variance`.
    pub fn new(variance: Parameter, kernel: Box<dyn Kernel>) -> Result<Self, KernelError> {
        let positive = variance.domain() == Transform::Positive;
        if variance.name() != Self::PARAMETER || variance.is_vector() || !positive {
            return Err(KernelError::Setting {
                kernel: "scale".to_owned(),
                setting: "parameter",
                allowed: "one positive number named variance".to_owned(),
                found: format!("`{}` of {} values in {}", variance.name(), variance.len(), variance.domain()),
            });
        }
        Ok(Self { variance: [variance], child: [kernel] })
    }

    /// `kernel` times a number.
    ///
    /// # Errors
    /// [`KernelError::Parameter`] unless positive and finite.
    pub fn by(variance: f64, kernel: Box<dyn Kernel>) -> Result<Self, KernelError> {
        Self::new(Parameter::scalar(Self::PARAMETER, variance, Transform::Positive)?, kernel)
    }

    pub(crate) fn factor(&self) -> f64 {
        self.variance[0].value()
    }

    pub(crate) fn child(&self) -> &dyn Kernel {
        self.child[0].as_ref()
    }
}

impl Kernel for Scaled {
    fn name(&self) -> &str {
        "scale"
    }

    fn parameters(&self) -> &[Parameter] {
        &self.variance
    }

    fn parameters_mut(&mut self) -> &mut [Parameter] {
        &mut self.variance
    }

    fn form(&self) -> Form {
        Form::Scale
    }

    fn children(&self) -> &[Box<dyn Kernel>] {
        &self.child
    }

    fn children_mut(&mut self) -> &mut [Box<dyn Kernel>] {
        &mut self.child
    }

    fn check_inputs(&self, points: Points<'_>, ws: &mut Workspace) -> Result<(), KernelError> {
        self.child().check_inputs(points, ws)
    }

    fn record_len(&self, shape: TileShape) -> usize {
        self.child().record_len(shape)
    }

    fn tile(&self, pair: Pair<'_>, mut out: BlockMut<'_>, record: &mut [f64], ws: &mut Workspace) {
        self.child().tile(pair, out.rb_mut(), record, ws);
        let factor = self.factor();
        for j in 0..out.ncols() {
            column_mut(&mut out, j).iter_mut().for_each(|value| *value *= factor);
        }
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
        let mut buffer = ws.take_dirty(m * n);
        let factor = self.factor();
        views::zip_columns(&mut views::block_mut(&mut buffer, m, n), upstream, |out, g| *out = factor * g);
        let (scaled, rest) = (views::block(&buffer, m, n), 1..grads.params.len());
        let inner = self.child().tile_reverse(pair, scaled, grads.for_params(rest), record, ws);
        grads.params[0] += inner / factor;
        ws.give(buffer);
        inner
    }

    fn diagonal(&self, points: Points<'_>, out: &mut [f64], ws: &mut Workspace) {
        self.child().diagonal(points, out, ws);
        out.iter_mut().for_each(|value| *value *= self.factor());
    }

    fn diagonal_reverse(
        &self,
        points: Points<'_>,
        upstream: &[f64],
        mut grads: Gradients<'_>,
        ws: &mut Workspace,
    ) {
        let mut buffer = ws.take_dirty(upstream.len());
        self.child().diagonal(points, &mut buffer, ws);
        grads.params[0] += buffer.iter().zip(upstream).map(|(value, g)| value * g).sum::<f64>();
        buffer.iter_mut().zip(upstream).for_each(|(out, g)| *out = self.factor() * g);
        let rest = 1..grads.params.len();
        self.child().diagonal_reverse(points, &buffer, grads.for_params(rest), ws);
        ws.give(buffer);
    }

    fn windowed(&self) -> Option<&dyn Windowed> {
        self.child().windowed().is_some().then_some(self)
    }
}
