//! Posterior of inducing values from the first pass.

use super::model::SparseRegression;
use crate::error::InferenceError;
use crate::power_ep::WhitenedPosterior;
use gp_kernels::passes::{Beliefs, Layout, Sums, Whitened};

#[derive(Debug)]
pub(super) struct RegressionPosterior {
    pub(super) layout: Layout,
    pub(super) number: Layout,
    pub(super) q: WhitenedPosterior,
}

impl Beliefs for RegressionPosterior {
    fn of(&self, _component: usize, _latent: usize) -> Whitened<'_> {
        self.q.belief()
    }
}

pub(super) struct MeanOf<'a>(pub(super) &'a RegressionPosterior);

impl Beliefs for MeanOf<'_> {
    fn of(&self, _component: usize, _latent: usize) -> Whitened<'_> {
        Whitened::Mean(self.0.q.mean())
    }
}

impl RegressionPosterior {
    pub(super) fn of(count: usize) -> Self {
        let layout = Layout::new(vec![count], 1);
        Self { number: layout.of_extra(1), layout, q: WhitenedPosterior::prior(count) }
    }

    /// `B = L_B L_Bᵀ` and `m = B⁻¹ Φ D⁻¹ y`.
    pub(super) fn solve(&mut self, model: &SparseRegression, sums: &Sums) -> Result<(), InferenceError> {
        self.q.set(self.layout.part(&sums.numbers, 0, 0), 1.0, model.jitter())
    }
}
