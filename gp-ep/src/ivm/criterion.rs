//! The criterion of learning: an upper bound of −ln p(y), for a given active set with given sites (Seeger & Jordan 2004
//! §5, App. A).
//!
//! `G = −Σ_i E_Q[ln p(y_i | u_i)] + D[Q(u_I) ‖ P(u_I)]`. Everything about points that are not active enters through sums
//! over them: a pass goes over the data in chunks and adds up what the gradient needs of each.

use super::chunks::in_chunks;
use super::data::Labelled;
use super::gradient::Upstream;
use super::model::Ivm;
use super::observation::{Expected, Scratch};
use super::representation::{ActiveSet, Representation, StubBlock, times};
use super::small::{add, inner};
use crate::error::{InferenceError, check_count};
use faer::{Accum, Mat, MatRef};
use gp_kernels::Evaluator;
use gp_kernels::data::DataSource;
use gp_linalg::Threading;
use gp_linalg::product::matmul;
use gp_optim::ParameterSet;

/// Points of a chunk: their stubs stay in the second-level cache for some hundred active points.
const CHUNK: usize = 256;
/// Points whose integrals are one task.
const TASK: usize = 16;

/// A chunk of the data as the active points see it.
pub(super) struct Chunk<'a> {
    /// The first row.
    pub(super) start: usize,
    pub(super) inputs: MatRef<'a, f64>,
    pub(super) stubs: StubBlock,
    /// What every observation says, with derivatives.
    pub(super) expected: Vec<Expected>,
}

impl Ivm {
    /// The criterion with the active set and sites of a posterior, at the present parameters: an upper bound of −ln p(y)
    /// as far as the rule of integration is exact.
    ///
    /// # Errors
    /// [`InferenceError::Kernel`], [`InferenceError::Observation`], [`InferenceError::Data`], [`InferenceError::Linalg`] for factors that all the
    /// jitter allowed does not make.
    pub fn criterion(
        &self,
        data: &dyn DataSource,
        posterior: &super::IvmPosterior,
    ) -> Result<f64, InferenceError> {
        self.criterion_of(&Labelled::read(self, data)?, posterior.active_set(), None)
    }

    /// The criterion, and its gradient in natural units over `gradient`: one number per value in the order of
    /// [`parameter_names`](Self::parameter_names), fixed ones included. Active set and sites are constants. The gradient
    /// is that of the criterion as it is computed, whatever the rule of integration.
    ///
    /// # Errors
    /// As [`criterion`](Self::criterion), and [`InferenceError::Shape`] for a gradient of the wrong length.
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
        let blocks = Blocks::new(&all, grams, self.threading)?;
        let evaluator = Evaluator::new(self.threading);
        let mut upstream = gradient.map(|gradient| Upstream::new((self, active), (&all, &blocks), gradient));
        let mut misfit = 0.0;
        for start in (0..data.len()).step_by(CHUNK) {
            let chunk = self.chunk(data, (active, &all), start, &evaluator)?;
            misfit -= chunk.expected.iter().map(|expected| expected.value).sum::<f64>();
            if let Some(upstream) = &mut upstream {
                upstream.add_chunk(&chunk, &evaluator)?;
            }
        }
        if let Some(upstream) = upstream {
            upstream.finish(&evaluator)?;
        }
        let alpha = |i: usize| active.classes.iter().map(|class| class.precision[i]).sum::<f64>();
        let log_alpha = (0..all.len()).map(|i| alpha(i).ln()).sum::<f64>();
        Ok(misfit + blocks.divergence(&all) - 0.5 * log_alpha)
    }

    /// K_I of every class.
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
        let stubs = all.stubs(cross, self.threading)?;
        let (observed, places): (_, Vec<usize>) = (self.observation_model(), (0..width).collect());
        let expected = in_chunks(&places, TASK, self.threading, |places| {
            let mut scratch = Scratch::default();
            let expectation = |&j: &usize| {
                let belief = all.belief(&stubs, j, |c| prior[c][j]);
                observed.expectation(data.targets()[start + j], &belief, &mut scratch)
            };
            places.iter().map(expectation).collect()
        })?;
        Ok(Chunk { start, inputs, stubs, expected })
    }
}

/// Active points that lie in a chunk: their number, and their column. With themselves they share white noise.
pub(super) fn own(rows: &[usize], start: usize, width: usize) -> impl Iterator<Item = (usize, usize)> {
    let inside = move |row: usize| (start..start + width).contains(&row);
    rows.iter().enumerate().filter(move |(_, row)| inside(**row)).map(move |(a, row)| (a, row - start))
}

/// Pieces of the divergence D\[Q(u_I) ‖ P(u_I)\] that its gradient shares.
pub(super) struct Blocks {
    pub(super) classes: Vec<ClassBlocks>,
    /// Z = Σ F X Fᵀ; of dimension 0 where classes are independent.
    pub(super) z: Mat<f64>,
}

/// Those of one class.
pub(super) struct ClassBlocks {
    /// F = L⁻¹ Bᵀ; without a row where classes are independent.
    pub(super) f: Mat<f64>,
    /// X = B K_I Bᵀ
    pub(super) x: Mat<f64>,
    /// g = β⁽ᶜ⁾ + Fᵀ β: the mean at a point is kᵀ Bᵀ g.
    pub(super) g: Vec<f64>,
    /// X g
    pub(super) moved: Vec<f64>,
}

impl Blocks {
    fn new(all: &Representation, grams: Vec<Mat<f64>>, threading: Threading) -> Result<Self, InferenceError> {
        let joint = all.len();
        let (mut classes, mut z) = (Vec::with_capacity(grams.len()), Mat::zeros(joint, joint));
        for (class, mut x) in all.classes.iter().zip(grams) {
            class.times_b(x.as_mut(), threading)?;
            class.times_b(x.as_mut().transpose_mut(), threading)?;
            let mut f = Mat::zeros(joint, class.len());
            if joint > 0 {
                f = Mat::identity(joint, joint);
                class.times_b_transpose(f.as_mut(), threading)?;
                all.joint.half_solve_in_place(f.as_mut(), threading)?;
                let mut fx = Mat::zeros(joint, joint);
                matmul(fx.as_mut(), Accum::Replace, f.as_ref(), x.as_ref(), 1.0, threading)?;
                matmul(z.as_mut(), Accum::Add, fx.as_ref(), f.transpose(), 1.0, threading)?;
            }
            let mut g = class.beta.clone();
            add(&mut g, 1.0, &times(f.transpose(), &all.beta));
            let moved = times(x.as_ref(), &g);
            classes.push(ClassBlocks { f, x, g, moved });
        }
        Ok(Self { classes, z })
    }

    /// ½ (ln|N| + tr N⁻¹ − n + hᵀK⁻¹h) + ½ Σ ln α_i, N = A⁻¹K: eq. 18, 19 and 21, with n the number of active latents and
    /// α_i the sum of π over classes where they are coupled.
    fn divergence(&self, all: &Representation) -> f64 {
        let trace = |a: &Mat<f64>| (0..a.nrows()).map(|i| a[(i, i)]).sum::<f64>();
        let of_class = |c: usize| {
            let (class, blocks) = (&all.classes[c], &self.classes[c]);
            class.factor.log_det() - trace(&blocks.x) + inner(&blocks.g, &blocks.moved)
        };
        let classes = (0..all.classes.len()).map(of_class).sum::<f64>();
        0.5 * (all.joint.log_det() + trace(&self.z) + classes)
    }
}
