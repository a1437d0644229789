//! What a page holds, item by item.

use super::Block;
use super::compare::AGREE;
use crate::harness::{Item, Results};

/// The table in front: a row for each item that has results.
#[derive(Debug, Default)]
pub(super) struct Contents {
    rows: Vec<Vec<String>>,
}

impl Contents {
    /// Adds an item with what the page shows of it.
    pub(super) fn add(&mut self, item: &dyn Item, results: &Results, shown: &[Block]) {
        let apart: Vec<f64> = shown.iter().flat_map(differences).copied().collect();
        let within = apart.iter().filter(|apart| apart.abs() <= AGREE).count();
        let agree = if apart.is_empty() { "–".to_owned() } else { format!("{within} of {}", apart.len()) };
        let name = format!("`{}`", item.name());
        self.rows.push(vec![name, item.title().to_owned(), results.records().count().to_string(), agree]);
    }

    pub(super) fn block(self) -> Block {
        let header = ["item", "what it shows", "runs", "numbers of the paper within two standard errors"];
        Block::table(header, self.rows)
    }
}

/// The differences from the paper's numbers that a block shows.
fn differences(block: &Block) -> &[f64] {
    match block {
        Block::Table { apart, .. } => apart,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::items::ITEMS;

    #[test]
    fn what_is_further_off_than_it_looks_does_not_agree() {
        let folder = tempfile::tempdir().unwrap();
        let results = Results::open(folder.path(), "item").unwrap();
        // The second is shown as 2.0.
        let table = Block::table(["nll"], Vec::new()).with_differences(vec![-1.5, 2.04]);
        let mut contents = Contents::default();
        contents.add(ITEMS[0], &results, &[table, Block::text("2.0")]);
        assert_eq!(contents.rows[0][2..], ["0", "1 of 2"]);
        contents.add(ITEMS[0], &results, &[]);
        assert_eq!(contents.rows[1][3], "–");
    }
}
