//! Informative vector machine: model and options.

use super::defaults::DefaultCase;
use super::problem::Problem;
use super::setting::Setting;
use crate::error::CliError;
use gp_ep::ivm::{Coupling, FinalSites, Ivm, IvmOptions};

/// Maximum Q for converged sites: rows cost (d Q)².
const FEW_LATENTS: usize = 10;

pub(super) const COUPLING: Setting = Setting::choice(
    "coupling",
    &[
        (COUPLED, "Latent functions of a point are correlated, with one active set for all"),
        (INDEPENDENT, "Latent functions are independent, with one active set each"),
    ],
    "Whether the classes are correlated in the posterior",
)
.default_word_by_case(&[SEVERAL, ONE]);
const SEVERAL: DefaultCase<&str> = DefaultCase::new(COUPLED, "for several latent functions");
const ONE: DefaultCase<&str> = DefaultCase::new(INDEPENDENT, "for one");
const COUPLED: &str = "coupled";
const INDEPENDENT: &str = "independent";

pub(super) fn model(problem: &Problem) -> Result<Ivm, CliError> {
    let (kernels, likelihood) = (problem.kernels.clone(), problem.likelihood.clone());
    let several = likelihood.latents() > 1;
    let model = Ivm::new(kernels, likelihood)?;
    Ok(match problem.settings.given.word_in(&COUPLING, if several { SEVERAL } else { ONE }) {
        COUPLED => model.with_coupling(Coupling::Coupled)?,
        _ if several => model.with_coupling(Coupling::Independent)?,
        _ => model,
    })
}

pub(super) fn options(problem: &Problem) -> IvmOptions {
    let default = IvmOptions::default();
    let active = problem.settings.active.unwrap_or(default.active);
    let latents = problem.likelihood.latents();
    let sites = if latents <= FEW_LATENTS { FinalSites::Converged } else { FinalSites::Matched };
    IvmOptions { active, sites, seed: problem.settings.seed, ..default }
}
