//! Passes of EP over observations.

use super::lane::{self, Derivatives, LaneSites, SumOf};
use super::model::PowerEp;
use super::point::Tally;
use super::posterior::WhitenedPosterior;
use super::rules::{EpOptions, Level};
use crate::error::{InferenceError, check_count};
use gp_kernels::data::{DataSource, Reduction, Rows, for_each, lane_count_of};
use gp_kernels::passes::{Beliefs, Layout, Pass, Passes, Sums, Tangent, Whitened};
use gp_kernels::posterior::InducingPosterior;
use gp_linalg::{JitterPolicy, Threading};
use gp_optim::{Parameter, ParameterSet};
use std::sync::Arc;

#[derive(Debug)]
pub(super) struct EpPasses {
    pub(super) passes: Passes<LaneSites>,
    /// Sums over sites; extra numbers: weights by latent, tally.
    pub(super) layout: Layout,
    tally: (Layout, Sums),
    /// Reverse pass; extra numbers: derivatives by likelihood parameters, tally.
    slopes: Layout,
    gradients: Option<Sums>,
    by_posterior: (Layout, Sums),
    tangents: Vec<Tangent>,
}

pub(super) struct Posteriors<'a>(pub(super) &'a [WhitenedPosterior]);

impl Beliefs for Posteriors<'_> {
    fn of(&self, _component: usize, latent: usize) -> Whitened<'_> {
        self.0[latent].belief()
    }
}

impl EpPasses {
    pub(super) fn new(
        model: &PowerEp,
        data: &dyn DataSource,
        capacity: usize,
        reduction: Option<Arc<dyn Reduction>>,
    ) -> Result<Self, InferenceError> {
        let setup = model.passes_over(data, capacity, reduction)?;
        model.powers().check(data.count())?;
        // A lane updates its sites in sequence, even if all latents share a process.
        let lanes = lane_count_of(capacity, model.processes().len());
        let layout = Layout::new(model.counts(), model.likelihood().latents() + Tally::LEN);
        let params: usize = model.likelihood().parameters().iter().map(Parameter::len).sum();
        let slopes = layout.of_extra(params + Tally::LEN);
        let tally = layout.of_extra(Tally::LEN);
        let by_posterior = Layout::new(model.counts(), params + Tally::LEN);
        Ok(Self {
            passes: Passes::with_lanes(setup, lanes, |_| LaneSites::new(model, 0))?,
            tally: (tally.clone(), Sums::zeros(&tally)),
            slopes,
            gradients: None,
            by_posterior: (by_posterior.clone(), Sums::zeros(&by_posterior)),
            tangents: Vec::new(),
            layout,
        })
    }

    pub(super) fn prior_posteriors(&self) -> Vec<WhitenedPosterior> {
        self.layout.counts().iter().map(|&count| WhitenedPosterior::prior(count)).collect()
    }

    pub(super) fn read(
        &mut self,
        model: &PowerEp,
        data: &dyn DataSource,
        rows: &Rows<'_>,
    ) -> Result<(), InferenceError> {
        self.passes.read(data, rows, |sites, taken| sites.take(model, taken))
    }

    pub(super) fn project(&mut self, model: &PowerEp) -> Result<(), InferenceError> {
        self.passes.refresh(model.processes(), model.jitter())?;
        self.passes.project()
    }

    pub(super) fn refine(
        &mut self,
        model: &PowerEp,
        (options, sum_of): (&EpOptions, SumOf),
        posteriors: &[WhitenedPosterior],
        sums: &mut Sums,
    ) -> Result<Tally, InferenceError> {
        let beliefs = Posteriors(posteriors);
        let pass = Pass::new(&self.layout).with_beliefs(&beliefs);
        self.passes.run(pass, sums, |block, extra| lane::refine(block, extra, model, (options, sum_of)))?;
        Ok(Tally::from_slice(&self.layout.extra(&sums.numbers)[posteriors.len()..]))
    }

    pub(super) fn accumulate(
        &mut self,
        model: &PowerEp,
        sum_of: SumOf,
        sums: &mut Sums,
    ) -> Result<(), InferenceError> {
        let pass = Pass::new(&self.layout);
        self.passes.run(pass, sums, |block, extra| lane::accumulate(block, extra, model, sum_of))
    }

    pub(super) fn halve(
        &mut self,
        model: &PowerEp,
        sum_of: SumOf,
        sums: &mut Sums,
    ) -> Result<(), InferenceError> {
        self.passes.change(|sites| {
            for (proposed, site) in sites.proposed.iter_mut().zip(&sites.present) {
                *proposed = site.towards(*proposed, 0.5);
            }
        });
        self.accumulate(model, sum_of, sums)
    }

    pub(super) fn evaluate(
        &mut self,
        model: &PowerEp,
        posteriors: &[WhitenedPosterior],
    ) -> Result<Tally, InferenceError> {
        let beliefs = Posteriors(posteriors);
        let (layout, sums) = &mut self.tally;
        let pass = Pass::new(layout).with_beliefs(&beliefs);
        self.passes.run(pass, sums, |block, extra| lane::evaluate(block, extra, model))?;
        check_proper(Tally::from_slice(&sums.numbers))
    }

    pub(super) fn leave_one_out(
        &mut self,
        model: &PowerEp,
        posteriors: &[WhitenedPosterior],
    ) -> Result<Vec<f64>, InferenceError> {
        self.passes.change(|sites| sites.values.clear());
        let (layout, beliefs) = (self.layout.of_extra(0), Posteriors(posteriors));
        let pass = Pass::new(&layout).with_beliefs(&beliefs);
        self.passes.run(pass, &mut Sums::zeros(&layout), |block, _| lane::leave_one_out(block, model))?;
        Ok(self.passes.lanes().iter().flat_map(|lane| lane.own.values.iter().copied()).collect())
    }

    /// Tally, with derivatives of log Z in `gradient`. With `moves`, the posterior follows φ.
    pub(super) fn gradient(
        &mut self,
        model: &PowerEp,
        moves: bool,
        posteriors: &[WhitenedPosterior],
        gradient: &mut [f64],
    ) -> Result<Tally, InferenceError> {
        check_count("gradient", "entries", model.parameter_count(), gradient.len())?;
        if moves && model.level() == Level::Latent {
            return Err(InferenceError::Unsupported {
                what: "the gradient of the estimate at the latent level",
            });
        }
        if moves {
            self.set_tangents(model, posteriors)?;
        }
        let (processes, beliefs) = (model.processes(), Posteriors(posteriors));
        let tangents = if moves { self.tangents.as_slice() } else { &[] };
        let pass = Pass::new(&self.slopes).with_beliefs(&beliefs).with_tangents(tangents);
        let derivatives = if moves { Derivatives::Moving } else { Derivatives::Converged };
        let zeros = || Sums::with_gradients(&self.slopes, processes);
        let sums = self.gradients.get_or_insert_with(zeros);
        self.passes.run(pass, sums, |block, extra| lane::slopes(block, extra, model, derivatives))?;
        let by_params = self.passes.finish_reverse(sums, gradient)?;
        let (found, tally) = sums.numbers.split_at(by_params.len());
        by_params.copy_from_slice(found);
        check_proper(Tally::from_slice(tally))
    }

    /// Sets posterior movements from `m̄` and `V̄`.
    fn set_tangents(
        &mut self,
        model: &PowerEp,
        posteriors: &[WhitenedPosterior],
    ) -> Result<(), InferenceError> {
        let beliefs = Posteriors(posteriors);
        let (layout, sums) = &mut self.by_posterior;
        let pass = Pass::new(layout).with_beliefs(&beliefs);
        let derivatives = Derivatives::ByPosterior;
        self.passes.run(pass, sums, |block, extra| lane::slopes(block, extra, model, derivatives))?;
        if self.tangents.is_empty() {
            self.tangents = layout.counts().iter().map(|&count| Tangent::zeros(count)).collect();
        }
        for (q, (tangent, posterior)) in self.tangents.iter_mut().zip(posteriors).enumerate() {
            tangent.set(layout.part(&sums.numbers, 0, q), posterior.belief(), model.threading())?;
        }
        Ok(())
    }
}

pub(super) fn posterior(
    model: &PowerEp,
    posteriors: &[WhitenedPosterior],
    latent: usize,
) -> Result<InducingPosterior, InferenceError> {
    let Some(whitened) = posteriors.get(latent) else {
        let (what, axis) = ("model", "latent functions");
        return Err(InferenceError::Shape { what, axis, expected: latent + 1, found: posteriors.len() });
    };
    model.posterior_of(latent, whitened.parts())
}

/// Posteriors from weighted sums; invalid after an error.
pub(super) fn set_posteriors(
    posteriors: &mut [WhitenedPosterior],
    (layout, threading): (&Layout, Threading),
    sums: &Sums,
    weight: impl Fn(usize) -> f64 + Sync,
) -> Result<(), InferenceError> {
    for_each(threading, posteriors, |q, posterior| {
        posterior.set(layout.part(&sums.numbers, 0, q), weight(q), &JitterPolicy::none())
    })
}

/// Posteriors from new sums, or old if improper.
pub(super) fn move_posteriors(
    posteriors: &mut [WhitenedPosterior],
    by: (&Layout, Threading),
    (old, new): (&Sums, &Sums),
) -> Result<(), InferenceError> {
    let done = set_posteriors(posteriors, by, new, |_| 1.0);
    if done.is_err() {
        set_posteriors(posteriors, by, old, |_| 1.0)?;
    }
    done
}

/// Sum over latents.
pub(super) fn log_normaliser(posteriors: &[WhitenedPosterior]) -> f64 {
    posteriors.iter().map(WhitenedPosterior::log_normaliser).sum()
}

/// Fails for factors without Gaussian cavity.
fn check_proper(tally: Tally) -> Result<Tally, InferenceError> {
    if tally.improper == 0.0 {
        Ok(tally)
    } else {
        Err(InferenceError::ImproperCavity { count: tally.improper as usize })
    }
}
