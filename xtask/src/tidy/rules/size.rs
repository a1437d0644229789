//! Files stay short; clippy counts lines of functions.

use crate::tidy::finding::Finding;
use crate::tidy::tree::{SourceFile, Tree};

const FILE_LINES: usize = 600;

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    tree.sources().filter_map(check_source).collect()
}

fn check_source(source: &SourceFile) -> Option<Finding> {
    let lines = source.text.lines().count();
    let message = || format!("split this file: it has {lines} lines, {FILE_LINES} is the limit");
    (lines > FILE_LINES).then(|| Finding::new(&source.path, FILE_LINES + 1, message()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::fixture::Fixture;

    #[test]
    fn a_clean_tree_passes() {
        Fixture::clean().expect_none(check);
    }

    #[test]
    fn a_file_over_the_limit_is_seen() {
        let fixture = Fixture::clean();
        fixture.write("gp-ep/tests/long.rs", &"// One line.\n".repeat(FILE_LINES));
        fixture.expect_none(check);
        fixture.append("gp-ep/tests/long.rs", "// One more.\n");
        fixture.expect_one(check, "gp-ep/tests/long.rs", FILE_LINES + 1, "split this file: it has 601 lines");
    }
}
