//! Best target for expected improvement.

use super::{By, Extreme, SuggestOptions};
use crate::data::Kind;
use crate::digits::four_digits;
use crate::error::CliError;
use crate::model::{Held, Model};
use crate::predict;
use faer::MatRef;
use gp_ep::Posterior as _;
use serde_json::{Value, json};

pub(super) struct BestSoFar {
    pub(super) observation: f64,
    pub(super) text: String,
    pub(super) json: Value,
    pub(super) how: String,
}

/// Best target if needed: `--best`, otherwise best predicted mean at stored points.
pub(super) fn find(options: &SuggestOptions, model: &Model) -> Result<Option<BestSoFar>, CliError> {
    let (By::Improvement, Some(goal)) = (options.by, options.goal) else { return Ok(None) };
    let target = model.target();
    if target.labels().is_some() {
        return Err(CliError::usage(format!(
            "--by improvement is for numbers, and {} is a class; there are --by information and --by variance",
            target.name
        )));
    }
    let is_date = target.kind == Kind::Date;
    let (value, text, how) = match &options.best {
        Some(text) => {
            let value = target.kind.parse(text).filter(|value| value.is_finite()).ok_or_else(|| {
                CliError::usage(format!("--best {text} is no {}, which {} is", target.kind, target.name))
            })?;
            (value, target.kind.text(value), "as said by --best".to_owned())
        }
        None => {
            let (value, how) = of_model(model, goal)?;
            let text = if is_date { target.kind.text(value) } else { four_digits(value) };
            (value, text, how)
        }
    };
    let json = if is_date { json!(text) } else { json!(value) };
    Ok(Some(BestSoFar { observation: target.scale().apply(value), text, json, how }))
}

fn of_model(model: &Model, goal: Extreme) -> Result<(f64, String), CliError> {
    let (points, called) = held(model);
    let by = model.posterior();
    let moments = predict::moments(model, by, &by.beliefs(points)?)?;
    let better = |best: f64, mean: f64| if goal.goal().gain(mean, best) > 0.0 { mean } else { best };
    let best = moments.iter().map(|moments| moments.mean).reduce(better).unwrap_or(f64::NAN);
    Ok((best, format!("the best mean at the {called} of the model")))
}

/// Stored training, inducing or active points, and their name.
fn held(model: &Model) -> (MatRef<'_, f64>, &'static str) {
    if let Some(Held::Exact(exact)) = model.posterior().functions().parts().first() {
        return (exact.inputs(), "training rows");
    }
    let described = model.posterior().functions().describe(0);
    let empty = MatRef::from_row_major_slice(&[], 0, model.inputs().dim());
    (described.represented_by.unwrap_or(empty), described.points_name)
}
