//! Parsing of text cells.

use gp_optim::format_number;
use std::ops::Range;

const MICROS_PER_DAY: i64 = 86_400_000_000;
/// Days since 1970-01-01 of dates with four-digit years, from 0000-01-01 to the end of 9999-12-31.
const YEARS_OF_FOUR_DIGITS: Range<f64> = -719_528.0..2_932_897.0;

/// Common notations of missing values.
const MISSING: [&str; 11] = ["", "na", "n/a", "#n/a", "nan", "-nan", "null", "none", "nil", "?", "."];

pub(super) fn is_missing(cell: &str) -> bool {
    cell.len() <= 4 && MISSING.iter().any(|word| word.eq_ignore_ascii_case(cell))
}

/// Finite number in a cell.
pub(super) fn number(cell: &str) -> Option<f64> {
    cell.parse().ok().filter(|value: &f64| value.is_finite())
}

/// Boolean in a cell as 1 or 0: `true` or `false`, in any case.
pub(super) fn flag(cell: &str) -> Option<f64> {
    let is = |word: &str| cell.eq_ignore_ascii_case(word);
    if is("true") {
        Some(1.0)
    } else if is("false") {
        Some(0.0)
    } else {
        None
    }
}

/// Days since 1970-01-01 of `YYYY-MM`, or of `YYYY-MM-DD`, optionally with a time `HH:MM[:SS[.s]]` after a blank or `T`, and a final
/// `Z`; other time zones are not supported.
///
/// ```
/// use gp_cli::data::days_since_epoch;
/// assert_eq!(days_since_epoch("1970-01-02"), Some(1.0));
/// assert_eq!(days_since_epoch("2000-03-01 06:00"), Some(11017.25));
/// assert_eq!(days_since_epoch("1970-02"), Some(31.0));
/// assert_eq!(days_since_epoch("2000-02-30"), None);
/// ```
#[must_use]
pub fn days_since_epoch(cell: &str) -> Option<f64> {
    let (date, time) = match cell.split_once(['T', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (cell, None),
    };
    let mut parts = date.split('-');
    let (year, month) = (parts.next()?, parts.next()?);
    // A month is its first day.
    let day = parts.next().or(time.is_none().then_some("01"))?;
    if parts.next().is_some() || year.len() != 4 || month.len() != 2 || day.len() != 2 {
        return None;
    }
    let days = civil_days(whole(year)?, whole(month)?, whole(day)?)?;
    Some(days as f64 + time.map_or(Some(0.0), day_share)?)
}

/// Date `YYYY-MM-DD` for days since 1970-01-01. A time other than midnight follows after `T`, to
/// microseconds. Outside four-digit years, a plain number.
///
/// ```
/// use gp_cli::data::date_text;
/// assert_eq!(date_text(1.0), "1970-01-02");
/// assert_eq!(date_text(11017.25), "2000-03-01T06:00");
/// assert_eq!(date_text(1e9), "1000000000");
/// ```
#[must_use]
pub fn date_text(days: f64) -> String {
    let micros = (days * MICROS_PER_DAY as f64).round();
    if !YEARS_OF_FOUR_DIGITS.contains(&days) {
        return format_number(days);
    }
    let (day, rest) =
        ((micros as i64).div_euclid(MICROS_PER_DAY), (micros as i64).rem_euclid(MICROS_PER_DAY));
    let (year, month, date) = civil_date(day);
    let text = format!("{year:04}-{month:02}-{date:02}");
    let (seconds, micros) = (rest / 1_000_000, rest % 1_000_000);
    let minutes = format!("{text}T{:02}:{:02}", seconds / 3600, seconds / 60 % 60);
    match (rest, seconds % 60, micros) {
        (0, _, _) => text,
        (_, 0, 0) => minutes,
        (_, seconds, 0) => format!("{minutes}:{seconds:02}"),
        (_, seconds, micros) => {
            format!("{minutes}:{seconds:02}.{micros:06}").trim_end_matches('0').to_owned()
        }
    }
}

/// Year, month and day; inverse of [`civil_days`].
pub(crate) fn civil_date(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day_of_year - (153 * from_march + 2) / 5 + 1)
}

fn whole(digits: &str) -> Option<i64> {
    if digits.bytes().all(|byte| byte.is_ascii_digit()) { digits.parse().ok() } else { None }
}

/// Days since 1970-01-01 in the Gregorian calendar; `None` for an impossible date. 400 years have 146 097
/// days; years are counted from March, so that the leap day is the last.
pub(crate) fn civil_days(year: i64, month: i64, day: i64) -> Option<i64> {
    let leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    let longest = [31, if leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let length = *longest.get(usize::try_from(month - 1).ok()?)?;
    if !(1..=length).contains(&day) {
        return None;
    }
    let from_march = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (from_march.div_euclid(400), from_march.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Some(era * 146_097 + day_of_era - 719_468)
}

/// Fraction of a day of `HH:MM[:SS[.s]][Z]`.
fn day_share(time: &str) -> Option<f64> {
    let mut parts = time.strip_suffix('Z').unwrap_or(time).split(':');
    let (hours, minutes) = (whole(parts.next()?)?, whole(parts.next()?)?);
    let seconds = match parts.next() {
        Some(seconds) => number(seconds).filter(|seconds| (0.0..60.0).contains(seconds))?,
        None => 0.0,
    };
    let sound = parts.next().is_none() && hours < 24 && minutes < 60;
    sound.then(|| (hours as f64 * 3600.0 + minutes as f64 * 60.0 + seconds) / 86400.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_count_from_1970_on_both_sides() {
        // From `date -u -d DATE +%s`, divided by 86400.
        let known = [
            ("2024-02-29", 19782.0),
            ("1969-12-31", -1.0),
            ("1900-03-01", -25508.0),
            ("2100-01-01", 47482.0),
        ];
        for (text, days) in known {
            assert_eq!(days_since_epoch(text), Some(days), "{text}");
        }
        assert_eq!(days_since_epoch("1970-01-01T12:00:00Z"), Some(0.5));
        assert_eq!(days_since_epoch("1970-01-01T00:00:43.2"), Some(0.0005));
        for text in [
            "2023-02-29",
            "2023-13-01",
            "23-01-01",
            "2023-1-1",
            "2023-01-01 24:00",
            "1-2-3-4",
            "x",
            "2023-13",
            "2023-1",
            "2023-01 10:00",
        ] {
            assert_eq!(days_since_epoch(text), None, "{text}");
        }
    }

    #[test]
    fn dates_are_written_as_they_are_read() {
        for days in (-719_528..2_932_896).step_by(97) {
            let text = date_text(f64::from(days));
            assert_eq!((text.len(), days_since_epoch(&text)), (10, Some(f64::from(days))), "{text}");
        }
        for text in [
            "9999-12-31",
            "9999-12-31T23:59:59",
            "2024-02-29T23:59:59",
            "1969-12-31T00:01",
            "2024-01-01T00:00:00.5",
            "1999-12-31T12:34:56.789012",
        ] {
            assert_eq!(days_since_epoch(text).map(date_text).as_deref(), Some(text));
        }
        assert_eq!([f64::NAN, -1e6].map(date_text), ["NaN", "-1000000"]);
    }

    #[test]
    fn words_for_nothing() {
        assert!(["", "NA", "NaN", "null", "None", "?"].iter().all(|cell| is_missing(cell)));
        assert!(!["0", "nano", "Inf", "no"].iter().any(|cell| is_missing(cell)));
        assert_eq!((number("inf"), number("1e999"), number("+1e3")), (None, None, Some(1000.0)));
    }
}
