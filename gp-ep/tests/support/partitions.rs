//! Partitions of data sets, from files of the columns `split`, `set` and `row`.

use crate::data;

/// The rows of training and test set of each split, if the file is there.
pub(crate) fn both_sets(name: &str) -> Option<Vec<(Vec<usize>, Vec<usize>)>> {
    let mut splits: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
    for row in data::cells(name, |text| Some(text.to_owned()))? {
        let [split, set, row] = row.try_into().ok()?;
        let (split, row): (usize, usize) = (split.parse().ok()?, row.parse().ok()?);
        splits.resize(splits.len().max(split + 1), Default::default());
        let (training, test) = &mut splits[split];
        (if set == "test" { test } else { training }).push(row);
    }
    Some(splits)
}
