//! Rolling validation: folds scored by models of earlier rows.

use super::division::{Division, Part};
use crate::data::{Column, FILL_OR_DROP, Frame};
use crate::error::{CliError, ErrorKind};
use crate::left_out::counted;
use gp_optim::format_number;
use serde_json::{Value, json};

const FEWEST: usize = 2;
const ROUNDING: f64 = 1e-9;

pub(super) struct Rolling<'a> {
    source: &'a str,
    column: &'a Column,
    times: &'a [f64],
    order: Vec<usize>,
    /// Gap before test rows.
    gap: f64,
    /// Length of the training window before the gap.
    window: Option<f64>,
}

impl<'a> Rolling<'a> {
    pub(super) fn along(
        frame: &'a Frame,
        name: &str,
        gap: f64,
        window: Option<f64>,
    ) -> Result<Self, CliError> {
        let (source, column) = (frame.source(), frame.require(&[name])?[0]);
        let Some(times) = column.numbers() else {
            let message = format!(
                "`{source}`, column {name}: `{}` is a word; --rolling goes along numbers or dates such as 2024-02-29",
                column.text(0)
            );
            return Err(CliError::new(ErrorKind::Data, message));
        };
        frame.refuse_missing(&[column], FILL_OR_DROP)?;
        let mut order: Vec<usize> = (0..times.len()).collect();
        order.sort_by(|&a, &b| times[a].total_cmp(&times[b]));
        Ok(Self { source, column, times, order, gap, window })
    }

    /// First part only for training, then `count` folds of about equal size.
    pub(super) fn divide(&self, count: usize) -> Result<Division, CliError> {
        let cuts = self.cuts(count)?;
        let ends = cuts.iter().skip(1).copied().chain([self.order.len()]);
        let parts: Vec<Part> = cuts.iter().zip(ends).map(|(&start, end)| self.part(start, end)).collect();
        if let Some(part) = parts.iter().position(|part| part.training.len() < FEWEST) {
            let earlier = counted(parts[part].training.len(), "earlier row");
            let message = format!(
                "`{}`, column {}: part {} of {count} has {earlier} to learn from; take fewer parts with --folds, a shorter --gap or a longer --window",
                self.source,
                self.column.name(),
                part + 1
            );
            return Err(CliError::new(ErrorKind::Data, message));
        }
        let (words, json) = (self.words(&parts), self.json(&parts));
        Ok(Division { parts, words, json })
    }

    fn cuts(&self, count: usize) -> Result<Vec<usize>, CliError> {
        let (rows, at) = (self.order.len(), |place: usize| self.times[self.order[place]]);
        let starts: Vec<usize> = (1..rows).filter(|&place| at(place - 1) < at(place)).collect();
        if starts.len() < count {
            let (name, found) = (self.column.name(), counted(starts.len() + 1, "different value"));
            let message = format!(
                "`{}`, column {name}: {count} parts, and a stretch before the first, need {} different values; there {} {found}; take fewer with --folds",
                self.source,
                count + 1,
                if starts.is_empty() { "is" } else { "are" },
            );
            return Err(CliError::new(ErrorKind::Data, message));
        }
        let (mut cuts, mut next) = (Vec::with_capacity(count), 0);
        for part in 0..count {
            let wanted = rows * (part + 1) / (count + 1);
            // Leave a position for each later fold.
            let last = starts.len() - (count - part);
            let near = |place: &usize| starts[*place].abs_diff(wanted);
            let place = (next..=last).min_by_key(near).unwrap_or(next);
            cuts.push(starts[place]);
            next = place + 1;
        }
        Ok(cuts)
    }

    fn part(&self, start: usize, end: usize) -> Part {
        let first = self.times[self.order[start]];
        let is_known = |row: &&usize| {
            let before = first - self.times[**row];
            let is_past = self.gap == 0.0 || before > self.gap * (1.0 + ROUNDING);
            is_past && self.window.is_none_or(|window| before <= (self.gap + window) * (1.0 + ROUNDING))
        };
        let ascending = |mut rows: Vec<usize>| {
            rows.sort_unstable();
            rows
        };
        Part {
            test: ascending(self.order[start..end].to_vec()),
            training: ascending(self.order[..start].iter().filter(is_known).copied().collect()),
        }
    }

    fn ends(&self, rows: &[usize]) -> Option<(String, String)> {
        let time = |row: &usize| self.times[*row];
        let first = rows.iter().min_by(|a, b| time(a).total_cmp(&time(b)))?;
        let last = rows.iter().max_by(|a, b| time(a).total_cmp(&time(b)))?;
        Some((self.column.text(*first), self.column.text(*last)))
    }

    fn words(&self, parts: &[Part]) -> Vec<String> {
        let length = |length: f64| format_number(length);
        let gap =
            if self.gap > 0.0 { format!(", but for {} before it", length(self.gap)) } else { String::new() };
        let window =
            self.window.map_or_else(String::new, |window| format!(", over {} at most", length(window)));
        let head = format!(
            "{} folds along column {}: each is scored by a model of rows before it{gap}{window}",
            parts.len(),
            self.column.name()
        );
        let stretch = |rows: &[usize]| {
            let (from, to) = self.ends(rows).unwrap_or_default();
            format!("{} from {from} to {to}", counted(rows.len(), "row"))
        };
        let line = |(fold, part): (usize, &Part)| {
            format!("fold {fold}: {}, learned from {}", stretch(&part.test), stretch(&part.training))
        };
        std::iter::once(head).chain(parts.iter().enumerate().map(line)).collect()
    }

    fn json(&self, parts: &[Part]) -> Value {
        let stretch = |rows: &[usize]| {
            let (from, to) = self.ends(rows).unwrap_or_default();
            json!({ "rows": rows.len(), "from": from, "to": to })
        };
        let entry = |part: &Part| json!({ "test": stretch(&part.test), "training": stretch(&part.training) });
        json!({
            "by": "rolling",
            "column": self.column.name(),
            "gap": self.gap,
            "window": self.window,
            "parts": parts.iter().map(entry).collect::<Vec<_>>(),
        })
    }
}

pub(super) fn parse_stretch(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| "it must be a number of at least 0, of dates a number of days".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Kind;

    fn parts(times: &[f64], count: usize, gap: f64, window: Option<f64>) -> Vec<Part> {
        let column = Column::of_numbers("t", Kind::Number, times.to_vec());
        let frame = Frame::new("t.csv", vec![column], None).unwrap();
        Rolling::along(&frame, "t", gap, window).unwrap().divide(count).unwrap().parts
    }

    #[test]
    fn each_part_follows_what_it_learned_from() {
        let times: Vec<f64> = (0..12).rev().map(f64::from).collect();
        let parts = parts(&times, 3, 0.0, None);
        // Row 11 has the smallest value.
        let rows = |from: usize, to: usize| (from..=to).collect::<Vec<_>>();
        let expected = [(6, 8, 9), (3, 5, 6), (0, 2, 3)];
        for (part, (from, to, known)) in parts.iter().zip(expected) {
            assert_eq!((part.test.clone(), part.training.clone()), (rows(from, to), rows(known, 11)));
        }
    }

    #[test]
    fn gap_and_window_are_lengths() {
        let times: Vec<f64> = (0..100).map(|day| 0.1 * f64::from(day)).collect();
        let part = &parts(&times, 4, 0.3, Some(1.0))[1];
        assert_eq!(part.test, (40..60).collect::<Vec<_>>());
        // Gap of 3, window of 10.
        assert_eq!(part.training, (27..37).collect::<Vec<_>>());
    }

    #[test]
    fn rows_of_one_time_stay_together() {
        let times = [0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 3.0];
        let parts = parts(&times, 3, 0.0, None);
        let tests: Vec<_> = parts.iter().map(|part| part.test.clone()).collect();
        assert_eq!(tests, [vec![2, 3, 4, 5, 6], vec![7], vec![8]]);
    }
}
