//! Random subset of the data.

use std::collections::HashSet;

use faer::MatRef;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::table::checked;
use super::{Placed, Placement};
use crate::error::KernelError;
use crate::kernel::{Kernel, Points, point};

/// `random`: distinct rows without replacement.
///
/// The kernel only checks inputs. O(N + M D) time (unless most rows are equal) and memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct RandomSubset;

impl Placement for RandomSubset {
    fn name(&self) -> &str {
        "random"
    }

    fn summary(&self) -> &str {
        "a random subset of the data points"
    }

    fn place(
        &self,
        kernel: &dyn Kernel,
        x: MatRef<'_, f64>,
        m: usize,
        seed: u64,
    ) -> Result<Placed, KernelError> {
        let table = checked(kernel, x, m)?;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        Placed::at_rows(x, draw(table.view(), m, &mut rng))
    }
}

fn draw(points: Points<'_>, m: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    let count = points.nrows();
    let mut order: Vec<usize> = (0..count).collect();
    let (mut seen, mut rows) = (HashSet::new(), Vec::new());
    for next in 0..count {
        order.swap(next, rng.random_range(next..count));
        if seen.insert(key(point(points, order[next]))) {
            rows.push(order[next]);
        }
        if rows.len() == m {
            break;
        }
    }
    rows
}

/// Bits of a point, with −0 as 0.
fn key(point: &[f64]) -> Vec<u64> {
    point.iter().map(|value| (value + 0.0).to_bits()).collect()
}
