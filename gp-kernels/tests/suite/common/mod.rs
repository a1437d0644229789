//! Shared helpers.

use faer::Mat;
use rand::{RngExt, SeedableRng};

/// Numbers between −1.5 and 1.5.
pub(crate) fn table(rows: usize, cols: usize, seed: u64) -> Mat<f64> {
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    Mat::from_fn(rows, cols, |_, _| rng.random_range(-1.5..1.5))
}
