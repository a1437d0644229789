//! Kernel on selected columns.

use gp_optim::Parameter;

use crate::error::KernelError;
use crate::expression::{Form, KernelEntry, KernelSetting};
use crate::inducing::Windowed;
use crate::kernel::{
    Block, BlockMut, Gradients, Kernel, Pair, Points, PointsMut, TileShape, point, point_mut,
};
use crate::views;
use crate::workspace::Workspace;

/// `k(x[dims], z[dims])`
#[derive(Clone, Debug)]
pub struct ActiveDims {
    dims: Vec<usize>,
    child: [Box<dyn Kernel>; 1],
}

impl ActiveDims {
    /// `kernel` on these columns, from 0.
    ///
    /// # Errors
    /// [`KernelError::Setting`] for empty or repeated `dims`.
    pub fn new(dims: Vec<usize>, kernel: Box<dyn Kernel>) -> Result<Self, KernelError> {
        let different: std::collections::HashSet<usize> = dims.iter().copied().collect();
        let twice = different.len() < dims.len();
        if dims.is_empty() || twice {
            return Err(KernelError::Setting {
                kernel: kernel.name().to_owned(),
                setting: "dims",
                allowed: "one or more different columns".to_owned(),
                found: format!("{dims:?}"),
            });
        }
        Ok(Self { dims, child: [kernel] })
    }

    /// Entry of `select(kernel, dims=[…])`; the parser applies `dims`.
    pub fn entry() -> KernelEntry {
        KernelEntry::new(
            "select",
            "select(kernel, dims=[…]): any kernel on some of the columns",
            |arguments| arguments.kernel(),
        )
        .with_example("select(rbf + linear, dims=[0])")
    }

    /// Selected columns.
    pub fn dims(&self) -> &[usize] {
        &self.dims
    }

    pub(crate) fn child(&self) -> &dyn Kernel {
        self.child[0].as_ref()
    }

    pub(crate) fn gather(&self, points: Points<'_>, ws: &mut Workspace) -> Vec<f64> {
        let (count, seen) = (points.nrows(), self.dims.len());
        let mut gathered = ws.take_dirty(count * seen);
        for i in 0..count {
            let x = point(points, i);
            for (out, &dim) in gathered[i * seen..].iter_mut().zip(&self.dims) {
                *out = x[dim];
            }
        }
        gathered
    }

    pub(crate) fn scatter(&self, gathered: &[f64], points: &mut PointsMut<'_>) {
        let seen = self.dims.len();
        for i in 0..points.nrows() {
            let out = point_mut(points, i);
            for (g, &dim) in gathered[i * seen..].iter().zip(&self.dims) {
                out[dim] += g;
            }
        }
    }
}

impl Kernel for ActiveDims {
    fn name(&self) -> &str {
        "select"
    }

    fn parameters(&self) -> &[Parameter] {
        &[]
    }

    fn parameters_mut(&mut self) -> &mut [Parameter] {
        &mut []
    }

    fn form(&self) -> Form {
        Form::Dims
    }

    fn settings(&self) -> Vec<KernelSetting> {
        vec![KernelSetting::new("dims", self.dims.as_slice())]
    }

    fn children(&self) -> &[Box<dyn Kernel>] {
        &self.child
    }

    fn children_mut(&mut self) -> &mut [Box<dyn Kernel>] {
        &mut self.child
    }

    fn check_inputs(&self, points: Points<'_>, ws: &mut Workspace) -> Result<(), KernelError> {
        if let Some(dim) = self.dims.iter().find(|dim| **dim >= points.ncols()) {
            return Err(KernelError::Dimensions {
                kernel: self.child().name().to_owned(),
                expected: format!("at least {}", dim + 1),
                found: points.ncols(),
            });
        }
        let seen = self.gather(points, ws);
        let checked = self.child().check_inputs(views::points(&seen, points.nrows(), self.dims.len()), ws);
        ws.give(seen);
        checked
    }

    fn record_len(&self, shape: TileShape) -> usize {
        self.child().record_len(TileShape { dim: self.dims.len(), ..shape })
    }

    fn tile(&self, pair: Pair<'_>, out: BlockMut<'_>, record: &mut [f64], ws: &mut Workspace) {
        let (rows, cols) = (self.gather(pair.rows, ws), self.gather(pair.cols, ws));
        self.child().tile(self.seen(pair, &rows, &cols), out, record, ws);
        ws.give(rows);
        ws.give(cols);
    }

    fn tile_reverse(
        &self,
        pair: Pair<'_>,
        upstream: Block<'_>,
        grads: Gradients<'_>,
        record: &[f64],
        ws: &mut Workspace,
    ) -> f64 {
        let (m, n, seen) = (pair.rows.nrows(), pair.cols.nrows(), self.dims.len());
        let (rows, cols) = (self.gather(pair.rows, ws), self.gather(pair.cols, ws));
        let (mut rows_grad, mut cols_grad) = (ws.take(m * seen), ws.take(n * seen));
        let inner_grads = Gradients {
            params: grads.params,
            rows: grads.rows.is_some().then(|| views::points_mut(&mut rows_grad, m, seen)),
            cols: grads.cols.is_some().then(|| views::points_mut(&mut cols_grad, n, seen)),
        };
        let seen = self.seen(pair, &rows, &cols);
        let inner = self.child().tile_reverse(seen, upstream, inner_grads, record, ws);
        if let Some(mut out) = grads.rows {
            self.scatter(&rows_grad, &mut out);
        }
        if let Some(mut out) = grads.cols {
            self.scatter(&cols_grad, &mut out);
        }
        for buffer in [rows, cols, rows_grad, cols_grad] {
            ws.give(buffer);
        }
        inner
    }

    fn diagonal(&self, points: Points<'_>, out: &mut [f64], ws: &mut Workspace) {
        let seen = self.gather(points, ws);
        self.child().diagonal(views::points(&seen, points.nrows(), self.dims.len()), out, ws);
        ws.give(seen);
    }

    fn diagonal_reverse(
        &self,
        points: Points<'_>,
        upstream: &[f64],
        grads: Gradients<'_>,
        ws: &mut Workspace,
    ) {
        let (count, width) = (points.nrows(), self.dims.len());
        let seen = self.gather(points, ws);
        let mut grad = ws.take(count * width);
        let inner_grads = Gradients {
            params: grads.params,
            rows: grads.rows.is_some().then(|| views::points_mut(&mut grad, count, width)),
            cols: None,
        };
        self.child().diagonal_reverse(views::points(&seen, count, width), upstream, inner_grads, ws);
        if let Some(mut out) = grads.rows {
            self.scatter(&grad, &mut out);
        }
        ws.give(seen);
        ws.give(grad);
    }

    fn windowed(&self) -> Option<&dyn Windowed> {
        self.child().windowed().is_some().then_some(self)
    }
}

impl ActiveDims {
    fn seen<'p>(&self, pair: Pair<'_>, rows: &'p [f64], cols: &'p [f64]) -> Pair<'p> {
        let width = self.dims.len();
        Pair {
            rows: views::points(rows, pair.rows.nrows(), width),
            cols: views::points(cols, pair.cols.nrows(), width),
            same: pair.same,
        }
    }
}
