//! Placement of inducing inputs: M places at or near data points.
//!
//! | name | what it does | time | memory beyond the data |
//! |---|---|---|---|
//! | `random` | a subset of the rows | O(N + M D) | O(N + M D) |
//! | `kmeans` | centres of clusters of the inputs | O(N M D) for each of some tens of passes | O(N D) |
//! | `greedy` | the rows that leave the least prior variance unexplained, one after the other | O(N M² + N M D) | O(N M) |
//!
//! `random` is the baseline. `kmeans` covers the inputs for any kernel, as is right before training.
//! `greedy` places for the current kernel, reports the unexplained share, and stops when nothing is left.
//! *Given* inducing inputs need no placement: [`InducingInputs::points`].
//!
//! **At most M.** No two inducing inputs share a place, where `K_zz` would be singular, so fewer than M
//! distinct rows give fewer inducing inputs; see [`InducingInputs::count`].
//!
//! Results are a function of the seed for any number of threads; work runs on rayon's current pool.
//! [`Placements`] finds them by name, also from other crates.
//!
//! ```
//! use gp_kernels::{parse, placement::Placements};
//! use faer::Mat;
//!
//! let x = Mat::from_fn(200, 2, |i, d| ((i * (7 + 4 * d)) % 50) as f64 / 50.0);
//! let kernel = parse("rbf(lengthscale=0.3)")?;
//! let placed = Placements::built_in().find("greedy")?.place(kernel.as_ref(), x.as_ref(), 20, 1)?;
//! assert_eq!(placed.inputs.count(), 20);
//! assert!(placed.residual.is_some_and(|share| share < 0.05));
//! # Ok::<(), gp_kernels::KernelError>(())
//! ```

mod greedy;
mod kmeans;
mod random;
mod registry;
mod table;

use std::fmt::Debug;

use faer::{Mat, MatRef};

pub use greedy::Greedy;
pub use kmeans::KMeans;
pub use random::RandomSubset;
pub use registry::Placements;

use crate::error::KernelError;
use crate::inducing::InducingInputs;
use crate::kernel::Kernel;

/// Method of choosing inducing inputs.
pub trait Placement: Send + Sync + Debug {
    /// Name, such as `kmeans`.
    fn name(&self) -> &str;

    /// One-line summary for lists.
    fn summary(&self) -> &str;

    /// Places at most `m` inducing inputs for the data `x` (N×D).
    ///
    /// A function of the arguments alone: the same bits for the same seed and any number of threads.
    ///
    /// # Errors
    /// [`KernelError::Placement`] for `m` = 0 or no data, [`KernelError::NotFinite`] with the place, and
    /// those of [`Kernel::check_inputs`].
    fn place(
        &self,
        kernel: &dyn Kernel,
        x: MatRef<'_, f64>,
        m: usize,
        seed: u64,
    ) -> Result<Placed, KernelError>;
}

/// Result of a [`Placement`].
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// Distinct inducing inputs, at least one and at most as many as asked for.
    pub inputs: InducingInputs,
    /// Rows of the data, in order of choice, if they are rows.
    pub rows: Option<Vec<usize>>,
    /// Unexplained share of the data's prior variance, `tr(K_xx − K_xz K_zz⁻¹ K_zx) / tr K_xx` in [0, 1],
    /// if known.
    pub residual: Option<f64>,
}

impl Placed {
    /// Inducing inputs at these rows of `x` (N×D), without residual.
    ///
    /// # Errors
    /// [`KernelError::Placement`] for a missing row, [`KernelError::NotFinite`] for a non-finite one (row
    /// counted among those chosen).
    pub fn at_rows(x: MatRef<'_, f64>, rows: Vec<usize>) -> Result<Self, KernelError> {
        if let Some(row) = rows.iter().find(|&&row| row >= x.nrows()) {
            let reason = format!("row {row} was chosen, but the data have {} rows", x.nrows());
            return Err(KernelError::Placement { wanted: rows.len(), reason });
        }
        let z = Mat::from_fn(rows.len(), x.ncols(), |i, d| x[(rows[i], d)]);
        Ok(Self { inputs: InducingInputs::points(z.as_ref())?, rows: Some(rows), residual: None })
    }
}
