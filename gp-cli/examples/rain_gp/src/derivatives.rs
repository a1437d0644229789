//! Derivatives of one log density: first ones, and second ones by each latent alone, are the likelihood's; all others are
//! differences of these, of the fourth order in the step.

use gp_cli::CliError;
use gp_likelihoods::{Likelihood, PointSlopes, parameter_count};

/// One observation and latent values under a likelihood.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At<'a> {
    pub(crate) likelihood: &'a dyn Likelihood,
    pub(crate) y: f64,
    pub(crate) f: &'a [f64],
}

/// `ln p(y | f)` with its gradient and the negative of its second derivatives W, Q×Q row by row.
#[derive(Clone, Debug)]
pub(crate) struct Curvature {
    pub(crate) value: f64,
    pub(crate) gradient: Vec<f64>,
    pub(crate) w: Vec<f64>,
}

/// A list of derivatives.
type List = fn(At<'_>) -> Result<Vec<f64>, CliError>;
/// The order of a derivative, a step, and the weights of values at so many steps, over 12.
type Stencil = (i32, f64, &'static [(f64, f64)]);

const FIRST: Stencil = (1, 2e-3, &[(-2.0, 1.0), (-1.0, -8.0), (1.0, 8.0), (2.0, -1.0)]);
const SECOND: Stencil = (2, 1e-2, &[(-2.0, -1.0), (-1.0, 16.0), (0.0, -30.0), (1.0, 16.0), (2.0, -1.0)]);

impl At<'_> {
    fn slopes(self) -> Result<PointSlopes, CliError> {
        let mut slopes = PointSlopes::default();
        self.likelihood.log_density_slopes(&[self.y], self.f, &mut slopes)?;
        Ok(slopes)
    }

    pub(crate) fn curvature(self) -> Result<Curvature, CliError> {
        let (here, latents) = (self.slopes()?, self.f.len());
        let mut w = vec![0.0; latents * latents];
        for q in 0..latents {
            let unit: Vec<f64> = (0..latents).map(|r| f64::from(r == q)).collect();
            // Of one latent there is nothing beside the diagonal.
            let column = if latents > 1 { self.along(&unit, by_latent)? } else { unit };
            for (r, second) in column.iter().enumerate() {
                w[q * latents + r] -= 0.5 * second;
                w[r * latents + q] -= 0.5 * second;
            }
        }
        (0..latents).for_each(|q| w[q * latents + q] = -here.by_latent_twice[q]);
        Ok(Curvature { value: here.value, gradient: here.by_latent, w })
    }

    /// Change of a list along a direction.
    pub(crate) fn along(self, direction: &[f64], list: List) -> Result<Vec<f64>, CliError> {
        self.difference(direction, FIRST, list)
    }

    /// `½ Σ S_qr ∂²/∂f_q ∂f_r` of a list, for a covariance S of the latents.
    pub(crate) fn spread(
        self,
        covariance: impl Fn(usize, usize) -> f64,
        list: List,
    ) -> Result<Vec<f64>, CliError> {
        let (latents, mut sum) = (self.f.len(), vec![0.0; list(self)?.len()]);
        // S = Σ u uᵀ
        let mut roots: Vec<Vec<f64>> = Vec::with_capacity(latents);
        for q in 0..latents {
            let left = |r: usize| covariance(r, q) - roots.iter().map(|u| u[r] * u[q]).sum::<f64>();
            let pivot = left(q).max(0.0).sqrt();
            let entry = |r: usize| if r < q || pivot == 0.0 { 0.0 } else { left(r) / pivot };
            let root: Vec<f64> = (0..latents).map(entry).collect();
            let second = self.difference(&root, SECOND, list)?;
            sum.iter_mut().zip(second).for_each(|(sum, second)| *sum += 0.5 * second);
            roots.push(root);
        }
        Ok(sum)
    }

    /// Steps have the same size for directions of any length.
    fn difference(
        self,
        direction: &[f64],
        (order, step, weights): Stencil,
        list: List,
    ) -> Result<Vec<f64>, CliError> {
        let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
        let mut sum = vec![0.0; list(self)?.len()];
        for &(steps, weight) in weights.iter().filter(|_| length > 0.0) {
            let moved: Vec<f64> =
                self.f.iter().zip(direction).map(|(f, d)| f + steps * step * d / length).collect();
            let share = weight * (length / step).powi(order) / 12.0;
            let values = list(At { f: &moved, ..self })?;
            sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += share * value);
        }
        Ok(sum)
    }
}

/// First derivatives by the latents.
pub(crate) fn by_latent(at: At<'_>) -> Result<Vec<f64>, CliError> {
    Ok(at.slopes()?.by_latent)
}

/// First derivatives by the parameters.
pub(crate) fn by_params(at: At<'_>) -> Result<Vec<f64>, CliError> {
    let mut slopes = vec![0.0; parameter_count(at.likelihood.parameters())];
    at.likelihood.log_density_by_params(&[at.y], at.f, &mut slopes)?;
    Ok(slopes)
}
