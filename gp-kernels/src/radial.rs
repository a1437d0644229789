//! Kernels `κ(s(x, z))` of distances s.

use gp_optim::Parameter;

use crate::error::KernelError;
use crate::expression::{KernelArguments, KernelEntry, ParameterKind};
use crate::inducing::Windowed;
use crate::kernel::{Block, BlockMut, Gradients, Kernel, Pair, Points, TileShape, column};
use crate::metrics::Metric;
use crate::tree::check_per_input;
use crate::workspace::Workspace;

/// Covariance κ of a distance s, `κ(0) = 1`; defines a kernel.
pub trait Profile: Clone + std::fmt::Debug + Default + Send + Sync + 'static {
    /// Name in expressions.
    const NAME: &'static str;
    /// One line with the formula.
    const SUMMARY: &'static str;
    /// Other common names.
    const ALIASES: &'static [&'static str] = &[];
    /// Distance s.
    type Metric: Metric;

    /// Parameters besides the metric's, with defaults.
    fn parameters() -> Vec<(Parameter, ParameterKind)> {
        Vec::new()
    }

    /// `s_i ← κ(s_i)`, with parameters `own`.
    fn apply(&self, own: &[Parameter], s: &mut [f64]);

    /// `s_i ← upstream_i κ'(s_i)`; adds to `own_grad`; returns `Σ upstream_i κ(s_i)`.
    ///
    /// Use 0 for unbounded κ' (rough kernels, s = 0): one-sided slopes cancel.
    fn reverse(&self, own: &[Parameter], s: &mut [f64], upstream: &[f64], own_grad: &mut [f64]) -> f64;

    /// Closed forms with Gaussian windows.
    fn windowed(_kernel: &Radial<Self>) -> Option<&dyn Windowed> {
        None
    }
}

/// Kernel of a [`Profile`] and its [`Metric`].
#[derive(Clone, Debug)]
pub struct Radial<P: Profile> {
    profile: P,
    /// Metric's parameters, then the profile's.
    params: Vec<Parameter>,
    metric_count: usize,
}

impl<P: Profile> Radial<P> {
    /// Default parameters; [`KernelExt::set`](crate::KernelExt::set) changes them.
    pub fn new() -> Self {
        let defaults = P::Metric::parameters().into_iter().chain(P::parameters());
        Self::from_params(defaults.map(|(param, _)| param).collect())
    }

    fn from_params(params: Vec<Parameter>) -> Self {
        Self { profile: P::default(), params, metric_count: P::Metric::parameters().len() }
    }

    /// [`Registry`](crate::Registry) entry.
    pub fn entry() -> KernelEntry {
        KernelEntry::new(P::NAME, P::SUMMARY, |arguments: &mut KernelArguments<'_>| {
            let mut params = Vec::new();
            for (default, kind) in P::Metric::parameters().into_iter().chain(P::parameters()) {
                params.push(arguments.parameter(default, kind)?);
            }
            Ok(Box::new(Self::from_params(params)))
        })
        .with_aliases(P::ALIASES)
    }

    fn metric_params(&self) -> &[Parameter] {
        &self.params[..self.metric_count]
    }

    fn own_params(&self) -> &[Parameter] {
        &self.params[self.metric_count..]
    }
}

impl<P: Profile> Default for Radial<P> {
    fn default() -> Self {
        Self::new()
    }
}

impl<P: Profile> Kernel for Radial<P> {
    fn name(&self) -> &str {
        P::NAME
    }

    fn parameters(&self) -> &[Parameter] {
        &self.params
    }

    fn parameters_mut(&mut self) -> &mut [Parameter] {
        &mut self.params
    }

    fn is_length(&self, parameter: usize) -> bool {
        let mut declared = P::Metric::parameters().into_iter().chain(P::parameters());
        declared.nth(parameter).is_some_and(|(_, kind)| kind == ParameterKind::Length)
    }

    fn check_inputs(&self, points: Points<'_>, _ws: &mut Workspace) -> Result<(), KernelError> {
        check_per_input(P::NAME, self.metric_params(), points.ncols())
    }

    fn record_len(&self, shape: TileShape) -> usize {
        P::Metric::record_len(shape)
    }

    fn tile(&self, pair: Pair<'_>, out: BlockMut<'_>, record: &mut [f64], ws: &mut Workspace) {
        P::Metric::sums(self.metric_params(), pair, out, record, ws, |_, _, s| {
            self.profile.apply(self.own_params(), s);
        });
    }

    fn tile_reverse(
        &self,
        pair: Pair<'_>,
        upstream: Block<'_>,
        grads: Gradients<'_>,
        record: &[f64],
        ws: &mut Workspace,
    ) -> f64 {
        let metric_len: usize = self.metric_params().iter().map(Parameter::len).sum();
        let (metric_grad, own_grad) = grads.params.split_at_mut(metric_len);
        let grads = Gradients { params: metric_grad, ..grads };
        let mut inner = 0.0;
        P::Metric::sums_reverse(self.metric_params(), pair, grads, record, ws, |j, rows, s| {
            inner += self.profile.reverse(self.own_params(), s, &column(upstream, j)[rows], own_grad);
        });
        inner
    }

    fn diagonal(&self, _points: Points<'_>, out: &mut [f64], _ws: &mut Workspace) {
        out.fill(1.0);
    }

    fn diagonal_reverse(
        &self,
        _points: Points<'_>,
        _upstream: &[f64],
        _grads: Gradients<'_>,
        _ws: &mut Workspace,
    ) {
    }

    fn windowed(&self) -> Option<&dyn Windowed> {
        P::windowed(self)
    }
}
