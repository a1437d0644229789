//! Initial mixing weights: principal components of targets.

use crate::error::CliError;
use crate::method::TrainingRows;
use faer::Mat;
use gp_ep::DataSource as _;
use gp_likelihoods::Likelihood;

/// Minimum initial noise relative to target variance.
const MIN_NOISE: f64 = 0.1;
/// Minimum relative weight; zero would not train.
const MIN_WEIGHT: f64 = 0.05;
/// Jacobi sweeps, which converge quadratically.
const SWEEPS: usize = 20;

/// Sets mixing weights to `U Λ^{½}` for target covariance `U Λ Uᵀ` (over rows with both), noise to
/// unexplained variances.
pub(in crate::fit) fn start_mixture(
    likelihood: &mut dyn Likelihood,
    rows: &TrainingRows,
) -> Result<(), CliError> {
    let (outputs, latents) = (likelihood.outputs(), likelihood.latents());
    let covariance = covariance(rows, outputs)?;
    let start = start(&covariance, latents);
    let weights: Vec<f64> = (0..outputs * latents).map(|at| start[(at / latents, at % latents)]).collect();
    let left = |p: usize| {
        let told: f64 = (0..latents).map(|q| start[(p, q)].powi(2)).sum();
        (covariance[(p, p)] - told).max(MIN_NOISE * covariance[(p, p)])
    };
    let noise: Vec<f64> = (0..outputs).map(left).collect();
    for parameter in likelihood.parameters_mut() {
        let values = if parameter.name() == "mixing" { &weights } else { &noise };
        parameter.set_values(values)?;
    }
    Ok(())
}

fn covariance(rows: &TrainingRows, outputs: usize) -> Result<Mat<f64>, CliError> {
    let (observed, width) = (rows.whole()?.1, rows.outputs());
    let mut covariance = Mat::zeros(outputs, outputs);
    for a in 0..outputs {
        for b in 0..=a {
            let pairs = || {
                let both = observed.chunks_exact(width).map(move |row| (row[a], row[b]));
                both.filter(|(a, b)| !a.is_nan() && !b.is_nan())
            };
            let count = pairs().count() as f64;
            let (mean_a, mean_b) =
                pairs().fold((0.0, 0.0), |(sum_a, sum_b), (a, b)| (sum_a + a / count, sum_b + b / count));
            let products = pairs().map(|(a, b)| (a - mean_a) * (b - mean_b));
            // Targets never observed together are treated as uncorrelated.
            let value = if count > 1.0 { products.sum::<f64>() / count } else { 0.0 };
            (covariance[(a, b)], covariance[(b, a)]) = (value, value);
        }
    }
    Ok(covariance)
}

/// `U Λ^{½}`, eigenvalues descending, largest weights positive; beyond P, small unit vectors.
fn start(covariance: &Mat<f64>, latents: usize) -> Mat<f64> {
    let outputs = covariance.nrows();
    let pairs = eigenpairs(covariance.clone());
    let largest = pairs.first().map_or(0.0, |(value, _)| *value).max(f64::MIN_POSITIVE).sqrt();
    let least = MIN_WEIGHT * largest;
    let column = |q: usize| -> Vec<f64> {
        let Some((value, vector)) = pairs.get(q) else {
            return (0..outputs).map(|p| if p == q % outputs { least } else { 0.0 }).collect();
        };
        let size = value.max(0.0).sqrt().max(least);
        let most = vector.iter().fold(0.0, |most: f64, w| if w.abs() > most.abs() { *w } else { most });
        vector.iter().map(|w| size * most.signum() * w).collect()
    };
    let columns: Vec<Vec<f64>> = (0..latents).map(column).collect();
    Mat::from_fn(outputs, latents, |p, q| columns[q][p])
}

/// Eigenvalues and eigenvectors, largest first, by Jacobi rotations.
fn eigenpairs(mut a: Mat<f64>) -> Vec<(f64, Vec<f64>)> {
    let n = a.nrows();
    let mut vectors = Mat::<f64>::identity(n, n);
    for _ in 0..SWEEPS {
        for p in 0..n {
            for q in p + 1..n {
                if a[(p, q)] != 0.0 {
                    rotate(&mut a, &mut vectors, (p, q));
                }
            }
        }
    }
    let mut pairs: Vec<(f64, Vec<f64>)> =
        (0..n).map(|k| (a[(k, k)], vectors.col(k).iter().copied().collect())).collect();
    pairs.sort_by(|one, other| other.0.total_cmp(&one.0));
    pairs
}

fn rotate(a: &mut Mat<f64>, vectors: &mut Mat<f64>, (p, q): (usize, usize)) {
    let angle = 0.5 * (2.0 * a[(p, q)]).atan2(a[(q, q)] - a[(p, p)]);
    let (sine, cosine) = angle.sin_cos();
    let turned = |x: f64, y: f64| (cosine * x - sine * y, sine * x + cosine * y);
    for k in 0..a.nrows() {
        (a[(k, p)], a[(k, q)]) = turned(a[(k, p)], a[(k, q)]);
        (vectors[(k, p)], vectors[(k, q)]) = turned(vectors[(k, p)], vectors[(k, q)]);
    }
    for k in 0..a.nrows() {
        (a[(p, k)], a[(q, k)]) = turned(a[(p, k)], a[(q, k)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gp_likelihoods::{Coregionalised, Described as _};

    #[test]
    fn a_mixture_starts_at_principal_components() {
        // All variance of (x, 2x) is along (1, 2)/√5.
        let x = [-1.5, -0.5, 0.5, 1.5];
        let observed: Vec<f64> = x.iter().flat_map(|x| [*x, 2.0 * x]).collect();
        let rows = TrainingRows::in_memory(Mat::zeros(4, 1), observed);
        let mut mixed = Coregionalised::new(1, vec![1.0; 2], vec![1.0; 2]).unwrap();
        start_mixture(&mut mixed, &rows).unwrap();
        let found = mixed.parameters()[0].values().to_vec();
        // The variance of x is 1.25.
        let expected = [1.25f64.sqrt(), 2.0 * 1.25f64.sqrt()];
        assert!(
            found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-12),
            "{found:?}"
        );
        let noise = mixed.parameters()[1].values().to_vec();
        assert!((noise[0] - 0.125).abs() < 1e-12 && (noise[1] - 0.5).abs() < 1e-12, "{noise:?}");
    }

    #[test]
    fn eigenpairs_multiply_back() {
        let a = Mat::from_fn(4, 4, |i, j| 1.0 / (1.0 + (i + j) as f64) + if i == j { 0.3 } else { 0.0 });
        let pairs = eigenpairs(a.clone());
        assert!(pairs.windows(2).all(|pair| pair[0].0 >= pair[1].0));
        for i in 0..4 {
            for j in 0..4 {
                let back: f64 = pairs.iter().map(|(value, v)| value * v[i] * v[j]).sum();
                assert!((back - a[(i, j)]).abs() < 1e-14, "{back} {}", a[(i, j)]);
            }
        }
    }

    #[test]
    fn gaps_leave_covariances_of_what_is_there() {
        let gap = f64::NAN;
        let observed = vec![1.0, 2.0, gap, 7.0, 3.0, gap, 3.0, 6.0];
        let found = covariance(&TrainingRows::in_memory(Mat::zeros(4, 1), observed), 2).unwrap();
        // Rows 1 and 4 have both: means 2 and 4, products 2.
        assert!((found[(0, 1)] - 2.0).abs() < 1e-14);
        assert!((found[(0, 0)] - 8.0 / 9.0).abs() < 1e-14);
    }

    #[test]
    fn more_latents_than_targets_start_small() {
        let found = start(&Mat::identity(2, 2), 3);
        assert_eq!((found.ncols(), found[(0, 2)], found[(1, 2)]), (3, MIN_WEIGHT, 0.0));
    }
}
