//! Item with results.

use super::stale::Stale;
use crate::harness::{Extent, Form, Item, Results};

#[derive(Debug)]
pub(super) struct Known {
    pub(super) item: &'static dyn Item,
    pub(super) results: Results,
    pub(super) stale: Stale,
    /// Sentence on repeated runs.
    pub(super) repeated: Option<String>,
}

impl Known {
    pub(super) fn scale(&self) -> String {
        let full = self.item.cells(&Extent { form: Form::Full, splits: None });
        let is_there = |cell: &&_| self.item.has_run(cell, Form::Full, &self.results);
        let whole = full.iter().filter(is_there).count();
        match (whole, full.len(), self.results.records().count()) {
            (_, _, 0) => "not run".to_owned(),
            (whole, all, _) if whole == all => "complete".to_owned(),
            (0, all, count) if self.is_old() => {
                format!("{count} of an earlier protocol ‡; 0 of {all} by the current one")
            }
            (0, all, count) => format!("{count} in reduced form; 0 of {all} in full"),
            (whole, all, _) => format!("{whole} of {all} in full"),
        }
    }

    pub(super) fn is_old(&self) -> bool {
        self.results.records().all(|record| self.results.is_old(record)) && !self.results.is_empty()
    }
}
