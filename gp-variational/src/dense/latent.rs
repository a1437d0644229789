//! One latent function: `S = (K⁻¹ + Λ)⁻¹` and `m = S ν`, from `B = I + Λ½ K Λ½ = L_B L_Bᵀ`.

use faer::{Accum, Mat, MatMut, MatRef};
use gp_ep::InferenceError;
use gp_kernels::posterior::DensePosterior;
use gp_kernels::{Evaluator, Kernel};
use gp_linalg::product::{matmul, matmul_lower, symmetrise_lower};
use gp_linalg::{Cholesky, JitterPolicy, Threading};
use serde::{Deserialize, Serialize};

/// λ and ν of all observations.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sites {
    pub(super) precision: Vec<f64>,
    pub(super) shift: Vec<f64>,
}

impl Sites {
    pub(super) fn flat(count: usize) -> Self {
        Self { precision: vec![0.0; count], shift: vec![0.0; count] }
    }

    pub(super) fn numbers(all: &[Self]) -> Vec<f64> {
        all.iter().flat_map(|sites| sites.precision.iter().chain(&sites.shift)).copied().collect()
    }

    /// Sets all λ (at least 0) and ν.
    pub(super) fn set_numbers(all: &mut [Self], numbers: &[f64]) {
        let mut next = numbers.iter().copied();
        for sites in all {
            sites.precision.iter_mut().zip(&mut next).for_each(|(out, x)| *out = x.max(0.0));
            sites.shift.iter_mut().zip(&mut next).for_each(|(out, x)| *out = x);
        }
    }

    pub(super) fn between(&mut self, from: &Self, to: &Self, rate: f64) {
        let mix = |out: &mut [f64], from: &[f64], to: &[f64]| {
            for ((out, from), to) in out.iter_mut().zip(from).zip(to) {
                *out = (1.0 - rate) * from + rate * to;
            }
        };
        mix(&mut self.precision, &from.precision, &to.precision);
        mix(&mut self.shift, &from.shift, &to.shift);
    }
}

#[derive(Debug)]
pub(super) struct DenseLatent {
    k: Mat<f64>,
    /// `Λ½`
    pub(super) root: Vec<f64>,
    /// `L_B`
    pub(super) factor: Cholesky,
    /// m, diag S, and `α = K⁻¹m`.
    pub(super) mean: Vec<f64>,
    pub(super) variance: Vec<f64>,
    pub(super) alpha: Vec<f64>,
    /// `mᵀα`, `tr ΛS` and `ln|B|`
    divergence: [f64; 3],
}

impl DenseLatent {
    pub(super) fn new(count: usize) -> Self {
        let numbers = || vec![0.0; count];
        Self {
            k: Mat::zeros(count, count),
            root: numbers(),
            factor: Cholesky::with_capacity(count),
            mean: numbers(),
            variance: numbers(),
            alpha: numbers(),
            divergence: [0.0; 3],
        }
    }

    pub(super) fn set_kernel(
        &mut self,
        kernel: &dyn Kernel,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<(), InferenceError> {
        Ok(by.gram(kernel, x, self.k.as_mut())?)
    }

    /// Computes the posterior; `room` is N×N scratch.
    pub(super) fn set_sites(
        &mut self,
        sites: &Sites,
        room: &mut Mat<f64>,
        threading: Threading,
    ) -> Result<(), InferenceError> {
        let count = self.mean.len();
        let Self { k, root, factor, mean, variance, alpha, divergence } = self;
        root.iter_mut().zip(&sites.precision).for_each(|(root, lambda)| *root = lambda.sqrt());
        for j in 0..count {
            let column = room.col_mut(j).iter_mut().zip(k.col(j).iter()).zip(&*root);
            column.for_each(|((out, k), root_i)| *out = root_i * k * root[j]);
            room[(j, j)] += 1.0;
        }
        factor.refactor(room.as_ref(), &JitterPolicy::none())?;
        // α = ν − Λ½ B⁻¹ Λ½ K ν
        product(mean, k.as_ref(), &sites.shift, threading)?;
        mean.iter_mut().zip(&*root).for_each(|(x, root)| *x *= root);
        factor.solve_in_place(MatMut::from_column_major_slice_mut(mean, count, 1), threading)?;
        for (((alpha, nu), root), x) in alpha.iter_mut().zip(&sites.shift).zip(&*root).zip(&*mean) {
            *alpha = nu - root * x;
        }
        product(mean, k.as_ref(), alpha, threading)?;
        // diag S = diag K − ‖L_B⁻¹ Λ½ k_i‖²
        for j in 0..count {
            let column = room.col_mut(j).iter_mut().zip(k.col(j).iter()).zip(&*root);
            column.for_each(|((out, k), root)| *out = root * k);
        }
        factor.half_solve_in_place(room.as_mut(), threading)?;
        for (j, variance) in variance.iter_mut().enumerate() {
            let explained: f64 = room.col(j).iter().map(|x| x * x).sum();
            *variance = (k[(j, j)] - explained).max(0.0);
        }
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        *divergence = [dot(mean, alpha), dot(&sites.precision, variance), factor.log_det()];
        Ok(())
    }

    pub(super) fn posterior(
        &self,
        kernel: &dyn Kernel,
        x: MatRef<'_, f64>,
    ) -> Result<DensePosterior, InferenceError> {
        let (alpha, root, factor) = (self.alpha.clone(), self.root.clone(), self.factor.clone());
        Ok(DensePosterior::new(kernel.clone_box(), x, alpha, Some(root), factor)?)
    }

    /// `KL(N(m, S) ‖ N(0, K)) = ½ (ln|B| − tr ΛS + mᵀα)`, since `tr K⁻¹S = N − tr ΛS`.
    pub(super) fn divergence(&self) -> f64 {
        let [quadratic, trace, log_det] = self.divergence;
        0.5 * (log_det - trace + quadratic)
    }

    /// `−∂KL/∂K = ½ (ααᵀ − Λ½B⁻¹Λ½)` at fixed m and S (Bonilla et al. 2019 eq. 87).
    pub(super) fn upstream(
        &self,
        room: &mut Mat<f64>,
        out: &mut Mat<f64>,
        threading: Threading,
    ) -> Result<(), InferenceError> {
        let count = self.mean.len();
        room.fill(0.0);
        (0..count).for_each(|i| room[(i, i)] = self.root[i]);
        self.factor.half_solve_in_place(room.as_mut(), threading)?;
        let alpha = MatRef::from_column_major_slice(&self.alpha, count, 1);
        matmul_lower(out.as_mut(), Accum::Replace, alpha, alpha.transpose(), 0.5, threading)?;
        let half = room.as_ref();
        matmul_lower(out.as_mut(), Accum::Add, half.transpose(), half, -0.5, threading)?;
        Ok(symmetrise_lower(out.as_mut())?)
    }
}

fn product(
    out: &mut [f64],
    a: MatRef<'_, f64>,
    x: &[f64],
    threading: Threading,
) -> Result<(), InferenceError> {
    let (rows, columns) = (out.len(), x.len());
    let out = MatMut::from_column_major_slice_mut(out, rows, 1);
    let x = MatRef::from_column_major_slice(x, columns, 1);
    Ok(matmul(out, Accum::Replace, a, x, 1.0, threading)?)
}
