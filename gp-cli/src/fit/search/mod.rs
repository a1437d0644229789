//! Kernel search: grows sums of products of base kernels (Duvenaud et al. 2013).
//!
//! Score: log evidence on at most [`ROWS`] rows (exact, or for labels EP with [`INDUCING`] inducing inputs), less ½ ln
//! N per parameter and log number of possible periods per period. Growth ends without gain; the best kernel trains on
//! all rows.

mod base;
mod grow;
mod judge;
mod structure;

use super::default_likelihoods::{ClassIntegrals, default_likelihood};
use super::interrupt::check_interrupt;
use super::kernels::{default_variance, is_straight};
use super::memo::{Memo, SEARCH};
use super::observed::Observed;
use super::parameters;
use super::placing::Placing;
use super::sample::Sample;
use super::seasons::{self, Along, Plausible};
use super::spec::FitSpec;
use super::task::Task;
use crate::context::Context;
use crate::encode::{Inputs, Role};
use crate::error::{CliError, ErrorKind};
use crate::in_step;
use crate::left_out::counted;
use crate::method::{Method, Problem, TrainingRows, is_gaussian};
use crate::model::TriedKernels;
use base::SeenColumns;
use gp_ep::DataSource as _;
use gp_kernels::Registry;
use gp_kernels::placement::{KMeans, Placement as _};
use gp_likelihoods::{Adjusted, Likelihood, Support};
use grow::{Grammar, Grown};
use judge::{Judge, Judged, LabelEvidence};
use serde::{Deserialize, Serialize};
use structure::{Around, Priors};

const ROWS: usize = 250;
const ROWS_OF_SEASONS: usize = 1_000;
const INDUCING: usize = 50;
/// Minimum initial noise: keeps large weights finite.
const MIN_NOISE: f64 = 1e-8;
const SHARE_OF_TIME: f64 = 0.3;

#[derive(Debug)]
pub(super) struct Search {
    registry: Registry,
    depth: usize,
    seed: u64,
    inputs: Vec<SeenColumns>,
    dim: usize,
    is_straight: bool,
    is_gaussian: bool,
    /// Variance prior under non-Gaussian likelihoods.
    variances: Around,
    white: Option<f64>,
    along: Option<Along>,
    of_labels: Option<Box<dyn Likelihood>>,
    /// `true` if placement depends on the kernel.
    places_anew: bool,
}

#[derive(Debug, Serialize, Deserialize)]
struct StoredSearch {
    kernel: Option<String>,
    noise: f64,
    tried: TriedKernels,
}

impl Search {
    pub(super) fn new(
        spec: &FitSpec,
        context: &Context,
        (observed, inputs): (&Observed, &Inputs),
        method: &dyn Method,
        pseudo: usize,
    ) -> Result<Option<Self>, CliError> {
        let Some(depth) = spec.search else { return Ok(None) };
        parameters::check_without_kernel(spec)?;
        let (dim, is_gaussian) = (inputs.dim(), is_gaussian(observed.likelihood.as_ref()));
        let has_offset = observed.roles.column(Role::Offset).is_some();
        Ok(Some(Self {
            registry: context.kernels.clone(),
            depth: usize::from(depth),
            seed: spec.seed,
            inputs: single_inputs(inputs),
            dim,
            is_straight: is_straight(observed, dim, pseudo),
            is_gaussian,
            variances: variances(observed),
            white: method.default_white_noise().filter(|_| is_gaussian),
            along: Along::first(inputs),
            of_labels: of_labels(observed.likelihood.as_ref(), context, has_offset)?,
            places_anew: spec.placement.is_some(),
        }))
    }

    /// Sets kernel and noise; returns kernels tried. The control must have begun.
    pub(super) fn settle(
        &self,
        problem: &mut Problem,
        spec: &FitSpec,
        sample: &TrainingRows,
        placing: Option<&Placing>,
    ) -> Result<TriedKernels, CliError> {
        let (control, memo) = (problem.settings.control.clone(), Memo::beside(&problem.settings.control));
        let kept = match memo.read(SEARCH)? {
            Some(kept) => kept,
            // The first process compares kernels for all, in parallel with one thread per kernel.
            None => in_step::of_first(control.team(), || self.find(&problem.alone(), spec, sample))?,
        };
        check_interrupt(&control)?;
        memo.write(SEARCH, &kept)?;
        let Some(text) = &kept.kernel else { return Ok(kept.tried) };
        let kernel = self.registry.parse_for(text, self.dim).map_err(|cause| {
            CliError::caused(ErrorKind::Usage, "--search needs the kernels of gp-kernels", cause)
        })?;
        problem.kernels = vec![kernel; problem.kernels.len()];
        if self.is_gaussian {
            for noise in problem.likelihood.parameters_mut().iter_mut().filter(|noise| !noise.is_fixed(0)) {
                // The default stays if bounds or a prior exclude the value.
                let _ = noise.set(0, kept.noise);
            }
        }
        if let Some(placing) = placing.filter(|_| self.places_anew) {
            let (kernel, latents) = (problem.kernels[0].as_ref(), problem.kernels.len());
            problem.inducing = placing.place(kernel, sample, latents, self.seed)?;
        }
        Ok(kept.tried)
    }

    fn find(
        &self,
        problem: &Problem,
        spec: &FitSpec,
        sample: &TrainingRows,
    ) -> Result<StoredSearch, CliError> {
        let rows = Sample::at_most(sample, ROWS_OF_SEASONS, self.seed)?.rows;
        let numbers = match &self.of_labels {
            None => seasons::numbers(problem.likelihood.as_ref(), &rows)?,
            Some(_) => None,
        };
        let unit = numbers.as_ref().map_or(1.0, |(_, unit)| *unit);
        let (rows, seasons) = match numbers {
            Some((numbers, _)) => {
                let rows = TrainingRows::in_memory(rows.whole()?.0.to_owned(), numbers);
                let seasons = self.seasons(&rows, problem.rows.count())?;
                (rows, seasons)
            }
            None => (rows, None),
        };
        let limit = spec.time_limit.map(|limit| limit.mul_f64(SHARE_OF_TIME));
        let rows = Sample::at_most(&rows, ROWS, self.seed)?.rows;
        let judge = Judge {
            registry: &self.registry,
            labels: self.labels(&rows, problem)?,
            rows,
            control: problem.settings.control.aside().with_time_limit(limit).begun(),
        };
        let grammar = Grammar {
            judge: &judge,
            all: SeenColumns { columns: None, count: self.dim, input: String::new() },
            inputs: self.inputs.clone(),
            is_straight: self.is_straight,
            seasons,
            depth: self.depth,
        };
        Ok(self.kept(grammar.grow()?, &judge, unit))
    }

    fn seasons(
        &self,
        rows: &TrainingRows,
        count: usize,
    ) -> Result<Option<(Plausible, SeenColumns, f64)>, CliError> {
        let Some(along) = &self.along else { return Ok(None) };
        let columns = (self.dim > 1).then(|| vec![along.column]);
        let input = if self.dim > 1 { along.name.clone() } else { String::new() };
        let plausible = Plausible::of(rows, along.column, count)?;
        Ok(plausible
            .map(|plausible| (plausible, SeenColumns { columns, count: 1, input }, along.units.scale)))
    }

    fn labels(&self, rows: &TrainingRows, problem: &Problem) -> Result<Option<LabelEvidence>, CliError> {
        let Some(likelihood) = &self.of_labels else { return Ok(None) };
        let (points, _) = rows.whole()?;
        let kernel =
            problem.kernels.first().ok_or_else(|| CliError::usage("no latent function".to_owned()))?;
        let placed = KMeans::new().place(kernel.as_ref(), points, INDUCING.min(points.nrows()), self.seed)?;
        let variances = self.variances;
        let likelihood = likelihood.clone_box();
        let likelihood = match problem.likelihood.plain() {
            Some(_) => Box::new(Adjusted::new(likelihood)),
            None => likelihood,
        };
        Ok(Some(LabelEvidence { likelihood, inducing: placed.inputs, variances }))
    }

    fn kept(&self, grown: Grown, judge: &Judge<'_>, unit: f64) -> StoredSearch {
        let rows = judge.rows.count();
        let by = match judge.labels {
            None => format!(
                "log evidence of exact regression on {} of the standardised target",
                counted(rows, "row")
            ),
            Some(_) => format!("EP's log evidence on {}", counted(rows, "row")),
        };
        let text = |best: &Judged| {
            let mut structure = best.structure.scaled(unit);
            if !self.is_gaussian {
                structure.constant.get_or_insert(1.0);
            }
            structure.text(Priors((!self.is_gaussian).then_some(self.variances)), self.white)
        };
        StoredSearch {
            kernel: grown.best.as_ref().map(text),
            noise: grown.best.as_ref().map_or(judge::NOISE, |best| best.noise.max(MIN_NOISE)) * unit,
            tried: TriedKernels {
                target: None,
                by: format!("{by}, less {:.2} for each parameter, in nats", judge.cost_of_a_parameter()),
                tried: grown.tried,
                ended: grown.ended.to_owned(),
            },
        }
    }
}

fn variances(observed: &Observed) -> Around {
    let (median, deviation) = default_variance(observed);
    Around(median, deviation)
}

fn single_inputs(inputs: &Inputs) -> Vec<SeenColumns> {
    let (features, places) = (inputs.features(), inputs.places());
    if features.len() < 2 {
        return Vec::new();
    }
    let seen = |(feature, place): (&crate::encode::Feature, std::ops::Range<usize>)| SeenColumns {
        count: place.len(),
        columns: Some(place.collect()),
        input: feature.name.clone(),
    };
    features.iter().zip(places).map(seen).collect()
}

/// Probit; for ordered labels and offsets, the model's own; `None` for numbers.
fn of_labels(
    likelihood: &dyn Likelihood,
    context: &Context,
    has_offset: bool,
) -> Result<Option<Box<dyn Likelihood>>, CliError> {
    let by_probit = match likelihood.support() {
        Support::Classes(classes) if likelihood.latents() == classes => {
            let default = default_likelihood(Task::Multiclass, ClassIntegrals::Factors);
            format!("{default}(classes={classes})")
        }
        _ if likelihood.targets() > 1 => {
            let name = likelihood.name();
            let message = format!(
                "--search finds a kernel for each target by its own rows, and targets share the latent functions of {name}; leave out --latents and --likelihood, or say kernels with --kernel"
            );
            return Err(CliError::usage(message));
        }
        _ if likelihood.latents() > 1 => {
            let name = likelihood.name();
            let message = format!(
                "--search is for likelihoods with one latent function, or one for each class; those of {name} mean different things; say their kernels with --kernel"
            );
            return Err(CliError::usage(message));
        }
        // An offset is in the units of its own likelihood.
        Support::Signs if has_offset => return Ok(Some(likelihood.clone_box())),
        Support::Signs => default_likelihood(Task::Binary, ClassIntegrals::Factors).to_owned(),
        Support::Classes(_) => return Ok(Some(likelihood.clone_box())),
        _ => return Ok(None),
    };
    let parsed = context.likelihoods.parse(&by_probit);
    parsed.map(Some).map_err(|cause| CliError::caused(ErrorKind::Usage, "--search of labels", cause))
}
