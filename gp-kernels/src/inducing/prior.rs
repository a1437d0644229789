//! Whitened prior: `K_zz = L Lᵀ`, `u = L v`, `v ~ N(0, I)`.

use std::sync::Arc;

use faer::Mat;
use gp_linalg::reverse::cholesky_reverse;
use gp_linalg::{Cholesky, JitterPolicy, JitterRecord};

use super::gradients::{Parts, PriorGradients};
use super::inputs::InducingInputs;
use super::pool::ProjectionMemory;
use super::process::{SparseProcess, Structure};
use crate::error::KernelError;
use crate::evaluate::{Evaluator, check_shape};
use crate::kernel::Kernel;
use crate::tree::copy_values;

/// Kernel, inducing inputs, factor of `K_zz`; changed by [`refresh`](InducingPrior::refresh).
#[derive(Clone, Debug)]
pub struct InducingPrior {
    pub(super) state: Arc<PriorState>,
    k_zz: Mat<f64>,
    pub(super) pool: Arc<ProjectionMemory>,
}

#[derive(Clone, Debug)]
pub(super) struct PriorState {
    pub(super) kernel: Box<dyn Kernel>,
    pub(super) inputs: InducingInputs,
    /// Structure of the copied kernel.
    structure: Option<Structure>,
    pub(super) factor: Cholesky,
    /// Record of `K_zz`.
    record: Vec<f64>,
}

/// Maximum record length of `K_zz`; beyond, recomputation is faster.
const RECORDED: usize = 1 << 21;

impl InducingPrior {
    /// Prior of a sparse process.
    ///
    /// # Errors
    /// As [`InducingInputs::gram`]; [`KernelError::Linalg`] if all jitter fails.
    pub fn new(process: &SparseProcess, policy: &JitterPolicy, by: &Evaluator) -> Result<Self, KernelError> {
        Self::of(process.kernel().clone_box(), process.inputs().clone(), policy, by)
    }

    /// Prior of kernel and inducing inputs.
    ///
    /// # Errors
    /// As [`new`](InducingPrior::new).
    pub fn of(
        kernel: Box<dyn Kernel>,
        inputs: InducingInputs,
        policy: &JitterPolicy,
        by: &Evaluator,
    ) -> Result<Self, KernelError> {
        let (factor, record) = (Cholesky::with_capacity(inputs.count()), Vec::new());
        let state = PriorState { kernel, inputs, structure: None, factor, record };
        let mut prior = Self { state: Arc::new(state), k_zz: Mat::new(), pool: Arc::default() };
        prior.factor_anew(policy, by)?;
        Ok(prior)
    }

    /// Updates the prior, in place without projections. Unusable after an error, until a call succeeds.
    ///
    /// # Errors
    /// As [`new`](InducingPrior::new).
    pub fn refresh(
        &mut self,
        process: &SparseProcess,
        policy: &JitterPolicy,
        by: &Evaluator,
    ) -> Result<(), KernelError> {
        let state = Arc::make_mut(&mut self.state);
        state.follow(process);
        let len = state.inputs.gram_record_len(state.kernel.as_ref());
        state.record.resize(if len <= RECORDED { len } else { 0 }, 0.0);
        self.factor_anew(policy, by)
    }

    pub(crate) fn without_scratch(self) -> Self {
        Self { k_zz: Mat::new(), ..self }
    }

    /// `true` if both share state.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.state, &other.state)
    }

    fn factor_anew(&mut self, policy: &JitterPolicy, by: &Evaluator) -> Result<(), KernelError> {
        let PriorState { kernel, inputs, factor, record, .. } = Arc::make_mut(&mut self.state);
        if self.k_zz.nrows() != inputs.count() {
            self.k_zz = Mat::zeros(inputs.count(), inputs.count());
        }
        inputs.gram_of(kernel.as_ref(), self.k_zz.as_mut(), record, by)?;
        Ok(factor.refactor_on(self.k_zz.as_ref(), policy, by.threading())?)
    }

    /// Number M.
    pub fn count(&self) -> usize {
        self.state.inputs.count()
    }

    /// Kernel at the last refresh.
    pub fn kernel(&self) -> &dyn Kernel {
        self.state.kernel.as_ref()
    }

    /// Inducing inputs.
    pub fn inputs(&self) -> &InducingInputs {
        &self.state.inputs
    }

    /// Factor L of `K_zz`.
    pub fn factor(&self) -> &Cholesky {
        &self.state.factor
    }

    /// Jitter of `K_zz`.
    pub fn jitter(&self) -> &JitterRecord {
        self.state.factor.jitter()
    }

    /// Adds the part through L, summed since the last refresh, to the other gradients.
    ///
    /// # Errors
    /// [`KernelError::Shape`] for gradients of another process.
    pub fn finish_reverse(&self, grads: &mut PriorGradients, by: &Evaluator) -> Result<(), KernelError> {
        let PriorState { kernel, inputs, factor, record, .. } = &*self.state;
        let count = inputs.count();
        let Parts { params, inputs: values, factor: by_factor, covariance } = grads.parts_mut();
        check_shape("gradient of the factor", (by_factor.nrows(), by_factor.ncols()), (count, count))?;
        if covariance.nrows() != count {
            *covariance = Mat::zeros(count, count);
        }
        cholesky_reverse(factor.l(), by_factor.as_ref(), covariance.as_mut(), by.threading())?;
        inputs.gram_reverse_of(kernel.as_ref(), covariance.as_ref(), (params, values), record, by)
    }
}

impl PriorState {
    /// Copies values, and the kernel if its structure changed.
    fn follow(&mut self, process: &SparseProcess) {
        let structure = Some(process.structure());
        if self.structure != structure || !copy_values(process.kernel(), self.kernel.as_mut()) {
            self.kernel = process.kernel().clone_box();
            self.structure = structure;
        }
        self.inputs.copy_from(process.inputs());
    }
}
