//! Kernels and initial inducing inputs.

use super::kernels::{kernels, shares_a_length};
use super::observed::Observed;
use super::parameters;
use super::placing::{self, Placing, place};
use super::sample::Sample;
use super::search::Search;
use super::seasons::{self, Season, SeasonsFound};
use super::spec::FitSpec;
use super::start;
use crate::context::Context;
use crate::encode::Inputs;
use crate::error::CliError;
use crate::method::{Method, RepresentedBy, TrainingRows};
use gp_ep::DataSource as _;
use gp_kernels::Kernel;
use gp_kernels::inducing::InducingInputs;
use std::borrow::Cow;

#[derive(Debug)]
pub(super) struct Design {
    /// Inducing inputs or active rows; 0 for all rows.
    pub(super) pseudo: usize,
    /// `pseudo`, or 0 if not below N.
    pub(super) fewer: usize,
    pub(super) sample: Sample,
    pub(super) seasons: Vec<Season>,
    /// Seasons that given kernels lack.
    pub(super) missed: Vec<Season>,
    /// Remarks on skipped or shortened season searches.
    pub(super) remarks: Vec<String>,
    pub(super) search: Option<Search>,
    pub(super) kernels: Vec<Box<dyn Kernel>>,
    /// Inducing inputs per latent; empty for all rows.
    pub(super) inducing: Vec<InducingInputs>,
    pub(super) placing: Option<Placing>,
    pub(super) parts: Vec<PartStart>,
}

#[derive(Debug)]
pub(super) struct PartStart {
    pub(super) search: Option<Search>,
    pub(super) placing: Option<Placing>,
    pub(super) log_scales: f64,
}

impl Design {
    /// Design of jointly fitted targets; applies parameter flags.
    pub(super) fn new(
        observed: &mut Observed,
        (spec, context): (&FitSpec, &Context),
        method: &dyn Method,
        inputs: &Inputs,
        rows: &TrainingRows,
    ) -> Result<Self, CliError> {
        let (count, latents) = (rows.count(), observed.likelihood.latents());
        let pseudo = match method.represented_by() {
            RepresentedBy::Rows => 0,
            _ => placing::count(spec, method, shares_a_length(spec, observed, inputs), (latents, count))?,
        };
        let sample = Sample::of(rows, pseudo, spec.seed)?;
        let SeasonsFound { seasons: found, remarks } =
            seasons::find(spec, (&context.kernels, &context.team), observed, inputs, (&sample, count))?;
        let (seasons, missed) =
            if spec.kernel.is_empty() { (found, Vec::new()) } else { (Vec::new(), found) };
        let fewer = if pseudo < count { pseudo } else { 0 };
        let search = Search::new(spec, context, (observed, inputs), method, fewer)?;
        let mut kernels = kernels(spec, &context.kernels, method, observed, (inputs, fewer), &seasons)?;
        parameters::apply(spec, &mut kernels, observed.likelihood.as_mut(), (inputs, &context.kernels))?;
        start::start_open(spec, &mut kernels, inputs.dim());
        let (inducing, placing) = match method.represented_by() {
            RepresentedBy::InducingInputs => {
                place(spec, context, pseudo, inputs, &sample, &kernels, observed)?
            }
            _ => (Vec::new(), None),
        };
        let parts = Vec::new();
        Ok(Self {
            pseudo,
            fewer,
            sample,
            seasons,
            missed,
            remarks,
            search,
            kernels,
            inducing,
            placing,
            parts,
        })
    }

    pub(super) fn of_parts(
        (whole, parts): (&mut Observed, &mut [Observed]),
        (spec, context): (&FitSpec, &Context),
        method: &dyn Method,
        inputs: &Inputs,
        rows: &TrainingRows,
    ) -> Result<Self, CliError> {
        let count = parts.len();
        check_counts(spec, count)?;
        let mut designs = Vec::with_capacity(count);
        for (target, part) in parts.iter_mut().enumerate() {
            let own = own_flags(spec, target);
            let rows = rows.of_target(target, count)?;
            designs.push(Self::new(part, (&own, context), method, inputs, &rows)?);
        }
        let most = |number: fn(&Self) -> usize| designs.iter().map(number).max().unwrap_or(0);
        let (pseudo, fewer) = (most(|design| design.pseudo), most(|design| design.fewer));
        let seasons = designs.iter().flat_map(|design| design.seasons.iter().cloned()).collect();
        let missed = designs.iter().flat_map(|design| design.missed.iter().cloned()).collect();
        let remarks = designs.iter().flat_map(|design| design.remarks.iter().cloned()).collect();
        let mut kernels: Vec<Box<dyn Kernel>> =
            designs.iter().flat_map(|design| design.kernels.iter().cloned()).collect();
        let inducing = designs.iter().flat_map(|design| design.inducing.iter().cloned()).collect();
        let log_scales = parts.iter().map(|part| part.log_scales());
        let starts = designs.into_iter().zip(log_scales).map(|(design, log_scales)| PartStart {
            search: design.search,
            placing: design.placing,
            log_scales,
        });
        let starts = starts.collect();
        parameters::apply(spec, &mut kernels, whole.likelihood.as_mut(), (inputs, &context.kernels))?;
        let sample = Sample::of(rows, pseudo, spec.seed)?;
        Ok(Self {
            pseudo,
            fewer,
            sample,
            seasons,
            missed,
            remarks,
            search: None,
            kernels,
            inducing,
            placing: None,
            parts: starts,
        })
    }
}

fn check_counts(spec: &FitSpec, count: usize) -> Result<(), CliError> {
    let given = [("--kernel", spec.kernel.len()), ("--inducing-file", spec.inducing_file.len())];
    match given.into_iter().find(|(_, times)| *times > 1 && *times != count) {
        None => Ok(()),
        Some((flag, times)) => {
            Err(CliError::usage(format!("{flag} was given {times} times; there are {count} targets")))
        }
    }
}

fn own_flags(spec: &FitSpec, target: usize) -> Cow<'_, FitSpec> {
    if spec.kernel.is_empty() && spec.inducing_file.len() <= 1 {
        return Cow::Borrowed(spec);
    }
    let kernel = spec.kernel.get(target).cloned().into_iter().collect();
    let file = spec.inducing_file.get(target).or(spec.inducing_file.first());
    Cow::Owned(FitSpec { kernel, inducing_file: file.cloned().into_iter().collect(), ..spec.clone() })
}
