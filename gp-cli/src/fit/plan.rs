//! Requested and automatic choices of a fit.

use super::baseline;
use super::choices::{
    check_roles, check_settings, check_temperature, choose_method, choose_optimizer, resolved, settings,
};
use super::design::{Design, PartStart};
use super::expected_time::ExpectedTime;
use super::kernel_texts::kernel_texts;
use super::kernels::{about_one_length, has_line, is_straight};
use super::large_weights::heavy_rows;
use super::lookalikes::lookalikes;
use super::observe::observe;
use super::observed::Observed;
use super::outliers::outliers;
use super::placing::Placing;
use super::reading::begin_survey;
use super::restarts;
use super::sample::Sample;
use super::search::Search;
use super::seasons::Season;
use super::several;
use super::spec::{FitSpec, LengthUnits};
use super::start;
use super::streamed::{EncodedRows, Streamed};
use crate::context::Context;
use crate::data::{Frame, TableChoice};
use crate::encode::{Factors, Inputs, Role, RowMarks, Survey};
use crate::error::{CliError, ErrorKind};
use crate::left_out::counted;
use crate::memory::Budget;
use crate::method::{
    self, ALPHA, Given, Method, Optimizer, PARAMETERS, Problem, RepresentedBy, TrainingRows,
};
use crate::model::method_with_power;
use crate::stages::Stages;
use gp_ep::Blocks;
use gp_kernels::{Kernel, KernelExt as _};
use std::sync::Arc;

/// Placement memory, in copies of the sample.
const COPIES: f64 = 3.0;

/// Minimum rows for mini-batch methods to train inducing inputs.
const MANY_LABELS: usize = 10_000;

/// Fit, ready to run.
#[derive(Debug)]
pub struct Plan {
    /// Encoding of table columns as points.
    pub inputs: Inputs,
    /// Target, roles and likelihood.
    pub observed: Observed,
    /// Inference method.
    pub method: Arc<dyn Method>,
    /// Problem for the method.
    pub problem: Problem,
    /// Rows for automatic choices.
    pub sample: Sample,
    pub(super) placing: Option<Placing>,
    pub(super) search: Option<Search>,
    pub(super) parts: Vec<PartStart>,
    /// Task, method and kernel, with reasons.
    pub choices: [String; 3],
    /// Memory estimate, with any reason for streaming.
    pub cost: String,
    /// Progress reports.
    pub stages: Stages,
    /// Dropped rows, missing values, unshared work.
    pub notes: Vec<String>,
    /// Doubtful choices, stored in the model.
    pub warnings: Vec<String>,
    /// Table options, stored in the model file.
    pub(super) choice: TableChoice,
    pub(super) marks: RowMarks,
}

impl Plan {
    /// Makes all choices for a table.
    ///
    /// # Errors
    /// [`Data`](crate::ErrorKind::Data) without information, [`Usage`](crate::ErrorKind::Usage) for
    /// conflicting choices.
    pub fn new(frame: &Frame, spec: &FitSpec, context: &Context) -> Result<Self, CliError> {
        let survey = begin_survey(frame, spec)?.whole(frame)?;
        let plan = Self::of(&survey, spec, context, None, |inputs, observed| {
            let (columns, factors) = (observed.encode(frame)?, Factors::of(&observed.roles, frame)?);
            let name = observed.roles.column(Role::AlphaColumn).unwrap_or_default();
            let powers = factors.powers_of_factors(|row, what| frame.fault(row, name, what))?;
            Ok((TrainingRows::in_memory(inputs.encode(frame)?.points, columns), factors.blocks, powers))
        })?;
        Ok(plan.with_notes(frame.left_out()))
    }

    /// [`new`](Self::new) for chunked tables.
    ///
    /// # Errors
    /// As [`new`](Self::new); [`Usage`](crate::ErrorKind::Usage) if the method needs rows in memory.
    pub fn streamed(table: Streamed, spec: &FitSpec, context: &Context) -> Result<Self, CliError> {
        let (survey, why, left_out) =
            (table.survey().clone(), table.why().to_owned(), table.left_out().to_vec());
        let plan = Self::of(&survey, spec, context, Some(&why), |inputs, observed| {
            table.into_rows(inputs, observed)
        })?;
        Ok(plan.with_notes(&left_out))
    }

    /// `streamed`: reason for rows in a file.
    fn of(
        survey: &Survey,
        spec: &FitSpec,
        context: &Context,
        streamed: Option<&str>,
        encode: impl FnOnce(&Inputs, &Observed) -> Result<EncodedRows, CliError>,
    ) -> Result<Self, CliError> {
        let mut observed = observe(survey, spec, context)?;
        let mut parts = several::parts(&observed, spec);
        let spec = &*resolved(spec, context, parts.first().unwrap_or(&observed).likelihood.as_ref())?;
        let inputs = Inputs::learn(survey, spec.standardize.inputs())?;
        let count = survey.rows();
        // Targets fitted separately get the method of a single target.
        let one = parts.first().unwrap_or(&observed);
        let (method, why_method) = choose_method(spec, context, one, count, streamed.is_some())?;
        let size = (count, streamed.is_some());
        let optimizer = choose_optimizer(spec, context, method.as_ref(), one.likelihood.as_ref(), size)?;
        let given = check_settings(spec, method.as_ref(), optimizer)?;
        check_roles(&observed.roles, spec, method.as_ref(), &context.methods)?;
        check_temperature(spec, observed.likelihood.as_ref())?;
        check_parts(&parts, &given)?;
        let is_linear = one.likelihood.is_linear_gaussian();
        let (rows, blocks, powers) = encode(&inputs, &observed)?;
        let rows = if method.shares_rows() { rows } else { rows.in_each_process()? };
        if spec.latents.is_some() {
            let sample = Sample::of(&rows, 0, spec.seed)?;
            several::start_mixture(observed.likelihood.as_mut(), &sample.rows)?;
        }
        let (said, by) = ((spec, context), method.as_ref());
        let design = if parts.is_empty() {
            Design::new(&mut observed, said, by, &inputs, &rows)?
        } else {
            Design::of_parts((&mut observed, &mut parts), said, by, &inputs, &rows)?
        };
        let Design {
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
            parts: starts,
        } = design;
        // Inducing inputs are trained under Gaussian noise or with many labels. With few labels, training them
        // made predictions worse (two data sets of some hundred rows).
        let in_batches = method.batch_size(&given, optimizer).is_some();
        let given = if parts.is_empty() { with_power(given, method.as_ref(), &observed) } else { given };
        let may_move = if is_linear {
            method.learns_inducing(count, &given)
        } else {
            in_batches && count >= MANY_LABELS
        };
        let mut settings = settings(spec, may_move);
        settings.control = settings.control.with_team(context.team.clone());
        settings.active = (method.represented_by() == RepresentedBy::ActiveRows).then_some(pseudo);
        settings.given = given;
        method.train_by(optimizer, &mut settings);
        settings.blocks = (!blocks.is_empty()).then(|| Blocks::from_labels(&blocks)).transpose()?;
        settings.powers = powers;
        let problem = Problem {
            rows,
            kernels,
            alike: alike(spec, &observed),
            inducing,
            likelihood: observed.adjusted(),
            settings,
        };
        let places = placing.is_some() || starts.iter().any(|start| start.placing.is_some());
        restarts::check(spec, method.as_ref(), &problem, places)?;
        let heavy = heavy_rows(survey, observed.likelihood.as_ref());
        let warnings = lookalikes(survey, spec).into_iter().chain(too_many_latents(spec)).chain(heavy);
        let warnings = warnings.chain(outliers(survey, &observed)).chain(several::no_amounts(survey, spec));
        let warnings =
            warnings.chain(missed.iter().map(|season| season.missed(spec))).chain(remarks).collect();
        let mut plan = Self {
            inputs,
            placing,
            search,
            parts: starts,
            observed,
            method,
            problem,
            sample,
            choices: Default::default(),
            cost: String::new(),
            notes: Vec::new(),
            warnings,
            stages: Stages::default(),
            choice: TableChoice::default(),
            marks: survey.marks().clone(),
        };
        if plan.inputs.keep_missing() {
            plan.notes.push(format!("kept missing values: {}", plan.inputs.about_missing()));
        }
        if !context.team.is_alone() && !plan.method.shares_rows() {
            let (name, count) = (plan.method.name(), context.team.count());
            plan.notes.push(format!(
                "method {name} shares no rows: each of {count} processes does all of the work"
            ));
        }
        plan.choices = describe(&plan, optimizer, &why_method, (spec, &seasons, fewer));
        plan.cost = cost(&plan, streamed);
        Ok(plan)
    }

    /// Enables progress reports.
    #[must_use]
    pub fn with_stages(self, stages: Stages) -> Self {
        Self { stages, ..self }
    }

    /// Records the read options.
    #[must_use]
    pub fn read_by(self, choice: &TableChoice) -> Self {
        Self { choice: choice.clone(), ..self }
    }

    fn with_notes(self, first: &[String]) -> Self {
        Self { notes: [first, &self.notes].concat(), ..self }
    }

    /// Checks memory for `at_once` concurrent fits.
    ///
    /// # Errors
    /// [`Numerical`](ErrorKind::Numerical), around an [`OverBudget`](crate::OverBudget).
    pub fn check_memory(&self, budget: Budget, at_once: usize) -> Result<(), CliError> {
        let sizes = self.problem.sizes();
        let mut what = format!("method {} for {}", self.method.name(), counted(sizes.rows, "row"));
        if sizes.inducing > 0 {
            what.push_str(&format!(", {}", counted(sizes.inducing, "inducing point")));
        }
        for (name, value) in self.problem.settings.given.entries().filter(|(_, value)| value.is_u64()) {
            what.push_str(&format!(", --{name} {value}"));
        }
        if at_once > 1 {
            what.push_str(&format!(", {at_once} fits side by side,"));
        }
        let bytes = at_once as f64 * self.memory();
        budget.check(bytes, &what, ADVICE).map_err(|over| over.of_kind(ErrorKind::Numerical))
    }

    /// Forecast with quick fits and `--restarts`; takes milliseconds. `None` with kernel search or without operation
    /// counts.
    #[must_use]
    pub fn expected_time(&self, spec: &FitSpec) -> Option<ExpectedTime> {
        if spec.search.is_some() {
            return None;
        }
        let by = self.method.as_ref();
        let of = |problem: &Problem, sample: &TrainingRows| {
            let started = start::as_started(problem, spec);
            let training = ExpectedTime::of(problem, &by.work(&started)?, sample)?;
            let quick = start::quick_problems(problem, spec, sample, by.represented_by()).ok()?;
            let mut quick: Vec<_> =
                quick.iter().filter_map(|(of, count)| ExpectedTime::of_quick(of, *count)).collect();
            if let Some(count) = spec.restarts {
                let round = restarts::shortened(by, started, problem.sizes().rows);
                quick.push(ExpectedTime::of(problem, &by.work(&round)?, sample)?);
                quick = quick.repeat(usize::from(count) + 1);
            }
            let linear = baseline::work(problem, sample).ok()?;
            let linear = linear.and_then(|(problem, work)| ExpectedTime::of(&problem, &work, &problem.rows));
            Some(training.after(&quick, linear))
        };
        let Some(parts) = self.problem.parts().ok()? else { return of(&self.problem, &self.sample.rows) };
        let count = parts.len();
        let part = |(target, part)| of(part, &self.sample.rows.of_target(target, count).ok()?);
        let each = parts.iter().enumerate().map(part).collect::<Option<Vec<_>>>()?;
        Some(ExpectedTime::one_after_another(&each))
    }

    /// Bytes for the fit.
    #[must_use]
    pub fn memory(&self) -> f64 {
        let rows = &self.problem.rows;
        let sizes = self.problem.sizes();
        let sample = COPIES * Sample::held(rows, sizes.inducing) as f64 * sizes.width() as f64;
        let order = self.problem.settings.batch_size.map_or(0.0, |_| method::memory_of_order(sizes.rows));
        self.method.memory(&self.problem) + 8.0 * sample + order
    }
}

const ADVICE: &str = "choose another method with --method, or fewer inducing points with --inducing";

/// `true` if latents share kernel and inducing inputs: classes unless several are given, targets with one given
/// kernel.
fn alike(spec: &FitSpec, observed: &Observed) -> bool {
    let kernels = spec.kernel.len();
    let one = if observed.others.is_empty() { kernels <= 1 } else { kernels == 1 };
    one && spec.inducing_file.len() <= 1
}

fn too_many_latents(spec: &FitSpec) -> Option<String> {
    let (latents, targets) = (spec.latents?, spec.target.len());
    (latents > targets && spec.kernel.len() <= 1).then(|| {
        format!(
            "--latents {latents} is more than the {targets} targets: with one kernel for all, {targets} latent functions say as much, and take less time"
        )
    })
}

fn check_parts(parts: &[Observed], given: &Given) -> Result<(), CliError> {
    if parts.is_empty() || given.word(&PARAMETERS) != Some("uncertain") {
        return Ok(());
    }
    Err(CliError::usage(
        "--parameters uncertain is for one target; fit a model for each, or leave it out".to_owned(),
    ))
}

fn with_power(mut given: Given, method: &dyn Method, observed: &Observed) -> Given {
    let takes_power = method.settings().iter().any(|setting| setting.name() == ALPHA.name());
    if !observed.others.is_empty() && takes_power && given.number(&ALPHA).is_none() {
        given.insert(ALPHA.name(), method::power_of_targets(observed.likelihood.as_ref()).into());
    }
    given
}

fn describe(
    plan: &Plan,
    optimizer: Optimizer,
    why_method: &str,
    (spec, seasons, fewer): (&FitSpec, &[Season], usize),
) -> [String; 3] {
    let Plan { observed, problem, .. } = plan;
    let sizes = problem.sizes();
    let has_lengths =
        problem.kernels.iter().any(|kernel| kernel.length_columns(sizes.dim).iter().any(Option::is_some));
    // The kernel text omits priors that differ between length-scales in data units.
    let has_weak_priors = spec.kernel.is_empty() && has_priors(problem.kernels[0].as_ref());
    let inducing = match sizes.inducing {
        0 => String::new(),
        count if problem.inducing.is_empty() => format!(", {count} active rows"),
        count => {
            let windows = problem.inducing.iter().any(|inputs| inputs.windows().is_some());
            let what = if windows { "windows" } else { "points" };
            let stay = if problem.settings.fixed_inducing { " (fixed)" } else { "" };
            format!(", {count} inducing {what}{stay}")
        }
    };
    let blocks = problem.settings.blocks.as_ref();
    let blocks = blocks.map_or_else(String::new, |blocks| format!(", {}", counted(blocks.count(), "block")));
    let each = if observed.others.is_empty() || problem.alike {
        ""
    } else if observed.likelihood.own_latent(0).is_some() {
        " for each target"
    } else {
        " for each latent function"
    };
    let kernel = match spec.kernel.len() {
        0 if has_line(spec, observed, &plan.inputs, fewer) => "RBF plus linear",
        0 if is_straight(observed, sizes.dim, fewer) => "RBF",
        0 => "RBF; too few inducing points for a linear term on so many inputs",
        _ => "as --kernel says",
    };
    let one_length = about_one_length(spec, observed, &plan.inputs, sizes.rows);
    let of = match spec.units {
        LengthUnits::Model => "model",
        LengthUnits::Data => "data",
    };
    let shown = kernel_texts(&problem.kernels, spec.units, &plan.inputs);
    [
        format!(
            "task: {}{} with likelihood {}, because {}",
            observed.task,
            if observed.others.is_empty() { "" } else { " of several targets" },
            observed.likelihood.name(),
            observed.reason
        ),
        format!("method: {} by {optimizer}{inducing}{blocks}, because {why_method}", method_name(plan)),
        match spec.search {
            Some(_) => "kernel: to be searched for".to_owned(),
            None => format!(
                "kernel: {kernel}{one_length}{each}{}; {}{}{}",
                seasons.iter().map(|season| format!(", and {}", season.describe())).collect::<String>(),
                shown,
                if has_lengths { format!(", lengths in the units of the {of}") } else { String::new() },
                if has_weak_priors { ", with weak priors" } else { "" }
            ),
        },
    ]
}

fn method_name(plan: &Plan) -> String {
    let (name, problem) = (plan.method.name(), &plan.problem);
    if problem.settings.powers.is_some() {
        return format!("{name} (α by row)");
    }
    method_with_power(name, power(plan.method.as_ref(), problem))
}

pub(super) fn power(method: &dyn Method, problem: &Problem) -> Option<f64> {
    method.alpha(problem).filter(|_| problem.settings.powers.is_none())
}

fn has_priors(kernel: &dyn Kernel) -> bool {
    let mut has_any = false;
    kernel.for_each_parameter(&mut |parameter| {
        has_any |= (0..parameter.len()).any(|element| parameter.prior_of(element).is_some());
    });
    has_any
}

fn cost(plan: &Plan, streamed: Option<&str>) -> String {
    let sizes = plan.problem.sizes();
    let rows_are = streamed.map_or_else(String::new, |why| format!("; rows are read from a file, {why}"));
    let (rows, inputs) = (counted(sizes.rows, "row"), counted(sizes.dim, "input"));
    let megabytes = plan.memory() / 1e6;
    let about = if megabytes < 1.0 { "under 1".to_owned() } else { format!("about {megabytes:.0}") };
    format!("memory: {about} MB for {rows} and {inputs}{rows_are}")
}
