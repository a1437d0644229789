//! Posterior `q(v) = N(m, V)` of one latent: `V⁻¹ = B = I + Σ τ_i φ_iφ_iᵀ = L_B L_Bᵀ`, `B m = η = Σ ν_i φ_i`.

use super::site::Site;
use crate::column::column_mut;
use crate::error::InferenceError;
use faer::{Mat, MatMut, MatRef};
use gp_kernels::passes::{Part, Whitened};
use gp_kernels::posterior::PosteriorFactor;
use gp_linalg::rotate::RotationScratch;
use gp_linalg::{Cholesky, JitterPolicy, LinalgError, Threading};

#[derive(Debug, Default)]
pub(crate) struct RankOne {
    direction: Vec<f64>,
    dragged: Vec<f64>,
    rotations: RotationScratch,
}

#[derive(Clone, Debug)]
pub(crate) struct WhitenedPosterior {
    factor: Cholesky,
    precision: Mat<f64>,
    /// `L_B⁻¹ η`
    half_mean: Vec<f64>,
    mean: Vec<f64>,
}

impl WhitenedPosterior {
    pub(crate) fn prior(count: usize) -> Self {
        let mut prior = Self {
            factor: Cholesky::with_capacity(count),
            precision: Mat::zeros(count, count),
            half_mean: vec![0.0; count],
            mean: vec![0.0; count],
        };
        let nothing = Part { gram: &[], shift: &[] };
        let identity = prior.set(nothing, 0.0, &JitterPolicy::none());
        debug_assert!(matches!(identity, Ok(()) | Err(InferenceError::Linalg(LinalgError::Stopped))));
        prior
    }

    pub(crate) fn belief(&self) -> Whitened<'_> {
        Whitened::Precision { factor: &self.factor, half_mean: &self.half_mean, mean: &self.mean }
    }

    pub(crate) fn factor(&self) -> &Cholesky {
        &self.factor
    }

    /// B, lower triangle.
    pub(crate) fn precision(&self) -> MatRef<'_, f64> {
        self.precision.as_ref()
    }

    pub(crate) fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// Sets `B = I + weight · Σ τ_i φ_iφ_iᵀ` and `η = weight · Σ ν_i φ_i`; invalid after an error.
    pub(crate) fn set(
        &mut self,
        sums: Part<'_>,
        weight: f64,
        jitter: &JitterPolicy,
    ) -> Result<(), InferenceError> {
        let count = self.mean.len();
        for j in 0..count {
            if weight == 0.0 {
                self.precision.col_mut(j).fill(0.0);
            } else {
                let from = sums.matrix().col(j).subrows(j, count - j);
                let column = self.precision.col_mut(j).subrows_mut(j, count - j);
                column.iter_mut().zip(from.iter()).for_each(|(out, site)| *out = weight * site);
            }
            self.precision[(j, j)] += 1.0;
        }
        self.factor.refactor(self.precision.as_ref(), jitter)?;
        self.half_mean.fill(0.0);
        self.half_mean.iter_mut().zip(sums.shift).for_each(|(out, eta)| *out = weight * eta);
        self.factor.half_solve_in_place(column_mut(&mut self.half_mean), Threading::Here)?;
        self.mean.copy_from_slice(&self.half_mean);
        Ok(self.factor.half_solve_transpose_in_place(column_mut(&mut self.mean), Threading::Here)?)
    }

    /// Adds a site on `φᵀv`, with `half` = `L_B⁻¹φ`; `false`, without changes, if improper.
    /// [`settle`](Self::settle) computes the mean.
    pub(crate) fn change(
        &mut self,
        phi: &[f64],
        half: &[f64],
        site: Site,
        scratch: &mut RankOne,
    ) -> Result<bool, InferenceError> {
        let count = phi.len();
        let root = site.precision.abs().sqrt();
        scratch.direction.clear();
        scratch.direction.extend(phi.iter().map(|phi| root * phi));
        // `L⁻¹η` and `L⁻¹φ` change with L; then ν L⁻¹φ is added.
        scratch.dragged.clear();
        scratch.dragged.extend_from_slice(&self.half_mean);
        scratch.dragged.extend_from_slice(half);
        let w = MatRef::from_column_major_slice(&scratch.direction, count, 1);
        let drag = MatMut::from_column_major_slice_mut(&mut scratch.dragged, count, 2);
        let done = if site.precision >= 0.0 {
            self.factor.update(w, drag, &mut scratch.rotations, Threading::Here)
        } else {
            self.factor.downdate(w, drag, &mut scratch.rotations, Threading::Here)
        };
        match done {
            Err(LinalgError::DowndateBreakdown { .. }) => return Ok(false),
            other => other?,
        }
        let (mean, along) = scratch.dragged.split_at(count);
        let sums = mean.iter().zip(along).map(|(mean, along)| mean + site.shift * along);
        self.half_mean.iter_mut().zip(sums).for_each(|(out, sum)| *out = sum);
        Ok(true)
    }

    pub(crate) fn settle(&mut self) {
        self.mean.copy_from_slice(&self.half_mean);
        let solved = self.factor.half_solve_transpose_in_place(column_mut(&mut self.mean), Threading::Here);
        debug_assert!(
            matches!(solved, Ok(()) | Err(LinalgError::Stopped)),
            "a vector of the factor's length"
        );
    }

    /// `KL(N(m, B⁻¹) ‖ N(0, I)) = ½ (tr B⁻¹ + mᵀm − M + ln|B|)`; `room` is M×M scratch.
    pub(crate) fn divergence(&self, room: &mut Vec<f64>) -> Result<f64, InferenceError> {
        let count = self.mean.len();
        room.clear();
        room.resize(count * count, 0.0);
        room.iter_mut().step_by(count + 1).for_each(|x| *x = 1.0);
        // tr B⁻¹ = ‖L_B⁻¹‖²
        let half_inverse = MatMut::from_column_major_slice_mut(room, count, count);
        self.factor.half_solve_in_place(half_inverse, Threading::Here)?;
        let trace: f64 = room.iter().map(|x| x * x).sum();
        let squares: f64 = self.mean.iter().map(|x| x * x).sum();
        Ok(0.5 * (trace + squares - count as f64 + self.factor.log_det()))
    }

    pub(crate) fn parts(&self) -> (Vec<f64>, PosteriorFactor) {
        (self.mean.clone(), PosteriorFactor::Precision(self.factor.clone()))
    }

    /// `ln ∫ N(v; 0, I) exp(ηᵀv − ½ vᵀ(B − I)v) dv = ½ ηᵀB⁻¹η − ½ ln|B|`
    pub(crate) fn log_normaliser(&self) -> f64 {
        let quadratic: f64 = self.half_mean.iter().map(|x| x * x).sum();
        0.5 * (quadratic - self.factor.log_det())
    }
}
