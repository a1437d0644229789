//! Quantities shared by criterion and gradient.

use super::observation::Expected;
use super::representation::{Representation, StubBlock, times};
use super::small::{add, inner};
use crate::error::InferenceError;
use faer::{Accum, Mat, MatRef};
use gp_linalg::Threading;
use gp_linalg::product::matmul;

pub(super) struct Chunk<'a> {
    pub(super) start: usize,
    pub(super) inputs: MatRef<'a, f64>,
    pub(super) cross: Vec<Mat<f64>>,
    pub(super) stubs: StubBlock,
    pub(super) expected: Vec<Expected>,
}

/// (active index, column) pairs that share white noise.
pub(super) fn own(rows: &[usize], start: usize, width: usize) -> impl Iterator<Item = (usize, usize)> {
    let inside = move |row: usize| (start..start + width).contains(&row);
    rows.iter().enumerate().filter(move |(_, row)| inside(**row)).map(move |(a, row)| (a, row - start))
}

/// Parts of `D[Q(u_I) ‖ P(u_I)]` and its gradient.
pub(super) struct DivergenceParts {
    pub(super) classes: Vec<ClassParts>,
    /// `Z = Σ F X Fᵀ`; empty for independent classes.
    pub(super) z: Mat<f64>,
}

pub(super) struct ClassParts {
    /// `F = L⁻¹ Bᵀ`; empty for independent classes.
    pub(super) f: Mat<f64>,
    /// `X = B K_I Bᵀ`
    pub(super) x: Mat<f64>,
    /// `g = β⁽ᶜ⁾ + Fᵀ β`; means are `kᵀ Bᵀ g`.
    pub(super) g: Vec<f64>,
    pub(super) moved: Vec<f64>,
}

impl DivergenceParts {
    pub(super) fn new(
        all: &Representation,
        grams: Vec<Mat<f64>>,
        threading: Threading,
    ) -> Result<Self, InferenceError> {
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
            classes.push(ClassParts { f, x, g, moved });
        }
        Ok(Self { classes, z })
    }

    /// `½ (ln|N| + tr N⁻¹ − n + hᵀK⁻¹h) + ½ Σ ln α_i`, `N = A⁻¹K` (eq. 18, 19 and 21), n latents, `α_i = 1ᵀπ_i` if
    /// coupled.
    pub(super) fn divergence(&self, all: &Representation) -> f64 {
        let trace = |a: &Mat<f64>| (0..a.nrows()).map(|i| a[(i, i)]).sum::<f64>();
        let of_class = |c: usize| {
            let (class, blocks) = (&all.classes[c], &self.classes[c]);
            class.factor.log_det() - trace(&blocks.x) + inner(&blocks.g, &blocks.moved)
        };
        let classes = (0..all.classes.len()).map(of_class).sum::<f64>();
        0.5 * (all.joint.log_det() + trace(&self.z) + classes)
    }
}
