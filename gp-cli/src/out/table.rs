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
    /// Text; an empty one is written as a missing value.
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

    /// Adds the columns of another table, which has as many rows, behind the others.
    pub fn append(&mut self, other: Self) {
        self.columns.extend(other.columns);
    }

    /// A table of `count` rows, in which these ascending rows are those of this one and all others are empty.
    #[must_use]
    pub fn spread(self, rows: &[usize], count: usize) -> Self {
        fn over<T: Clone>(cells: Vec<T>, rows: &[usize], count: usize, empty: T) -> Vec<T> {
            let mut all = vec![empty; count];
            rows.iter().zip(cells).for_each(|(&row, cell)| all[row] = cell);
            all
        }
        let columns = self.columns.into_iter().map(|(name, cells)| match cells {
            Cells::Numbers(numbers) => (name, Cells::Numbers(over(numbers, rows, count, f64::NAN))),
            Cells::Dates(days) => (name, Cells::Dates(over(days, rows, count, f64::NAN))),
            Cells::Words(words) => (name, Cells::Words(over(words, rows, count, String::new()))),
        });
        Self { columns: columns.collect() }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_spread_over_empty_ones() {
        let mut table = OutTable::default();
        table.push_numbers("mean", vec![1.0, 2.0]);
        table.push_words("label", vec!["a".to_owned(), "b".to_owned()]);
        let spread = table.spread(&[1, 3], 4);
        assert_eq!(spread.row_count(), 4);
        let [(_, Cells::Numbers(means)), (_, Cells::Words(labels))] = spread.columns() else {
            panic!("{spread:?}")
        };
        assert_eq!(*labels, ["", "a", "", "b"]);
        assert_eq!((means[1], means[3]), (1.0, 2.0));
        assert!(means[0].is_nan() && means[2].is_nan());
    }
}
