//! What a page holds, item by item.

use super::Block;
use super::compare::{AGREE, DIFFERENCE};
use crate::harness::{Item, Results};

/// The table in front: a row for each item that has results.
#[derive(Debug, Default)]
pub(super) struct Contents {
    rows: Vec<Vec<String>>,
}

impl Contents {
    /// Adds an item with what the page shows of it.
    pub(super) fn add(&mut self, item: &dyn Item, results: &Results, shown: &[Block]) {
        let apart: Vec<f64> = shown.iter().flat_map(differences).collect();
        let within = apart.iter().filter(|apart| apart.abs() <= AGREE).count();
        let agree = if apart.is_empty() { "–".to_owned() } else { format!("{within} of {}", apart.len()) };
        let name = format!("`{}`", item.name());
        self.rows.push(vec![name, item.title().to_owned(), results.records().count().to_string(), agree]);
    }

    pub(super) fn block(self) -> Block {
        let header = ["item", "what it shows", "runs", "numbers of the seed within two standard errors"];
        Block::table(header, self.rows)
    }
}

/// The differences from the seed's numbers that a table has, in standard errors.
fn differences(block: &Block) -> Vec<f64> {
    let Block::Table { header, rows } = block else { return Vec::new() };
    let Some(column) = header.iter().position(|name| name == DIFFERENCE) else { return Vec::new() };
    let number = |row: &Vec<String>| row.get(column)?.split(' ').next()?.parse().ok();
    rows.iter().filter_map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_those_of_their_column() {
        let row = |cell: &str| vec!["5.0".to_owned(), cell.to_owned()];
        let rows = vec![row("+1.5"), row(""), row("-2.5 (1 failed: why)"), row("(1 failed: why)")];
        assert_eq!(differences(&Block::table(["nll", DIFFERENCE], rows.clone())), [1.5, -2.5]);
        assert!(differences(&Block::table(["nll", "splits"], rows)).is_empty());
    }
}
