//! Where inducing inputs start: M places chosen from, or near, N data points.
//!
//! | name | what it does | time | memory beyond the data |
//! |---|---|---|---|
//! | `random` | a subset of the rows | O(N + M D) | O(N + M D) |
//! | `kmeans` | centres of clusters of the inputs | O(N M D) for each of some tens of passes | O(N D) |
//! | `greedy` | the rows that leave the least prior variance unexplained, one after the other | O(N M² + N M D) | O(N M) |
//!
//! `random` is the baseline. `kmeans` covers the inputs whatever the kernel is, which is right before its parameters
//! have been learned. `greedy` places for the kernel as it is now, reports how much it left unexplained, and stops
//! when there is nothing left to explain. Nobody has to use any of them: inducing inputs that are *given* are made by
//! [`InducingInputs::points`] and need no placement.
//!
//! **At most M.** No placement puts two inducing inputs at the same place, where they would make `K_zz` singular and
//! carry no information. Data with fewer than M distinct rows therefore get fewer than M inducing inputs; ask
//! [`InducingInputs::count`] for how many there are.
//!
//! All of them give the same bits for the same seed, with any number of threads; the work is done on rayon's current
//! pool. [`Placements`] finds them by name, and other crates can add their own.
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

/// A way to choose inducing inputs.
pub trait Placement: Send + Sync + Debug {
    /// The name it is asked for by, such as `kmeans`.
    fn name(&self) -> &str;

    /// One line for lists of what there is.
    fn summary(&self) -> &str;

    /// Places at most `m` inducing inputs for the data `x` (N×D).
    ///
    /// The result depends on nothing but the arguments: the same seed gives the same bits, whatever the number of
    /// threads.
    ///
    /// # Errors
    /// [`KernelError::Placement`] when nothing is asked for or there are no data, [`KernelError::NotFinite`] with the
    /// place of a NaN or an infinity, and what [`Kernel::check_inputs`] says of points that do not suit the kernel.
    fn place(
        &self,
        kernel: &dyn Kernel,
        x: MatRef<'_, f64>,
        m: usize,
        seed: u64,
    ) -> Result<Placed, KernelError>;
}

/// What a [`Placement`] has chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// The inducing inputs, no two of them equal; never more than were asked for, at least one.
    pub inputs: InducingInputs,
    /// Which rows of the data they are, in the order in which they were chosen, where they are rows of the data.
    pub rows: Option<Vec<usize>>,
    /// The share of the prior variance of the data that they leave unexplained, `tr(K_xx − K_xz K_zz⁻¹ K_zx) / tr K_xx`
    /// between 0 and 1, where the method knows it.
    pub residual: Option<f64>,
}

impl Placed {
    /// Inducing inputs at these rows of the data `x` (N×D), with no residual.
    ///
    /// # Errors
    /// [`KernelError::Placement`] for a row that does not exist, [`KernelError::NotFinite`] for one that holds a NaN or
    /// an infinity (its row counted among those chosen).
    pub fn at_rows(x: MatRef<'_, f64>, rows: Vec<usize>) -> Result<Self, KernelError> {
        if let Some(row) = rows.iter().find(|&&row| row >= x.nrows()) {
            let reason = format!("row {row} was chosen, but the data have {} rows", x.nrows());
            return Err(KernelError::Placement { wanted: rows.len(), reason });
        }
        let z = Mat::from_fn(rows.len(), x.ncols(), |i, d| x[(rows[i], d)]);
        Ok(Self { inputs: InducingInputs::points(z.as_ref())?, rows: Some(rows), residual: None })
    }
}
