//! The prior at the inducing inputs, whitened: `K_zz = L Lᵀ`, `u = L v` with `v ~ N(0, I)`.

use std::sync::Arc;

use faer::Mat;
use gp_linalg::reverse::cholesky_reverse;
use gp_linalg::{Cholesky, JitterPolicy, JitterRecord};

use super::gradients::{Parts, PriorGradients};
use super::inputs::InducingInputs;
use super::pool::Pool;
use super::process::{SparseProcess, Structure};
use crate::error::KernelError;
use crate::evaluate::{Evaluator, check_shape};
use crate::kernel::Kernel;
use crate::tree::copy_values;

/// A kernel, inducing inputs, and the factor of their `K_zz`.
///
/// It has copies of both, which change in [`refresh`](InducingPrior::refresh) alone: what is projected, differentiated
/// or predicted with it belongs to one and the same prior.
#[derive(Clone, Debug)]
pub struct InducingPrior {
    pub(super) state: Arc<PriorState>,
    k_zz: Mat<f64>,
    pub(super) pool: Arc<Pool>,
}

/// What a projection shares with the prior that it was made by.
#[derive(Clone, Debug)]
pub(super) struct PriorState {
    pub(super) kernel: Box<dyn Kernel>,
    pub(super) inputs: InducingInputs,
    /// Of the process that the kernel is a copy of.
    structure: Option<Structure>,
    pub(super) factor: Cholesky,
    /// What [`InducingPrior::refresh`] has recorded of `K_zz`.
    record: Vec<f64>,
}

/// How much is recorded of `K_zz` between forward and reverse pass, in numbers: 16 megabytes. That is a kernel's
/// distances between 1100 points of 784 dimensions or 1400 of a few; with more, the memory is worth more than the time.
const RECORDED: usize = 1 << 21;

impl InducingPrior {
    /// Factors `K_zz` of a process.
    ///
    /// # Errors
    /// As [`InducingInputs::gram`], and [`KernelError::Linalg`] when the policy's largest jitter is not enough.
    pub fn new(process: &SparseProcess, policy: &JitterPolicy, by: &Evaluator) -> Result<Self, KernelError> {
        Self::of(process.kernel().clone_box(), process.inputs().clone(), policy, by)
    }

    /// Factors `K_zz` of a kernel and inducing inputs that need not be trainable.
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

    /// Makes this the prior of a process whose kernel or inducing inputs have changed: in the same memory, once no
    /// projection made before is left. After an error it is not to be used before this has succeeded.
    ///
    /// It also records what spares [`finish_reverse`](InducingPrior::finish_reverse) work, where M is not too large
    /// for that.
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

    fn factor_anew(&mut self, policy: &JitterPolicy, by: &Evaluator) -> Result<(), KernelError> {
        let PriorState { kernel, inputs, factor, record, .. } = Arc::make_mut(&mut self.state);
        if self.k_zz.nrows() != inputs.count() {
            self.k_zz = Mat::zeros(inputs.count(), inputs.count());
        }
        inputs.gram_of(kernel.as_ref(), self.k_zz.as_mut(), record, by)?;
        Ok(factor.refactor(self.k_zz.as_ref(), policy)?)
    }

    /// M.
    pub fn count(&self) -> usize {
        self.state.inputs.count()
    }

    /// The covariance function as it was when the prior was last refreshed.
    pub fn kernel(&self) -> &dyn Kernel {
        self.state.kernel.as_ref()
    }

    /// The inducing inputs.
    pub fn inputs(&self) -> &InducingInputs {
        &self.state.inputs
    }

    /// The factor L of `K_zz`.
    pub fn factor(&self) -> &Cholesky {
        &self.state.factor
    }

    /// What was added to the diagonal of `K_zz`, and why.
    pub fn jitter(&self) -> &JitterRecord {
        self.state.factor.jitter()
    }

    /// Takes the derivatives with respect to L, summed over all projections made by this prior since it was last
    /// refreshed, to the kernel's parameters and the inducing inputs.
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
    /// Takes over the values of a process; of one that is built in another way, all of its kernel.
    fn follow(&mut self, process: &SparseProcess) {
        let structure = Some(process.structure());
        if self.structure != structure || !copy_values(process.kernel(), self.kernel.as_mut()) {
            self.kernel = process.kernel().clone_box();
            self.structure = structure;
        }
        self.inputs.copy_from(process.inputs());
    }
}
