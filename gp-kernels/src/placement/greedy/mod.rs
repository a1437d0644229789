//! Greedy conditional variance: pivoted Cholesky without the kernel matrix (L. V. Foster et al. 2009; bounds: D. R.
//! Burt et al. 2020).
//!
//! The next point p has the largest `s_p = k_pp − φ_pᵀφ_p`; then `φ_i ← (φ_i, (k_ip − φ_iᵀφ_p) / √s_p)`.

mod block;
mod chosen;
mod factor;

use faer::MatRef;

use self::factor::GreedyFactor;
use super::table::checked;
use super::{Placed, Placement};
use crate::error::KernelError;
use crate::kernel::Kernel;

/// `greedy`: rows of largest residual variance, first of equals.
///
/// Deterministic; at least one. Stops when residual variances are below a
/// [threshold](Greedy::with_threshold), which white noise prevents.
///
/// O(N M² + N M D) time, O(N M) memory.
#[derive(Clone, Copy, Debug)]
pub struct Greedy {
    threshold: f64,
}

/// Smaller residuals are rounding errors.
const MIN_THRESHOLD: f64 = 1e-14;

impl Greedy {
    /// Threshold 1e-10: `K_zz` needs no jitter.
    pub fn new() -> Self {
        Self { threshold: 1e-10 }
    }

    /// Sets the threshold, relative to the largest prior variance, ≥ 1e-14.
    #[must_use]
    pub fn with_threshold(self, threshold: f64) -> Self {
        Self { threshold: if threshold >= MIN_THRESHOLD { threshold } else { MIN_THRESHOLD } }
    }
}

impl Default for Greedy {
    fn default() -> Self {
        Self::new()
    }
}

impl Placement for Greedy {
    fn name(&self) -> &str {
        "greedy"
    }

    fn summary(&self) -> &str {
        "the data points that leave the least prior variance unexplained, one after the other"
    }

    fn place(
        &self,
        kernel: &dyn Kernel,
        x: MatRef<'_, f64>,
        m: usize,
        _seed: u64,
    ) -> Result<Placed, KernelError> {
        let table = checked(kernel, x, m)?;
        let mut factor = GreedyFactor::new(kernel, table.view())?;
        let largest = factor.largest_prior();
        let mut rows = Vec::new();
        while rows.len() < m {
            let Some(pivot) = factor.largest_residual()? else { break };
            let worth_it = pivot.variance > self.threshold * largest;
            if worth_it || rows.is_empty() {
                rows.push(pivot.row);
            }
            if !worth_it {
                break;
            }
            factor.condition_on(pivot)?;
        }
        Ok(Placed { residual: Some(factor.residual_share()?), ..Placed::at_rows(x, rows)? })
    }
}
