//! Kernels of scaled inner products: `u = ⟨x, z⟩`, `a = ⟨x, x⟩`, `b = ⟨z, z⟩`.

use faer::prelude::{IntoConst, ReborrowMut};
use faer::{Accum, MatRef};
use gp_optim::Parameter;

use crate::error::KernelError;
use crate::expression::{KernelArguments, KernelEntry, KernelSetting, ParameterKind};
use crate::inducing::Windowed;
use crate::kernel::{
    Block, BlockMut, Gradients, Kernel, Pair, Points, PointsMut, column, column_mut, point, point_mut,
};
use crate::lanes::dot;
use crate::metrics::{per_input, slot};
use crate::tree::check_per_input;
use crate::views::{self, multiply};
use crate::workspace::Workspace;

/// Squared norms per column of inner products.
#[derive(Clone, Copy, Debug)]
pub struct Inner<'a> {
    /// `⟨x_i, x_i⟩` per row point.
    pub rows: &'a [f64],
    /// `⟨z, z⟩` for the column point.
    pub col: f64,
}

/// Accumulators of [`DotProfile`] gradients.
#[derive(Debug)]
pub struct InnerGradients<'a> {
    /// Derivatives by `⟨x_i, x_i⟩`.
    pub rows: &'a mut [f64],
    /// Derivative by `⟨z, z⟩`.
    pub col: &'a mut f64,
    /// Profile's parameter gradient.
    pub own: &'a mut [f64],
}

/// Covariance of inner products; defines a kernel.
pub trait DotProfile: Clone + std::fmt::Debug + Send + Sync + 'static {
    /// Name in expressions.
    const NAME: &'static str;
    /// One line with the formula.
    const SUMMARY: &'static str;
    /// Other common names.
    const ALIASES: &'static [&'static str] = &[];

    /// Parameters besides the length-scale, with defaults.
    fn parameters() -> Vec<Parameter> {
        Vec::new()
    }

    /// Reads settings, such as `degree`.
    ///
    /// # Errors
    /// Those of [`KernelArguments`].
    fn from_arguments(arguments: &mut KernelArguments<'_>) -> Result<Self, KernelError>;

    /// Settings in expressions.
    fn settings(&self) -> Vec<KernelSetting> {
        Vec::new()
    }

    /// `u_i ← k_i`, with parameters `own`.
    fn apply(&self, own: &[Parameter], u: &mut [f64], inner: Inner<'_>);

    /// `u_i ← upstream_i ∂k/∂u_i`; adds other derivatives to `grads`; returns `Σ upstream_i k_i`.
    fn reverse(
        &self,
        own: &[Parameter],
        u: &mut [f64],
        inner: Inner<'_>,
        upstream: &[f64],
        grads: InnerGradients<'_>,
    ) -> f64;

    /// Closed forms with Gaussian windows.
    fn windowed(_kernel: &DotProduct<Self>) -> Option<&dyn Windowed> {
        None
    }
}

/// [`DotProfile`] of `u = Σ_d x_d z_d / ℓ_d²`.
#[derive(Clone, Debug)]
pub struct DotProduct<P: DotProfile> {
    profile: P,
    /// Length-scale, then profile parameters.
    params: Vec<Parameter>,
}

fn lengthscale() -> Parameter {
    Parameter::positive("lengthscale")
}

impl<P: DotProfile> DotProduct<P> {
    /// Kernel with default parameters.
    pub fn new(profile: P) -> Self {
        Self { profile, params: std::iter::once(lengthscale()).chain(P::parameters()).collect() }
    }

    /// [`Registry`](crate::Registry) entry.
    pub fn entry() -> KernelEntry {
        KernelEntry::new(P::NAME, P::SUMMARY, |arguments: &mut KernelArguments<'_>| {
            let mut params = vec![arguments.parameter(lengthscale(), ParameterKind::Length)?];
            for default in P::parameters() {
                params.push(arguments.parameter(default, ParameterKind::Shared)?);
            }
            Ok(Box::new(Self { profile: P::from_arguments(arguments)?, params }))
        })
        .with_aliases(P::ALIASES)
    }

    fn lengthscale(&self) -> &Parameter {
        &self.params[0]
    }

    fn own(&self) -> &[Parameter] {
        &self.params[1..]
    }

    fn scaled(&self, points: Points<'_>, ws: &mut Workspace) -> ScaledPoints {
        let (count, dim) = (points.nrows(), points.ncols());
        let mut scaled =
            ScaledPoints { points: ws.take_dirty(count * dim), norms: ws.take_dirty(count), dim };
        for i in 0..count {
            let row = &mut scaled.points[i * dim..][..dim];
            for (d, (s, x)) in row.iter_mut().zip(point(points, i)).enumerate() {
                *s = x / per_input(self.lengthscale(), d);
            }
            scaled.norms[i] = dot(row, row);
        }
        scaled
    }
}

/// Points divided by length-scales; squared norms.
struct ScaledPoints {
    points: Vec<f64>,
    norms: Vec<f64>,
    dim: usize,
}

impl ScaledPoints {
    fn view(&self) -> Points<'_> {
        views::points(&self.points, self.norms.len(), self.dim)
    }

    fn give_back(self, ws: &mut Workspace) {
        ws.give(self.points);
        ws.give(self.norms);
    }
}

fn inner_products(rows: &ScaledPoints, cols: &ScaledPoints, out: BlockMut<'_>) {
    let cols = cols.view().transpose().as_dyn_stride();
    multiply(out.as_dyn_stride_mut(), Accum::Replace, rows.view().as_dyn_stride(), cols, 1.0);
}

impl<P: DotProfile> Kernel for DotProduct<P> {
    fn name(&self) -> &str {
        P::NAME
    }

    fn parameters(&self) -> &[Parameter] {
        &self.params
    }

    fn parameters_mut(&mut self) -> &mut [Parameter] {
        &mut self.params
    }

    fn settings(&self) -> Vec<KernelSetting> {
        self.profile.settings()
    }

    fn is_length(&self, parameter: usize) -> bool {
        parameter == 0
    }

    fn check_inputs(&self, points: Points<'_>, _ws: &mut Workspace) -> Result<(), KernelError> {
        check_per_input(P::NAME, &self.params[..1], points.ncols())
    }

    fn tile(&self, pair: Pair<'_>, mut out: BlockMut<'_>, _: &mut [f64], ws: &mut Workspace) {
        let (rows, cols) = (self.scaled(pair.rows, ws), self.scaled(pair.cols, ws));
        inner_products(&rows, &cols, out.rb_mut());
        for j in 0..out.ncols() {
            let inner = Inner { rows: &rows.norms, col: cols.norms[j] };
            self.profile.apply(self.own(), column_mut(&mut out, j), inner);
        }
        rows.give_back(ws);
        cols.give_back(ws);
    }

    fn tile_reverse(
        &self,
        pair: Pair<'_>,
        upstream: Block<'_>,
        grads: Gradients<'_>,
        _: &[f64],
        ws: &mut Workspace,
    ) -> f64 {
        let (m, n) = (upstream.nrows(), upstream.ncols());
        let (rows, cols) = (self.scaled(pair.rows, ws), self.scaled(pair.cols, ws));
        let (scale_grad, own_grad) = grads.params.split_at_mut(self.lengthscale().len());
        let mut slopes = ws.take_dirty(m * n);
        let mut u = views::block_mut(&mut slopes, m, n);
        inner_products(&rows, &cols, u.rb_mut());
        let (mut rows_grad, mut cols_grad) = (ws.take(m), ws.take(n));
        let mut total = 0.0;
        for (j, col_grad) in cols_grad.iter_mut().enumerate() {
            let inner = Inner { rows: &rows.norms, col: cols.norms[j] };
            let to = InnerGradients { rows: &mut rows_grad, col: col_grad, own: own_grad };
            total += self.profile.reverse(self.own(), column_mut(&mut u, j), inner, column(upstream, j), to);
        }
        let u = u.into_const().as_dyn_stride();
        self.pull_back(u, (&rows, &rows_grad), &cols, scale_grad, grads.rows, ws);
        self.pull_back(u.transpose(), (&cols, &cols_grad), &rows, scale_grad, grads.cols, ws);
        for buffer in [slopes, rows_grad, cols_grad] {
            ws.give(buffer);
        }
        rows.give_back(ws);
        cols.give_back(ws);
        total
    }

    fn diagonal(&self, points: Points<'_>, out: &mut [f64], _ws: &mut Workspace) {
        for (i, out) in out.iter_mut().enumerate() {
            let norm = self.squared_norm(point(points, i));
            *out = norm;
            self.profile.apply(self.own(), std::slice::from_mut(out), Inner { rows: &[norm], col: norm });
        }
    }

    fn diagonal_reverse(
        &self,
        points: Points<'_>,
        upstream: &[f64],
        grads: Gradients<'_>,
        _ws: &mut Workspace,
    ) {
        let Gradients { params, mut rows, .. } = grads;
        let (scale_grad, own) = params.split_at_mut(self.lengthscale().len());
        for (i, g) in upstream.iter().enumerate() {
            let x = point(points, i);
            let norm = self.squared_norm(x);
            let (mut u, mut by_row, mut by_col) = ([norm], [0.0], 0.0);
            let to = InnerGradients { rows: &mut by_row, col: &mut by_col, own };
            self.profile.reverse(self.own(), &mut u, Inner { rows: &[norm], col: norm }, &[*g], to);
            let by_norm = u[0] + by_row[0] + by_col;
            for (d, x) in x.iter().enumerate() {
                let scale = per_input(self.lengthscale(), d);
                let slope = 2.0 * by_norm * x / (scale * scale);
                scale_grad[slot(self.lengthscale(), d)] -= slope * x / scale;
                if let Some(rows) = &mut rows {
                    point_mut(rows, i)[d] += slope;
                }
            }
        }
    }

    fn windowed(&self) -> Option<&dyn Windowed> {
        P::windowed(self)
    }
}

impl<P: DotProfile> DotProduct<P> {
    fn squared_norm(&self, x: &[f64]) -> f64 {
        x.iter().enumerate().map(|(d, x)| (x / per_input(self.lengthscale(), d)).powi(2)).sum()
    }

    /// `∂/∂x_i = Σ_j slopes_ij z_j + 2 norm_grad_i x_i` for scaled points; `norm_grad = ∂/∂⟨x, x⟩`.
    fn pull_back(
        &self,
        slopes: MatRef<'_, f64>,
        (this, norm_grad): (&ScaledPoints, &[f64]),
        other: &ScaledPoints,
        scale_grad: &mut [f64],
        mut out: Option<PointsMut<'_>>,
        ws: &mut Workspace,
    ) {
        let (count, dim) = (this.norms.len(), this.dim);
        let mut pulled = ws.take_dirty(count * dim);
        let into = views::points_mut(&mut pulled, count, dim).as_dyn_stride_mut();
        multiply(into, Accum::Replace, slopes, other.view().as_dyn_stride(), 1.0);
        for i in 0..count {
            for d in 0..dim {
                let (x, scale) = (this.points[i * dim + d], per_input(self.lengthscale(), d));
                let slope = (pulled[i * dim + d] + 2.0 * norm_grad[i] * x) / scale;
                scale_grad[slot(self.lengthscale(), d)] -= slope * x;
                if let Some(out) = &mut out {
                    point_mut(out, i)[d] += slope;
                }
            }
        }
        ws.give(pulled);
    }
}
