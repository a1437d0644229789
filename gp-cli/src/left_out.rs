//! Rows dropped for missing values.

use crate::data::Frame;
use serde::{Deserialize, Serialize};

const NAMED: usize = 5;

/// Count and places of dropped rows, over chunks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    rows: usize,
    count: usize,
    first: Vec<String>,
}

impl LeftOut {
    pub(crate) fn add(&mut self, frame: &Frame, left_out: &[usize]) {
        self.rows += frame.row_count();
        self.count += left_out.len();
        let room = NAMED - self.first.len();
        self.first.extend(left_out.iter().take(room).map(|&row| frame.place(row)));
    }

    pub(crate) fn join(&mut self, later: Self) {
        self.rows += later.rows;
        self.count += later.count;
        self.first.extend(later.first);
        self.first.truncate(NAMED);
    }

    /// Number of dropped rows.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    pub(crate) fn sentence(&self, of: &str, what: &str) -> Option<String> {
        let verb = if self.count == 1 { "misses" } else { "miss" };
        let (rows, places) = (counted(self.count, "row"), self.places());
        (self.count > 0).then(|| format!("left out {rows}{of} that {verb} {what}: {places}"))
    }

    /// Dropped rows: `line 3, line 9 and 4 more`.
    #[must_use]
    pub fn places(&self) -> String {
        let named = self.first.join(", ");
        match self.count - self.first.len() {
            0 => named,
            more => format!("{named} and {more} more"),
        }
    }
}

/// Count with noun: `1 row`, `2 rows`.
pub(crate) fn counted(count: usize, name: &str) -> String {
    if count == 1 { format!("1 {name}") } else { format!("{count} {name}s") }
}

pub(crate) fn listed(items: &[String]) -> String {
    match items {
        [all @ .., last] if !all.is_empty() => format!("{} and {last}", all.join(", ")),
        few => few.concat(),
    }
}

pub(crate) fn others(count: usize, some: &[usize]) -> Vec<usize> {
    let mut some = some.iter().copied().peekable();
    (0..count).filter(|row| some.next_if_eq(row).is_none()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Kind};

    #[test]
    fn places_are_named_over_pieces_and_not_all_of_them() {
        let column = Column::of_numbers("x", Kind::Number, vec![0.0; 8]);
        let frame = Frame::new("t.csv", vec![column], Some((2..10).collect())).unwrap();
        let mut left_out = LeftOut::default();
        left_out.add(&frame, &[1, 7]);
        assert_eq!((left_out.count(), left_out.rows()), (2, 8));
        assert_eq!(left_out.places(), "line 3, line 9");
        left_out.add(&frame, &[0, 1, 2, 3, 4]);
        assert_eq!(left_out.places(), "line 3, line 9, line 2, line 3, line 4 and 2 more");
        assert_eq!((left_out.count(), left_out.rows()), (7, 16));
    }

    #[test]
    fn numbers_go_with_their_nouns() {
        assert_eq!([0, 1, 2].map(|count| counted(count, "row")), ["0 rows", "1 row", "2 rows"]);
        assert_eq!(others(5, &[0, 3]), [1, 2, 4]);
    }
}
