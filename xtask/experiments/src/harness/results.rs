//! Results on disk: one JSON line per run, written atomically.

use super::{Cell, Form, Record};
use crate::error::ExperimentError;
use gp_cli::files;
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

const LOCK: &str = ".lock";

/// Results of one item.
#[derive(Clone, Debug)]
pub struct Results {
    folder: PathBuf,
    name: String,
    records: BTreeMap<Cell, Record>,
    /// Current protocol of the item.
    protocol: u32,
}

impl Results {
    /// Reads results; empty if none.
    ///
    /// # Errors
    /// Unreadable or invalid file.
    pub fn open(folder: &Path, item: &str) -> Result<Self, ExperimentError> {
        let name = format!("{item}.jsonl");
        let records = read(&folder.join(&name))?;
        Ok(Self { folder: folder.to_owned(), name, records, protocol: 0 })
    }

    /// Sets the current protocol, for [`is_old`](Self::is_old).
    #[must_use]
    pub fn of_protocol(self, protocol: u32) -> Self {
        Self { protocol, ..self }
    }

    /// `true` for an earlier protocol.
    #[must_use]
    pub fn is_old(&self, record: &Record) -> bool {
        record.protocol < self.protocol
    }

    /// Adds or replaces a record; rewrites the file atomically, keeping records of other processes.
    ///
    /// # Errors
    /// Unreadable or unwritable file, left unchanged.
    pub fn add(&mut self, record: Record) -> Result<(), ExperimentError> {
        fs::create_dir_all(&self.folder)
            .map_err(|cause| ExperimentError::Files(format!("{}: {cause}", self.folder.display())))?;
        // Held until the end of this function.
        let _lock = self.lock()?;
        files::make_writable_folder(&self.folder)?;
        self.records.extend(read(&self.folder.join(&self.name))?);
        self.records.insert(record.cell.clone(), record);
        let mut bytes = Vec::new();
        for record in self.records.values() {
            serde_json::to_writer(&mut bytes, record)
                .map_err(|cause| ExperimentError::Files(format!("{}: {cause}", self.name)))?;
            bytes.push(b'\n');
        }
        files::write_whole(&self.folder, &self.name, &bytes)?;
        Ok(())
    }

    /// Locks the folder, if supported.
    fn lock(&self) -> Result<fs::File, ExperimentError> {
        let path = self.folder.join(LOCK);
        let open = || {
            let file = fs::OpenOptions::new().create(true).truncate(false).write(true).open(&path)?;
            match file.lock() {
                Err(cause) if cause.kind() != ErrorKind::Unsupported => Err(cause),
                _ => Ok(file),
            }
        };
        open().map_err(|cause: std::io::Error| ExperimentError::Files(format!("{}: {cause}", path.display())))
    }

    /// `true` if a run succeeded.
    #[must_use]
    pub fn has(&self, cell: &Cell) -> bool {
        self.records.get(cell).is_some_and(|record| record.failure.is_none())
    }

    /// Record, failed or not.
    #[must_use]
    pub fn record(&self, cell: &Cell) -> Option<&Record> {
        self.records.get(cell)
    }

    /// All records, in cell order.
    pub fn records(&self) -> impl Iterator<Item = &Record> {
        self.records.values()
    }

    /// `true` without records.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Score per split with a result.
    #[must_use]
    pub fn scores(&self, data: &str, setting: &str, method: &str, score: &str) -> Vec<f64> {
        self.of(data, setting, method)
            .filter_map(|record| record.outcome.scores.get(score).copied())
            .collect()
    }

    /// Score of one run.
    #[must_use]
    pub fn score_of(
        &self,
        data: &str,
        setting: &str,
        method: &str,
        split: usize,
        score: &str,
    ) -> Option<f64> {
        let record = self.records.get(&Cell::new(data, setting, method, split))?;
        record.outcome.scores.get(score).copied()
    }

    /// Curve per split with a result.
    #[must_use]
    pub fn curves(&self, data: &str, setting: &str, method: &str, curve: &str) -> Vec<&[(f64, f64)]> {
        let curves = self.of(data, setting, method);
        curves.filter_map(|record| record.outcome.curves.get(curve).map(Vec::as_slice)).collect()
    }

    /// Records by split, of the latest protocol and, if present, the full form: different procedures are
    /// never averaged.
    pub fn of(&self, data: &str, setting: &str, method: &str) -> impl Iterator<Item = &Record> {
        let is_it = move |cell: &Cell| cell.data == data && cell.setting == setting && cell.method == method;
        let all = self.records.values().filter(move |record| is_it(&record.cell));
        let last = all.clone().map(rank).max();
        all.filter(move |record| Some(rank(record)) == last)
    }
}

fn rank(record: &Record) -> (u32, bool) {
    (record.protocol, record.form == Some(Form::Full))
}

fn read(path: &Path) -> Result<BTreeMap<Cell, Record>, ExperimentError> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(cause) if cause.kind() == ErrorKind::NotFound => String::new(),
        Err(cause) => return Err(ExperimentError::NoData { path: path.to_owned(), cause }),
    };
    let record = |(i, line)| {
        let record: Record = serde_json::from_str(line).map_err(|cause| ExperimentError::BadData {
            path: path.to_owned(),
            line: i + 1,
            what: cause.to_string(),
        })?;
        Ok((record.cell.clone(), record))
    };
    text.lines().enumerate().map(record).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::{Origin, Outcome};

    fn record(split: usize, failure: Option<&str>) -> Record {
        Record {
            cell: Cell::new("pima", "M=15%", "ep", split),
            outcome: Outcome::of([("nll", split as f64)]),
            protocol: 2,
            form: Some(Form::Full),
            failure: failure.map(str::to_owned),
            origin: Origin::unknown(),
        }
    }

    #[test]
    fn results_are_there_again_and_failures_are_to_be_repeated() {
        let folder = tempfile::tempdir().unwrap();
        let mut results = Results::open(folder.path(), "item").unwrap();
        assert!(results.is_empty());
        results.add(record(1, Some("no"))).unwrap();
        results.add(record(0, None)).unwrap();
        let mut again = Results::open(folder.path(), "item").unwrap();
        assert_eq!(again.scores("pima", "M=15%", "ep", "nll"), [0.0, 1.0]);
        assert!(again.has(&record(0, None).cell) && !again.has(&record(1, None).cell));
        again.add(record(1, None)).unwrap();
        let last = Results::open(folder.path(), "item").unwrap();
        assert!(last.has(&record(1, None).cell));
        assert_eq!(last.records().count(), 2);
    }

    #[test]
    fn what_was_done_otherwise_is_not_mixed() {
        let folder = tempfile::tempdir().unwrap();
        let mut results = Results::open(folder.path(), "item").unwrap();
        let old = Record { protocol: 1, form: None, ..record(0, None) };
        let short = Record { form: Some(Form::Reduced), ..record(1, None) };
        let scores = |results: &Results| results.scores("pima", "M=15%", "ep", "nll");
        results.add(old).unwrap();
        assert_eq!(scores(&results), [0.0]);
        results.add(short).unwrap();
        assert_eq!(scores(&results), [1.0]);
        results.add(record(2, None)).unwrap();
        results.add(record(3, None)).unwrap();
        assert_eq!(scores(&results), [2.0, 3.0]);
    }

    #[test]
    fn two_that_write_side_by_side_keep_each_others() {
        let folder = tempfile::tempdir().unwrap();
        let write = |splits: std::ops::Range<usize>| {
            let mut results = Results::open(folder.path(), "item").unwrap();
            splits.for_each(|split| results.add(record(split, None)).unwrap());
        };
        std::thread::scope(|scope| {
            let _all = [scope.spawn(|| write(0..20)), scope.spawn(|| write(20..40))];
        });
        assert_eq!(Results::open(folder.path(), "item").unwrap().records().count(), 40);
    }

    #[test]
    fn a_damaged_line_is_named() {
        let folder = tempfile::tempdir().unwrap();
        Results::open(folder.path(), "item").unwrap().add(record(0, None)).unwrap();
        let path = folder.path().join("item.jsonl");
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{text}{}", &text[..20])).unwrap();
        let refused = Results::open(folder.path(), "item").unwrap_err().to_string();
        assert!(refused.contains("line 2"), "{refused}");
    }
}
