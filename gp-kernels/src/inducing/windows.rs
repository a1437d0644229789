//! Inter-domain features (Bui et al. 2017 §3.7): `g(z) = ∫ N(x; z, diag ω) f(x) dx`, `f(z)` for ω → 0.

use super::windowed::{Windowed, WindowedGradients, WindowedPair};
use crate::algebra::{ActiveDims, Scaled, Sum};
use crate::kernel::{Block, BlockMut, Gradients, Kernel, Pair, column, column_mut, point, point_mut};
use crate::kernels::constant::Constant;
use crate::kernels::linear::Linear;
use crate::kernels::rbf::Rbf;
use crate::kernels::white::White;
use crate::metrics::{per_input, slot};
use crate::tree::parameter_count;
use crate::views;
use crate::workspace::Workspace;
use faer::prelude::ReborrowMut;

/// `k = Π_d √(ℓ_d²/T_d) exp(−½ Σ_d (z_id − z_jd)²/T_d)`, `T_d = ℓ_d² + ω_id + ω_jd`.
impl Windowed for Rbf {
    fn windowed_tile(&self, pair: WindowedPair<'_>, mut out: BlockMut<'_>, _ws: &mut Workspace) {
        for j in 0..out.ncols() {
            for (i, out) in column_mut(&mut out, j).iter_mut().enumerate() {
                *out = self.windowed_value(pair, i, j);
            }
        }
    }

    fn windowed_reverse(
        &self,
        pair: WindowedPair<'_>,
        upstream: Block<'_>,
        mut grads: WindowedGradients<'_>,
        _ws: &mut Workspace,
    ) -> f64 {
        let mut inner = 0.0;
        for j in 0..upstream.ncols() {
            for (i, g) in column(upstream, j).iter().enumerate() {
                let weight = g * self.windowed_value(pair, i, j);
                inner += weight;
                self.add_windowed_gradient(pair, (i, j), weight, &mut grads);
            }
        }
        inner
    }
}

impl Rbf {
    /// `(ℓ_d, T_d, z_id − z_jd)`
    fn windowed_term(&self, pair: WindowedPair<'_>, i: usize, j: usize, d: usize) -> (f64, f64, f64) {
        let lengthscale = per_input(&self.parameters()[0], d);
        let of_col = pair.col_windows.map_or(0.0, |windows| point(windows, j)[d]);
        let widened = lengthscale * lengthscale + point(pair.row_windows, i)[d] + of_col;
        (lengthscale, widened, point(pair.rows, i)[d] - point(pair.cols, j)[d])
    }

    fn windowed_value(&self, pair: WindowedPair<'_>, i: usize, j: usize) -> f64 {
        let (mut front, mut exponent) = (1.0, 0.0);
        for d in 0..pair.rows.ncols() {
            let (lengthscale, widened, delta) = self.windowed_term(pair, i, j, d);
            front *= lengthscale / widened.sqrt();
            exponent -= 0.5 * delta * delta / widened;
        }
        front * exponent.exp()
    }

    /// Adds derivatives of `ln k` times `weight` (upstream times covariance).
    fn add_windowed_gradient(
        &self,
        pair: WindowedPair<'_>,
        (i, j): (usize, usize),
        weight: f64,
        grads: &mut WindowedGradients<'_>,
    ) {
        for d in 0..pair.rows.ncols() {
            let (lengthscale, widened, delta) = self.windowed_term(pair, i, j, d);
            let by_widened = weight * 0.5 * (delta * delta / widened - 1.0) / widened;
            let by_delta = -weight * delta / widened;
            grads.params[slot(&self.parameters()[0], d)] +=
                weight / lengthscale + 2.0 * lengthscale * by_widened;
            point_mut(&mut grads.rows, i)[d] += by_delta;
            point_mut(&mut grads.row_windows, i)[d] += by_widened;
            if let Some(cols) = &mut grads.cols {
                point_mut(cols, j)[d] -= by_delta;
            }
            if let Some(windows) = &mut grads.col_windows {
                point_mut(windows, j)[d] += by_widened;
            }
        }
    }
}

/// Constant and linear functions average to the centre.
macro_rules! at_the_centre {
    ($($kernel:ty)*) => { $(
        impl Windowed for $kernel {
            fn windowed_tile(&self, pair: WindowedPair<'_>, out: BlockMut<'_>, ws: &mut Workspace) {
                self.tile(Pair::distinct(pair.rows, pair.cols), out, &mut [], ws);
            }

            fn windowed_reverse(
                &self,
                pair: WindowedPair<'_>,
                upstream: Block<'_>,
                grads: WindowedGradients<'_>,
                ws: &mut Workspace,
            ) -> f64 {
                let WindowedGradients { params, rows, cols, .. } = grads;
                let own = Gradients { params, rows: Some(rows), cols };
                self.tile_reverse(Pair::distinct(pair.rows, pair.cols), upstream, own, &[], ws)
            }
        }
    )* };
}

at_the_centre! { Constant Linear }

/// White noise averages to 0.
impl Windowed for White {
    fn windowed_tile(&self, _pair: WindowedPair<'_>, mut out: BlockMut<'_>, _ws: &mut Workspace) {
        out.fill(0.0);
    }

    fn windowed_reverse(
        &self,
        _pair: WindowedPair<'_>,
        _upstream: Block<'_>,
        _grads: WindowedGradients<'_>,
        _ws: &mut Workspace,
    ) -> f64 {
        0.0
    }
}

/// Child's tile; NaN without closed form.
fn tile_through(kernel: &dyn Kernel, pair: WindowedPair<'_>, mut out: BlockMut<'_>, ws: &mut Workspace) {
    match kernel.windowed() {
        Some(windowed) => windowed.windowed_tile(pair, out, ws),
        None => out.fill(f64::NAN),
    }
}

/// Reverse of [`tile_through`].
fn reverse_through(
    kernel: &dyn Kernel,
    pair: WindowedPair<'_>,
    upstream: Block<'_>,
    grads: WindowedGradients<'_>,
    ws: &mut Workspace,
) -> f64 {
    kernel.windowed().map_or(f64::NAN, |windowed| windowed.windowed_reverse(pair, upstream, grads, ws))
}

impl Windowed for Scaled {
    fn windowed_tile(&self, pair: WindowedPair<'_>, mut out: BlockMut<'_>, ws: &mut Workspace) {
        tile_through(self.child(), pair, out.rb_mut(), ws);
        for j in 0..out.ncols() {
            column_mut(&mut out, j).iter_mut().for_each(|value| *value *= self.factor());
        }
    }

    fn windowed_reverse(
        &self,
        pair: WindowedPair<'_>,
        upstream: Block<'_>,
        mut grads: WindowedGradients<'_>,
        ws: &mut Workspace,
    ) -> f64 {
        let (m, n) = (upstream.nrows(), upstream.ncols());
        let mut buffer = ws.take_dirty(m * n);
        views::zip_columns(&mut views::block_mut(&mut buffer, m, n), upstream, |out, g| {
            *out = self.factor() * g;
        });
        let rest = 1..grads.params.len();
        let weights = views::block(&buffer, m, n);
        let inner = reverse_through(self.child(), pair, weights, grads.for_params(rest), ws);
        grads.params[0] += inner / self.factor();
        ws.give(buffer);
        inner
    }
}

impl Windowed for Sum {
    fn windowed_tile(&self, pair: WindowedPair<'_>, mut out: BlockMut<'_>, ws: &mut Workspace) {
        let (m, n) = (out.nrows(), out.ncols());
        out.fill(0.0);
        let mut buffer = ws.take_dirty(m * n);
        for term in self.children() {
            tile_through(term.as_ref(), pair, views::block_mut(&mut buffer, m, n), ws);
            views::zip_columns(&mut out, views::block(&buffer, m, n), |out, value| *out += value);
        }
        ws.give(buffer);
    }

    fn windowed_reverse(
        &self,
        pair: WindowedPair<'_>,
        upstream: Block<'_>,
        mut grads: WindowedGradients<'_>,
        ws: &mut Workspace,
    ) -> f64 {
        let (mut inner, mut from) = (0.0, 0);
        for term in self.children() {
            let to = from + parameter_count(term.as_ref());
            inner += reverse_through(term.as_ref(), pair, upstream, grads.for_params(from..to), ws);
            from = to;
        }
        inner
    }
}

/// Windows in unselected columns have no effect.
impl Windowed for ActiveDims {
    fn windowed_tile(&self, pair: WindowedPair<'_>, out: BlockMut<'_>, ws: &mut Workspace) {
        let seen = SeenColumns::new(self, pair, ws);
        tile_through(self.child(), seen.pair(), out, ws);
        seen.give_back(ws);
    }

    fn windowed_reverse(
        &self,
        pair: WindowedPair<'_>,
        upstream: Block<'_>,
        mut grads: WindowedGradients<'_>,
        ws: &mut Workspace,
    ) -> f64 {
        let (m, n, width) = (pair.rows.nrows(), pair.cols.nrows(), self.dims().len());
        let seen = SeenColumns::new(self, pair, ws);
        let [mut rows, mut row_windows] = [ws.take(m * width), ws.take(m * width)];
        let [mut cols, mut col_windows] = [ws.take(n * width), ws.take(n * width)];
        let to = WindowedGradients {
            params: grads.params,
            rows: views::points_mut(&mut rows, m, width),
            row_windows: views::points_mut(&mut row_windows, m, width),
            cols: grads.cols.is_some().then(|| views::points_mut(&mut cols, n, width)),
            col_windows: grads.col_windows.is_some().then(|| views::points_mut(&mut col_windows, n, width)),
        };
        let inner = reverse_through(self.child(), seen.pair(), upstream, to, ws);
        self.scatter(&rows, &mut grads.rows);
        self.scatter(&row_windows, &mut grads.row_windows);
        if let Some(out) = &mut grads.cols {
            self.scatter(&cols, out);
        }
        if let Some(out) = &mut grads.col_windows {
            self.scatter(&col_windows, out);
        }
        [rows, row_windows, cols, col_windows].into_iter().for_each(|buffer| ws.give(buffer));
        seen.give_back(ws);
        inner
    }
}

struct SeenColumns {
    width: usize,
    count: (usize, usize),
    rows: Vec<f64>,
    row_windows: Vec<f64>,
    cols: Vec<f64>,
    col_windows: Option<Vec<f64>>,
}

impl SeenColumns {
    fn new(dims: &ActiveDims, pair: WindowedPair<'_>, ws: &mut Workspace) -> Self {
        Self {
            width: dims.dims().len(),
            count: (pair.rows.nrows(), pair.cols.nrows()),
            rows: dims.gather(pair.rows, ws),
            row_windows: dims.gather(pair.row_windows, ws),
            cols: dims.gather(pair.cols, ws),
            col_windows: pair.col_windows.map(|windows| dims.gather(windows, ws)),
        }
    }

    fn pair(&self) -> WindowedPair<'_> {
        let (m, n) = self.count;
        WindowedPair {
            rows: views::points(&self.rows, m, self.width),
            row_windows: views::points(&self.row_windows, m, self.width),
            cols: views::points(&self.cols, n, self.width),
            col_windows: self.col_windows.as_ref().map(|windows| views::points(windows, n, self.width)),
        }
    }

    fn give_back(self, ws: &mut Workspace) {
        for buffer in [self.rows, self.row_windows, self.cols].into_iter().chain(self.col_windows) {
            ws.give(buffer);
        }
    }
}
