//! Data sets of a store, by name.

use super::part::in_units;
use super::{Digits, Flights, Part, Set, Split, Store, Task, banana, set, synthetic};
use crate::error::ExperimentError;
use faer::Mat;

impl Store {
    /// Loads a split by name; None if unknown.
    ///
    /// # Errors
    /// As [`split`](Self::split).
    pub fn load(&self, name: &str, split: usize) -> Result<Option<Split>, ExperimentError> {
        const TESTED_FLIGHTS: usize = 10_000;
        let flights =
            |task| Flights::load(self).map(|flights| Some(flights.split(TESTED_FLIGHTS, None, task, 1)));
        match name {
            "mnist" => Ok(Some(Digits::load(self)?.split(Task::Classes(10)))),
            "mnist-b" => Ok(Some(Digits::load(self)?.parity().split(Task::Binary))),
            "banana" => banana(self).map(Some),
            "flights, 2 classes" => flights(Task::Binary),
            "flights, 3 classes" => flights(Task::Classes(3)),
            _ => set(name).map(|set| self.split(set, split)).transpose(),
        }
    }

    /// Loads a split; the training set standardises inputs and numeric targets.
    ///
    /// # Errors
    /// Missing or invalid files.
    pub fn split(&self, set: &Set, split: usize) -> Result<Split, ExperimentError> {
        let (training, test) = match self {
            Self::Synthetic => synthetic::parts(set, split)?,
            Self::Folder(_) => {
                let all = self.columns(set)?;
                let (training, test) = set.splits.rows(self, split, all.len())?;
                (all.rows(&training), all.rows(&test))
            }
        };
        Ok(in_units(training, test, set.task))
    }

    /// Table; binary targets 0, 1 become −1, 1.
    fn columns(&self, set: &Set) -> Result<Part, ExperimentError> {
        let all = self.numbers(set.table)?;
        let last = set.columns.iter().max().copied().unwrap_or(0);
        if last >= all.ncols() {
            return Err(self.bad(set.table, 1, format!("no column {last}, counted from 0")));
        }
        let default: Vec<usize> = (0..all.ncols()).collect();
        let columns = if set.columns.is_empty() { &default } else { set.columns };
        let (inputs, target) = columns.split_at(columns.len() - 1);
        let label = |y: f64| if set.task == Task::Binary && y == 0.0 { -1.0 } else { y };
        Ok(Part {
            inputs: Mat::from_fn(all.nrows(), inputs.len(), |i, d| all[(i, inputs[d])]),
            targets: Mat::from_fn(all.nrows(), 1, |i, _| label(all[(i, target[0])])),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_may_change_places() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::folder(folder.path());
        std::fs::write(folder.path().join("t.csv"), "sex,index,size,species\n0,7,2,-1\n1,8,3,1\n").unwrap();
        let splits = crate::data::Splits::Drawn { test: 1, count: 1 };
        let columns = &[3, 2, 0];
        let set = Set { name: "t", table: "t.csv", splits, task: Task::Binary, size: (2, 2), columns };
        let part = store.columns(&set).unwrap();
        assert_eq!((part.dim(), part.labels()), (2, vec![-1.0, 1.0]));
        assert_eq!((part.inputs[(0, 0)], part.inputs[(1, 1)]), (-1.0, 3.0));
        let wide = Set { columns: &[0, 4], ..set };
        assert!(store.columns(&wide).unwrap_err().to_string().contains("no column 4"));
    }
}
