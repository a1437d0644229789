//! Numbers and dates read as words for their notation.

use super::{cells, dates};
use crate::shown::shown;
use std::fmt;

/// Minimum distinct words for a warning.
const FEWEST: usize = 3;
/// Minimum share of words like numbers or dates.
const MOST: f64 = 0.8;
const SEPARATORS: [char; 7] = [',', '.', ' ', '\'', '_', '\u{a0}', '\u{202f}'];
const LONG_MINUS: char = '\u{2212}';
/// Maximum letters of a unit.
const UNIT: usize = 8;
const CURRENCIES: [&str; 9] = ["$", "€", "£", "¥", "EUR", "USD", "GBP", "CHF", "JPY"];
const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// Notation of numbers or dates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// `1,021.5`
    Thousands,
    /// `0,5`
    DecimalComma,
    /// `2,904`, which is 2904 or 2.904
    EitherComma,
    /// `12 %`
    Percent,
    /// `$12.50`
    Currency,
    /// `−5`, with typographic minus
    LongMinus,
    /// `12 kg`
    Unit,
    /// `12:30`
    Clock,
    /// `01/02/2024`, `2024-W05`
    Date,
    /// `2024-02-29`, read as a word
    PlainDate,
}

/// Words that look like numbers or dates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookalike {
    /// Most frequent.
    pub notation: Notation,
    /// First such word.
    pub example: String,
    /// First non-date among [dates](Notation::PlainDate), and further count.
    pub odd: Option<(String, usize)>,
    /// Place of [`odd`](Lookalike::odd), if known.
    pub odd_place: Option<String>,
}

impl Notation {
    /// Notation of a cell; `None` for plain words and for readable numbers or dates.
    #[must_use]
    pub fn of(cell: &str) -> Option<Self> {
        let text = cell.trim();
        if cells::number(text).is_some() || dates::days_since_epoch(text).is_some() {
            return None;
        }
        if let Some(number) = text.strip_suffix('%') {
            return is_number(number.trim_end()).then_some(Self::Percent);
        }
        if let Some(number) = without_currency(text) {
            return is_number(number).then_some(Self::Currency);
        }
        match () {
            () if is_decimal_comma(text) => Some(Self::DecimalComma),
            () if is_either_comma(text) => Some(Self::EitherComma),
            () if is_grouped(text) => Some(Self::Thousands),
            () if text.strip_prefix(LONG_MINUS).is_some_and(is_number) => Some(Self::LongMinus),
            () if is_date(text) || is_week(text) => Some(Self::Date),
            () if is_clock(text) => Some(Self::Clock),
            () if unit(text).is_some() => Some(Self::Unit),
            () => None,
        }
    }

    /// Remedy for the user.
    #[must_use]
    pub fn advice(self) -> &'static str {
        match self {
            Self::Thousands => "write them without separators, such as 1021.5",
            Self::DecimalComma => "write them with a point, such as 0.5",
            Self::EitherComma => {
                "write them with a point if the comma is one, such as 2.904, or without it, such as 2904"
            }
            Self::Percent => "write them without the sign",
            Self::Currency => "write them without the currency",
            Self::LongMinus => "write them with the minus of the keyboard, such as -5",
            Self::Unit => "write them without the unit",
            Self::Clock => "write them as one number, such as hours: 12.5",
            Self::Date => "write them as year-month-day, such as 2024-02-29",
            Self::PlainDate => "--type COLUMN=date reads them as dates",
        }
    }
}

impl Notation {
    /// Singular and plural.
    fn names(self) -> [&'static str; 2] {
        match self {
            Self::Thousands => ["a number with separated thousands", "numbers with separated thousands"],
            Self::DecimalComma => ["a number with a decimal comma", "numbers with a decimal comma"],
            Self::EitherComma => [
                "a number with a comma, for decimals or thousands",
                "numbers with a comma, for decimals or thousands",
            ],
            Self::Percent => ["a percentage", "percentages"],
            Self::Currency => ["an amount of money", "amounts of money"],
            Self::LongMinus => ["a number with a long minus", "numbers with a long minus"],
            Self::Unit => ["a number with a unit", "numbers with a unit"],
            Self::Clock => ["a time of day", "times of day"],
            Self::Date | Self::PlainDate => ["a date", "dates"],
        }
    }

    pub(super) fn one(self) -> &'static str {
        self.names()[0]
    }
}

impl fmt::Display for Notation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.names()[1])
    }
}

impl Lookalike {
    /// Notation of most distinct words, if any.
    #[must_use]
    pub fn among(words: &[String]) -> Option<Self> {
        let plain = words.iter().filter(|word| cells::number(word).is_some()).count();
        let plain_date = |word: &str| dates::days_since_epoch(word).map(|_| Notation::PlainDate);
        let notation = |word: &String| Notation::of(word).or_else(|| plain_date(word));
        let notations = words.iter().filter_map(|word| Some((notation(word)?, word)));
        let mut found: Vec<(Notation, &String)> = notations.collect();
        // Other words may decide the meaning of the comma in 2,904.
        let has = |wanted: Notation| found.iter().any(|(notation, _)| *notation == wanted);
        let comma = [Notation::DecimalComma, Notation::Thousands].into_iter().find(|&meant| has(meant));
        for (notation, _) in &mut found {
            if let (Notation::EitherComma, Some(meant)) = (*notation, comma) {
                *notation = meant;
            }
        }
        let enough = words.len() >= FEWEST && (plain + found.len()) as f64 >= MOST * words.len() as f64;
        let count = |wanted: Notation| found.iter().filter(|(notation, _)| *notation == wanted).count();
        let enough = enough && have_one_unit(words);
        let (notation, _) = found.iter().filter(|_| enough).max_by_key(|(notation, _)| count(*notation))?;
        let example = found.iter().find(|(other, _)| other == notation).map(|(_, word)| (*word).clone())?;
        let odd = if *notation == Notation::PlainDate { odd_dates(words) } else { None };
        Some(Self { notation: *notation, example, odd, odd_place: None })
    }

    /// Sets [`odd_place`](Self::odd_place).
    #[must_use]
    pub fn at(self, place: Option<String>) -> Self {
        Self { odd_place: place, ..self }
    }
}

fn odd_dates(words: &[String]) -> Option<(String, usize)> {
    let mut odd = words.iter().filter(|word| !is_plain_date(word));
    Some((odd.next()?.clone(), odd.count()))
}

pub(crate) fn is_plain_date(word: &str) -> bool {
    dates::days_since_epoch(word).is_some()
}

impl fmt::Display for Lookalike {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { notation, example, odd, odd_place } = self;
        write!(f, "its words look like {notation}, such as `{}`", shown(example))?;
        let Some((word, more)) = odd else { return write!(f, "; {}", notation.advice()) };
        let (word, place) =
            (shown(word), odd_place.as_ref().map_or_else(String::new, |place| format!(" at {place}")));
        match more {
            0 => write!(f, ", but `{word}`{place} is none; correct it")?,
            more => write!(f, ", but `{word}`{place} and {more} more are none; correct them")?,
        }
        write!(f, ", or say --type COLUMN=category if they are labels")
    }
}

/// `true` for readable numbers read as words.
pub(crate) fn are_numbers(words: &[String]) -> bool {
    words.iter().all(|word| cells::number(word.trim()).is_some())
}

/// `true` for numbers, even with separators or decimal comma.
fn is_number(text: &str) -> bool {
    cells::number(text).is_some() || is_decimal_comma(text) || is_grouped(text)
}

fn without_currency(text: &str) -> Option<&str> {
    let (sign, text) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
    let rest = CURRENCIES.iter().find_map(|unit| {
        text.strip_prefix(unit).map(str::trim_start).or_else(|| text.strip_suffix(unit).map(str::trim_end))
    });
    rest.filter(|rest| sign.is_empty() || !rest.starts_with('-'))
}

fn unsigned(text: &str) -> &str {
    text.strip_prefix(['-', '+', LONG_MINUS]).unwrap_or(text)
}

fn are_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// `0,5` or `1.021,5`, but not `1,021`, which may be 1021.
fn is_decimal_comma(text: &str) -> bool {
    let Some((whole, decimals)) = unsigned(text).split_once(',') else { return false };
    let is_whole = are_digits(whole) || (!whole.contains(',') && is_grouped(whole));
    is_whole && are_digits(decimals) && !is_either_comma(text)
}

/// `2,904`: its comma may be decimal.
fn is_either_comma(text: &str) -> bool {
    unsigned(text).split_once(',').is_some_and(|(whole, decimals)| {
        decimals.len() == 3 && are_digits(decimals) && are_digits(whole) && whole.len() <= 3 && whole != "0"
    })
}

/// Groups of three digits, perhaps decimals.
fn is_grouped(text: &str) -> bool {
    let text = unsigned(text);
    let Some(separator) = text.chars().find(|letter| SEPARATORS.contains(letter)) else { return false };
    let whole = if separator == '.' { text } else { text.split_once('.').map_or(text, |(whole, _)| whole) };
    let has_decimals =
        whole.len() == text.len() || text[whole.len() + 1..].bytes().all(|b| b.is_ascii_digit());
    let mut groups = whole.split(separator);
    let first = groups.next().unwrap_or_default();
    let rest: Vec<&str> = groups.collect();
    let is_first = are_digits(first) && first.len() <= 3;
    is_first
        && has_decimals
        && !rest.is_empty()
        && rest.iter().all(|group| group.len() == 3 && are_digits(group))
}

/// `kg`, `km/h`, `°C` or `m²` after a number.
fn unit(text: &str) -> Option<&str> {
    let end = |letter: char| !(letter.is_ascii_digit() || "+-.,".contains(letter) || letter == LONG_MINUS);
    let (number, unit) = text.split_at(text.find(end)?);
    let unit = unit.trim_start();
    let is_letter = |letter: char| letter.is_alphabetic() || "/°²³µ".contains(letter);
    let is_unit = unit.chars().all(is_letter) && unit.chars().count() <= UNIT;
    let number = number.strip_prefix(LONG_MINUS).unwrap_or(number);
    (is_unit && is_number(number)).then_some(unit)
}

/// `false` for ordinals such as `1st`, `2nd` and `3rd`.
fn have_one_unit(words: &[String]) -> bool {
    let of_unit = |word: &&String| Notation::of(word) == Some(Notation::Unit);
    let mut units = words.iter().filter(of_unit).filter_map(|word| unit(word.trim()));
    units.next().is_none_or(|first| units.all(|unit| unit == first))
}

/// `12:30` or `12:30:15`.
fn is_clock(text: &str) -> bool {
    let parts: Vec<&str> = text.split(':').collect();
    let below = |part: &str, limit: u32| part.parse().is_ok_and(|n: u32| n < limit);
    let are_two = parts.iter().skip(1).all(|part| part.len() == 2 && are_digits(part) && below(part, 60));
    matches!(parts.len(), 2 | 3) && are_digits(parts[0]) && below(parts[0], 24) && are_two
}

/// `2024-W05`.
fn is_week(text: &str) -> bool {
    text.split_once("-W").is_some_and(|(year, week)| {
        year.len() == 4 && are_digits(year) && week.len() == 2 && are_digits(week)
    })
}

/// Day, month and year in any order.
fn is_date(text: &str) -> bool {
    let parts: Vec<&str> =
        text.split(['/', '.', '-', ' ', ',', 'T']).filter(|part| !part.is_empty()).take(3).collect();
    let [a, b, c] = parts[..] else { return false };
    let is_month_name = |part: &str| {
        let lower = part.to_lowercase();
        lower.len() >= 3 && MONTHS.iter().any(|month| lower.starts_with(month))
    };
    let within = |part: &str, most: u32| {
        are_digits(part) && part.len() <= 2 && part.parse().is_ok_and(|n: u32| (1..=most).contains(&n))
    };
    let is_year = |part: &str| are_digits(part) && (part.len() == 4 || part.len() == 2);
    let day_and_month = |a: &str, b: &str| {
        (within(a, 31) && (within(b, 12) || is_month_name(b)))
            || ((within(a, 12) || is_month_name(a)) && within(b, 31))
    };
    (day_and_month(a, b) && is_year(c)) || (a.len() == 4 && is_year(a) && day_and_month(b, c))
}

#[cfg(test)]
mod tests {
    use super::Notation::{
        Clock, Currency, Date, DecimalComma, EitherComma, LongMinus, Percent, Thousands, Unit,
    };
    use super::*;

    #[test]
    fn notations_of_cells() {
        for (notation, cells) in [
            (Thousands, &["1,021.5", "-12,000,000", "1 021.5", "1'000'000", "1.021.000"][..]),
            (EitherComma, &["1,021", "-2,904", "12,000"]),
            (DecimalComma, &["0,5", "12,75", "1.021,5", "-3,14159", "0,125"]),
            (Percent, &["12%", "12.5 %", "0,5 %"]),
            (Currency, &["$12.50", "€ 3", "1,000 USD", "-$5"]),
            (
                Date,
                &["01/02/2024", "1.2.2024", "31/12/99", "2 Jan 2024", "Jan 2, 2024", "1-Feb-24", "2024-W05"],
            ),
            (LongMinus, &["−5", "−12.25"]),
            (Unit, &["12 kg", "-3.5kg", "−4 °C", "80 km/h", "1,5 m²", "3rd"]),
            (Clock, &["12:30", "9:05", "23:59:59"]),
        ] {
            for cell in cells {
                assert_eq!(Notation::of(cell), Some(notation), "{cell}");
            }
        }
        for cell in [
            "12",
            "1e3",
            "2024-01-02",
            "2024/01/02",
            "2020-01-01T10:00:00+02:00",
            "red",
            "10-20",
            "<5",
            "1.2.3",
            "v1",
            "",
            "a,b",
            "1,2,3",
            "12,",
            "192.168.0.1",
            "3/4",
            "99/99/2024",
            "%",
            "$",
            "kg",
            "12 kilometres per hour",
            "24:00",
            "1:2",
            "12:30:61",
            "5 %%",
            "−",
            "a5",
        ] {
            assert_eq!(Notation::of(cell), None, "{cell}");
        }
    }

    #[test]
    fn most_of_the_words_have_to_look_alike() {
        let among =
            |words: &[&str]| Lookalike::among(&words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>());
        let found = among(&["999", "1,021.5", "2,000", "17", "unknown"]).unwrap();
        assert_eq!((found.notation, found.example.as_str()), (Thousands, "1,021.5"));
        assert_eq!(among(&["0,5", "1,021", "0,25"]).unwrap().notation, DecimalComma);
        assert_eq!(among(&["1,000", "2,000", "12,000,000"]).unwrap().notation, Thousands);
        let either = among(&["2,904", "3,100", "2,950"]).unwrap();
        assert_eq!((either.notation, either.example.as_str()), (EitherComma, "2,904"));
        assert!(either.to_string().contains("2.904") && either.to_string().contains("2904"));
        assert_eq!(among(&["10%", "20%"]), None);
        assert_eq!(among(&["1 kg", "2.5 kg", "7"]).unwrap().notation, Unit);
        assert_eq!(among(&["1st", "2nd", "3rd"]), None);
        assert_eq!(among(&["−1", "2", "−3", "4.5"]).unwrap().notation, LongMinus);
        assert_eq!(among(&["10%", "a", "b", "c"]), None);
        assert_eq!(among(&["1", "2", "3"]), None);
        let days = ["2024-01-01", "2024-01-02", "2024-01-03", "2024-01-04"];
        let said = "its words look like dates, such as `2024-01-01`; --type COLUMN=date reads them as dates";
        assert_eq!(among(&days).unwrap().to_string(), said);
        let one = among(&[&days[..], &["2024-02-30"]].concat()).unwrap().at(Some("line 6".to_owned()));
        let start = "its words look like dates, such as `2024-01-01`, but ";
        let end = "or say --type COLUMN=category if they are labels";
        assert_eq!(one.to_string(), format!("{start}`2024-02-30` at line 6 is none; correct it, {end}"));
        let two = among(&[&days[..], &days.map(|_| "2025-01-01"), &["x", "2024-13-01"]].concat()).unwrap();
        assert_eq!(two.to_string(), format!("{start}`x` and 1 more are none; correct them, {end}"));
        assert_eq!(among(&["2024-01-01", "2024-01-02", "spring"]), None);
    }
}
