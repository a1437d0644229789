//! Published numbers, ours, and differences in standard errors.

use super::apart::apart;
use super::{Block, Reference, Summary, Tally};
use crate::harness::{Record, Results};

/// Comparison over data sets, settings and methods.
#[derive(Clone, Debug)]
pub struct Comparison<'a> {
    /// Our results.
    pub results: &'a Results,
    /// Published numbers.
    pub reference: Reference,
    /// Data sets, as in cells.
    pub data: &'a [&'a str],
    /// Settings, as in cells.
    pub settings: &'a [&'a str],
    /// Methods, as in cells.
    pub methods: &'a [&'a str],
    /// Score, as in results and reference.
    pub measure: &'a str,
}

impl Comparison<'_> {
    /// Row per run or published combination.
    #[must_use]
    pub fn table(&self, digits: usize) -> Block {
        let mut rows = Vec::new();
        self.for_each(|data, setting, method| rows.extend(self.row([data, setting, method], digits)));
        let measure = self.measure;
        let header =
            ["data", "setting", "method", "paper", measure, "splits", "difference / s.e.", "remarks"];
        Block::table(header, rows)
    }

    fn row(&self, [data, setting, method]: [&str; 3], digits: usize) -> Option<Vec<String>> {
        let (ours, remarks) = (self.ours(data, setting, method), self.remarks(data, setting, method));
        let is_printed = self.reference.get(data, method, setting, self.measure).is_some();
        if ours.is_none() && remarks.is_empty() && !is_printed {
            return None;
        }
        let published = self.reference.beside(data, method, setting, self.measure);
        let paper = published.map_or_else(String::new, |published| match published.error {
            Some(error) => format!("{:.digits$} ± {error:.digits$}", published.value),
            None => format!("{:.digits$}", published.value),
        });
        let apart = ours.zip(published).and_then(|(ours, published)| apart(ours, published));
        let apart = apart.map_or_else(String::new, |apart| format!("{apart:+.1}"));
        let none = if remarks.is_empty() { "not run" } else { "–" };
        let (text, count) = ours.map_or((none.to_owned(), 0), |ours| (ours.text(digits), ours.count));
        let names = [data, setting, method].map(str::to_owned);
        Some(names.into_iter().chain([paper, text, count.to_string(), apart, remarks]).collect())
    }

    fn remarks(&self, data: &str, setting: &str, method: &str) -> String {
        let records: Vec<&Record> = self.results.of(data, setting, method).collect();
        let count = |is_it: &dyn Fn(&Record) -> bool| records.iter().filter(|record| is_it(record)).count();
        let failures = self.failures(data, setting, method);
        let mut remarks = Vec::new();
        if let Some(first) = failures.first() {
            remarks.push(format!("{} failed: {first}", failures.len()));
        }
        let ended = |record: &Record| record.outcome.effort.as_ref().is_some_and(|effort| effort.is_early);
        match count(&ended) {
            0 => {}
            early => remarks.push(format!("{early} ended early")),
        }
        if count(&|record| self.results.is_old(record)) > 0 {
            remarks.push("earlier protocol".to_owned());
        }
        remarks.join("; ")
    }

    /// Sentence counting published values that agree.
    #[must_use]
    pub fn agreement(&self) -> String {
        Tally::of(self.reference, self.results, Some(self.measure)).text()
    }

    /// Our results by data set, setting, method.
    #[must_use]
    pub fn grid(&self, digits: usize) -> Block {
        let was_run = |method: &&&str| {
            self.data
                .iter()
                .any(|data| self.settings.iter().any(|setting| self.ours(data, setting, method).is_some()))
        };
        let methods: Vec<&str> = self.methods.iter().filter(was_run).copied().collect();
        let header = ["data", "setting", "splits"].into_iter().chain(methods.iter().copied());
        let mut rows = Vec::new();
        for data in self.data {
            for setting in self.settings {
                let cells: Vec<Option<Summary>> =
                    methods.iter().map(|method| self.ours(data, setting, method)).collect();
                let Some(count) = cells.iter().flatten().map(|cell| cell.count).min() else { continue };
                let text = |(cell, method): (&Option<Summary>, &&str)| {
                    let failed = self.failures(data, setting, method).len();
                    let failed = if failed > 0 { format!(" ({failed} failed)") } else { String::new() };
                    let is_old =
                        self.results.of(data, setting, method).any(|record| self.results.is_old(record));
                    let note = failed + if is_old { " ‡" } else { "" };
                    cell.map_or("–".to_owned(), |cell| cell.text(digits)) + &note
                };
                let names = [(*data).to_owned(), (*setting).to_owned(), count.to_string()];
                rows.push(names.into_iter().chain(cells.iter().zip(&methods).map(text)).collect());
            }
        }
        Block::Table { header: header.map(str::to_owned).collect(), rows }
    }

    /// Means over data sets with all methods, by setting and method.
    #[must_use]
    pub fn averages(&self, digits: usize) -> Block {
        let header: Vec<String> =
            ["setting", "data sets"].iter().chain(self.methods).map(|name| (*name).to_owned()).collect();
        let row = |setting: &&str| {
            let of = |data: &&str| -> Option<Vec<f64>> {
                self.methods.iter().map(|method| Some(self.ours(data, setting, method)?.mean)).collect()
            };
            let all: Vec<Vec<f64>> = self.data.iter().filter_map(of).collect();
            let mean = |k: usize| all.iter().map(|row| row[k]).sum::<f64>() / all.len() as f64;
            let cells = (0..self.methods.len()).map(|k| format!("{:.digits$}", mean(k)));
            (!all.is_empty()).then(|| {
                [(*setting).to_owned(), all.len().to_string()].into_iter().chain(cells).collect::<Vec<_>>()
            })
        };
        Block::Table { header, rows: self.settings.iter().filter_map(row).collect() }
    }

    fn ours(&self, data: &str, setting: &str, method: &str) -> Option<Summary> {
        Summary::of(&self.results.scores(data, setting, method, self.measure))
    }

    fn failures(&self, data: &str, setting: &str, method: &str) -> Vec<&str> {
        let is_it = |cell: &crate::harness::Cell| {
            cell.data == data && cell.setting == setting && cell.method == method
        };
        let records = self.results.records().filter(|record| is_it(&record.cell));
        records.filter_map(|record| record.failure.as_deref()).collect()
    }

    fn for_each(&self, mut body: impl FnMut(&str, &str, &str)) {
        for data in self.data {
            for setting in self.settings {
                for method in self.methods {
                    body(data, setting, method);
                }
            }
        }
    }
}
