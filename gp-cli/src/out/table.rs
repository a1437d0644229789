//! Output table.

/// Columns of equal length with distinct names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OutTable {
    columns: Vec<(String, Cells)>,
}

/// Cells of one column.
#[derive(Clone, Debug, PartialEq)]
pub enum Cells {
    /// Numbers; non-finite ones are missing.
    Numbers(Vec<f64>),
    /// Days since 1970-01-01; non-finite ones are missing.
    Dates(Vec<f64>),
    /// Text; empty text is missing.
    Words(Vec<String>),
}

impl OutTable {
    /// Appends a column of numbers.
    pub fn push_numbers(&mut self, name: impl Into<String>, numbers: Vec<f64>) {
        self.columns.push((name.into(), Cells::Numbers(numbers)));
    }

    /// Appends dates (days since 1970-01-01).
    pub fn push_dates(&mut self, name: impl Into<String>, days: Vec<f64>) {
        self.columns.push((name.into(), Cells::Dates(days)));
    }

    /// Appends a column of text.
    pub fn push_words(&mut self, name: impl Into<String>, words: Vec<String>) {
        self.columns.push((name.into(), Cells::Words(words)));
    }

    /// Appends columns of equal row count.
    pub fn append(&mut self, other: Self) {
        self.columns.extend(other.columns);
    }

    /// Table of `count` rows: own at ascending `rows`, otherwise empty.
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

    /// Column names with cells.
    #[must_use]
    pub fn columns(&self) -> &[(String, Cells)] {
        &self.columns
    }

    /// Number of rows.
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
