//! Functions drawn from a Gaussian process, and splits by row number.

use super::normal::normal;
use super::part::in_units;
use super::{Part, Split, Task, sample_prior};
use crate::error::ExperimentError;
use faer::Mat;
use gp_kernels::Kernel;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub(crate) const DRAWN_NOISE: f64 = 0.04;

/// Standard normal inputs, RBF of amplitude 1, length-scales log-uniform in [1, 5], noise of standard
/// deviation 0.2.
///
/// The first half is for training, and standardises both.
///
/// # Errors
/// Failed factorisation.
pub fn draw_regression(rows: usize, dim: usize, seed: u64) -> Result<Split, ExperimentError> {
    let (training, test, _) = draw_halves(rows, dim, seed)?;
    Ok(in_units(training, test, Task::Number))
}

/// [`draw_regression`] without standardisation, and the true kernel.
///
/// # Errors
/// As [`draw_regression`].
pub fn draw_with_kernel(
    rows: usize,
    dim: usize,
    seed: u64,
) -> Result<(Split, Box<dyn Kernel>), ExperimentError> {
    let (training, test, kernel) = draw_halves(rows, dim, seed)?;
    Ok((Split { training, test, units: vec![1.0], task: Task::Number }, kernel))
}

fn draw_halves(rows: usize, dim: usize, seed: u64) -> Result<(Part, Part, Box<dyn Kernel>), ExperimentError> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let inputs = Mat::from_fn(rows, dim, |_, _| normal(&mut rng));
    let kernel = scaled_rbf(dim, &mut rng)?;
    let f = sample_prior(kernel.as_ref(), inputs.as_ref(), seed ^ (1 << 32))?;
    let targets = Mat::from_fn(rows, 1, |i, _| f[i] + DRAWN_NOISE.sqrt() * normal(&mut rng));
    let all = Part { inputs, targets };
    let order: Vec<usize> = (0..rows).collect();
    let (training, test) = order.split_at(rows / 2);
    Ok((all.rows(training), all.rows(test), kernel))
}

/// RBF of amplitude 1, length-scales log-uniform in [1, 5].
pub(crate) fn scaled_rbf(dim: usize, rng: &mut ChaCha8Rng) -> Result<Box<dyn Kernel>, ExperimentError> {
    let scales: Vec<String> =
        (0..dim).map(|_| format!("{}", rng.random_range(0.0..5f64.ln()).exp())).collect();
    Ok(gp_kernels::parse(&format!("rbf(lengthscale=[{}])", scales.join(", ")))?)
}

/// Uniform points in [−2.5, 2.5]²; classes by the largest of jointly drawn functions.
///
/// # Errors
/// Failed factorisation.
pub fn draw_classes(
    kernel: &dyn Kernel,
    classes: usize,
    rows: usize,
    seed: u64,
) -> Result<Split, ExperimentError> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let inputs = Mat::from_fn(2 * rows, 2, |_, _| rng.random_range(-2.5..2.5));
    let draw = |k: u64| sample_prior(kernel, inputs.as_ref(), seed ^ ((k + 1) << 32));
    let functions: Vec<Vec<f64>> = (0..classes as u64).map(draw).collect::<Result<_, _>>()?;
    let largest = |i: usize| {
        (0..classes).fold(0, |best, k| if functions[k][i] > functions[best][i] { k } else { best })
    };
    let targets = Mat::from_fn(2 * rows, 1, |i, _| largest(i) as f64);
    let (all, order) = (Part { inputs, targets }, (0..2 * rows).collect::<Vec<_>>());
    let (training, test) = order.split_at(rows);
    Ok(Split {
        training: all.rows(training),
        test: all.rows(test),
        units: vec![1.0],
        task: Task::Classes(classes),
    })
}

/// Every fifth row for testing; standardised by the others.
#[must_use]
pub fn every_fifth(all: &Part) -> Split {
    let (test, training): (Vec<usize>, Vec<usize>) = (0..all.len()).partition(|row| row % 5 == 0);
    in_units(all.rows(&training), all.rows(&test), Task::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_of_unit_scale_and_of_their_seed() {
        let split = draw_regression(40, 3, 1).unwrap();
        assert_eq!((split.training.len(), split.test.len(), split.training.dim()), (20, 20, 3));
        assert!(split.training.labels().iter().sum::<f64>().abs() < 1e-12);
        assert_eq!(split.test.labels(), draw_regression(40, 3, 1).unwrap().test.labels());
        assert_ne!(split.test.labels(), draw_regression(40, 3, 2).unwrap().test.labels());
    }

    #[test]
    fn classes_are_drawn_in_a_square_and_keep_together() {
        let kernel = gp_kernels::parse("rbf(lengthscale=1)").unwrap();
        let split = draw_classes(kernel.as_ref(), 3, 200, 1).unwrap();
        assert!(split.training.inputs.col(0).iter().all(|x| x.abs() <= 2.5));
        let labels = split.training.labels();
        assert!((0..3).all(|class| labels.contains(&f64::from(class))));
        // The nearest neighbour of a point is almost always of its class.
        let x = &split.training.inputs;
        let apart = |i: usize, j: usize| (0..2).map(|d| (x[(i, d)] - x[(j, d)]).powi(2)).sum::<f64>();
        let nearest = |i: usize| {
            (0..200).filter(|j| *j != i).min_by(|a, b| apart(i, *a).total_cmp(&apart(i, *b))).unwrap()
        };
        let same = (0..200).filter(|&i| labels[nearest(i)] == labels[i]).count();
        assert!(same > 150, "{same}");
    }

    #[test]
    fn every_fifth_row_is_for_tests() {
        let table = Mat::from_fn(11, 1, |i, _| i as f64);
        let split = every_fifth(&Part { inputs: table.clone(), targets: table });
        assert_eq!((split.training.len(), split.test.len()), (8, 3));
        // Rows 0, 5 and 10, in units in which the others have mean 0.
        let found = split.test.labels();
        assert!((found[2] - found[1] - (found[1] - found[0])).abs() < 1e-12 && split.units[0] > 1.0);
    }
}
