//! Column: name, type, values.

use super::{cells, dates};
use gp_optim::format_number;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

/// Column type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Ordinary number.
    Number,
    /// `true` and `false`, as 1 and 0.
    Boolean,
    /// Words.
    Category,
    /// Days since 1970-01-01.
    Date,
}

impl Kind {
    /// Formats a number of this type.
    #[must_use]
    pub fn text(self, number: f64) -> String {
        match self {
            Self::Boolean => (number != 0.0).to_string(),
            Self::Date => dates::date_text(number),
            Self::Number | Self::Category => format_number(number),
        }
    }

    /// Number; NaN if missing, `None` for words.
    #[must_use]
    pub(crate) fn parse(self, text: &str) -> Option<f64> {
        parse(text, self)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Category => "category",
            Self::Date => "date",
        })
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        [Self::Number, Self::Boolean, Self::Category, Self::Date]
            .into_iter()
            .find(|kind| kind.to_string().eq_ignore_ascii_case(text))
            .ok_or_else(|| {
                format!("`{text}` is no type of column; there are number, boolean, category and date")
            })
    }
}

/// One value per row.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Booleans as 0 and 1, dates as days; NaN if missing.
    Numbers(Vec<f64>),
    /// Words, as indices.
    Levels {
        /// Indices; [`Values::NO_LEVEL`] if missing.
        codes: Vec<u32>,
        /// Distinct words, by first occurrence.
        levels: Vec<String>,
    },
}

impl Values {
    /// Missing word.
    pub const NO_LEVEL: u32 = u32::MAX;

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Numbers(numbers) => numbers.len(),
            Self::Levels { codes, .. } => codes.len(),
        }
    }

    /// `true` for no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn text(&self, row: usize, kind: Kind) -> String {
        match self {
            Self::Numbers(numbers) => kind.text(numbers[row]),
            Self::Levels { codes, levels } => levels[codes[row] as usize].clone(),
        }
    }

    fn append(&mut self, more: Self) {
        match (self, more) {
            (Self::Numbers(numbers), Self::Numbers(more)) => numbers.extend(more),
            (Self::Levels { codes, levels }, Self::Levels { codes: more, levels: words }) => {
                let known: HashMap<&str, u32> =
                    levels.iter().zip(0..).map(|(word, code)| (word.as_str(), code)).collect();
                let own: Vec<Option<u32>> =
                    words.iter().map(|word| known.get(word.as_str()).copied()).collect();
                let place = |(word, code): (String, Option<u32>)| {
                    code.unwrap_or_else(|| {
                        levels.push(word);
                        levels.len() as u32 - 1
                    })
                };
                let own: Vec<u32> = words.into_iter().zip(own).map(place).collect();
                let code = |code: u32| own.get(code as usize).copied().unwrap_or(Self::NO_LEVEL);
                codes.extend(more.into_iter().map(code));
            }
            _ => {}
        }
    }

    fn rows(&self, rows: &[usize]) -> Self {
        match self {
            Self::Numbers(numbers) => Self::Numbers(rows.iter().map(|&row| numbers[row]).collect()),
            Self::Levels { codes, levels } => {
                Self::Levels { codes: rows.iter().map(|&row| codes[row]).collect(), levels: levels.clone() }
            }
        }
    }
}

/// Named, typed values.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    name: String,
    kind: Kind,
    values: Values,
    /// Cells as in the file, if kept.
    written: Option<Values>,
}

impl Column {
    /// Numbers, booleans or dates; NaN if missing.
    #[must_use]
    pub fn of_numbers(name: impl Into<String>, kind: Kind, numbers: Vec<f64>) -> Self {
        Self { name: name.into(), kind, values: Values::Numbers(numbers), written: None }
    }

    /// Words; `None` if missing.
    #[must_use]
    pub fn of_words<'a>(name: impl Into<String>, words: impl Iterator<Item = Option<&'a str>>) -> Self {
        let mut levels = LevelBuilder::default();
        words.for_each(|word| levels.push(word));
        levels.into_column(name)
    }

    /// Name in the header.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Declared or detected type.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// One per row.
    #[must_use]
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// `None` for words.
    #[must_use]
    pub fn numbers(&self) -> Option<&[f64]> {
        match &self.values {
            Values::Numbers(numbers) => Some(numbers),
            Values::Levels { .. } => None,
        }
    }

    /// `true` if missing.
    #[must_use]
    pub fn is_missing(&self, row: usize) -> bool {
        match &self.values {
            Values::Numbers(numbers) => numbers.get(row).is_none_or(|value| value.is_nan()),
            Values::Levels { codes, .. } => codes.get(row).is_none_or(|&code| code == Values::NO_LEVEL),
        }
    }

    /// Round-trip number, `true` or `false`, or `YYYY-MM-DD`; empty if missing.
    #[must_use]
    pub fn text(&self, row: usize) -> String {
        if self.is_missing(row) { String::new() } else { self.values.text(row, self.kind) }
    }

    /// Number that equal values of this column share; 0 and -0 are equal.
    #[must_use]
    pub fn key(&self, row: usize) -> u64 {
        match &self.values {
            Values::Numbers(numbers) => numbers.get(row).map_or(f64::NAN, |number| number + 0.0).to_bits(),
            Values::Levels { codes, .. } => codes.get(row).copied().unwrap_or(Values::NO_LEVEL).into(),
        }
    }

    /// Text in the file, if kept, else [`text`](Self::text).
    #[must_use]
    pub fn written(&self, row: usize) -> String {
        match &self.written {
            Some(words) if !self.is_missing(row) => words.text(row, Kind::Category),
            _ => self.text(row),
        }
    }

    /// Text that distinguishes values; 0 and -0 are equal in formats without text.
    #[must_use]
    pub fn identity(&self, row: usize) -> String {
        match self.numbers() {
            Some(numbers) if numbers.get(row) == Some(&0.0) && !self.keeps_text() => self.kind.text(0.0),
            _ => self.written(row),
        }
    }

    /// `true` if cell text is kept.
    #[must_use]
    pub fn keeps_text(&self) -> bool {
        self.written.is_some() || self.kind == Kind::Category
    }

    /// Copy under another name.
    #[must_use]
    pub fn renamed(&self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self.clone() }
    }

    /// Appends values of the same type.
    pub(super) fn append(&mut self, more: Self) {
        self.values.append(more.values);
        self.written = match (self.written.take(), more.written) {
            (Some(mut written), Some(more)) => {
                written.append(more);
                Some(written)
            }
            _ => None,
        };
    }

    /// Copy of these rows.
    #[must_use]
    pub fn rows(&self, rows: &[usize]) -> Self {
        let written = self.written.as_ref().map(|written| written.rows(rows));
        Self { name: self.name.clone(), kind: self.kind, values: self.values.rows(rows), written }
    }

    /// Converts words, keeping their text; fails with the first unsuitable row and text.
    pub(super) fn read_beside_text(self, kind: Kind) -> Result<Self, (usize, String)> {
        let words = self.values.clone();
        let is_read = self.kind == Kind::Category && kind != Kind::Category;
        let column = self.read_as(kind)?;
        Ok(Self { written: is_read.then_some(words), ..column })
    }

    /// [`read_beside_text`](Self::read_beside_text), dropping the text.
    pub(super) fn read_as(self, kind: Kind) -> Result<Self, (usize, String)> {
        if self.kind == kind || (kind == Kind::Number && self.numbers().is_some()) {
            return Ok(Self { kind, ..self });
        }
        let texts = (0..self.values.len()).map(|row| self.text(row));
        if kind == Kind::Category {
            let texts: Vec<String> = texts.collect();
            return Ok(Self::of_words(
                self.name,
                texts.iter().map(|text| Some(text.as_str()).filter(|t| !t.is_empty())),
            ));
        }
        let mut numbers = Vec::with_capacity(self.values.len());
        for (row, text) in texts.enumerate() {
            numbers.push(parse(&text, kind).ok_or((row, text))?);
        }
        Ok(Self::of_numbers(self.name, kind, numbers))
    }
}

pub(super) fn parse(cell: &str, kind: Kind) -> Option<f64> {
    if cells::is_missing(cell) {
        return Some(f64::NAN);
    }
    match kind {
        Kind::Number => cells::number(cell),
        Kind::Boolean => cells::flag(cell).or_else(|| cells::number(cell).filter(|&v| v == 0.0 || v == 1.0)),
        Kind::Date => dates::days_since_epoch(cell).or_else(|| dates::days_of_digits(cell)),
        Kind::Category => None,
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct LevelBuilder {
    codes: Vec<u32>,
    levels: Vec<String>,
    known: HashMap<String, u32>,
    letters: usize,
}

/// Bytes per level, without text.
const LEVEL: usize = 112;

impl LevelBuilder {
    pub(super) fn push(&mut self, word: Option<&str>) {
        let code = word.map_or(Values::NO_LEVEL, |word| self.code_of(word));
        self.push_code(code);
    }

    /// Code of a word, which becomes a level.
    pub(super) fn code_of(&mut self, word: &str) -> u32 {
        if let Some(&code) = self.known.get(word) {
            return code;
        }
        let code = self.levels.len() as u32;
        self.letters += word.len();
        self.known.insert(word.to_owned(), code);
        self.levels.push(word.to_owned());
        code
    }

    pub(super) fn push_code(&mut self, code: u32) {
        self.codes.push(code);
    }

    pub(super) fn bytes(&self) -> usize {
        4 * self.codes.capacity() + LEVEL * self.levels.len() + 2 * self.letters
    }

    pub(super) fn into_column(self, name: impl Into<String>) -> Column {
        let values = Values::Levels { codes: self.codes, levels: self.levels };
        Column { name: name.into(), kind: Kind::Category, values, written: None }
    }
}
