//! Active sets as inducing inputs.

use super::model::Ivm;
use super::options::IvmOptions;
use crate::error::InferenceError;
use faer::MatRef;
use gp_kernels::data::Table;
use gp_kernels::placement::{Placed, Placement};
use gp_kernels::{Kernel, KernelError};
use gp_likelihoods::Likelihood;
use std::collections::HashSet;

/// Placement `ivm`: rows chosen by an informative vector machine with one kernel for all classes.
///
/// Equal inputs count once; there can be fewer points than requested.
///
/// ```
/// use faer::Mat;
/// use gp_ep::ivm::{IvmOptions, IvmPlacement};
/// use gp_kernels::placement::Placements;
/// use gp_likelihoods::BernoulliProbit;
///
/// let x = Mat::from_fn(80, 1, |i, _| 0.1 * i as f64);
/// let labels: Vec<f64> = (0..80).map(|i| if i < 33 { -1.0 } else { 1.0 }).collect();
/// let ivm = IvmPlacement::new(labels, Box::new(BernoulliProbit), IvmOptions::default());
/// let placements = Placements::built_in().with(Box::new(ivm));
/// let kernel = gp_kernels::parse("4 * rbf(lengthscale=1)")?;
/// let placed = placements.find("ivm")?.place(kernel.as_ref(), x.as_ref(), 10, 1)?;
/// assert_eq!(placed.inputs.count(), 10);
/// # Ok::<(), gp_ep::InferenceError>(())
/// ```
#[derive(Clone, Debug)]
pub struct IvmPlacement {
    labels: Vec<f64>,
    likelihood: Box<dyn Likelihood>,
    options: IvmOptions,
}

impl IvmPlacement {
    /// One label per row; requests override `active`, `seed`.
    #[must_use]
    pub fn new(labels: Vec<f64>, likelihood: Box<dyn Likelihood>, options: IvmOptions) -> Self {
        Self { labels, likelihood, options }
    }

    fn rows(
        &self,
        kernel: &dyn Kernel,
        x: MatRef<'_, f64>,
        m: usize,
        seed: u64,
    ) -> Result<Vec<usize>, InferenceError> {
        let model = Ivm::shared(kernel, self.likelihood.clone())?;
        let data = Table::with_targets(x, &self.labels)?;
        let options = IvmOptions { active: m, seed, ..self.options.clone() };
        let run = model.build(&data, &options)?;
        let mut seen = HashSet::new();
        // Equal values have equal keys: −0 becomes 0.
        let key = |row: usize| x.row(row).iter().map(|value| (value + 0.0).to_bits()).collect::<Vec<u64>>();
        Ok(run
            .inclusions
            .iter()
            .map(|inclusion| inclusion.row)
            .filter(|&row| seen.insert(key(row)))
            .take(m)
            .collect())
    }
}

impl Placement for IvmPlacement {
    fn name(&self) -> &str {
        "ivm"
    }

    fn summary(&self) -> &str {
        "the data points that an informative vector machine chooses for what their labels tell"
    }

    fn place(
        &self,
        kernel: &dyn Kernel,
        x: MatRef<'_, f64>,
        m: usize,
        seed: u64,
    ) -> Result<Placed, KernelError> {
        if m == 0 {
            return Err(KernelError::Placement { wanted: m, reason: "at least one is needed".to_owned() });
        }
        let rows = self.rows(kernel, x, m, seed).map_err(|fault| match fault {
            InferenceError::Kernel(fault) => fault,
            other => KernelError::Placement { wanted: m, reason: other.to_string() },
        })?;
        Placed::at_rows(x, rows)
    }
}
