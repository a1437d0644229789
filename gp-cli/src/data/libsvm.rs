//! Sparse rows as LibSVM has them.

use super::cells;
use super::column::{Column, Kind};
use super::format::{Format, ReadOptions, check_width};
use super::frame::Frame;
use super::source::Source;
use crate::error::CliError;

/// `label 1:0.5 7:2`: columns are `label`, `x1`, `x2`, … up to the largest index, 0 where nothing is said.
#[derive(Clone, Copy, Debug)]
pub(super) struct LibSvm;

impl Format for LibSvm {
    fn name(&self) -> &'static str {
        "libsvm"
    }

    fn summary(&self) -> &'static str {
        "lines such as `1 1:0.5 7:2`; columns are label, x1, x2, …"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["libsvm", "svm", "svmlight"]
    }

    fn recognises(&self, _bytes: &[u8]) -> bool {
        false
    }

    fn read(&self, source: &Source, options: &ReadOptions) -> Result<Frame, CliError> {
        let text = std::str::from_utf8(source.bytes()).map_err(|_| source.fault(" is not text"))?;
        let (mut labels, mut lines, mut entries, mut width) = (Vec::new(), Vec::new(), Vec::new(), 0);
        for (line, content) in (1u64..).zip(text.lines()) {
            let content = content.split_once('#').map_or(content, |(front, _)| front);
            let mut words = content.split_ascii_whitespace();
            let Some(label) = words.next() else { continue };
            let fault = |what: &str, word: &str| source.fault(format!(", line {line}: `{word}` {what}"));
            labels.push(cells::number(label).ok_or_else(|| fault("is no label: a number is wanted", label))?);
            for word in words.filter(|word| !word.starts_with("qid:")) {
                let entry = entry(word)
                    .ok_or_else(|| fault("is no entry such as 3:0.5, with 1 the first index", word))?;
                width = width.max(entry.0);
                entries.push((lines.len(), entry));
            }
            lines.push(line);
        }
        check_width(source, width)?;
        let mut columns = vec![vec![0.0; labels.len()]; width];
        entries.iter().for_each(|&(row, (index, value))| columns[index - 1][row] = value);
        let inputs = (1..).zip(columns).map(|(index, numbers)| (format!("x{index}"), numbers));
        let all = std::iter::once(("label".to_owned(), labels)).chain(inputs);
        let wanted = all.filter(|(name, _)| options.wants(name));
        let columns = wanted.map(|(name, numbers)| Column::of_numbers(name, Kind::Number, numbers)).collect();
        Frame::new(source.name(), columns, Some(lines))
    }
}

/// Index, from 1 on, and value.
fn entry(word: &str) -> Option<(usize, f64)> {
    let (index, value) = word.split_once(':')?;
    let index = index.parse().ok().filter(|&index: &usize| index >= 1)?;
    Some((index, cells::number(value)?))
}
