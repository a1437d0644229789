//! What a fit will be: choices that were made, and those the program makes by itself, with reasons.

use super::choices::{check_roles, check_settings, choose_method, choose_optimizer, resolved, settings};
use super::kernels::{is_straight, kernels};
use super::observed::{Observed, observe};
use super::parameters;
use super::placing::{self, Placing, place};
use super::reading::begin_survey;
use super::restarts;
use super::sample::Sample;
use super::search::Search;
use super::seasons::{self, Season};
use super::spec::FitSpec;
use super::streamed::Streamed;
use crate::context::Context;
use crate::data::Frame;
use crate::encode::{ColumnSurvey, Factors, Inputs, Role, Survey};
use crate::error::CliError;
use crate::left_out::counted;
use crate::lengths::readable;
use crate::method::{self, Method, Optimizer, Problem, Rows, SeenThrough, is_gaussian};
use crate::stages::Stages;
use gp_ep::Blocks;
use gp_kernels::KernelExt as _;
use std::sync::Arc;

/// What the placement of inducing inputs takes memory for, in samples.
const COPIES: f64 = 3.0;

/// Rows, the block of each and the powers of their factors, where columns say.
pub(super) type EncodedRows = (Rows, Vec<usize>, Option<Vec<f64>>);

/// From so many rows on, inducing inputs are learned in mini-batches under any likelihood.
const MANY_LABELS: usize = 10_000;

/// A fit that is ready to run.
#[derive(Debug)]
pub struct Plan {
    /// How columns of the table become points.
    pub inputs: Inputs,
    /// The target.
    pub observed: Observed,
    /// Who infers.
    pub method: Arc<dyn Method>,
    /// What it will work on.
    pub problem: Problem,
    /// The rows that choices were made by.
    pub sample: Sample,
    /// How inducing inputs were placed, if they were.
    pub(super) placing: Option<Placing>,
    /// The search for a kernel, if one was asked for.
    pub(super) search: Option<Search>,
    /// What was chosen and why: task, method, kernel.
    pub choices: [String; 3],
    /// What it takes, and where the rows are.
    pub cost: String,
    /// Is told what the fit is at.
    pub stages: Stages,
    /// What was left out without being asked for, and what became of missing values.
    pub notes: Vec<String>,
    /// What may not be meant, for people and for the model file.
    pub warnings: Vec<String>,
}

impl Plan {
    /// Looks at a table and makes all choices.
    ///
    /// # Errors
    /// Of kind [`Data`](crate::ErrorKind::Data) for a table that nothing can be learned from, of kind
    /// [`Usage`](crate::ErrorKind::Usage) for choices that do not go together.
    pub fn new(frame: &Frame, spec: &FitSpec, context: &Context) -> Result<Self, CliError> {
        let survey = begin_survey(frame, spec)?.whole(frame)?;
        let plan = Self::of(&survey, spec, context, None, |inputs, observed| {
            let (columns, factors) = (observed.encode(frame)?, Factors::of(&observed.roles, frame)?);
            let name = observed.roles.column(Role::AlphaColumn).unwrap_or_default();
            let powers = factors.powers_of_factors(|row, what| frame.fault(row, name, what))?;
            Ok((Rows::in_memory(inputs.encode(frame)?.points, columns), factors.blocks, powers))
        })?;
        Ok(plan.with_notes(frame.left_out()))
    }

    /// The same for a table that is not in memory.
    ///
    /// # Errors
    /// As [`new`](Self::new); of kind [`Usage`](crate::ErrorKind::Usage) for a method that needs all rows in memory.
    pub fn streamed(table: Streamed, spec: &FitSpec, context: &Context) -> Result<Self, CliError> {
        let (survey, why, left_out) =
            (table.survey().clone(), table.why().to_owned(), table.left_out().to_vec());
        let plan = Self::of(&survey, spec, context, Some(&why), |inputs, observed| {
            table.into_rows(inputs, observed)
        })?;
        Ok(plan.with_notes(&left_out))
    }

    /// Makes all choices by what is known of a table; `streamed` says why its rows are not in memory, where they are not.
    fn of(
        survey: &Survey,
        spec: &FitSpec,
        context: &Context,
        streamed: Option<&str>,
        encode: impl FnOnce(&Inputs, &Observed) -> Result<EncodedRows, CliError>,
    ) -> Result<Self, CliError> {
        let mut observed = observe(survey, spec, context)?;
        let spec = &*resolved(spec, context, observed.likelihood.as_ref())?;
        let inputs = Inputs::learn(survey, spec.standardize.inputs())?;
        let (count, latents) = (survey.rows(), observed.likelihood.latents());
        let (method, why_method) = choose_method(spec, context, &observed, count, streamed.is_some())?;
        let optimizer = choose_optimizer(spec, context, method.as_ref(), latents, streamed.is_some())?;
        let given = check_settings(spec, method.as_ref(), optimizer)?;
        check_roles(&observed.roles, spec, method.as_ref(), &context.methods)?;
        let (rows, blocks, powers) = encode(&inputs, &observed)?;
        let pseudo = match method.seen_through() {
            SeenThrough::Rows => 0,
            _ => placing::count(spec, method.as_ref(), latents, count)?,
        };
        let sample = Sample::of(&rows, pseudo, spec.seed)?;
        let seasons = seasons::find(spec, &context.kernels, &observed, &inputs, (&sample, count))?;
        let search = Search::new(spec, context, (&observed, &inputs), method.as_ref(), pseudo)?;
        let mut kernels =
            kernels(spec, &context.kernels, method.as_ref(), &observed, (&inputs, pseudo), &seasons)?;
        parameters::apply(spec, &mut kernels, observed.likelihood.as_mut(), &inputs)?;
        let (inducing, placing) = match method.seen_through() {
            SeenThrough::InducingInputs => {
                place(spec, context, pseudo, &inputs, &sample, &kernels, &observed)?
            }
            _ => (Vec::new(), None),
        };
        // Gaussian noise says enough to learn inducing inputs by, and so do labels that are many. Moving them made predictions
        // of few labels worse (two sets of some hundred rows).
        let in_batches = method.batch_size(&given, optimizer).is_some();
        let may_move = if is_gaussian(observed.likelihood.as_ref()) {
            method.learns_inducing(count, &given)
        } else {
            in_batches && count >= MANY_LABELS
        };
        let mut settings = settings(spec, optimizer, may_move);
        settings.batch_size = method.batch_size(&given, optimizer);
        settings.active = (method.seen_through() == SeenThrough::ActiveRows).then_some(pseudo);
        settings.given = given;
        settings.blocks = (!blocks.is_empty()).then(|| Blocks::from_labels(&blocks)).transpose()?;
        settings.powers = powers;
        let problem = Problem {
            rows,
            kernels,
            alike: spec.kernel.len() <= 1 && spec.inducing_file.len() <= 1,
            inducing,
            likelihood: observed.adjusted(),
            settings,
        };
        restarts::check(spec, method.as_ref(), &problem, placing.as_ref())?;
        let mut plan = Self {
            inputs,
            placing,
            search,
            observed,
            method,
            problem,
            sample,
            choices: Default::default(),
            cost: String::new(),
            notes: Vec::new(),
            warnings: lookalikes(survey, spec),
            stages: Stages::default(),
        };
        if plan.inputs.keep_missing() {
            plan.notes.push(format!("kept missing values: {}", plan.inputs.about_missing()));
        }
        plan.choices = describe(&plan, optimizer, &why_method, (spec, &seasons));
        plan.cost = cost(&plan, streamed);
        Ok(plan)
    }

    /// The same plan, whose fit tells what it is at.
    #[must_use]
    pub fn with_stages(self, stages: Stages) -> Self {
        Self { stages, ..self }
    }

    /// The same plan, with these notes before its own.
    fn with_notes(self, first: &[String]) -> Self {
        Self { notes: [first, &self.notes].concat(), ..self }
    }

    /// Bytes of memory that the fit takes.
    #[must_use]
    pub fn memory(&self) -> f64 {
        let rows = &self.problem.rows;
        let sizes = self.problem.sizes();
        let sample = COPIES * Sample::held(rows, sizes.inducing) as f64 * sizes.width() as f64;
        let order = self.problem.settings.batch_size.map_or(0.0, |_| method::memory_of_order(sizes.rows));
        self.method.memory(&self.problem) + 8.0 * sample + order
    }
}

/// A sentence for each feature whose words look like numbers or dates, unless they were asked for as words.
pub(super) fn lookalikes(survey: &Survey, spec: &FitSpec) -> Vec<String> {
    let asked = |name: &str| spec.kinds.iter().any(|(column, _)| column == name);
    let features = survey.features().iter().filter(|column| !asked(column.name()));
    let like = |column: &ColumnSurvey| Some(format!("column {}: {}", column.name(), column.lookalike()?));
    features.filter_map(like).collect()
}

fn describe(
    plan: &Plan,
    optimizer: Optimizer,
    why_method: &str,
    (spec, seasons): (&FitSpec, &[Season]),
) -> [String; 3] {
    let Plan { observed, method, problem, .. } = plan;
    let sizes = problem.sizes();
    let has_lengths = problem.kernels[0].length_columns(sizes.dim).iter().any(Option::is_some);
    let inducing = match sizes.inducing {
        0 => String::new(),
        count if problem.inducing.is_empty() => format!(", {count} active rows"),
        count => {
            let windows = problem.inducing.iter().any(|inputs| inputs.windows().is_some());
            let what = if windows { "windows" } else { "inputs" };
            let stay = if problem.settings.fixed_inducing { " that stay" } else { "" };
            format!(", {count} inducing {what}{stay}")
        }
    };
    let blocks = problem.settings.blocks.as_ref();
    let blocks = blocks.map_or_else(String::new, |blocks| format!(", {}", counted(blocks.count(), "block")));
    let kernel = match spec.kernel.len() {
        0 if is_straight(observed, sizes.dim, sizes.inducing) => {
            "a smooth and a straight function of the inputs"
        }
        0 => "a smooth function of the inputs, too many for a straight one through so few inducing inputs",
        _ => "as --kernel says",
    };
    [
        format!(
            "task: {} with likelihood {}, because {}",
            observed.task,
            observed.likelihood.name(),
            observed.reason
        ),
        format!("method: {} by {optimizer}{inducing}{blocks}, because {why_method}", method.name()),
        match spec.search {
            Some(_) => "kernel: to be searched for".to_owned(),
            None => format!(
                "kernel: {kernel}{}; {}{}",
                seasons.iter().map(|season| format!(", and {}", season.describe())).collect::<String>(),
                short(&readable(problem.kernels[0].as_ref(), &plan.inputs)),
                if has_lengths { ", lengths in the units of the data" } else { "" }
            ),
        },
    ]
}

fn cost(plan: &Plan, streamed: Option<&str>) -> String {
    let sizes = plan.problem.sizes();
    let rows_are = streamed.map_or_else(String::new, |why| format!("; rows are read from a file, {why}"));
    let (rows, inputs) = (counted(sizes.rows, "row"), counted(sizes.dim, "input"));
    format!("memory: about {:.0} MB for {rows} and {inputs}{rows_are}", plan.memory() / 1e6)
}

/// A text that fits into a line.
fn short(text: &str) -> String {
    const LONGEST: usize = 300;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
