//! Greedy conditional variance: a pivoted Cholesky factorisation of the kernel matrix that never forms it.
//!
//! With `φ_i` the whitened covariances of point i with the points chosen so far, what they leave of its prior variance
//! is `s_i = k_ii − φ_iᵀφ_i`. The next inducing input goes to the point p with the largest `s_p`, which appends
//! `φ_i ← (φ_i, (k_ip − φ_iᵀφ_p) / √s_p)` to every point. (L. V. Foster et al. 2009; D. R. Burt et al. 2020 bound what
//! is lost by stopping after M.)

mod block;
mod chosen;
mod factor;

use faer::MatRef;

use self::factor::Factor;
use super::table::checked;
use super::{Placed, Placement};
use crate::error::KernelError;
use crate::kernel::Kernel;

/// `greedy`: one row after the other, each where the rows before leave the most prior variance.
///
/// Ties go to the first row. There is nothing random about it: every seed gives the same rows.
///
/// It stops early, with fewer inducing inputs than were asked for, when no point has more residual variance than a
/// small share ([`with_threshold`](Greedy::with_threshold)) of the largest prior variance. More would add nothing but
/// rounding errors and a nearly singular `K_zz`. At least one is placed, also where all prior variances are zero.
///
/// White noise in the kernel is treated as everywhere in this crate: it is in `K_zz` and in the prior variances, and
/// no inducing input shares it with a data point. It thus remains in the residual, and keeps the threshold from being
/// reached.
///
/// Takes O(N M² + N M D) time and O(N M) memory, both in proportion to how many are placed where it stops early; no
/// N×N matrix is formed.
#[derive(Clone, Copy, Debug)]
pub struct Greedy {
    threshold: f64,
}

/// The least threshold: smaller residuals are the rounding errors of their own computation.
const LEAST_THRESHOLD: f64 = 1e-14;

impl Greedy {
    /// Stops at a share of 1e-10: a standard deviation of 1e-5 of the prior's, which no inference can tell from zero,
    /// and which leaves `K_zz` a factorisation without jitter.
    pub fn new() -> Self {
        Self { threshold: 1e-10 }
    }

    /// Stops when no residual variance exceeds this share of the largest prior variance.
    ///
    /// Shares below 1e-14, and NaN, mean 1e-14.
    #[must_use]
    pub fn with_threshold(self, threshold: f64) -> Self {
        Self { threshold: if threshold >= LEAST_THRESHOLD { threshold } else { LEAST_THRESHOLD } }
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
        let mut factor = Factor::new(kernel, table.view())?;
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
