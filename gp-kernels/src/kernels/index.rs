//! Index kernel: covariances per pair of categories.

use gp_optim::{Parameter, Transform};

use crate::error::KernelError;
use crate::expression::{KernelEntry, KernelSetting, ParameterKind};
use crate::kernel::{Block, BlockMut, Gradients, Kernel, Pair, Points, column, column_mut, point};
use crate::workspace::Workspace;

/// `k(x, z) = B[x, z]`, `B = W Wᵀ + diag(κ)`, for codes 0 … levels−1 in one column.
///
/// `w` is W (levels × rank) by rows, `variance` κ. Products with it model several outputs (coregionalisation).
#[derive(Clone, Debug)]
pub struct Index {
    levels: usize,
    rank: usize,
    params: [Parameter; 2],
}

const NAME: &str = "index";

fn weights(levels: usize, rank: usize) -> Result<Parameter, KernelError> {
    // Different starts per column: equal columns stay equal, and zeros are a saddle point. Column c has 0.7
    // at multiples of c + 2, the last of rank = levels only at the last level, else it would equal the one
    // before.
    let start = |k: usize| {
        let (level, column) = (k / rank, k % rank);
        let is_high =
            if column + 1 == levels { level + 1 == levels } else { level.is_multiple_of(column + 2) };
        if is_high { 0.7 } else { 0.5 }
    };
    Ok(Parameter::vector("w", (0..levels * rank).map(start).collect(), Transform::Identity)?)
}

impl Index {
    /// Kernel with default weights.
    ///
    /// # Errors
    /// [`KernelError::Setting`] unless `1 ≤ levels ≤ 10,000`, `1 ≤ rank ≤ levels`, `levels · rank ≤ 1,000,000`.
    pub fn new(levels: usize, rank: usize) -> Result<Self, KernelError> {
        let wrong = |setting, allowed: String, found: usize| KernelError::Setting {
            kernel: NAME.to_owned(),
            setting,
            allowed,
            found: found.to_string(),
        };
        if levels == 0 || levels > MAX_LEVELS {
            return Err(wrong("levels", format!("a whole number from 1 to {MAX_LEVELS}"), levels));
        }
        if levels * rank > MAX_WEIGHTS {
            return Err(wrong("rank", format!("at most {} for levels={levels}", MAX_WEIGHTS / levels), rank));
        }
        if rank == 0 || rank > levels {
            return Err(wrong("rank", format!("a whole number from 1 to levels={levels}"), rank));
        }
        let variance = Parameter::vector("variance", vec![0.5; levels], Transform::Positive)?;
        Ok(Self { levels, rank, params: [weights(levels, rank)?, variance] })
    }

    /// Entry for a [`Registry`](crate::Registry).
    pub fn entry() -> KernelEntry {
        KernelEntry::new(
            NAME,
            "W Wᵀ + diag(variance) on category codes: a covariance for each pair",
            |arguments| {
                let default =
                    Self::new(arguments.whole_number("levels", 2)?, arguments.whole_number("rank", 1)?)?;
                let Self { levels, rank, params: [weights, variance] } = default;
                let params = [
                    arguments.parameter(weights, ParameterKind::Exact)?,
                    arguments.parameter(variance, ParameterKind::Exact)?,
                ];
                Ok(Box::new(Self { levels, rank, params }))
            },
        )
    }

    fn row(&self, level: usize) -> &[f64] {
        &self.params[0].values()[level * self.rank..][..self.rank]
    }

    fn covariance(&self, a: usize, b: usize) -> f64 {
        let shared: f64 = self.row(a).iter().zip(self.row(b)).map(|(x, y)| x * y).sum();
        if a == b { shared + self.params[1].values()[a] } else { shared }
    }

    fn add_gradient(&self, a: usize, b: usize, g: f64, params: &mut [f64]) {
        for r in 0..self.rank {
            params[a * self.rank + r] += g * self.row(b)[r];
            params[b * self.rank + r] += g * self.row(a)[r];
        }
        if a == b {
            params[self.levels * self.rank + a] += g;
        }
    }
}

const MAX_WEIGHTS: usize = 1_000_000;
/// Maximum categories, each with `rank + 1` parameters.
const MAX_LEVELS: usize = 10_000;

fn code(points: Points<'_>, i: usize) -> usize {
    // A checked code is a small whole number, so the conversion is exact.
    point(points, i)[0] as usize
}

impl Kernel for Index {
    fn name(&self) -> &str {
        NAME
    }

    fn parameters(&self) -> &[Parameter] {
        &self.params
    }

    fn parameters_mut(&mut self) -> &mut [Parameter] {
        &mut self.params
    }

    fn settings(&self) -> Vec<KernelSetting> {
        vec![KernelSetting::new("levels", self.levels), KernelSetting::new("rank", self.rank)]
    }

    fn check_inputs(&self, points: Points<'_>, _ws: &mut Workspace) -> Result<(), KernelError> {
        if points.ncols() != 1 {
            return Err(KernelError::Dimensions {
                kernel: NAME.to_owned(),
                expected: "1 (choose the column with dims=[…])".to_owned(),
                found: points.ncols(),
            });
        }
        for row in 0..points.nrows() {
            let value = point(points, row)[0];
            if value.fract() != 0.0 || value < 0.0 || value >= self.levels as f64 {
                return Err(KernelError::Category {
                    kernel: NAME.to_owned(),
                    row,
                    column: 0,
                    value,
                    levels: self.levels,
                });
            }
        }
        Ok(())
    }

    fn tile(&self, pair: Pair<'_>, mut out: BlockMut<'_>, _: &mut [f64], _ws: &mut Workspace) {
        for j in 0..out.ncols() {
            let b = code(pair.cols, j);
            for (i, out) in column_mut(&mut out, j).iter_mut().enumerate() {
                *out = self.covariance(code(pair.rows, i), b);
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
        let mut total = 0.0;
        for j in 0..upstream.ncols() {
            let b = code(pair.cols, j);
            for (i, &g) in column(upstream, j).iter().enumerate() {
                let a = code(pair.rows, i);
                total += g * self.covariance(a, b);
                self.add_gradient(a, b, g, grads.params);
            }
        }
        total
    }

    fn diagonal(&self, points: Points<'_>, out: &mut [f64], _ws: &mut Workspace) {
        for (i, out) in out.iter_mut().enumerate() {
            let a = code(points, i);
            *out = self.covariance(a, a);
        }
    }

    fn diagonal_reverse(
        &self,
        points: Points<'_>,
        upstream: &[f64],
        grads: Gradients<'_>,
        _ws: &mut Workspace,
    ) {
        for (i, &g) in upstream.iter().enumerate() {
            let a = code(points, i);
            self.add_gradient(a, a, g, grads.params);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::weights;

    #[test]
    fn columns_of_weights_start_differently_at_every_rank() {
        for (levels, rank) in [(2, 2), (3, 2), (3, 3), (5, 4), (5, 5), (40, 40)] {
            let start = weights(levels, rank).unwrap();
            let column =
                |c: usize| (0..levels).map(|level| start.values()[level * rank + c]).collect::<Vec<_>>();
            for c in 1..rank {
                assert!(
                    (0..c).all(|other| column(other) != column(c)),
                    "column {c} of {rank}, {levels} levels"
                );
            }
        }
    }
}
