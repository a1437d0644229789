//! Greedy conditional variance: pivoted Cholesky factorisation without the kernel matrix.
//!
//! `φ_i` are the whitened covariances of point i with the chosen points, `s_i = k_ii − φ_iᵀφ_i` is its residual
//! variance. The next point p has the largest `s_p`; then `φ_i ← (φ_i, (k_ip − φ_iᵀφ_p) / √s_p)`. (L. V. Foster et al.
//! 2009; D. R. Burt et al. 2020 bound the loss from stopping at M.)

mod block;
mod chosen;
mod factor;

use faer::MatRef;

use self::factor::GreedyFactor;
use super::table::checked;
use super::{Placed, Placement};
use crate::error::KernelError;
use crate::kernel::Kernel;

/// `greedy`: rows one by one, each with the largest residual prior variance; the first of equals.
///
/// Deterministic. Places at least one point. Stops once all residual variances are below a small share
/// ([`with_threshold`](Greedy::with_threshold)) of the largest prior variance: more points would add
/// rounding errors and make `K_zz` nearly singular. White noise keeps residuals above the threshold, because
/// no inducing input explains it.
///
/// O(N M² + N M D) time and O(N M) memory for M placed points; no N×N matrix.
#[derive(Clone, Copy, Debug)]
pub struct Greedy {
    threshold: f64,
}

/// Smaller residuals are rounding errors.
const MIN_THRESHOLD: f64 = 1e-14;

impl Greedy {
    /// Greedy placement with threshold 1e-10: standard deviations of 1e-5 of the prior's do not matter for
    /// inference, and `K_zz` needs no jitter.
    pub fn new() -> Self {
        Self { threshold: 1e-10 }
    }

    /// Sets the threshold, a share of the largest prior variance; below 1e-14, and NaN, mean 1e-14.
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
