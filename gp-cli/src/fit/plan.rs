//! What a fit will be: choices that were made, and those the program makes by itself, with reasons.

use super::parameters;
use super::sample::Sample;
use super::spec::{AUTO, Coupling, Covariance, FitSpec, Sites};
use super::streamed::{self, Streamed};
use super::task::{Observed, observe};
use crate::data::{Column, Frame, ReadOptions};
use crate::encode::{Inputs, Survey};
use crate::error::{CliError, ErrorKind};
use crate::method::{self, Method, Optimizer, Problem, Rows, Setting, Settings};
use faer::Mat;
use gp_ep::ivm::{IvmOptions, IvmPlacement};
use gp_kernels::inducing::InducingInputs;
use gp_kernels::placement::Placements;
use gp_kernels::{Kernel, Registry};
use gp_optim::{Control, format_number};
use std::fmt::Write as _;

/// Exact regression up to so many rows.
const EXACT_ROWS: usize = 2_000;
/// All of the data at every step of the optimiser up to so many rows of Gaussian noise; beyond, mini-batches.
const BATCH_ROWS: usize = 100_000;
/// Sites for all observations up to so many rows times latent functions; beyond, mini-batches.
const EP_SITES: usize = 20_000;
/// One length-scale for each input up to so many inputs.
const ARD_INPUTS: usize = 64;
/// The likelihood that says enough to learn inducing inputs by: they stay where they start under others, unless asked
/// otherwise. Moving them made predictions of few labels worse (two sets of some hundred rows), of many no better, and training
/// five times as long.
const GAUSSIAN: &str = "gaussian";
/// What the placement of inducing inputs takes memory for, in samples.
const COPIES: f64 = 3.0;
/// Where inducing inputs start unless asked otherwise.
const PLACEMENT: &str = "kmeans";

/// A fit that is ready to run.
#[derive(Debug)]
pub struct Plan {
    /// How columns of the table become points.
    pub inputs: Inputs,
    /// The target.
    pub observed: Observed,
    /// Who infers.
    pub method: &'static dyn Method,
    /// What it will work on.
    pub problem: Problem,
    /// The rows that choices were made by.
    pub sample: Sample,
    /// What was chosen and why: task, method, kernel.
    pub choices: [String; 3],
}

impl Plan {
    /// Looks at a table and makes all choices.
    ///
    /// # Errors
    /// Of kind [`Data`](ErrorKind::Data) for a table that nothing can be learned from, of kind
    /// [`Usage`](ErrorKind::Usage) for choices that do not go together.
    pub fn new(frame: &Frame, spec: &FitSpec) -> Result<Self, CliError> {
        let survey = Survey::of(frame, &feature_names(frame, spec)?, spec.target()?)?;
        Self::of(&survey, spec, None, |inputs, observed| {
            let targets = observed.target.encode(frame, observed.likelihood.support())?;
            Ok(Rows::in_memory(inputs.encode(frame)?.points, targets))
        })
    }

    /// The same for a table that is not in memory.
    ///
    /// # Errors
    /// As [`new`](Self::new); of kind [`Usage`](ErrorKind::Usage) for a method that needs all rows in memory.
    pub fn streamed(table: Streamed, spec: &FitSpec) -> Result<Self, CliError> {
        let (survey, why) = (table.survey().clone(), table.why().to_owned());
        Self::of(&survey, spec, Some(&why), |inputs, observed| table.into_rows(inputs, observed))
    }

    /// Makes all choices by what is known of a table; `streamed` says why its rows are not in memory, where they are not.
    fn of(
        survey: &Survey,
        spec: &FitSpec,
        streamed: Option<&str>,
        encode: impl FnOnce(&Inputs, &Observed) -> Result<Rows, CliError>,
    ) -> Result<Self, CliError> {
        let mut observed = observe(survey, spec)?;
        let inputs = Inputs::learn(survey, spec.standardize.inputs())?;
        let (count, dim, latents) = (survey.rows(), inputs.dim(), observed.likelihood.latents());
        let (method, why_method) = choose_method(spec, &observed, count, streamed.is_some())?;
        let optimizer = choose_optimizer(spec, method, latents, streamed.is_some())?;
        check_settings(spec, method, optimizer)?;
        let rows = encode(&inputs, &observed)?;
        let heeds = |setting| method.heeds(setting, optimizer);
        let pseudo = if heeds(Setting::Count) { self::count(spec, method, latents, count)? } else { 0 };
        let mut kernels = kernels(spec, method, &observed, dim, pseudo)?;
        parameters::apply(spec, &mut kernels, observed.likelihood.as_mut())?;
        let sample = Sample::of(&rows, pseudo, spec.seed)?;
        let inducing = if heeds(Setting::Inducing) {
            place(spec, pseudo, &inputs, &sample, &kernels, &observed)?
        } else {
            Vec::new()
        };
        let mut settings = settings(spec, optimizer, observed.likelihood.name() == GAUSSIAN);
        settings.batch_size = spec.batch_size.or(method.batch_size(optimizer));
        settings.active = (inducing.is_empty() && pseudo > 0).then_some(pseudo);
        let problem = Problem {
            rows,
            kernels,
            alike: spec.kernel.len() <= 1 && spec.inducing_file.len() <= 1,
            inducing,
            likelihood: observed.likelihood.clone(),
            settings,
        };
        let mut plan = Self { inputs, observed, method, problem, sample, choices: Default::default() };
        plan.choices = describe(&plan, optimizer, &why_method, streamed, spec);
        Ok(plan)
    }

    /// Bytes of memory that the fit takes.
    #[must_use]
    pub fn memory(&self) -> f64 {
        let rows = &self.problem.rows;
        let sizes = self.problem.sizes();
        let sample = COPIES * Sample::held(rows, sizes.inducing) as f64 * (sizes.dim + 1) as f64;
        let order = self.problem.settings.batch_size.map_or(0.0, |_| method::memory_of_order(sizes.rows));
        self.method.memory(sizes) + 8.0 * sample + order
    }
}

/// The columns asked for, or all but the target.
pub(super) fn feature_names<'a>(frame: &'a Frame, spec: &'a FitSpec) -> Result<Vec<&'a str>, CliError> {
    let target = spec.target()?;
    if spec.features.iter().any(|name| name == target) {
        return Err(usage(format!("column {target} is the target; it cannot be a feature too")));
    }
    let names: Vec<&str> = match spec.features.as_slice() {
        [] => frame.columns().iter().map(Column::name).filter(|name| *name != target).collect(),
        some => some.iter().map(String::as_str).collect(),
    };
    if let Some((_, twice)) =
        spec.features.iter().enumerate().find(|(i, name)| spec.features[..*i].contains(name))
    {
        return Err(usage(format!("column {twice} is named twice among --features")));
    }
    if names.is_empty() {
        let what = format!(
            "`{}` has no column besides the target {target}; there is nothing to predict it from",
            frame.source()
        );
        return Err(CliError::new(ErrorKind::Data, what));
    }
    Ok(names)
}

fn choose_method(
    spec: &FitSpec,
    observed: &Observed,
    rows: usize,
    streamed: bool,
) -> Result<(&'static dyn Method, String), CliError> {
    if spec.method != AUTO {
        let method = method::find(&spec.method)?;
        return match method.objection(observed.likelihood.as_ref()) {
            None => Ok((method, "as asked".to_owned())),
            Some(objection) => Err(usage(format!("method {}: {objection}", method.name()))),
        };
    }
    let gaussian = observed.likelihood.name() == GAUSSIAN;
    let wants_inducing = spec.inducing.is_some() || !spec.inducing_file.is_empty() || spec.alpha.is_some();
    let wants_batches = spec.batch_size.is_some() || spec.epochs.is_some() || spec.sites.is_some();
    let (name, why) = if streamed {
        ("sep", "mini-batches need no rows in memory".to_owned())
    } else if wants_batches {
        ("sep", "batches were asked for".to_owned())
    } else if gaussian && rows <= EXACT_ROWS && !wants_inducing {
        ("exact", format!("the noise is Gaussian and {rows} rows are few"))
    } else if gaussian && rows <= BATCH_ROWS {
        ("pep", "the noise is Gaussian, and inducing inputs make many rows affordable".to_owned())
    } else if !gaussian && rows * observed.likelihood.latents() <= EP_SITES {
        ("ep", format!("the likelihood is not Gaussian, and {rows} rows fit into memory"))
    } else {
        ("sep", format!("{rows} rows are many, and mini-batches do not mind"))
    };
    Ok((method::find(name)?, why))
}

/// The one asked for, or the usual one that heeds all that was asked for. Sites of several latents come to rest slowly, so
/// that parameters had better move meanwhile.
fn choose_optimizer(
    spec: &FitSpec,
    method: &dyn Method,
    latents: usize,
    streamed: bool,
) -> Result<Optimizer, CliError> {
    let mut known = method.optimizers().to_vec();
    if streamed {
        streamed::check(method, spec.optimizer)?;
        known.retain(|&optimizer| method.batch_size(optimizer).is_some());
    }
    match spec.optimizer {
        None => {
            let mut usual = known.clone();
            usual.sort_by_key(|&optimizer| latents > 1 && optimizer != Optimizer::Adam);
            let heeds_all = |optimizer: &&Optimizer| unheeded(spec, method, **optimizer).is_none();
            Ok(usual.iter().find(heeds_all).copied().unwrap_or(known[0]))
        }
        Some(optimizer) if known.contains(&optimizer) => Ok(optimizer),
        Some(optimizer) => {
            let names: Vec<String> = known.iter().map(ToString::to_string).collect();
            let (method, names) = (method.name(), names.join(", "));
            Err(usage(format!(
                "method {method} does not work with --optimizer {optimizer}, but with {names}"
            )))
        }
    }
}

/// A flag that was given and makes no difference.
fn unheeded(spec: &FitSpec, method: &dyn Method, optimizer: Optimizer) -> Option<&'static str> {
    let asked = [
        ("--alpha", Setting::Alpha, spec.alpha.is_some()),
        ("--sites", Setting::Sites, spec.sites.is_some()),
        ("--components", Setting::Components, spec.components.is_some()),
        ("--covariance", Setting::Covariance, spec.covariance.is_some()),
        ("--samples", Setting::Samples, spec.samples.is_some()),
        ("--coupling", Setting::Coupling, spec.coupling.is_some()),
        ("--inducing", Setting::Count, spec.inducing.is_some()),
        ("--inducing-file", Setting::Inducing, !spec.inducing_file.is_empty()),
        ("--placement", Setting::Inducing, spec.placement.is_some()),
        ("--fix inducing", Setting::Inducing, spec.fix.iter().any(|name| name == "inducing")),
        ("--iterations", Setting::Iterations, spec.iterations.is_some()),
        ("--epochs", Setting::Epochs, spec.epochs.is_some()),
        ("--batch-size", Setting::BatchSize, spec.batch_size.is_some()),
        ("--time-limit", Setting::TimeLimit, spec.time_limit.is_some()),
    ];
    asked
        .into_iter()
        .find(|(_, setting, given)| *given && !method.heeds(*setting, optimizer))
        .map(|(flag, ..)| flag)
}

/// Refuses what was asked for and would make no difference.
fn check_settings(spec: &FitSpec, method: &dyn Method, optimizer: Optimizer) -> Result<(), CliError> {
    if let Some(flag) = unheeded(spec, method, optimizer) {
        let name = method.name();
        return Err(usage(format!(
            "{flag} makes no difference to method {name} with {optimizer}; leave it out"
        )));
    }
    match spec.alpha {
        Some(alpha) if !(0.0..=1.0).contains(&alpha) => {
            Err(usage(format!("--alpha {alpha} is not between 0 and 1")))
        }
        _ => Ok(()),
    }
}

fn settings(spec: &FitSpec, optimizer: Optimizer, may_move: bool) -> Settings {
    Settings {
        alpha: spec.alpha,
        tied: spec.sites.map(|sites| sites == Sites::Tied),
        optimizer: Some(optimizer),
        iterations: spec.iterations,
        epochs: spec.epochs,
        batch_size: spec.batch_size,
        active: None,
        components: spec.components,
        diagonal: spec.covariance.map(|covariance| covariance == Covariance::Diagonal),
        samples: spec.samples,
        coupled: spec.coupling.map(|coupling| coupling == Coupling::Coupled),
        control: Control::new().with_time_limit(spec.time_limit),
        seed: spec.seed,
        fixed_inducing: parameters::fixes_inducing(spec, may_move),
    }
}

/// One kernel for each latent function: those given, the only one given for all, or the usual one. `pseudo` is how many
/// inducing inputs or active points see it, 0 where all rows do.
fn kernels(
    spec: &FitSpec,
    method: &dyn Method,
    observed: &Observed,
    dim: usize,
    pseudo: usize,
) -> Result<Vec<Box<dyn Kernel>>, CliError> {
    let latents = observed.likelihood.latents();
    let registry = Registry::built_in();
    let texts = match spec.kernel.as_slice() {
        [] => vec![usual_kernel(method, observed, dim, is_straight(pseudo, dim))],
        some => some.to_vec(),
    };
    if texts.len() != 1 && texts.len() != latents {
        return Err(usage(format!(
            "--kernel was given {} times; there are {latents} latent functions",
            texts.len()
        )));
    }
    let parse = |text: &String| {
        registry
            .parse_for(text, dim)
            .map_err(|cause| CliError::caused(ErrorKind::Usage, "--kernel cannot be used", cause))
    };
    (0..latents).map(|latent| parse(&texts[latent.min(texts.len() - 1)])).collect()
}

/// Whether so many inducing inputs or active points, or all rows where that is 0, hold a straight function of the inputs.
fn is_straight(pseudo: usize, dim: usize) -> bool {
    pseudo == 0 || pseudo > dim
}

/// A smooth function with a length-scale for each input, and a straight one, so that nothing is lost where the truth is
/// straight. In units of their spread, points are √D apart and more.
///
/// A straight function has D + 1 directions. Fewer inducing inputs cannot hold it, and what they leave of it is noise to the
/// rest: it is then left out.
///
/// Labels and counts say less than numbers do, and where a straight line tells all labels apart, nothing bounds the
/// function: there, weak priors hold variances near 1 and length-scales near √D, within a factor of 7 or so.
fn usual_kernel(method: &dyn Method, observed: &Observed, dim: usize, straight: bool) -> String {
    let length = (dim as f64).sqrt();
    let around = |value: f64| format!(" ~ log_normal({}, 1)", format_number(value.ln()));
    let number = |value: f64| format_number(value);
    let ard = match dim {
        2..=ARD_INPUTS => format!("[{}]", vec![number(length); dim].join(", ")),
        _ => number(length),
    };
    if observed.likelihood.name() != GAUSSIAN {
        let (one, prior) = (around(1.0), around(length));
        let line = if straight {
            format!(" + linear(lengthscale={}{prior})", number(length))
        } else {
            String::new()
        };
        return format!("1{one} * rbf(lengthscale={ard}{prior}){line} + constant(variance=1{one})");
    }
    let mut text = format!("1 * rbf(lengthscale={ard})");
    if straight {
        let _ = write!(text, " + linear(lengthscale={})", number(3.0 * length));
    }
    if method.name() == "fitc" {
        // Training draws inducing inputs together that it has no use for.
        text.push_str(" + white(variance=fixed(1e-8))");
    }
    text
}

/// What a fit of some thousand rows does in a minute.
fn usual_inducing(method: &dyn Method, latents: usize) -> usize {
    match (method.name(), latents) {
        ("pep" | "vfe" | "fitc", _) => 200,
        ("sep", _) => 200,
        ("ivm", _) | (_, 1) => 100,
        _ => 50,
    }
}

fn place(
    spec: &FitSpec,
    count: usize,
    inputs: &Inputs,
    sample: &Sample,
    kernels: &[Box<dyn Kernel>],
    observed: &Observed,
) -> Result<Vec<InducingInputs>, CliError> {
    let latents = observed.likelihood.latents();
    if !spec.inducing_file.is_empty() {
        let files = &spec.inducing_file;
        if files.len() != 1 && files.len() != latents {
            return Err(usage(format!(
                "--inducing-file was given {} times; there are {latents} latent functions",
                files.len()
            )));
        }
        let read: Vec<InducingInputs> = files
            .iter()
            .map(|path| read_inducing(&path.to_string_lossy(), inputs))
            .collect::<Result<_, _>>()?;
        return Ok((0..latents).map(|latent| read[latent.min(read.len() - 1)].clone()).collect());
    }
    let (points, targets) = sample.rows.whole()?;
    let placements = placements(observed, targets);
    let name = spec.placement.as_deref().unwrap_or(PLACEMENT);
    let placement =
        placements.find(name).map_err(|cause| CliError::caused(ErrorKind::Usage, "--placement", cause))?;
    // Latent functions with one kernel start from one placement.
    let placed = placement
        .place(kernels[0].as_ref(), points, count, spec.seed)
        .map_err(|cause| CliError::caused(ErrorKind::Usage, format!("--placement {name}"), cause))?;
    Ok(vec![placed.inputs; latents])
}

/// How many inducing inputs or active points there will be.
fn count(spec: &FitSpec, method: &dyn Method, latents: usize, rows: usize) -> Result<usize, CliError> {
    match spec.inducing.unwrap_or(usual_inducing(method, latents)).min(rows) {
        0 => Err(usage("--inducing 0: at least one inducing input is needed".to_owned())),
        count => Ok(count),
    }
}

/// The placements there are; one of them looks at labels.
fn placements(observed: &Observed, labels: &[f64]) -> Placements {
    let ivm = IvmPlacement::new(labels.to_vec(), observed.likelihood.clone(), IvmOptions::default());
    Placements::built_in().with(Box::new(ivm))
}

/// A table with one column for each feature, in the order of the features.
fn read_inducing(path: &str, inputs: &Inputs) -> Result<InducingInputs, CliError> {
    let frame = crate::data::read(path, &ReadOptions::default())?;
    let (found, features) = (frame.columns(), inputs.features());
    if found.len() != features.len() {
        let what = format!(
            "`{path}` has {} columns, and there are {} features: {}",
            found.len(),
            features.len(),
            inputs.names().join(", ")
        );
        return Err(CliError::new(ErrorKind::Data, what));
    }
    let columns = found.iter().zip(features).map(|(column, feature)| column.renamed(&feature.name)).collect();
    let frame = Frame::new(path, columns, None)?;
    let points: Mat<f64> = inputs.encode(&frame)?.points;
    Ok(InducingInputs::points(points.as_ref())?)
}

fn describe(
    plan: &Plan,
    optimizer: Optimizer,
    why_method: &str,
    streamed: Option<&str>,
    spec: &FitSpec,
) -> [String; 3] {
    let Plan { observed, method, problem, .. } = plan;
    let sizes = problem.sizes();
    let inducing = match sizes.inducing {
        0 => String::new(),
        count if problem.inducing.is_empty() => format!(", {count} active rows"),
        count if problem.settings.fixed_inducing => format!(", {count} inducing inputs that stay"),
        count => format!(", {count} inducing inputs"),
    };
    let kernel = match spec.kernel.len() {
        0 if is_straight(sizes.inducing, sizes.dim) => "a smooth and a straight function of the inputs",
        0 => "a smooth function of the inputs, too many for a straight one through so few inducing inputs",
        _ => "as asked",
    };
    let rows_are = streamed.map_or_else(String::new, |why| format!("; rows are read from a file, {why}"));
    [
        format!(
            "task: {} with likelihood {}, because {}",
            observed.task,
            observed.likelihood.name(),
            observed.reason
        ),
        format!(
            "method: {} by {optimizer}{inducing}, because {why_method}; about {:.0} MB for {} rows and {} inputs{rows_are}",
            method.name(),
            plan.memory() / 1e6,
            sizes.rows,
            sizes.dim
        ),
        format!(
            "kernel: {kernel}; {}",
            short(&gp_kernels::KernelExt::expression(problem.kernels[0].as_ref()))
        ),
    ]
}

/// A text that fits into a line.
fn short(text: &str) -> String {
    const LONGEST: usize = 100;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn usage(message: String) -> CliError {
    CliError::new(ErrorKind::Usage, message)
}
