//! Placement of inducing inputs at or near data points.
//!
//! | name | inducing inputs | time | memory beyond the data |
//! |---|---|---|---|
//! | `random` | random rows | O(N + M D) | O(N + M D) |
//! | `kmeans` | cluster centres | O(N M D) per iteration | O(N D) |
//! | `greedy` | rows of largest unexplained prior variance | O(N M² + N M D) | O(N M) |
//!
//! `random` is a baseline. `kmeans` ignores the kernel: use it before training. `greedy` suits the current kernel and
//! reports the residual. For inputs of your own choice: [`InducingInputs::points`].
//!
//! Inducing inputs are distinct; fewer than M distinct rows give fewer ([`InducingInputs::count`]).
//!
//! Results depend on kernel, data and seed only. [`Placements`] finds placements by name.
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

/// Method that chooses inducing inputs.
pub trait Placement: Send + Sync + Debug {
    /// Name, such as `kmeans`.
    fn name(&self) -> &str;

    /// One-line summary.
    fn summary(&self) -> &str;

    /// Places at most `m` inducing inputs for `x` (N×D); equal seeds give equal bits.
    ///
    /// # Errors
    /// [`KernelError::Placement`] for no data or `m` = 0, [`KernelError::NotFinite`]; as [`Kernel::check_inputs`].
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
    /// Distinct inducing inputs, 1 to m.
    pub inputs: InducingInputs,
    /// Chosen data rows in order, if any.
    pub rows: Option<Vec<usize>>,
    /// `tr(K_xx − K_xz K_zz⁻¹ K_zx) / tr K_xx`, in [0, 1], if known.
    pub residual: Option<f64>,
}

impl Placed {
    /// Inducing inputs at rows of `x`.
    ///
    /// # Errors
    /// [`KernelError::Placement`] for missing rows, [`KernelError::NotFinite`] with the position in `rows`.
    pub fn at_rows(x: MatRef<'_, f64>, rows: Vec<usize>) -> Result<Self, KernelError> {
        if let Some(row) = rows.iter().find(|&&row| row >= x.nrows()) {
            let reason = format!("row {row} was chosen, but the data have {} rows", x.nrows());
            return Err(KernelError::Placement { wanted: rows.len(), reason });
        }
        let z = Mat::from_fn(rows.len(), x.ncols(), |i, d| x[(rows[i], d)]);
        Ok(Self { inputs: InducingInputs::points(z.as_ref())?, rows: Some(rows), residual: None })
    }
}
