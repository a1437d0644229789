//! Warning of very large weights.

use crate::digits::four_digits;
use crate::encode::{ColumnSurvey, Role, Survey};
use gp_likelihoods::{Likelihood, Support};

const HEAVY: f64 = 100.0;

/// Warning for real targets; for others, repeated values are plausible.
pub(super) fn heavy_rows(survey: &Survey, likelihood: &dyn Likelihood) -> Option<String> {
    let column = survey.role(Role::Weights, 0)?;
    let most = column.greatest().filter(|most| *most >= HEAVY && likelihood.support() == Support::Real)?;
    Some(message(column, most))
}

fn message(column: &ColumnSurvey, most: f64) -> String {
    format!(
        "weights of column {} go up to {}, and such a row counts as that many rows with the very same target; if weights \
         say how exact rows are, give --noise-variance instead, and if they say which rows matter more, divide them by \
         their mean",
        column.name(),
        four_digits(most)
    )
}
