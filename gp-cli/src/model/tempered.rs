//! Descriptions of class-probability temperatures.

use super::Model;
use gp_ep::Temperature;
use gp_optim::format_number;

/// Minimum reported `|ln T|`.
const SMALL: f64 = 0.02;

impl Model {
    /// Temperature in words; `None` if 1 and not fitted.
    #[must_use]
    pub fn about_temperature(&self) -> Option<String> {
        let temperature = self.posterior.temperature();
        match self.about.training.temperature {
            Some(found) => Some(found_on_rows(found, self.about.training.updated_rows > 0)),
            None if temperature == 1.0 => None,
            None => {
                let (than, temperature) = (than(temperature), format_number(temperature));
                Some(format!("{than} than the model's own by a temperature of {temperature}"))
            }
        }
    }
}

/// Remark that `what` ignores the temperature; `None` at 1.
#[must_use]
pub(crate) fn without_temperature(model: &Model, what: &str) -> Option<String> {
    let temperature = model.posterior.temperature();
    (temperature != 1.0).then(|| {
        let temperature = format_number((1e3 * temperature).round() / 1e3);
        format!("{what}; the temperature of {temperature} changes class probabilities only")
    })
}

fn found_on_rows(found: Temperature, is_updated: bool) -> String {
    let Temperature { value, log_loss_before, log_loss, rows } = found;
    let when = if is_updated { ", before the update," } else { "" };
    let what = format!("log loss{when} of {rows} training rows left out one at a time");
    if value.ln().abs() < SMALL {
        return format!("the model's own; {what} {log_loss:.4}");
    }
    let than = than(value);
    format!(
        "{than} than the model's own by a temperature of {value:.2}; {what} {log_loss:.4}, without it \
         {log_loss_before:.4}"
    )
}

fn than(temperature: f64) -> &'static str {
    if temperature < 1.0 { "more confident" } else { "less confident" }
}
