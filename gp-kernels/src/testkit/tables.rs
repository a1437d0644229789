//! Random tables of inputs.

use faer::Mat;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Contents of an input column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// Real numbers with gradients.
    Real,
    /// Category codes below this number.
    Codes(usize),
}

pub(super) fn random(columns: &[InputKind], rows: usize, seed: u64) -> Mat<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut table = Mat::zeros(rows, columns.len());
    for i in 0..rows {
        for (d, column) in columns.iter().enumerate() {
            table[(i, d)] = match column {
                InputKind::Real => rng.random_range(-1.5..1.5),
                InputKind::Codes(levels) => rng.random_range(0..*levels) as f64,
            };
        }
    }
    table
}

pub(super) fn weights(rows: usize, cols: usize, seed: u64) -> Mat<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    Mat::from_fn(rows, cols, |_, _| uniform(&mut rng))
}

fn uniform(rng: &mut impl Rng) -> f64 {
    rng.random_range(-1.0..1.0)
}
