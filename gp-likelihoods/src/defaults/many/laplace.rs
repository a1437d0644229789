//! Laplace approximation of tilted distributions.

use crate::derivatives::refill;
use crate::small_factor::{factorise, solve, solve_transposed};

const MAX_STEPS: u32 = 50;
const MAX_HALVINGS: u32 = 40;
/// Step in cavity standard deviations.
const STEP: f64 = 1e-3;
/// Smallest squared pivot: fit ≲ twice the cavity's width.
const MIN_PIVOT: f64 = 0.2;
/// Predicted gain at convergence.
const GAIN: f64 = 1e-9;

/// `N(c, (L Lᵀ)⁻¹)`, latents in cavity standard deviations.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    centre: Vec<f64>,
    /// L, by rows.
    factor: Vec<f64>,
    log_determinant: f64,
    gradient: Vec<f64>,
    curvature: Vec<f64>,
    hessian: Vec<f64>,
    step: Vec<f64>,
    other: Vec<f64>,
}

/// Writes first and second derivatives of `α ℓ`.
pub(super) trait Tempered: FnMut(&[f64], &mut [f64], &mut [f64]) -> f64 {}
impl<F: FnMut(&[f64], &mut [f64], &mut [f64]) -> f64> Tempered for F {}

impl Frame {
    pub(super) fn reset(&mut self, dimensions: usize) {
        let q = dimensions;
        for vector in
            [&mut self.centre, &mut self.gradient, &mut self.curvature, &mut self.step, &mut self.other]
        {
            refill(vector, q);
        }
        refill(&mut self.factor, q * q);
        refill(&mut self.hessian, q * q);
        (0..q).for_each(|j| self.factor[j * q + j] = 1.0);
        self.log_determinant = 0.0;
    }

    /// Mode and curvature of `α ℓ(t) − ½ tᵀt`, damped Newton.
    pub(super) fn fit(&mut self, at: &mut impl Tempered) {
        let mut height = self.height(at);
        for _ in 0..MAX_STEPS {
            self.factorise(at);
            self.newton_step();
            let gain: f64 = self.step.iter().zip(&self.gradient).map(|(step, slope)| step * slope).sum();
            let climbed = if gain > GAIN { self.climb(height, at) } else { None };
            let Some(higher) = climbed else { break };
            height = higher;
        }
    }

    fn height(&mut self, at: &mut impl Tempered) -> f64 {
        let tempered = at(&self.centre, &mut self.gradient, &mut self.curvature);
        self.gradient.iter_mut().zip(&self.centre).for_each(|(slope, t)| *slope -= t);
        tempered - 0.5 * square(&self.centre)
    }

    fn climb(&mut self, height: f64, at: &mut impl Tempered) -> Option<f64> {
        self.other.copy_from_slice(&self.centre);
        for _ in 0..MAX_HALVINGS {
            for (j, t) in self.centre.iter_mut().enumerate() {
                *t = self.other[j] + self.step[j];
            }
            let found = self.height(at);
            if found > height {
                return Some(found);
            }
            self.step.iter_mut().for_each(|step| *step *= 0.5);
        }
        self.centre.copy_from_slice(&self.other);
        self.height(at);
        None
    }

    /// Factor of `I − ∂²(α ℓ)`; diagonal if that fails.
    fn factorise(&mut self, at: &mut impl Tempered) {
        let q = self.centre.len();
        self.mixed_derivatives(at);
        self.factor.copy_from_slice(&self.hessian);
        for j in 0..q {
            self.factor[j * q + j] = 1.0 - self.curvature[j];
        }
        if !factorise(&mut self.factor, q, MIN_PIVOT) {
            self.factor.fill(0.0);
            for j in 0..q {
                let precision = 1.0 - self.curvature[j];
                self.factor[j * q + j] = if precision.is_finite() { precision.max(1.0).sqrt() } else { 1.0 };
            }
        }
        self.log_determinant = (0..q).map(|j| self.factor[j * q + j].ln()).sum();
    }

    fn mixed_derivatives(&mut self, at: &mut impl Tempered) {
        let q = self.centre.len();
        self.hessian.fill(0.0);
        self.other.copy_from_slice(&self.centre);
        // `step` serves as scratch.
        for i in 0..q {
            for sign in [-1.0, 1.0] {
                self.other[i] = self.centre[i] + sign * STEP;
                at(&self.other, &mut self.factor[..q], &mut self.step);
                for j in (0..q).filter(|&j| j != i) {
                    let share = -sign * self.factor[j] / (4.0 * STEP);
                    self.hessian[i * q + j] += share;
                    self.hessian[j * q + i] += share;
                }
            }
            self.other[i] = self.centre[i];
        }
    }

    fn newton_step(&mut self) {
        self.step.copy_from_slice(&self.gradient);
        solve(&self.factor, &mut self.step);
        solve_transposed(&self.factor, &mut self.step);
    }

    /// `t = c + L⁻ᵀ z`
    pub(super) fn place(&self, z: &[f64], t: &mut [f64]) {
        t.copy_from_slice(z);
        solve_transposed(&self.factor, t);
        t.iter_mut().zip(&self.centre).for_each(|(t, c)| *t += c);
    }

    /// `ln |L| − ½ ‖Lᵀ(t − c)‖²`: without `(2π)^{−Q/2}`.
    pub(super) fn log_density(&self, t: &[f64]) -> f64 {
        let q = t.len();
        let along =
            |k: usize| -> f64 { (k..q).map(|i| self.factor[i * q + k] * (t[i] - self.centre[i])).sum() };
        self.log_determinant - 0.5 * (0..q).map(|k| along(k) * along(k)).sum::<f64>()
    }
}

pub(super) fn square(t: &[f64]) -> f64 {
    t.iter().map(|t| t * t).sum()
}
