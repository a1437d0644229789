//! Single-target views of a model.

use super::functions::{Approximation, Functions};
use super::record::{About, Influence, TrainingRecord};
use super::separate::SeparatePosterior;
use super::{Held, Model};
use crate::encode::Target;
use crate::error::{CliError, ErrorKind};
use gp_ep::{Posterior as _, Predictor};
use gp_kernels::Evaluator;
use gp_likelihoods::{Likelihood, Marginal};
use gp_optim::Parameter;
use std::ops::Range;

impl Model {
    /// All targets, in order.
    #[must_use]
    pub fn targets(&self) -> Vec<&Target> {
        [&self.about.target].into_iter().chain(self.about.others.iter().map(|other| &other.target)).collect()
    }

    /// `true` for more than one target.
    #[must_use]
    pub fn has_several_targets(&self) -> bool {
        !self.about.others.is_empty()
    }

    /// Models per target, in order: own latent or, if shared, all latents and the output's likelihood.
    ///
    /// # Errors
    /// [`Numerical`](crate::ErrorKind::Numerical) for inseparable outputs.
    pub fn by_target(&self) -> Result<Vec<Self>, CliError> {
        if !self.has_several_targets() {
            return Ok(vec![self.clone()]);
        }
        (0..self.targets().len()).map(|place| self.of_target(place)).collect()
    }

    fn of_target(&self, place: usize) -> Result<Self, CliError> {
        let (posterior, latents) = of_output(&self.posterior, place)?;
        let baseline = self.baseline.as_ref().map(|line| of_output(line, place)).transpose()?;
        let about = of_about(&self.about, place, latents);
        Ok(Self { about, posterior, baseline: baseline.map(|(line, _)| line) })
    }
}

/// Posterior of an output; range of latents.
pub(crate) fn of_output(
    of: &Approximation,
    output: usize,
) -> Result<(Approximation, Range<usize>), CliError> {
    let (whole, functions, by) = (of.likelihood(), of.functions(), Evaluator::default().threading());
    let own = whole.own_latent(output);
    if let Some((own, alone)) = own.and_then(|own| Some((functions.stored().of_latent(own.latent)?, own))) {
        return Ok((Predictor::new(own, alone.likelihood, by)?, alone.latent..alone.latent + 1));
    }
    let alone = Marginal::new(whole.clone_box(), output)?;
    Ok((Predictor::new(functions.clone(), Box::new(alone), by)?, 0..functions.latent_count()))
}

/// Joint posterior of separately fitted targets; their parameters enter `likelihood`, which covers all.
///
/// # Errors
/// [`Numerical`](crate::ErrorKind::Numerical) for shared latents or mixtures.
pub fn together(each: &[Approximation], likelihood: Box<dyn Likelihood>) -> Result<Approximation, CliError> {
    let shared = || CliError::new(ErrorKind::Numerical, "targets that are not known one by one");
    let (mut likelihood, mut latents) = (likelihood, Vec::with_capacity(each.len()));
    for (output, of) in each.iter().enumerate() {
        let own = likelihood.own_latent(output).ok_or_else(shared)?;
        let learned = of.likelihood().parameters().iter().flat_map(Parameter::values).copied();
        set_values(likelihood.parameters_mut(), own.first_param, learned)?;
        if of.functions().latent_count() != 1 || of.functions().weights().len() != 1 {
            return Err(shared());
        }
        latents.push((own.latent, of.functions()));
    }
    latents.sort_by_key(|(latent, _)| *latent);
    let latents: Vec<Functions> = latents.into_iter().map(|(_, functions)| functions.clone()).collect();
    let parts: Option<Vec<Held>> = latents.iter().map(|of| of.parts().first().cloned()).collect();
    match parts {
        Some(parts) => super::approximation(parts, likelihood),
        None => Ok(Predictor::new(
            Functions::new(SeparatePosterior::new(latents)),
            likelihood,
            Evaluator::default().threading(),
        )?),
    }
}

fn set_values(
    parameters: &mut [Parameter],
    first: usize,
    values: impl Iterator<Item = f64>,
) -> Result<(), CliError> {
    for (place, value) in (first..).zip(values) {
        let mut before = 0;
        for parameter in &mut *parameters {
            if (before..before + parameter.len()).contains(&place) {
                parameter.set(place - before, value)?;
            }
            before += parameter.len();
        }
    }
    Ok(())
}

fn of_about(about: &About, place: usize, latents: Range<usize>) -> About {
    let (target, summary) = match place.checked_sub(1).and_then(|place| about.others.get(place)) {
        Some(other) => (&other.target, &other.summary),
        None => (&about.target, &about.summary),
    };
    let training = &about.training;
    let own = |of: &&Influence| of.target.as_ref().is_none_or(|name| *name == target.name);
    let shifted = |of: &Influence| {
        let (start, end) = (of.latents.start - latents.start.min(of.latents.start), of.latents.end);
        Influence { latents: start..end - (of.latents.start - start), ..of.clone() }
    };
    let influence = training.influence.iter().filter(own).map(shifted).collect();
    let coverage = training.coverage.get(latents.clone()).map_or_else(Vec::new, <[_]>::to_vec);
    let rows = training.rows_of_targets.get(place).copied().unwrap_or(training.rows);
    About {
        target: target.clone(),
        summary: summary.clone(),
        roles: about.roles.of_target(place),
        others: Vec::new(),
        training: TrainingRecord {
            influence,
            coverage,
            rows,
            rows_of_targets: Vec::new(),
            log_scales: None,
            check_sum: None,
            sketch: None,
            idle: training.idle.get(place).or(training.idle.first()).copied().into_iter().collect(),
            ..training.clone()
        },
        ..about.clone()
    }
}
