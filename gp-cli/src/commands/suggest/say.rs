//! Messages about suggested points.

use super::best::BestSoFar;
use super::space::InputValues;
use super::{By, SuggestOptions, Suggested};
use crate::encode::Role;
use crate::left_out::counted;
use crate::model::{Model, TargetSummary, without_temperature};
use crate::notes::Notes;

/// Negligible improvement, in target standard deviations.
const NO_GAIN: f64 = 1e-6;

pub(super) fn say(
    options: &SuggestOptions,
    model: &Model,
    suggested: &Suggested,
    best: Option<&BestSoFar>,
    notes: &mut Notes<'_>,
) {
    for (role, name) in model.about().roles.iter() {
        let left_out = match role {
            Role::Offset => "an offset of 0",
            Role::Exposure => "an exposure of 1",
            _ => continue,
        };
        notes.say(format_args!(
            "points are compared and predicted with {left_out}; column {name} is not looked at"
        ));
    }
    if let Some(best) = best {
        notes.say(format_args!("best {} so far: {}, {}", model.target().name, best.text, best.how));
    }
    let told = without_temperature(model, "points are compared by the model's own latent functions");
    told.iter().for_each(|line| notes.say(format_args!("{line}")));
    let (points, from) = (
        counted(suggested.places.len(), "point"),
        match &options.candidates {
            Some(path) => format!("of the {} of {path}", counted(suggested.looked_at, "row")),
            None => "within the ranges of the inputs".to_owned(),
        },
    );
    let total = match options.by {
        By::Information => {
            format!(": {:.4} nats together", suggested.values.iter().sum::<f64>())
        }
        By::Variance | By::Improvement => String::new(),
    };
    notes.say(format_args!("{points} {from}, by {}{total}", options.by.name()));
    if let Some(best) = best.filter(|_| gains_nothing(options.by, model, &suggested.values)) {
        let among = if options.candidates.is_some() { "of these rows" } else { "within these ranges" };
        let first = if suggested.values.len() > 1 { "after the points before, " } else { "" };
        notes.say(format_args!("{first}nothing {among} is likely to improve on {}", best.text));
        return;
    }
    if let Some((first, again)) = repeated(&suggested.places).filter(|_| options.candidates.is_none()) {
        notes.say(format_args!(
            "point {again} is the same as point {first}: observations are noisy, so a second one there is worth more than one elsewhere"
        ));
    }
}

pub(super) fn gains_nothing(by: By, model: &Model, values: &[f64]) -> bool {
    let (By::Improvement, Some(last)) = (by, values.last()) else { return false };
    let TargetSummary::Moments { variance, .. } = model.about().summary else { return false };
    model.target().scale().scale * last < NO_GAIN * variance.sqrt()
}

/// First pair of equal points, numbered from 1.
fn repeated(places: &[InputValues]) -> Option<(usize, usize)> {
    let before = |again: usize| places[..again].iter().position(|place| *place == places[again]);
    (1..places.len()).find_map(|again| Some((before(again)? + 1, again + 1)))
}
