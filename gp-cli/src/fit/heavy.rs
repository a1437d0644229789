//! Rows of numbers that count far more than once.

use crate::encode::{ColumnSurvey, Role, Survey};
use crate::lengths::four_digits;
use gp_likelihoods::{Likelihood, Support};

/// Least weight of a row of numbers with a remark.
const HEAVY: f64 = 100.0;

/// Warning of rows that count as hundreds of the very same target. Labels and counts may well be the same.
pub(super) fn heavy_rows(survey: &Survey, likelihood: &dyn Likelihood) -> Option<String> {
    let column = survey.role(Role::Weights, 0)?;
    let most = column.greatest().filter(|most| *most >= HEAVY && likelihood.support() == Support::Real)?;
    Some(told(column, most))
}

fn told(column: &ColumnSurvey, most: f64) -> String {
    format!(
        "weights of column {} go up to {}, and such a row counts as that many rows with the very same target; if weights \
         say how exact rows are, give --noise-variance instead, and if they say which rows matter more, divide them by \
         their mean",
        column.name(),
        four_digits(most)
    )
}
