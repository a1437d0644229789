//! The rule of variational inference: marginals of a block in, expected log densities and their slopes out.

use super::entropy::Working;
use super::mixture::{Covariance, Mixture};
use super::model::Savigp;
use crate::expectation::{Estimates, Expectation, Nodes, Observed};
use gp_ep::InferenceError;
use gp_kernels::passes::{Beliefs, Gram, LaneBlock, Layout, Whitened};
use gp_likelihoods::Latent;
use std::ops::Range;

/// Memory of a lane for one observation at a time.
#[derive(Debug, Default)]
pub(super) struct LaneEstimates {
    estimates: Estimates,
    beliefs: Vec<Latent>,
}

/// What expectations of a pass are of.
#[derive(Clone, Copy)]
pub(super) struct Rule<'a> {
    pub(super) model: &'a Savigp,
    pub(super) expectation: &'a Expectation,
    pub(super) nodes: &'a Nodes,
    /// Proportions of the components.
    pub(super) proportions: &'a [f64],
    /// What derivatives by φ and s are multiplied by: sums are not.
    pub(super) weight: f64,
}

/// A mixture with the factors of its covariances.
#[derive(Clone, Copy)]
pub(super) struct Components<'a> {
    pub(super) posterior: &'a Mixture,
    pub(super) working: &'a Working,
}

impl Beliefs for Components<'_> {
    fn of(&self, component: usize, latent: usize) -> Whitened<'_> {
        let mean = self.posterior.mean(component, latent);
        match self.working.factor(component, latent) {
            Some(factor) => Whitened::Covariance { factor, mean },
            None => Whitened::Diagonal { variances: self.posterior.variances(component, latent), mean },
        }
    }
}

/// What is summed of products for a posterior.
pub(super) fn gram(posterior: &Mixture) -> Gram {
    if posterior.covariance() == Covariance::Full { Gram::Full } else { Gram::Diagonal }
}

/// Sums for a posterior: `Σ h φφᵀ` and `Σ g φ` of each component and latent; then expected log densities by component,
/// derivatives by the parameters of the likelihood, and the noise of sampling.
pub(super) fn layout(posterior: &Mixture, params: usize) -> Layout {
    let components = posterior.components();
    let layout = Layout::new(posterior.counts().to_vec(), components + params + 1);
    layout.with_components(components, gram(posterior))
}

/// Where in the extra numbers derivatives by the parameters of the likelihood are.
pub(super) fn params(layout: &Layout, extra: &[f64]) -> Range<usize> {
    layout.components()..extra.len() - 1
}

impl Rule<'_> {
    /// Answers for one block under one component.
    pub(super) fn answer(
        self,
        block: LaneBlock<'_, LaneEstimates>,
        extra: &mut [f64],
    ) -> Result<(), InferenceError> {
        let LaneBlock { own, component, seen, latents, .. } = block;
        let proportion = self.proportions[component];
        for i in 0..seen.count() {
            own.beliefs.clear();
            for (q, latent) in latents.iter().enumerate() {
                let variance = latent.variance[i] + seen.residual(q, i);
                own.beliefs.push(Latent::new(latent.mean[i], variance)?);
            }
            let observed = Observed {
                likelihood: self.model.likelihood(),
                y: seen.target(i),
                q: &own.beliefs,
                place: (seen.row(i), component),
            };
            let done = own.estimates.estimate(observed, self.expectation, self.nodes);
            done.map_err(|error| error.at_row(seen.row(i)))?;
            own.estimates.weigh(self.model.weights().of(seen.row(i), seen.target(i)));
            let (slopes, noises) = (&own.estimates.slopes, &own.estimates.noise);
            extra[component] += slopes.value;
            let by_params = extra[self.proportions.len()..].iter_mut().zip(&slopes.by_params);
            by_params.for_each(|(sum, slope)| *sum += proportion * slope);
            let mut noise = 0.0;
            for (q, latent) in latents.iter_mut().enumerate() {
                let (g, h) = (slopes.by_mean[q], slopes.by_variance[q]);
                (latent.shift[i], latent.gram[i]) = (g, h);
                // φ̄ = π (g m + 2 h Sφ), s̄ = π h
                let scale = self.weight * proportion;
                (latent.on_mean[i], latent.on_spread[i]) = (scale * g, 2.0 * scale * h);
                latent.on_residual[i] = scale * h;
                if noises[q] > 0.0 {
                    noise += noises[q] * seen.phi(q, i).iter().map(|x| x * x).sum::<f64>();
                }
            }
            if let Some(sum) = extra.last_mut() {
                *sum += proportion * proportion * noise;
            }
        }
        Ok(())
    }
}
