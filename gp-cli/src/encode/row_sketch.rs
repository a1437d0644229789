//! Smallest row checksums, to estimate shares of known rows.

use std::collections::BTreeSet;

const KEPT: usize = 256;
const DIGITS: usize = 16;
/// Minimum known rows for an estimate.
const FEWEST: usize = 3;
/// Minimum distinct share: repeated rows may be known by chance.
const DISTINCT: f64 = 0.9;

/// Smallest distinct checksums: a random sample of rows, comparable between tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RowSketch(BTreeSet<u64>);

impl RowSketch {
    pub(super) fn add(&mut self, sum: u64) {
        self.insert(spread(sum));
    }

    pub(super) fn kept(&self) -> impl Iterator<Item = u64> {
        self.0.iter().copied()
    }

    pub(super) fn insert(&mut self, sum: u64) {
        let is_full = self.is_full();
        if is_full && self.0.last().is_some_and(|&last| sum >= last) {
            return;
        }
        if self.0.insert(sum) && is_full {
            self.0.pop_last();
        }
    }

    /// Inverse of [`text`](Self::text); `None` for other text.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let pieces = text.as_bytes().chunks(DIGITS).map(|piece| std::str::from_utf8(piece).ok());
        let sums = pieces.map(|piece| u64::from_str_radix(piece?, 16).ok());
        let found: BTreeSet<u64> = sums.collect::<Option<_>>()?;
        (text.len() == DIGITS * found.len() && found.len() <= KEPT).then_some(Self(found))
    }

    pub(crate) fn text(&self) -> String {
        self.0.iter().map(|sum| format!("{sum:0DIGITS$x}")).collect()
    }

    pub(crate) fn with(mut self, other: &Self) -> Self {
        other.0.iter().for_each(|&sum| self.insert(sum));
        self
    }

    /// Estimated share of `sums` among the `rows` rows of this sketch; `None` if few are known or rows repeat.
    pub(super) fn share_of(&self, rows: usize, sums: impl Iterator<Item = u64>) -> Option<f64> {
        if self.distinct() < DISTINCT * rows as f64 {
            return None;
        }
        let range = if self.is_full() { *self.0.last()? } else { u64::MAX };
        let in_range = sums.map(spread).filter(|sum| *sum <= range);
        let (known, all) =
            in_range.fold((0, 0), |(known, all), sum| (known + usize::from(self.0.contains(&sum)), all + 1));
        (known >= FEWEST).then(|| known as f64 / f64::from(all))
    }

    fn distinct(&self) -> f64 {
        match self.0.last() {
            Some(&last) if self.is_full() => self.0.len() as f64 / (last as f64 / u64::MAX as f64),
            _ => self.0.len() as f64,
        }
    }

    fn is_full(&self) -> bool {
        self.0.len() == KEPT
    }
}

/// SplitMix64's finaliser (Steele, Lea & Flood 2014): each bit depends on all.
fn spread(sum: u64) -> u64 {
    let sum = (sum ^ (sum >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let sum = (sum ^ (sum >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    sum ^ (sum >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sketch(sums: std::ops::Range<u64>) -> RowSketch {
        let mut sketch = RowSketch::default();
        sums.for_each(|sum| sketch.add(sum));
        sketch
    }

    #[test]
    fn shares_of_known_rows_are_estimated() {
        let few = sketch(0..200);
        assert_eq!(few.share_of(200, 0..199), Some(1.0));
        assert_eq!(few.share_of(200, 100..500), Some(0.25));
        assert_eq!(few.share_of(200, 198..500), None);
        let many = sketch(0..100_000);
        assert_eq!(many.share_of(100_000, 20_000..60_000), Some(1.0));
        // Standard error .02, with some 500 rows in range.
        let half = many.share_of(100_000, 0..200_000).unwrap();
        assert!((half - 0.5).abs() < 0.06, "{half}");
        assert_eq!(many.share_of(100_000, 200_000..300_000), None);
        // 200 of a thousand rows are distinct.
        assert_eq!(few.share_of(1000, 0..199), None);
    }

    #[test]
    fn sketches_of_parts_add_up_and_are_read_again() {
        let (first, rest, all) = (sketch(0..700), sketch(700..1000), sketch(0..1000));
        assert_eq!(first.with(&rest), all);
        assert_eq!(RowSketch::parse(&all.text()), Some(all.clone()));
        assert_eq!(RowSketch::parse(""), Some(RowSketch::default()));
        let text = all.text();
        for bad in ["12", "zzzzzzzzzzzzzzzz", &text[1..], &(text[..16].to_owned() + &text)] {
            assert_eq!(RowSketch::parse(bad), None, "{bad}");
        }
    }
}
