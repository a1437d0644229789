//! Exact regression by textbook formulas: nested vectors, Gaussian elimination with partial pivoting, kernels as
//! closures.

use std::f64::consts::TAU;

pub(crate) type Table = Vec<Vec<f64>>;

/// Solutions of `a x = b` by column, and ln |det a|.
pub(crate) fn solve(a: &Table, b: &Table) -> (Table, f64) {
    let n = a.len();
    let mut rows: Table = a.iter().zip(b).map(|(a, b)| [a.as_slice(), b.as_slice()].concat()).collect();
    let mut log_det = 0.0;
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| rows[i][k].abs().total_cmp(&rows[j][k].abs())).unwrap();
        rows.swap(k, pivot);
        let pivot_row = rows[k].clone();
        log_det += pivot_row[k].abs().ln();
        for row in rows.iter_mut().skip(k + 1) {
            let ratio = row[k] / pivot_row[k];
            row.iter_mut().zip(&pivot_row).skip(k).for_each(|(x, p)| *x -= ratio * p);
        }
    }
    for k in (0..n).rev() {
        let scale = rows[k][k];
        rows[k].iter_mut().for_each(|x| *x /= scale);
        let pivot_row = rows[k].clone();
        for row in rows.iter_mut().take(k) {
            let ratio = row[k];
            row.iter_mut().zip(&pivot_row).skip(k).for_each(|(x, p)| *x -= ratio * p);
        }
    }
    (rows.into_iter().map(|row| row[n..].to_vec()).collect(), log_det)
}

pub(crate) type Covariance<'a> = &'a dyn Fn(&[f64], &[f64]) -> f64;

/// `K_y`, one noise variance per point.
pub(crate) fn noisy_covariance(k: Covariance<'_>, x: &Table, noise: &[f64]) -> Table {
    let entry = |i: usize, j: usize| k(&x[i], &x[j]) + if i == j { noise[i] } else { 0.0 };
    (0..x.len()).map(|i| (0..x.len()).map(|j| entry(i, j)).collect()).collect()
}

pub(crate) fn log_marginal_likelihood(k: Covariance<'_>, x: &Table, y: &[f64], noise: &[f64]) -> f64 {
    let column: Table = y.iter().map(|&y| vec![y]).collect();
    let (alpha, log_det) = solve(&noisy_covariance(k, x, noise), &column);
    let quadratic: f64 = y.iter().zip(&alpha).map(|(y, alpha)| y * alpha[0]).sum();
    -0.5 * (quadratic + log_det + y.len() as f64 * TAU.ln())
}

pub(crate) fn predict(k: Covariance<'_>, x: &Table, y: &[f64], noise: &[f64], new: &[f64]) -> (f64, f64) {
    let cross: Vec<f64> = x.iter().map(|x| k(x, new)).collect();
    let rhs: Table = y.iter().zip(&cross).map(|(&y, &c)| vec![y, c]).collect();
    let (solved, _) = solve(&noisy_covariance(k, x, noise), &rhs);
    let dot = |column: usize| cross.iter().zip(&solved).map(|(c, row)| c * row[column]).sum::<f64>();
    (dot(0), k(new, new) - dot(1))
}
