//! Expected log densities and derivatives from a block's marginals.

use super::entropy::Working;
use super::mixture::{Covariance, Mixture};
use super::model::Savigp;
use crate::expectation::{Estimates, Expectation, Nodes, Observed};
use gp_ep::InferenceError;
use gp_kernels::data::for_each;
use gp_kernels::passes::{Beliefs, Gram, LaneBlock, LatentBlock, Layout, Seen, Whitened};
use gp_likelihoods::{Latent, Targets};
use std::ops::Range;

/// Observations per piece; whole blocks if sampled.
const PIECE: usize = 16;

#[derive(Debug, Default)]
pub(super) struct LaneEstimates(Vec<Piece>);

#[derive(Debug, Default)]
struct Piece {
    estimates: Estimates,
    beliefs: Vec<Latent>,
    /// Per observation: expected log density, slopes by likelihood parameters; per latent g, h, variance of g.
    answers: Vec<f64>,
}

#[derive(Clone, Copy)]
pub(super) struct Rule<'a> {
    pub(super) model: &'a Savigp,
    pub(super) expectation: &'a Expectation,
    pub(super) nodes: &'a Nodes,
    pub(super) proportions: &'a [f64],
    /// N / loaded observations, for slopes by φ and s.
    pub(super) weight: f64,
}

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

pub(super) fn gram(posterior: &Mixture) -> Gram {
    if posterior.covariance() == Covariance::Full { Gram::Full } else { Gram::Diagonal }
}

/// `Σ h φφᵀ`, `Σ g φ`; expected log densities, slopes by likelihood parameters, sampling noise.
pub(super) fn layout(posterior: &Mixture, params: usize) -> Layout {
    let components = posterior.components();
    let layout = Layout::new(posterior.counts().to_vec(), components + params + 1);
    layout.with_components(components, gram(posterior))
}

pub(super) fn params(layout: &Layout, extra: &[f64]) -> Range<usize> {
    layout.components()..extra.len() - 1
}

impl Rule<'_> {
    pub(super) fn answer(
        self,
        block: LaneBlock<'_, LaneEstimates>,
        extra: &mut [f64],
    ) -> Result<(), InferenceError> {
        let LaneBlock { own: LaneEstimates(pieces), component, seen, latents, threading, .. } = block;
        let (count, marginals) = (seen.count(), &*latents);
        let size = if self.model.likelihood().is_sampled() { count.max(1) } else { PIECE };
        pieces.resize_with(pieces.len().max(count.div_ceil(size)), Piece::default);
        let pieces = &mut pieces[..count.div_ceil(size)];
        for_each(threading, pieces, |k, piece| {
            let own = k * size..count.min((k + 1) * size);
            self.estimate(piece, (component, own), seen, marginals)
        })?;
        for (k, piece) in pieces.iter().enumerate() {
            let answers = piece.answers.chunks_exact(piece.answers.len() / size.min(count - k * size));
            for (i, answer) in (k * size..).zip(answers) {
                self.take(answer, (component, i), seen, latents, extra);
            }
        }
        Ok(())
    }

    fn estimate(
        self,
        Piece { estimates, beliefs, answers }: &mut Piece,
        (component, own): (usize, Range<usize>),
        seen: Seen<'_>,
        latents: &[LatentBlock],
    ) -> Result<(), InferenceError> {
        answers.clear();
        beliefs.clear();
        for i in own.clone() {
            for (q, latent) in latents.iter().enumerate() {
                let variance = latent.variance[i] + seen.residual(q, i);
                beliefs.push(Latent::new(latent.mean[i], variance)?);
            }
        }
        let (likelihood, first) = (self.model.likelihood(), own.start);
        let rows = Targets { numbers: seen.rows(own.clone()), y: seen.targets(own.clone()) };
        estimates.sample((likelihood, rows), beliefs, component, (self.expectation, self.nodes))?;
        for (i, q) in own.zip(beliefs.chunks_exact(latents.len())) {
            let observed = Observed { likelihood, y: seen.target(i), q, place: (seen.row(i), component) };
            let done = estimates.estimate(observed, i - first, self.expectation, self.nodes);
            done.map_err(|error| error.at_row(seen.row(i)))?;
            let Estimates { slopes, noise, .. } = &*estimates;
            answers.push(slopes.value);
            answers.extend_from_slice(&slopes.by_params);
            let moments = slopes.by_mean.iter().zip(&slopes.by_variance).zip(noise);
            answers.extend(moments.flat_map(|((g, h), noise)| [g, h, noise]));
        }
        Ok(())
    }

    fn take(
        self,
        answer: &[f64],
        (component, i): (usize, usize),
        seen: Seen<'_>,
        latents: &mut [LatentBlock],
        extra: &mut [f64],
    ) {
        let proportion = self.proportions[component];
        let (slopes, moments) = answer.split_at(answer.len() - 3 * latents.len());
        extra[component] += slopes[0];
        let by_params = extra[self.proportions.len()..].iter_mut().zip(&slopes[1..]);
        by_params.for_each(|(sum, slope)| *sum += proportion * slope);
        let mut noise = 0.0;
        for (q, (latent, [g, h, own])) in latents.iter_mut().zip(moments.as_chunks::<3>().0).enumerate() {
            (latent.shift[i], latent.gram[i]) = (*g, *h);
            // φ̄ = π (g m + 2 h Sφ), s̄ = π h
            let scale = self.weight * proportion;
            (latent.on_mean[i], latent.on_spread[i]) = (scale * g, 2.0 * scale * h);
            latent.on_residual[i] = scale * h;
            if *own > 0.0 {
                noise += own * seen.phi(q, i).iter().map(|x| x * x).sum::<f64>();
            }
        }
        if let Some(sum) = extra.last_mut() {
            *sum += proportion * proportion * noise;
        }
    }
}
