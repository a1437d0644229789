//! Rows as numbers, words as indices.

use crate::data::{Column, Values};
use crate::error::CliError;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Distinct words, by first occurrence.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Levels {
    words: Vec<String>,
    known: HashMap<String, u32>,
}

/// Callback per row.
pub type EachRow<'a> = &'a mut dyn FnMut(&[f64]) -> Result<(), CliError>;

/// Chunk; words are indices in [`Levels`].
#[derive(Debug)]
pub struct RawPiece<'a> {
    pub(super) rows: usize,
    pub(super) columns: Vec<RawColumn<'a>>,
}

#[derive(Debug)]
pub(super) enum RawColumn<'a> {
    Numbers(&'a [f64]),
    Own(Vec<f64>),
    Words { codes: &'a [u32], places: Vec<f64> },
}

impl Levels {
    /// By index.
    #[must_use]
    pub fn words(&self) -> &[String] {
        &self.words
    }

    pub(super) fn add(&mut self, words: &[String]) {
        for word in words {
            self.place(word);
        }
    }

    /// Index in `all` per word.
    pub(super) fn indices_in(&self, all: &Self) -> Vec<f64> {
        self.words
            .iter()
            .map(|word| all.known.get(word).map_or(f64::NAN, |&place| f64::from(place)))
            .collect()
    }

    pub(super) fn places(&mut self, codes: &[u32], levels: &[String]) -> Vec<f64> {
        let mut places = vec![f64::NAN; levels.len()];
        for &code in codes.iter().filter(|code| **code != Values::NO_LEVEL) {
            let place = &mut places[code as usize];
            if place.is_nan() {
                *place = f64::from(self.place(&levels[code as usize]));
            }
        }
        places
    }

    /// Index by [text](Column::identity); adds new ones in row order.
    pub(super) fn places_by_text(&mut self, column: &Column) -> Vec<u32> {
        (0..column.values().len()).map(|row| self.place(&column.identity(row))).collect()
    }

    fn place(&mut self, word: &str) -> u32 {
        if let Some(&place) = self.known.get(word) {
            return place;
        }
        let place = self.words.len() as u32;
        self.known.insert(word.to_owned(), place);
        self.words.push(word.to_owned());
        place
    }
}

impl RawPiece<'_> {
    /// Passes each row: features, targets, others; NaN if missing.
    ///
    /// # Errors
    /// Those of the callback.
    pub fn for_each(&self, each: EachRow<'_>) -> Result<(), CliError> {
        let mut numbers = vec![0.0; self.columns.len()];
        for row in 0..self.rows {
            for (number, column) in numbers.iter_mut().zip(&self.columns) {
                *number = match column {
                    RawColumn::Numbers(values) => values[row],
                    RawColumn::Own(values) => values[row],
                    RawColumn::Words { codes, places } => {
                        places.get(codes[row] as usize).copied().unwrap_or(f64::NAN)
                    }
                };
            }
            each(&numbers)?;
        }
        Ok(())
    }
}
