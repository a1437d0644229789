//! Files named in the equation index cite its entries.

use crate::tidy::finding::Finding;
use crate::tidy::tree::Tree;

const FILE: &str = "EQUATIONS.md";

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let text = tree.read(FILE).unwrap_or_default();
    let entries = text.lines().enumerate().filter_map(|(at, line)| Some((at + 1, entry(line)?)));
    entries
        .filter_map(|(line, (label, path))| Some(Finding::new(FILE, line, fault(tree, label, path)?)))
        .collect()
}

/// Label and path; None without backticks.
fn entry(line: &str) -> Option<(&str, &str)> {
    let mut cells = line.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ");
    let (label, path) = (cells.next()?, cells.last()?);
    Some((label, path.strip_prefix('`')?.strip_suffix('`')?))
}

fn fault(tree: &Tree, label: &str, path: &str) -> Option<String> {
    let Some(source) = tree.read(path) else {
        return Some(format!("`{path}` does not exist; name the file of `{label}`"));
    };
    let is_cited = words(&source).contains(&label.replace(' ', ""));
    (!is_cited).then(|| format!("cite `{label}` in `{path}`, or remove the entry"))
}

/// Drops whitespace and comment markers, because citations span lines.
fn words(source: &str) -> String {
    let lines = source.lines().map(|line| line.trim_start().trim_start_matches(['/', '!']));
    lines.flat_map(str::split_whitespace).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::fixture::Fixture;

    fn indexed(row: &str) -> Fixture {
        let fixture = Fixture::clean();
        fixture.append("gp-ep/src/lib.rs", "\n/// Cavity (Bui et al. 2017\n/// §3.2).\npub fn cavity() {}\n");
        fixture.write(FILE, &format!("| entry | subject | file |\n|---|---|---|\n{row}\n"));
        fixture
    }

    #[test]
    fn cited_entries_pass() {
        indexed("| §3.2 | cavity | `gp-ep/src/lib.rs` |").expect_none(check);
        Fixture::clean().expect_none(check);
    }

    #[test]
    fn entries_without_citation_or_file_are_seen() {
        indexed("| §3.6 | closed form | `gp-ep/src/lib.rs` |").expect_one(check, FILE, 3, "cite `§3.6`");
        indexed("| §3.2 | cavity | `gp-ep/src/gone.rs` |").expect_one(check, FILE, 3, "does not exist");
    }
}
