//! The criterion of learning: an upper bound of −ln p(y), for a given active set with given sites (seed 002 §5, App. A).
//!
//! `G = −Σ_i E_Q[ln p(y_i | u_i)] + D[Q(u_I) ‖ P(u_I)]`. Everything about points that are not active enters through sums
//! over them: a pass goes over the data in chunks and adds up what the gradient needs of each.

use super::gradient::{Sums, Upstream};
use super::model::Ivm;
use super::observation::{Belief, Expected, Moments, ObservationModel};
use super::representation::{ActiveSet, Representation, dot};
use crate::error::{EpError, check_count};
use crate::exact::Observations;
use faer::{Accum, Mat, MatMut, MatRef};
use gp_kernels::Evaluator;
use gp_linalg::Threading;
use gp_linalg::product::{matmul, matmul_lower, symmetrise_lower};
use gp_optim::ParameterSet;
use rayon::prelude::*;

/// Points of a chunk: their stubs stay in the second-level cache for some hundred active points.
const CHUNK: usize = 256;
/// Points whose integrals are one task.
const TASK: usize = 16;

/// A chunk of the data as the active points see it.
pub(super) struct Chunk<'a> {
    /// The first row.
    pub(super) start: usize,
    pub(super) inputs: MatRef<'a, f64>,
    /// Stubs m and q, d×w a class.
    pub(super) stubs: Vec<(Mat<f64>, Mat<f64>)>,
    /// What every observation says, with derivatives.
    pub(super) expected: Vec<Expected>,
}

impl Ivm {
    /// The criterion with the active set and sites of a posterior, at the present parameters: an upper bound of −ln p(y)
    /// as far as the rule of integration is exact.
    ///
    /// # Errors
    /// [`EpError::Kernel`], [`EpError::Observation`], [`EpError::Linalg`] for factors that all the jitter allowed does
    /// not make.
    pub fn criterion(
        &self,
        data: &Observations<'_>,
        posterior: &super::IvmPosterior,
    ) -> Result<f64, EpError> {
        self.labels(data)?;
        self.criterion_of(data, &posterior.clone().into_active(), None)
    }

    /// The criterion, and its gradient in natural units over `gradient`: one number per value in the order of
    /// [`parameter_names`](Self::parameter_names), fixed ones included. Active set and sites are constants. The gradient
    /// is that of the criterion as it is computed, whatever the rule of integration.
    ///
    /// # Errors
    /// As [`criterion`](Self::criterion), and [`EpError::Shape`] for a gradient of the wrong length.
    pub fn criterion_gradient(
        &self,
        data: &Observations<'_>,
        posterior: &super::IvmPosterior,
        gradient: &mut [f64],
    ) -> Result<f64, EpError> {
        check_count("gradient", "entries", self.parameter_count(), gradient.len())?;
        self.labels(data)?;
        self.criterion_of(data, &posterior.clone().into_active(), Some(gradient))
    }

    pub(super) fn criterion_of(
        &self,
        data: &Observations<'_>,
        active: &ActiveSet,
        gradient: Option<&mut [f64]>,
    ) -> Result<f64, EpError> {
        let all = Representation::new(&self.kernels, data.inputs(), active, &self.jitter, self.threading)?;
        let blocks = Blocks::new(&all)?;
        let evaluator = Evaluator::new(self.threading);
        let mut upstream = gradient.map(|gradient| (Sums::new(&all), Upstream::new(self, gradient)));
        let mut misfit = 0.0;
        for start in (0..data.len()).step_by(CHUNK) {
            let chunk = self.chunk(data, &all, start, &evaluator)?;
            misfit -= chunk.expected.iter().map(|expected| expected.value).sum::<f64>();
            if let Some((sums, upstream)) = &mut upstream {
                upstream.add_chunk(&all, &chunk, sums, &evaluator)?;
            }
        }
        if let Some((sums, upstream)) = &mut upstream {
            upstream.finish(&all, &blocks, sums, &evaluator)?;
        }
        Ok(misfit + blocks.divergence(&all))
    }

    fn chunk<'a>(
        &self,
        data: &Observations<'a>,
        all: &Representation,
        start: usize,
        evaluator: &Evaluator,
    ) -> Result<Chunk<'a>, EpError> {
        let inputs = data.inputs().subrows(start, CHUNK.min(data.len() - start));
        let width = inputs.nrows();
        let (mut cross, mut prior) = (Vec::new(), Vec::new());
        for (kernel, class) in self.kernels.iter().zip(&all.classes) {
            let mut k = Mat::zeros(class.rows.len(), width);
            evaluator.cross(kernel.as_ref(), class.inputs.as_ref(), inputs, k.as_mut())?;
            for (a, j) in own(&class.rows, start, width) {
                k[(a, j)] = class.gram[(a, a)];
            }
            let mut variances = vec![0.0; width];
            evaluator.diagonal(kernel.as_ref(), inputs, &mut variances)?;
            cross.push(k);
            prior.push(variances);
        }
        let mut stubs = Vec::new();
        let beliefs = all.beliefs(&cross, &prior, self.threading, &mut stubs)?;
        let targets = &data.targets()[start..start + width];
        let expected = expectations(&self.observation_model(), targets, &beliefs, self.threading)?;
        Ok(Chunk { start, inputs, stubs, expected })
    }
}

/// Active points that lie in a chunk: their number, and their column. With themselves they share white noise.
pub(super) fn own(rows: &[usize], start: usize, width: usize) -> impl Iterator<Item = (usize, usize)> {
    let inside = move |row: usize| (start..start + width).contains(&row);
    rows.iter().enumerate().filter(move |(_, row)| inside(**row)).map(move |(a, row)| (a, row - start))
}

fn expectations(
    observed: &ObservationModel<'_>,
    targets: &[f64],
    beliefs: &[Belief],
    threading: Threading,
) -> Result<Vec<Expected>, EpError> {
    let task = |(targets, beliefs): (&[f64], &[Belief])| -> Result<Vec<Expected>, EpError> {
        let mut moments = Moments::default();
        let one = |(y, belief): (&f64, &Belief)| {
            let mut expected = Expected::default();
            observed.expectation(*y, belief, &mut moments, &mut expected)?;
            Ok(expected)
        };
        targets.iter().zip(beliefs).map(one).collect()
    };
    let found: Result<Vec<Vec<Expected>>, EpError> = match threading {
        Threading::Here => targets.chunks(TASK).zip(beliefs.chunks(TASK)).map(task).collect(),
        Threading::Pool => targets.par_chunks(TASK).zip(beliefs.par_chunks(TASK)).map(task).collect(),
    };
    Ok(found?.into_iter().flatten().collect())
}

/// Pieces of the divergence D\[Q(u_I) ‖ P(u_I)\] that its gradient shares.
pub(super) struct Blocks {
    /// X⁽ᶜ⁾ = P − P̃ = P K P, P̃ = D^½ E⁻² D^½.
    pub(super) x: Vec<Mat<f64>>,
    /// Z = L⁻¹ (Σ X⁽ᶜ⁾) L⁻ᵀ; of dimension 0 where classes are independent.
    pub(super) z: Mat<f64>,
    /// The mean at the active points, by class.
    pub(super) mean: Vec<Vec<f64>>,
}

impl Blocks {
    fn new(all: &Representation) -> Result<Self, EpError> {
        let mut x = Vec::with_capacity(all.classes.len());
        for class in &all.classes {
            let (d, b) = (class.rows.len(), class.b.as_ref());
            let mut block = Mat::zeros(d, d);
            matmul_lower(block.as_mut(), Accum::Replace, b.transpose(), b, 1.0, Threading::Here)?;
            let mut w = b.to_owned();
            class.factor.half_solve_transpose_in_place(w.as_mut(), Threading::Here)?;
            matmul_lower(block.as_mut(), Accum::Add, w.transpose(), w.as_ref(), -1.0, Threading::Here)?;
            symmetrise_lower(block.as_mut())?;
            x.push(block);
        }
        let d = all.joint.dim();
        let mut z = Mat::zeros(d, d);
        if d > 0 {
            x.iter().for_each(|x| z += x);
            all.joint.half_solve_in_place(z.as_mut(), Threading::Here)?;
            all.joint.half_solve_in_place(z.as_mut().transpose_mut(), Threading::Here)?;
        }
        let mean = all.classes.iter().map(|class| gram_times(class.gram.as_ref(), &class.gamma));
        Ok(Self { mean: mean.collect::<Result<_, _>>()?, x, z })
    }

    /// ½ (ln|N| + tr N⁻¹ − n + hᵀK⁻¹h), N = A⁻¹K: eq. 18, 19 and 21, with n the number of active latents.
    fn divergence(&self, all: &Representation) -> f64 {
        let mut twice = all.joint.log_det() - all.log_alpha;
        for (class, mean) in all.classes.iter().zip(&self.mean) {
            let d = class.rows.len();
            twice += class.factor.log_det() - d as f64 + dot(&class.gamma, mean);
            // tr E⁻¹ = ‖L⁽ᶜ⁾⁻¹‖², B = L⁽ᶜ⁾⁻¹ D^½, and the diagonal of B is √π over that of L⁽ᶜ⁾.
            for j in 0..d {
                let root = class.b[(j, j)] * class.factor.l()[(j, j)];
                let column = class.b.col_as_slice(j);
                twice += dot(column, column) / (root * root);
            }
        }
        twice += (0..self.z.nrows()).map(|i| self.z[(i, i)]).sum::<f64>();
        0.5 * twice
    }
}

fn gram_times(gram: MatRef<'_, f64>, x: &[f64]) -> Result<Vec<f64>, EpError> {
    let mut out = vec![0.0; x.len()];
    let target = MatMut::from_column_major_slice_mut(&mut out, x.len(), 1);
    let column = MatRef::from_column_major_slice(x, x.len(), 1);
    matmul(target, Accum::Replace, gram, column, 1.0, Threading::Here)?;
    Ok(out)
}
