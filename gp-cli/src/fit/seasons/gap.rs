//! Seasons hidden by gaps between dates.

use super::{Along, Plausible, four_digits, sorted};
use crate::data::date_text;

/// Minimum gap, as share of the range.
const LONG: f64 = 0.5;
/// Minimum ratio of shortest periods with and without gap.
const HIDDEN: f64 = 4.0;

/// Remark on skipped short seasons, which fit long gaps by chance.
pub(super) fn remark(plausible: &Plausible, along: &Along) -> Option<String> {
    let x = sorted(&plausible.x);
    let mut steps: Vec<(f64, f64)> = x.windows(2).map(|pair| (pair[1] - pair[0], pair[0])).collect();
    steps.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (typical, &(longest, before)) = (steps.get(steps.len() / 2)?.0, steps.last()?);
    let range = x.last()? - x.first()?;
    let shortest = plausible.shortest_period();
    if !along.is_date || longest < LONG * range || shortest < HIDDEN * 2.0 * typical {
        return None;
    }
    let (name, period) = (&along.name, four_digits(shortest * along.units.scale));
    let text = |x: f64| date_text(along.units.undo(x).round());
    Some(format!(
        "no season shorter than {period} days was looked for along {name}, because there are no rows between {} and {}; leave out those before or after, or give a known period in --kernel",
        text(before),
        text(before + longest)
    ))
}
