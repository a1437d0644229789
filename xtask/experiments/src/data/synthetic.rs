//! Small synthetic tables, and functions drawn from a Gaussian process.

use super::normal::normal;
use super::{Part, Set, Task};
use crate::error::ExperimentError;
use faer::{Mat, MatRef};
use gp_kernels::Kernel;
use gp_linalg::{Cholesky, JitterPolicy, Threading};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Training rows, test rows, maximum inputs.
const SIZE: (usize, usize, usize) = (60, 30, 3);

/// Smooth functions with little noise.
pub(super) fn parts(set: &Set, split: usize) -> Result<(Part, Part), ExperimentError> {
    let seed =
        set.name.bytes().fold(split as u64, |seed, byte| seed.wrapping_mul(31).wrapping_add(byte.into()));
    let (rows, dim) = (SIZE.0 + SIZE.1, set.size.1.min(SIZE.2));
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let inputs = Mat::from_fn(rows, dim, |_, _| normal(&mut rng));
    let kernel = gp_kernels::parse("rbf(lengthscale=1.5)")?;
    let functions = set.task.functions();
    let drawn: Vec<Vec<f64>> = (0..functions)
        .map(|k| sample_prior(kernel.as_ref(), inputs.as_ref(), seed ^ ((k as u64 + 1) << 32)))
        .collect::<Result<_, _>>()?;
    let mut target = |i: usize| {
        let noisy: Vec<f64> = drawn.iter().map(|f| f[i] + 0.1 * normal(&mut rng)).collect();
        match set.task {
            Task::Number => noisy[0],
            Task::Binary => noisy[0].signum(),
            Task::Classes(_) => {
                (0..functions).fold(0, |best, k| if noisy[k] > noisy[best] { k } else { best }) as f64
            }
        }
    };
    let targets = Mat::from_fn(rows, 1, |i, _| target(i));
    let all = Part { inputs, targets };
    let rows: Vec<usize> = (0..rows).collect();
    Ok((all.rows(&rows[..SIZE.0]), all.rows(&rows[SIZE.0..])))
}

/// Draw of a zero-mean Gaussian process.
///
/// # Errors
/// Failed factorisation.
pub fn sample_prior(
    kernel: &dyn Kernel,
    points: MatRef<'_, f64>,
    seed: u64,
) -> Result<Vec<f64>, ExperimentError> {
    let factor = Cholesky::factor(gp_kernels::gram(kernel, points)?.as_ref(), &JitterPolicy::default())?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut values = Mat::from_fn(points.nrows(), 1, |_, _| normal(&mut rng));
    factor.mul_l_in_place(values.as_mut(), Threading::Here)?;
    Ok(values.col(0).iter().copied().collect())
}
