//! Centres of clusters.

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

/// `kmeans`: the means of clusters of the inputs, found by Lloyd's iterations from a k-means++ start.
///
/// Distances are taken in units of each column's standard deviation, so that no column dominates; a constant column
/// counts for nothing. Equal rows are one point of larger weight, and points that cannot be told apart in those units
/// count as one: data with K < M such points give K inducing inputs. A cluster that runs empty is moved to the point
/// that is farthest from its own centre.
///
/// More than 50,000 rows are replaced by a random 50,000 of them (or 10 M, where that is more), which moves the
/// centres by far less than the spread of a cluster; see [`with_sample`](KMeans::with_sample).
///
/// Where the kernel cannot evaluate the mean of two points, as between the codes of two categories, each centre is
/// replaced by the data point of its cluster that is closest to it, and [`Placed::rows`] says which. Of the kernel
/// nothing else is used. (`overlap` takes any number for a category: a mean is then one that no data point has. For
/// categories without codes, `greedy` is the better choice.)
///
/// Takes O(N M D) time for the start and again for each iteration, in matrix products, and O(N D) memory.
#[derive(Clone, Copy, Debug)]
pub struct KMeans {
    iterations: usize,
    /// Multiplications that iterations may take together.
    work: usize,
    sample: usize,
}

/// A sample has at least this many points for each cluster.
const SAMPLE_PER_CLUSTER: usize = 10;

/// Multiplications that all iterations may take together, some seconds, and iterations that there are anyway.
const MOST_WORK: usize = 150_000_000_000;
const FEWEST_ITERATIONS: usize = 5;

impl KMeans {
    /// At most 100 iterations on at most 50,000 rows. Where these would take more than 1.5·10¹¹ multiplications, as for images,
    /// there are fewer, but at least five.
    pub fn new() -> Self {
        Self { iterations: 100, work: MOST_WORK, sample: 50_000 }
    }

    /// Stops after this many iterations (at least one), should assignments still change, however long they take.
    #[must_use]
    pub fn with_iterations(self, iterations: usize) -> Self {
        Self { iterations: iterations.max(1), work: usize::MAX, ..self }
    }

    /// Looks at no more than this many rows, or ten for each inducing input where that is more.
    #[must_use]
    pub fn with_sample(self, rows: usize) -> Self {
        Self { sample: rows, ..self }
    }

    /// The cluster of every row of `x` (N×D), a number below `m`: the clusters whose centres [`place`](Placement::place)
    /// gives, found from all rows. Equal rows are in the same cluster.
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

    /// From a k-means++ start to where no point changes its cluster.
    fn found(&self, cloud: &Cloud, m: usize, rng: &mut ChaCha8Rng) -> Clusters {
        let each = cloud.count().saturating_mul(m.min(cloud.count())).saturating_mul(cloud.dim()).max(1);
        let iterations = self.iterations.min((self.work / each).max(FEWEST_ITERATIONS));
        lloyd::refine(cloud, &seeding::plus_plus(cloud, m, rng), iterations)
    }

    /// The rows to look at: all, or a random subset in the order of the data.
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

/// The rows of a table without those that equal an earlier one.
///
/// Two clusters can have the same mean, a ring and what is inside it, if the iterations end before that is resolved.
fn without_repeats(centres: Points<'_>) -> Vec<f64> {
    let kept = distinct(centres, (0..centres.nrows()).collect());
    kept.iter().flat_map(|kept| crate::kernel::point(centres, kept.row)).copied().collect()
}

/// For each cluster, the row of the data closest to its centre.
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
