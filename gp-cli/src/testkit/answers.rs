//! Checks of predictions: validity, file round trip.

use super::MethodKit;
use super::problems::{Subject, TASKS, Table, elsewhere};
use super::report::Findings;
use crate::error::{CliError, ErrorKind};
use crate::method::{Fit, Problem};
use crate::model::{About, Approximation, Model};
use crate::predict::class_probabilities;
use serde_json::json;

const LEVELS: [f64; 3] = [0.05, 0.5, 0.95];
const ROUNDING: f64 = 1e-6;
const ROWS: usize = 60;

/// At test points.
#[derive(Clone, Debug, Default)]
pub(super) struct Answers {
    /// Means, then variances, per latent.
    pub(super) latents: Vec<f64>,
    /// Variances of latents and observations.
    variances: Vec<f64>,
    quantiles: Vec<Vec<f64>>,
    pub(super) probabilities: Vec<Vec<f64>>,
    densities: Vec<f64>,
}

impl Answers {
    pub(super) fn new(posterior: &Approximation, task: Subject) -> Result<Self, CliError> {
        let points = elsewhere();
        let beliefs = posterior.beliefs(points.as_ref())?;
        let predicted = posterior.given(&beliefs);
        let mut answers = Self::default();
        for function in beliefs.functions() {
            answers.latents.extend(function.mean.iter().chain(&function.variance));
            answers.variances.extend(&function.variance);
        }
        let there = Table::new(task, points.nrows()).targets;
        answers.densities = predicted.log_densities(&there)?;
        if task == Subject::Numbers {
            let moments = predicted.moments()?;
            answers.variances.extend(moments.iter().map(|moments| moments.variance));
            let levels = LEVELS.map(|level| predicted.quantiles(0, level));
            let levels = levels.into_iter().collect::<Result<Vec<_>, _>>()?;
            let at = |row: usize| levels.iter().map(|level| level[row]).collect();
            answers.quantiles = (0..points.nrows()).map(at).collect();
        } else {
            answers.probabilities = class_probabilities(posterior, &beliefs)?;
        }
        Ok(answers)
    }

    /// Training curve and predictions.
    pub(super) fn numbers_of(fit: &Fit, task: Subject) -> Result<Vec<f64>, CliError> {
        let mut numbers = vec![fit.objective, fit.iterations as f64];
        numbers.extend(&fit.curve);
        numbers.extend(Self::new(&fit.posterior, task)?.numbers());
        Ok(numbers)
    }

    fn numbers(&self) -> Vec<f64> {
        let lists = [&self.latents, &self.variances, &self.densities].into_iter();
        lists.chain(&self.quantiles).chain(&self.probabilities).flatten().copied().collect()
    }

    fn look_at(&self, task: Subject, findings: &mut Findings) {
        let lowest = self.variances.iter().copied().fold(f64::INFINITY, f64::min);
        let real = self.numbers().iter().all(|number| number.is_finite());
        findings.require(real, || format!("{task:?}: a prediction that is not finite"));
        findings.require(lowest >= 0.0, || format!("{task:?}: a variance of {lowest:e}"));
        for levels in &self.quantiles {
            let rise = levels.windows(2).all(|pair| pair[0] < pair[1]);
            findings.require(rise, || format!("{task:?}: quantiles at {LEVELS:?} are {levels:?}"));
        }
        for classes in &self.probabilities {
            let sum: f64 = classes.iter().sum();
            let sound = classes.iter().all(|p| (0.0..=1.0).contains(p)) && (sum - 1.0).abs() <= ROUNDING;
            findings.require(sound, || format!("{task:?}: probabilities {classes:?} with sum {sum}"));
        }
    }
}

pub(super) fn sound(kit: &MethodKit<'_>, findings: &mut Findings) -> Result<(), CliError> {
    for task in TASKS {
        let Some((problem, _)) = fitted(kit, task, findings)? else { continue };
        let fit = kit.method.fit(problem)?;
        findings
            .require(fit.objective.is_finite(), || format!("{task:?}: an objective of {}", fit.objective));
        Answers::new(&fit.posterior, task)?.look_at(task, findings);
    }
    Ok(())
}

pub(super) fn saved(kit: &MethodKit<'_>, findings: &mut Findings) -> Result<(), CliError> {
    for task in TASKS {
        let Some((problem, classes)) = fitted(kit, task, findings)? else { continue };
        let fit = kit.method.fit(problem)?;
        let model = Model::new(about(kit, &fit, classes)?, fit.posterior, None);
        let bytes = model.to_bytes()?;
        let again = Model::from_bytes(&bytes, "kit", kit.context)?;
        let what = format!("{task:?}: a model that was saved and loaded");
        let answers = |model: &Model| Answers::new(model.posterior(), task).map(|answers| answers.numbers());
        findings.same(&what, &answers(&again)?, &answers(&model)?);
        findings.require(again.to_bytes()? == bytes, || format!("{what} is saved as other bytes"));
    }
    Ok(())
}

/// Short default fit; number of classes (0 for numbers).
fn fitted(
    kit: &MethodKit<'_>,
    task: Subject,
    findings: &mut Findings,
) -> Result<Option<(Problem, usize)>, CliError> {
    let Some(likelihood) = task.accepted(kit, findings)? else { return Ok(None) };
    let optimizers = kit.method.optimizers();
    let default = optimizers.first().ok_or_else(|| CliError::usage("the method names no optimizer"))?;
    let problem = kit.short_fit(likelihood.as_ref(), Table::new(task, ROWS).in_memory(), *default)?;
    Ok(Some((problem, likelihood.support().classes())))
}

fn about(kit: &MethodKit<'_>, fit: &Fit, classes: usize) -> Result<About, CliError> {
    let feature = |name: &str| json!({"name": name, "kind": "number", "encoding": {"scaled": identity()}});
    let labels: Vec<String> = (0..classes).map(|class| class.to_string()).collect();
    let values = if classes == 0 { json!({"number": identity()}) } else { json!({"classes": labels}) };
    let about = json!({
        "origin": "the conformance kit",
        "inputs": {"features": [feature("a"), feature("b")]},
        "target": {"name": "y", "kind": "number", "values": values},
        "summary": {"moments": {"mean": 0.0, "variance": 1.0}},
        "training": {
            "method": kit.method.name(),
            "rows": ROWS,
            "objective": fit.objective,
            "objective_kind": fit.objective_kind,
            "converged": fit.converged,
            "reason": fit.reason,
            "iterations": fit.iterations,
            "curve": fit.curve,
            "warnings": fit.warnings,
        },
        "seed": 0,
        "config": {},
    });
    serde_json::from_value(about)
        .map_err(|cause| CliError::caused(ErrorKind::Model, "the kit describes no model", cause))
}

fn identity() -> serde_json::Value {
    json!({"mean": 0.0, "scale": 1.0})
}
