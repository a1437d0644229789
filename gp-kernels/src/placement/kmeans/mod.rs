//! Cluster centres as inducing inputs.

mod cloud;
mod lloyd;
mod seeding;

use faer::MatRef;
use rand::SeedableRng;
use rand::seq::index;
use rand_chacha::ChaCha8Rng;

use self::cloud::Cloud;
use self::lloyd::Clusters;
use super::table::{checked, distinct, equal_rows};
use super::{Placed, Placement};
use crate::error::KernelError;
use crate::inducing::InducingInputs;
use crate::kernel::{Kernel, Points};
use crate::views;
use crate::workspace::Workspace;

/// `kmeans`: means by Lloyd's algorithm after k-means++.
///
/// Distances are in standard deviations per column. Equal rows are one weighted point. Above 50,000 rows (or
/// 10 M, if larger), uses a random [sample](KMeans::with_sample).
///
/// The kernel only checks inputs. If it rejects means (category codes), nearest data points are placed, with
/// [`Placed::rows`]. (`overlap` accepts means that match no data: prefer `greedy`.)
///
/// O(N M D) time per iteration, O(N D) memory.
#[derive(Clone, Copy, Debug)]
pub struct KMeans {
    iterations: usize,
    work: usize,
    sample: usize,
}

const SAMPLE_PER_CLUSTER: usize = 10;

/// Maximum multiplications (some seconds), minimum iterations.
const MAX_WORK: usize = 150_000_000_000;
const MIN_ITERATIONS: usize = 5;

impl KMeans {
    /// At most 100 iterations on 50,000 rows; fewer, at least five, above 1.5·10¹¹ multiplications.
    pub fn new() -> Self {
        Self { iterations: 100, work: MAX_WORK, sample: 50_000 }
    }

    /// Sets maximum iterations (≥ 1), without limit on multiplications.
    #[must_use]
    pub fn with_iterations(self, iterations: usize) -> Self {
        Self { iterations: iterations.max(1), work: usize::MAX, ..self }
    }

    /// Sets the maximum sample; at least ten rows per inducing input.
    #[must_use]
    pub fn with_sample(self, rows: usize) -> Self {
        Self { sample: rows, ..self }
    }

    /// Cluster of every row of `x`, as [`place`](Placement::place) without sampling.
    ///
    /// # Errors
    /// As [`place`](Placement::place).
    pub fn clusters(
        &self,
        kernel: &dyn Kernel,
        x: MatRef<'_, f64>,
        m: usize,
        seed: u64,
    ) -> Result<Vec<usize>, KernelError> {
        let table = checked(kernel, x, m)?;
        let points = table.view();
        let mut rows: Vec<usize> = (0..x.nrows()).collect();
        let cloud = Cloud::new(points, distinct(points, rows.clone()));
        let clusters = self.found(&cloud, m, &mut ChaCha8Rng::seed_from_u64(seed));
        let mut labels = vec![0; x.nrows()];
        clusters.labels().iter().enumerate().for_each(|(i, &label)| labels[cloud.row(i)] = label);
        for group in equal_rows(points, &mut rows) {
            let label = labels[group[0]];
            group.iter().for_each(|&row| labels[row] = label);
        }
        Ok(labels)
    }

    fn found(&self, cloud: &Cloud, m: usize, rng: &mut ChaCha8Rng) -> Clusters {
        let each = cloud.count().saturating_mul(m.min(cloud.count())).saturating_mul(cloud.dim()).max(1);
        let iterations = self.iterations.min((self.work / each).max(MIN_ITERATIONS));
        lloyd::refine(cloud, &seeding::plus_plus(cloud, m, rng), iterations)
    }

    /// All rows or a sorted random sample.
    fn rows(&self, count: usize, m: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
        let most = self.sample.max(m.saturating_mul(SAMPLE_PER_CLUSTER));
        if count <= most {
            return (0..count).collect();
        }
        let mut rows = index::sample(rng, count, most).into_vec();
        rows.sort_unstable();
        rows
    }
}

impl Default for KMeans {
    fn default() -> Self {
        Self::new()
    }
}

impl Placement for KMeans {
    fn name(&self) -> &str {
        "kmeans"
    }

    fn summary(&self) -> &str {
        "centres of clusters of the data points (k-means++, then Lloyd's iterations)"
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
        let rows = self.rows(x.nrows(), m, &mut rng);
        let cloud = Cloud::new(table.view(), distinct(table.view(), rows));
        let clusters = self.found(&cloud, m, &mut rng);
        let means = cloud.means(table.view(), clusters.labels(), clusters.count());
        let dim = x.ncols();
        let centres = without_repeats(views::points(&means, means.len() / dim, dim));
        let centres = views::points(&centres, centres.len() / dim, dim);
        if kernel.check_inputs(centres, &mut Workspace::new()).is_err() {
            return Placed::at_rows(x, closest_rows(&cloud, &clusters));
        }
        Ok(Placed { inputs: InducingInputs::points(centres.as_dyn_stride())?, rows: None, residual: None })
    }
}

/// Removes equal means, as of a ring and its inside.
fn without_repeats(centres: Points<'_>) -> Vec<f64> {
    let kept = distinct(centres, (0..centres.nrows()).collect());
    kept.iter().flat_map(|kept| crate::kernel::point(centres, kept.row)).copied().collect()
}

fn closest_rows(cloud: &Cloud, clusters: &Clusters) -> Vec<usize> {
    let distances = clusters.squared_distances(cloud);
    let mut closest: Vec<Option<usize>> = vec![None; clusters.count()];
    for (i, &label) in clusters.labels().iter().enumerate() {
        let best = &mut closest[label];
        if best.is_none_or(|best| distances[i] < distances[best]) {
            *best = Some(i);
        }
    }
    closest.into_iter().flatten().map(|i| cloud.row(i)).collect()
}
