//! Warnings about non-finite cells.

use super::table::{Cells, OutTable};

/// Overflowed or undefined values per column, over chunks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gaps {
    rows: usize,
    /// Column, number of cells, first row from 1.
    columns: Vec<(String, usize, usize)>,
}

impl Gaps {
    /// Examines further rows, except intentionally empty cells.
    pub fn add(&mut self, table: &OutTable, is_left_empty: impl Fn(&str, usize) -> bool) {
        for (name, cells) in table.columns() {
            let (Cells::Numbers(numbers) | Cells::Dates(numbers)) = cells else { continue };
            let is_gap = |&row: &usize| {
                let number = numbers[row];
                (number.is_nan() || number.abs() >= f64::MAX) && !is_left_empty(name, row)
            };
            let gaps = (0..numbers.len()).filter(is_gap);
            let (count, Some(first)) = (gaps.clone().count(), gaps.min()) else { continue };
            match self.columns.iter_mut().find(|(known, ..)| known == name) {
                Some((_, sum, _)) => *sum += count,
                None => self.columns.push((name.clone(), count, self.rows + first + 1)),
            }
        }
        self.rows += table.row_count();
    }

    /// One sentence per column.
    pub fn warnings(&self) -> impl Iterator<Item = String> + '_ {
        self.columns.iter().map(|(name, count, first)| {
            format!(
                "column {name} has no finite number in {count} of {} rows, the first of them row {first}: it is beyond the range of numbers there, or the distribution has none",
                self.rows
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_counted_over_pieces() {
        let mut gaps = Gaps::default();
        for numbers in [vec![1.0, -2.0], vec![f64::NAN, 0.0, f64::INFINITY], vec![f64::MAX]] {
            let mut table = OutTable::default();
            table.push_words("name", vec![String::new(); numbers.len()]);
            table.push_numbers("mean", vec![0.5; numbers.len()]);
            table.push_numbers("lower", numbers.clone());
            table.push_numbers("upper", numbers);
            gaps.add(&table, |name, _| name == "lower");
        }
        let warnings: Vec<String> = gaps.warnings().collect();
        assert_eq!(warnings.len(), 1);
        assert!(warnings[0].starts_with("column upper has no finite number in 3 of 6 rows"), "{warnings:?}");
        assert!(warnings[0].contains("the first of them row 3"), "{warnings:?}");
        assert_eq!(Gaps::default().warnings().count(), 0);
    }
}
