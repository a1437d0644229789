//! Gaussian posterior over inducing values.
//!
//! `q(v) = N(m, V)`, by a factor of `V⁻¹ = B = L_B L_Bᵀ` (EP) or `V = L_S L_Sᵀ` (variational). Latent mean `φᵀ m`,
//! variance `s + φᵀ V φ`.

mod beliefs;
mod blocks;
mod collapsed;
mod dense;
mod mixture;
mod predict;
mod stored;
mod terms;

use faer::{Mat, MatRef};
use gp_linalg::{Cholesky, JitterPolicy, JitterRecord, LinalgError, Threading};

use collapsed::Collapsed;
use std::sync::OnceLock;

pub use beliefs::LatentBeliefs;
pub use blocks::{at_rows, in_blocks};
pub use dense::DensePosterior;
pub use mixture::{HoldsLatent, LatentFunction, LatentPosterior, MixturePosterior, sample_joint};
pub use stored::StoredPosterior;
pub use terms::{predict_terms, term_means, terms};

use crate::error::KernelError;
use crate::evaluate::{Evaluator, check_count, check_shape};
use crate::inducing::{InducingInputs, InducingPrior};
use crate::kernel::Kernel;
use crate::tree::KernelExt;

/// Factor of V or `V⁻¹`.
#[derive(Clone, Debug)]
pub enum PosteriorFactor {
    /// `V⁻¹ = B = L_B L_Bᵀ`.
    Precision(Cholesky),
    /// Lower triangular, `V = L_S L_Sᵀ`.
    Covariance(Mat<f64>),
}

/// One latent function's `q(v) = N(m, V)`, `u = L v`.
#[derive(Clone, Debug)]
pub struct InducingPosterior {
    policy: JitterPolicy,
    prior: InducingPrior,
    mean: Vec<f64>,
    factor: PosteriorFactor,
    collapsed: OnceLock<Option<Collapsed>>,
}

/// Latent means and variances, without observation noise.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LatentPrediction {
    /// Posterior means.
    pub mean: Vec<f64>,
    /// Posterior variances, ≥ 0.
    pub variance: Vec<f64>,
}

/// `prior − explained`, at least the rounding error of `prior`.
#[must_use]
pub fn unexplained(prior: f64, explained: f64) -> f64 {
    (prior - explained).max(f64::EPSILON * prior)
}

impl LatentPrediction {
    /// Zeros for `count` points.
    #[must_use]
    pub fn zeros(count: usize) -> Self {
        Self { mean: vec![0.0; count], variance: vec![0.0; count] }
    }
}

/// Joint latent samples.
#[derive(Clone, Debug)]
pub struct LatentSamples {
    /// Points × functions.
    pub functions: Mat<f64>,
    /// Jitter of the conditional covariance.
    pub jitter: JitterRecord,
}

impl InducingPosterior {
    /// `q(v)` from mean (M), factor (M×M), and jitter `policy` of `K_zz`.
    ///
    /// # Errors
    /// Wrong shapes, non-finite numbers; as [`InducingPrior::new`].
    pub fn new(
        kernel: Box<dyn Kernel>,
        inputs: InducingInputs,
        policy: JitterPolicy,
        mean: Vec<f64>,
        factor: PosteriorFactor,
    ) -> Result<Self, KernelError> {
        let prior = InducingPrior::of(kernel, inputs, &policy, &Evaluator::default())?.without_scratch();
        Self::beside(prior, policy, mean, factor)
    }

    /// Another function that shares the prior, and projections in [mixtures](MixturePosterior).
    ///
    /// # Errors
    /// Wrong shapes, non-finite numbers.
    pub fn alike(&self, mean: Vec<f64>, factor: PosteriorFactor) -> Result<Self, KernelError> {
        Self::beside(self.prior.clone(), self.policy, mean, factor)
    }

    fn beside(
        prior: InducingPrior,
        policy: JitterPolicy,
        mean: Vec<f64>,
        factor: PosteriorFactor,
    ) -> Result<Self, KernelError> {
        check_count("posterior mean", "entries", prior.count(), mean.len())?;
        if let Some((row, value)) = mean.iter().enumerate().find(|(_, value)| !value.is_finite()) {
            return Err(KernelError::NotFinite { what: "posterior mean", row, column: 0, value: *value });
        }
        let factor = checked_factor(factor, prior.count())?;
        Ok(Self { policy, prior, mean, factor, collapsed: OnceLock::new() })
    }

    /// `true` if both [share](Self::alike) a prior.
    #[must_use]
    pub fn is_alike(&self, other: &Self) -> bool {
        self.prior.is(&other.prior)
    }

    /// Prior: `m = 0`, `V = I`.
    ///
    /// # Errors
    /// Those of [`InducingPrior::new`].
    pub fn prior(
        kernel: Box<dyn Kernel>,
        inputs: InducingInputs,
        policy: JitterPolicy,
    ) -> Result<Self, KernelError> {
        let count = inputs.count();
        let identity = PosteriorFactor::Covariance(Mat::identity(count, count));
        Self::new(kernel, inputs, policy, vec![0.0; count], identity)
    }

    /// Latent function's kernel.
    pub fn kernel(&self) -> &dyn Kernel {
        self.prior.kernel()
    }

    /// Inducing inputs.
    pub fn inputs(&self) -> &InducingInputs {
        self.prior.inputs()
    }

    /// Whitened mean m.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// Factor of V or `V⁻¹`.
    pub fn factor(&self) -> &PosteriorFactor {
        &self.factor
    }

    /// Jitter of `K_zz`.
    pub fn jitter(&self) -> &JitterRecord {
        self.prior.jitter()
    }

    /// Mean of inducing values, `L m`.
    pub fn inducing_mean(&self) -> Result<Vec<f64>, KernelError> {
        let mut u = self.mean.clone();
        let column = faer::ColMut::from_slice_mut(&mut u).as_mat_mut();
        self.prior.factor().mul_l_in_place(column, Threading::Here)?;
        Ok(u)
    }

    /// Form for model files.
    pub fn to_stored(&self) -> StoredPosterior {
        StoredPosterior::new(self.kernel().expression(), self.inputs(), self.policy, &self.mean, &self.factor)
    }
}

/// Checks shapes; zeroes above the diagonal.
fn checked_factor(factor: PosteriorFactor, count: usize) -> Result<PosteriorFactor, KernelError> {
    match factor {
        PosteriorFactor::Precision(factor) => {
            check_count("posterior precision", "rows", count, factor.dim())?;
            Ok(PosteriorFactor::Precision(factor))
        }
        PosteriorFactor::Covariance(factor) => {
            check_shape("posterior covariance factor", (factor.nrows(), factor.ncols()), (count, count))?;
            check_lower_finite(factor.as_ref())?;
            let lower = Mat::from_fn(count, count, |i, j| if i >= j { factor[(i, j)] } else { 0.0 });
            Ok(PosteriorFactor::Covariance(lower))
        }
    }
}

fn check_lower_finite(factor: MatRef<'_, f64>) -> Result<(), KernelError> {
    for column in 0..factor.ncols() {
        for row in column..factor.nrows() {
            let value = factor[(row, column)];
            if !value.is_finite() {
                let what = "posterior covariance factor";
                return Err(LinalgError::NotFinite { what, row, column, value }.into());
            }
        }
    }
    Ok(())
}
