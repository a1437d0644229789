//! Posterior in model files.

use faer::Mat;
use gp_linalg::{Cholesky, JitterPolicy};
use serde::{Deserialize, Serialize};

use super::{InducingPosterior, PosteriorFactor};
use crate::error::KernelError;
use crate::evaluate::check_count;
use crate::inducing::InducingInputs;
use crate::registry::Registry;
use crate::tree::KernelExt as _;

/// Kernel expression and numbers, without training data.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StoredPosterior {
    kernel: String,
    inputs: InducingInputs,
    jitter: JitterPolicy,
    mean: Vec<f64>,
    factor: StoredFactor,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StoredFactor {
    Precision(Cholesky),
    /// Lower triangle, column by column.
    Covariance(Vec<f64>),
}

impl StoredPosterior {
    pub(super) fn new(
        kernel: String,
        inputs: &InducingInputs,
        jitter: JitterPolicy,
        mean: &[f64],
        factor: &PosteriorFactor,
    ) -> Self {
        let factor = match factor {
            PosteriorFactor::Precision(factor) => StoredFactor::Precision(factor.clone()),
            PosteriorFactor::Covariance(factor) => {
                let count = factor.nrows();
                StoredFactor::Covariance(
                    (0..count).flat_map(|j| (j..count).map(move |i| factor[(i, j)])).collect(),
                )
            }
        };
        Self { kernel, inputs: inputs.clone(), jitter, mean: mean.to_vec(), factor }
    }

    /// Posterior, [alike](InducingPosterior::alike) to one in `before` with equal prior.
    ///
    /// # Errors
    /// Invalid expression or numbers.
    pub fn restore<'a>(
        self,
        registry: &Registry,
        before: impl IntoIterator<Item = &'a InducingPosterior>,
    ) -> Result<InducingPosterior, KernelError> {
        check_count("posterior mean", "entries", self.inputs.count(), self.mean.len())?;
        let alike = before.into_iter().find(|before| self.is_like(before));
        let factor = match self.factor {
            StoredFactor::Precision(factor) => PosteriorFactor::Precision(factor),
            StoredFactor::Covariance(lower) => {
                PosteriorFactor::Covariance(unpack(&lower, self.inputs.count())?)
            }
        };
        if let Some(alike) = alike {
            return alike.alike(self.mean, factor);
        }
        let kernel = registry.parse_for(&self.kernel, self.inputs.dim())?;
        InducingPosterior::new(kernel, self.inputs, self.jitter, self.mean, factor)
    }
}

impl StoredPosterior {
    fn is_like(&self, other: &InducingPosterior) -> bool {
        self.jitter == other.policy
            && self.inputs == *other.inputs()
            && self.kernel == other.kernel().expression()
    }
}

fn unpack(lower: &[f64], count: usize) -> Result<Mat<f64>, KernelError> {
    check_count("posterior covariance factor", "entries", count * (count + 1) / 2, lower.len())?;
    let mut factor = Mat::zeros(count, count);
    let mut rest = lower.iter();
    for j in 0..count {
        (j..count).zip(rest.by_ref()).for_each(|(i, value)| factor[(i, j)] = *value);
    }
    Ok(factor)
}
