//! Dates and times as text.

use super::cells::number;
use gp_optim::format_number;
use std::ops::Range;

const MICROS_PER_DAY: i64 = 86_400_000_000;
const SECONDS_PER_DAY: f64 = 86_400.0;
/// Days of 0000-01-01 to 9999-12-31.
const YEARS_OF_FOUR_DIGITS: Range<f64> = -719_528.0..2_932_897.0;
/// Years for dates of eight digits.
const YEARS_OF_DIGITS: Range<i64> = 1900..2101;
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const MIN_LETTERS: usize = 3;

/// Days since 1970-01-01 UTC of a date (`2024-02-29`, `2024/2/29`) or a month's first day (`2024-02`, `Feb 2024`).
///
/// After a date and a blank or `T` may follow `HH:MM[:SS[.s]]`, then `Z`, `UTC` or an offset such as `+01:00`.
///
/// ```
/// use gp_cli::data::days_since_epoch;
/// assert_eq!(days_since_epoch("1970-01-02"), Some(1.0));
/// assert_eq!(days_since_epoch("2000-03-01 06:00"), Some(11017.25));
/// assert_eq!(days_since_epoch("2000-03-01T06:00:00+06:00"), Some(11017.0));
/// assert_eq!(days_since_epoch("Feb 1970"), Some(31.0));
/// assert_eq!(days_since_epoch("2000-02-30"), None);
/// ```
#[must_use]
pub fn days_since_epoch(cell: &str) -> Option<f64> {
    if cell.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
        return named_month(cell).map(|days| days as f64);
    }
    match cell.split_once(['T', ' ']) {
        None => day_of(cell).or_else(|| month_of(cell)).map(|days| days as f64),
        Some((date, time)) => {
            let (days, seconds) = (day_of(date)?, seconds_of(time)?);
            // The UTC offset may change the day.
            let shift = (seconds / SECONDS_PER_DAY).floor();
            Some((days as f64 + shift) + (seconds - shift * SECONDS_PER_DAY) / SECONDS_PER_DAY)
        }
    }
}

pub(super) fn days_of_digits(cell: &str) -> Option<f64> {
    let (year, rest) = cell.split_at_checked(4)?;
    let (month, day) = rest.split_at_checked(2).filter(|(_, day)| day.len() == 2)?;
    Some(civil_days(whole(year)?, whole(month)?, whole(day)?)? as f64)
}

/// `true` for plausible dates such as 20240229.
pub(crate) fn is_date_in_digits(number: f64) -> bool {
    let digits = number as i64;
    let (year, month, day) = (digits / 10_000, digits / 100 % 100, digits % 100);
    digits as f64 == number && YEARS_OF_DIGITS.contains(&year) && civil_days(year, month, day).is_some()
}

/// `2024-02-29` or `2024/2/29`.
fn day_of(date: &str) -> Option<i64> {
    let separator = *date.as_bytes().get(4)?;
    let mut parts = date.split(char::from(separator));
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let lengths = match separator {
        b'-' => 2..=2,
        b'/' => 1..=2,
        _ => return None,
    };
    let sound = parts.next().is_none() && lengths.contains(&month.len()) && lengths.contains(&day.len());
    if sound { civil_days(whole(year)?, whole(month)?, whole(day)?) } else { None }
}

/// `2024-02`, but not `2024/02`, which may be a season.
fn month_of(date: &str) -> Option<i64> {
    let (year, month) = date.split_once('-').filter(|(year, month)| year.len() == 4 && month.len() == 2)?;
    civil_days(whole(year)?, whole(month)?, 1)
}

/// `Feb 2024`, `February 2024` or `Feb-2024`.
fn named_month(cell: &str) -> Option<i64> {
    let (name, year) = cell.split_once([' ', '-'])?;
    let is_name = |month: &&str| {
        month.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
            && (name.len() == MIN_LETTERS || name.len() == month.len())
    };
    let month = MONTHS.iter().position(is_name)?;
    if year.len() == 4 { civil_days(whole(year)?, month as i64 + 1, 1) } else { None }
}

/// `HH:MM[:SS[.s]]`, less UTC offset.
fn seconds_of(time: &str) -> Option<f64> {
    let utc = ["Z", "UTC"].iter().find_map(|zone| time.strip_suffix(zone));
    if let Some(clock) = utc {
        return clock_of(clock.trim_end());
    }
    match time.find(['+', '-']) {
        None => clock_of(time),
        Some(place) => {
            let (clock, offset) = time.split_at(place);
            Some(clock_of(clock.trim_end())? - offset_of(offset)?)
        }
    }
}

fn clock_of(clock: &str) -> Option<f64> {
    let mut parts = clock.split(':');
    let (hours, minutes) = (whole(parts.next()?)?, whole(parts.next()?)?);
    let seconds = match parts.next() {
        Some(seconds) => number(seconds).filter(|seconds| (0.0..60.0).contains(seconds))?,
        None => 0.0,
    };
    let sound = parts.next().is_none() && hours < 24 && minutes < 60;
    sound.then_some(hours as f64 * 3600.0 + minutes as f64 * 60.0 + seconds)
}

/// `+01:00`, `+0100` or `+01`.
fn offset_of(offset: &str) -> Option<f64> {
    let (sign, clock) = offset.split_at_checked(1)?;
    let (hours, minutes) = clock.split_at_checked(2)?;
    let minutes = match minutes {
        "" => "00",
        minutes => minutes.strip_prefix(':').unwrap_or(minutes),
    };
    let sound = minutes.len() == 2;
    let (hours, minutes) = (whole(hours)?, whole(minutes)?);
    let seconds = hours as f64 * 3600.0 + minutes as f64 * 60.0;
    (sound && hours < 24 && minutes < 60).then_some(if sign == "-" { -seconds } else { seconds })
}

fn whole(digits: &str) -> Option<i64> {
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        digits.parse().ok()
    } else {
        None
    }
}

/// `YYYY-MM-DD`, then `T` and time, to microseconds, unless midnight. Outside four-digit years, the plain number.
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

/// Inverse of [`civil_days`].
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

/// Days since 1970-01-01, Gregorian; `None` for impossible dates. Years start in March, so leap days are last.
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
            "2010/11",
            "2023/02/29",
            "2023/1-1",
            "Jan 23",
            "Janu 2023",
            "Smarch 2023",
            "2023-01-01T10:00+1",
            "2023-01-01T10:00+25:00",
            "2023-01-01+01:00",
            "2023-01-01T10:00ZZ",
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
    fn a_date_has_several_notations() {
        for (text, date) in [
            ("2024/02/29", "2024-02-29"),
            ("2024/2/9", "2024-02-09"),
            ("Jan 2012", "2012-01-01"),
            ("DECEMBER 1999", "1999-12-01"),
            ("may-2020", "2020-05-01"),
            ("2012-01", "2012-01-01"),
            ("2024/02/29 06:30", "2024-02-29T06:30"),
            ("2020-01-01T00:00:00+01:00", "2019-12-31T23:00"),
            ("2019-12-31 22:30:00.5-0230", "2020-01-01T01:00:00.5"),
            ("2020-01-01 10:00 +02", "2020-01-01T08:00"),
            ("2020-01-01 10:00:00 UTC", "2020-01-01T10:00"),
        ] {
            assert_eq!(days_since_epoch(text).map(date_text).as_deref(), Some(date), "{text}");
        }
    }

    #[test]
    fn digits_are_dates_of_two_centuries() {
        assert_eq!(days_of_digits("19700102"), Some(1.0));
        assert!(["1970010", "197001022", "19701301", "-9700101"].iter().all(|t| days_of_digits(t).is_none()));
        assert!([20_120_131.0, 19_000_101.0, 21_001_231.0].into_iter().all(is_date_in_digits));
        for number in [20_120_132.0, 18_991_231.0, 21_010_101.0, 20_120_131.5, f64::NAN, 1e300] {
            assert!(!is_date_in_digits(number), "{number}");
        }
    }
}
