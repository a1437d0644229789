//! What a fit will be: choices that were made, and those the program makes by itself, with reasons.

use super::choices::{check_settings, choose_method, choose_optimizer, settings};
use super::kernels::{is_straight, kernels};
use super::parameters;
use super::placing::{self, place};
use super::sample::Sample;
use super::spec::FitSpec;
use super::streamed::Streamed;
use super::task::{Observed, observe};
use crate::data::{Column, Frame};
use crate::encode::{Inputs, Survey};
use crate::error::{CliError, ErrorKind};
use crate::method::{self, Method, Optimizer, Problem, Rows, Setting};

/// The likelihood that says enough to learn inducing inputs by: they stay where they start under others, unless asked
/// otherwise. Moving them made predictions of few labels worse (two sets of some hundred rows), of many no better, and training
/// five times as long.
pub(super) const GAUSSIAN: &str = "gaussian";
/// What the placement of inducing inputs takes memory for, in samples.
const COPIES: f64 = 3.0;

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
        let pseudo = if heeds(Setting::Count) { placing::count(spec, method, latents, count)? } else { 0 };
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

pub(super) fn usage(message: String) -> CliError {
    CliError::new(ErrorKind::Usage, message)
}
