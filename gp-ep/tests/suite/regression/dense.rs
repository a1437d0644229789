//! Bui et al. 2017 §3.6 and §3.7 with N×N matrices and Gaussian elimination.

use super::reference::{Covariance, Table, solve};
use std::f64::consts::TAU;

pub(crate) struct Dense<'a> {
    pub(crate) kernel: Covariance<'a>,
    pub(crate) x: Table,
    pub(crate) z: Table,
    pub(crate) y: &'a [f64],
    /// By observation.
    pub(crate) noise: Vec<f64>,
    /// Observations and power by factor.
    pub(crate) factors: Vec<(Vec<usize>, f64)>,
}

/// `ln|I + α T| (1 − α)/2α`, or its series for small α.
fn regulariser(t: &Table, power: f64) -> f64 {
    let n = t.len();
    let trace: f64 = (0..n).map(|i| t[i][i]).sum();
    if power < 1e-6 {
        let squares: f64 =
            (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).map(|(i, j)| t[i][j] * t[j][i]).sum();
        return 0.5 * (1.0 - power) * (trace - 0.5 * power * squares);
    }
    let plus_one = |i: usize, j: usize| power * t[i][j] + if i == j { 1.0 } else { 0.0 };
    let matrix: Table = (0..n).map(|i| (0..n).map(|j| plus_one(i, j)).collect()).collect();
    0.5 * (1.0 - power) / power * solve(&matrix, &vec![vec![]; n]).1
}

impl Dense<'_> {
    fn cross(&self, a: &Table, b: &Table) -> Table {
        a.iter().map(|a| b.iter().map(|b| (self.kernel)(a, b)).collect()).collect()
    }

    /// `Q = K_xz K_zz⁻¹ K_zx`
    fn explained(&self, points: &Table) -> Table {
        let k_zx = self.cross(&self.z, points);
        let (solved, _) = solve(&self.cross(&self.z, &self.z), &k_zx);
        let entry = |i: usize, j: usize| (0..self.z.len()).map(|m| k_zx[m][i] * solved[m][j]).sum();
        (0..points.len()).map(|i| (0..points.len()).map(|j| entry(i, j)).collect()).collect()
    }

    /// `log Z`, means and variances of f at new points.
    pub(crate) fn evaluate(&self, new: &[Vec<f64>]) -> (f64, Vec<(f64, f64)>) {
        let n = self.x.len();
        let all: Table = self.x.iter().chain(new).cloned().collect();
        let q = self.explained(&all);
        let mut covariance: Table = (0..n).map(|i| q[i][..n].to_vec()).collect();
        (0..n).for_each(|i| covariance[i][i] += self.noise[i]);
        let mut penalty = 0.0;
        for (rows, power) in &self.factors {
            let left = |&i: &usize, &j: &usize| (self.kernel)(&self.x[i], &self.x[j]) - q[i][j];
            for i in rows {
                rows.iter().for_each(|j| covariance[*i][*j] += power * left(i, j));
            }
            let t: Table =
                rows.iter().map(|i| rows.iter().map(|j| left(i, j) / self.noise[*i]).collect()).collect();
            penalty += regulariser(&t, *power);
        }
        let rhs: Table = (0..n)
            .map(|i| std::iter::once(self.y[i]).chain((n..all.len()).map(|j| q[i][j])).collect())
            .collect();
        let (solved, log_det) = solve(&covariance, &rhs);
        let quadratic: f64 = (0..n).map(|i| self.y[i] * solved[i][0]).sum();
        let value = -0.5 * (quadratic + log_det + n as f64 * TAU.ln()) - penalty;
        let predicted = new.iter().enumerate().map(|(k, point)| {
            let dot = |column: usize| (0..n).map(|i| q[i][n + k] * solved[i][column]).sum::<f64>();
            (dot(0), (self.kernel)(point, point) - dot(1 + k))
        });
        (value, predicted.collect())
    }
}
