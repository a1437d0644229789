//! Fixed sites of earlier observations, as posterior `q(v) ∝ N(v; 0, I) exp(ηᵀv − ½ vᵀ(B − I)v)`: B − I and η are sums
//! of these sites.

use crate::error::{InferenceError, check_count};
use faer::{Accum, Mat, MatRef};
use gp_kernels::passes::{Layout, PartMut};
use gp_kernels::posterior::{InducingPosterior, PosteriorFactor};
use gp_linalg::product::matmul_lower;
use gp_linalg::{Cholesky, Threading};

#[derive(Clone, Debug)]
pub(super) struct Before {
    sums: Vec<f64>,
    /// `ln ∫ N(v; 0, I) exp(ηᵀv − ½ vᵀ(B − I)v) dv` over all latents.
    log_normaliser: f64,
}

impl Before {
    pub(super) fn new(layout: &Layout, posteriors: &[InducingPosterior]) -> Result<Self, InferenceError> {
        check_count("earlier posterior", "latents", layout.counts().len(), posteriors.len())?;
        let mut sums = vec![0.0; layout.len()];
        let mut log_normaliser = 0.0;
        for (q, (posterior, &count)) in posteriors.iter().zip(layout.counts()).enumerate() {
            check_count("earlier posterior", "inducing inputs", count, posterior.mean().len())?;
            log_normaliser += add(posterior, count, layout.part_mut(&mut sums, 0, q))?;
        }
        Ok(Self { sums, log_normaliser })
    }

    pub(super) fn add_to(&self, layout: &Layout, sums: &mut [f64]) {
        layout.parts_mut(sums).iter_mut().zip(&self.sums).for_each(|(sum, own)| *sum += *own);
    }

    pub(super) fn log_normaliser(&self) -> f64 {
        self.log_normaliser
    }
}

/// Adds B − I (lower) and η = B m; returns `½ ηᵀm − ½ ln|B|`.
fn add(posterior: &InducingPosterior, count: usize, mut out: PartMut<'_>) -> Result<f64, InferenceError> {
    let (precision, log_det) = precision(posterior.factor(), count)?;
    let mean = posterior.mean();
    for j in 0..count {
        for i in j..count {
            let entry = precision[(i, j)];
            out.matrix()[(i, j)] = entry - f64::from(u8::from(i == j));
            out.shift[i] += entry * mean[j];
            if i > j {
                out.shift[j] += entry * mean[i];
            }
        }
    }
    let quadratic: f64 = out.shift.iter().zip(mean).map(|(eta, m)| eta * m).sum();
    Ok(0.5 * (quadratic - log_det))
}

fn precision(factor: &PosteriorFactor, count: usize) -> Result<(Mat<f64>, f64), InferenceError> {
    let mut precision = Mat::zeros(count, count);
    let mut square = |root: MatRef<'_, f64>| {
        matmul_lower(precision.as_mut(), Accum::Replace, root, root.transpose(), 1.0, Threading::Pool)
    };
    let log_det = match factor {
        PosteriorFactor::Precision(factor) => {
            let l = factor.l();
            square(Mat::from_fn(count, count, |i, j| if i >= j { l[(i, j)] } else { 0.0 }).as_ref())?;
            factor.log_det()
        }
        PosteriorFactor::Covariance(lower) => {
            // B = L_S⁻ᵀ L_S⁻¹
            let mut factor = Cholesky::empty();
            factor.set_factor(lower.as_ref())?;
            let mut inverse = Mat::identity(count, count);
            factor.half_solve_in_place(inverse.as_mut(), Threading::Pool)?;
            square(inverse.transpose())?;
            -factor.log_det()
        }
    };
    Ok((precision, log_det))
}
