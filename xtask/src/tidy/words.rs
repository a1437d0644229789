//! `cargo xtask tidy --words`: documentation per crate.

use std::io::{self, Write};

use crate::tidy::tree::{Tree, shipped_comments};

pub(crate) fn print(tree: &Tree, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{:<18}{:>7}{:>9}{:>10}", "crate", "items", "words", "per item")?;
    let mut total = Count::default();
    for member in &tree.members {
        let count =
            member.sources.iter().flat_map(shipped_comments).filter(|comment| !comment.item.is_empty());
        let count = count.fold(Count::default(), |sum, comment| sum.with(1, comment.words()));
        if count.items > 0 {
            count.print(&member.folder, out)?;
        }
        total = total.with(count.items, count.words);
    }
    total.print("all", out)
}

#[derive(Debug, Default, Clone, Copy)]
struct Count {
    items: usize,
    words: usize,
}

impl Count {
    fn with(self, items: usize, words: usize) -> Self {
        Self { items: self.items + items, words: self.words + words }
    }

    fn print(self, name: &str, out: &mut dyn Write) -> io::Result<()> {
        let each = self.words as f64 / self.items.max(1) as f64;
        writeln!(out, "{name:<18}{:>7}{:>9}{each:>10.1}", self.items, self.words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::fixture::Fixture;

    #[test]
    fn items_and_their_words_are_counted_per_crate() {
        let fixture = Fixture::clean();
        fixture.append("gp-ep/src/lib.rs", "\n/// Two words.\npub fn two() {}\n");
        let mut out = Vec::new();
        print(&fixture.tree(), &mut out).unwrap();
        let report = String::from_utf8(out).unwrap();
        let row = report.lines().find(|line| line.starts_with("gp-ep")).unwrap();
        assert_eq!(row.split_whitespace().collect::<Vec<_>>(), ["gp-ep", "2", "6", "3.0"]);
    }
}
