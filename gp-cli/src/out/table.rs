//! A table to be written.

/// A table to be written: columns of the same length under different names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OutTable {
    columns: Vec<(String, Cells)>,
}

/// The cells of one column.
#[derive(Clone, Debug, PartialEq)]
pub enum Cells {
    /// Numbers; one that is not finite is written as a missing value.
    Numbers(Vec<f64>),
    /// Dates, as days since 1970-01-01; one that is not finite is written as a missing value.
    Dates(Vec<f64>),
    /// Text.
    Words(Vec<String>),
}

impl OutTable {
    /// Adds a column of numbers behind the others.
    pub fn push_numbers(&mut self, name: impl Into<String>, numbers: Vec<f64>) {
        self.columns.push((name.into(), Cells::Numbers(numbers)));
    }

    /// Adds a column of dates, as days since 1970-01-01, behind the others.
    pub fn push_dates(&mut self, name: impl Into<String>, days: Vec<f64>) {
        self.columns.push((name.into(), Cells::Dates(days)));
    }

    /// Adds a column of text behind the others.
    pub fn push_words(&mut self, name: impl Into<String>, words: Vec<String>) {
        self.columns.push((name.into(), Cells::Words(words)));
    }

    /// Names and cells.
    #[must_use]
    pub fn columns(&self) -> &[(String, Cells)] {
        &self.columns
    }

    /// Rows of the first column.
    #[must_use]
    pub fn row_count(&self) -> usize {
        match self.columns.first() {
            Some((_, Cells::Numbers(numbers) | Cells::Dates(numbers))) => numbers.len(),
            Some((_, Cells::Words(words))) => words.len(),
            None => 0,
        }
    }
}
