//! Upper bound of −ln p(y) for given active set and sites (Seeger & Jordan 2004 §5, App. A):
//! `G = −Σ_i E_Q[ln p(y_i | u_i)] + D[Q(u_I) ‖ P(u_I)]`, in one pass.

use super::active_set::ActiveSet;
use super::blocks::{Chunk, DivergenceParts, own};
use super::chunks::in_chunks;
use super::data::Labelled;
use super::gradient::Upstream;
use super::model::Ivm;
use super::observation::IntegralScratch;
use super::representation::Representation;
use crate::error::{InferenceError, check_count};
use faer::Mat;
use gp_kernels::Evaluator;
use gp_kernels::data::DataSource;
use gp_optim::ParameterSet;

/// Points per chunk, whose stubs fit the L2 cache.
const CHUNK: usize = 256;
const TASK: usize = 16;

pub(super) struct Pass<'a> {
    pub(super) data: &'a Labelled,
    pub(super) active: &'a ActiveSet,
    pub(super) all: &'a Representation,
    pub(super) blocks: &'a DivergenceParts,
}

type Show<'s> = dyn FnMut(&Chunk<'_>, &Evaluator) -> Result<(), InferenceError> + 's;

impl Ivm {
    /// Upper bound of −ln p(y), in nats, up to integration errors, for the posterior's active set and sites.
    ///
    /// # Errors
    /// [`InferenceError::Kernel`], [`InferenceError::Observation`], [`InferenceError::Data`],
    /// [`InferenceError::Linalg`] if jitter does not suffice.
    pub fn criterion(
        &self,
        data: &dyn DataSource,
        posterior: &super::IvmPosterior,
    ) -> Result<f64, InferenceError> {
        self.criterion_of(&Labelled::read(self, data)?, posterior.active_set(), None)
    }

    /// [`criterion`](Self::criterion) and gradient by all natural values, ordered as
    /// [`parameter_names`](Self::parameter_names), at constant active set and sites. Exact for any rule.
    ///
    /// # Errors
    /// As [`criterion`](Self::criterion); [`InferenceError::Shape`] of `gradient`.
    pub fn criterion_gradient(
        &self,
        data: &dyn DataSource,
        posterior: &super::IvmPosterior,
        gradient: &mut [f64],
    ) -> Result<f64, InferenceError> {
        check_count("gradient", "entries", self.parameter_count(), gradient.len())?;
        self.criterion_of(&Labelled::read(self, data)?, posterior.active_set(), Some(gradient))
    }

    pub(super) fn criterion_of(
        &self,
        data: &Labelled,
        active: &ActiveSet,
        gradient: Option<&mut [f64]>,
    ) -> Result<f64, InferenceError> {
        let grams = self.grams(active)?;
        let all = Representation::of(active, &grams, self.jitter)?;
        let blocks = DivergenceParts::new(&all, grams, self.threading)?;
        let pass = Pass { data, active, all: &all, blocks: &blocks };
        let Some(gradient) = gradient else {
            return self.over_rows(&pass, &mut |_, _| Ok(()));
        };
        let mut upstream = Upstream::new((self, active), (&all, &blocks), gradient);
        let value = self.over_rows(&pass, &mut |chunk, evaluator| upstream.add_chunk(chunk, evaluator))?;
        upstream.finish(&Evaluator::new(self.threading))?;
        Ok(value)
    }

    pub(super) fn over_rows(
        &self,
        &Pass { data, active, all, blocks }: &Pass<'_>,
        show: &mut Show<'_>,
    ) -> Result<f64, InferenceError> {
        let evaluator = Evaluator::new(self.threading);
        let mut misfit = 0.0;
        for start in (0..data.len()).step_by(CHUNK) {
            let chunk = self.chunk(data, (active, all), start, &evaluator)?;
            misfit -= chunk.expected.iter().map(|expected| expected.value).sum::<f64>();
            show(&chunk, &evaluator)?;
        }
        let alpha = |i: usize| active.classes.iter().map(|class| class.precision[i]).sum::<f64>();
        let log_alpha = (0..all.len()).map(|i| alpha(i).ln()).sum::<f64>();
        Ok(misfit + blocks.divergence(all) - 0.5 * log_alpha)
    }

    pub(super) fn grams(&self, active: &ActiveSet) -> Result<Vec<Mat<f64>>, InferenceError> {
        let evaluator = Evaluator::new(self.threading);
        let gram = |c: usize| {
            let inputs = active.classes[c].inputs.as_ref();
            let mut gram = Mat::zeros(inputs.nrows(), inputs.nrows());
            evaluator.gram(self.kernels[c].as_ref(), inputs, gram.as_mut())?;
            Ok(gram)
        };
        (0..self.classes()).map(gram).collect()
    }

    fn chunk<'a>(
        &self,
        data: &'a Labelled,
        (active, all): (&ActiveSet, &Representation),
        start: usize,
        evaluator: &Evaluator,
    ) -> Result<Chunk<'a>, InferenceError> {
        let inputs = data.inputs().subrows(start, CHUNK.min(data.len() - start));
        let width = inputs.nrows();
        let (mut cross, mut prior) = (Vec::new(), Vec::new());
        for (kernel, class) in self.kernels.iter().zip(&active.classes) {
            let mut variances = vec![0.0; width];
            evaluator.diagonal(kernel.as_ref(), inputs, &mut variances)?;
            let mut k = Mat::zeros(class.rows.len(), width);
            evaluator.cross(kernel.as_ref(), class.inputs.as_ref(), inputs, k.as_mut())?;
            for (a, j) in own(&class.rows, start, width) {
                k[(a, j)] = variances[j];
            }
            cross.push(k);
            prior.push(variances);
        }
        let stubs = all.stubs(cross.clone(), self.threading)?;
        let (observed, places): (_, Vec<usize>) = (self.observation_model(), (0..width).collect());
        let expected = in_chunks(&places, TASK, self.threading, |places| {
            let mut scratch = IntegralScratch::default();
            let expectation = |&j: &usize| {
                let belief = all.belief(&stubs, j, |c| prior[c][j]);
                observed.expectation(data.targets()[start + j], &belief, &mut scratch)
            };
            places.iter().map(expectation).collect()
        })?;
        Ok(Chunk { start, inputs, cross, stubs, expected })
    }
}
