//! Every file of a library or its tests is a declared module; cargo ignores others.

use std::collections::BTreeSet;

use crate::tidy::finding::Finding;
use crate::tidy::tree::{Member, Tree, declared_files};

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    tree.members.iter().flat_map(check_member).collect()
}

fn check_member(member: &Member) -> Vec<Finding> {
    let declared: BTreeSet<String> = member.sources.iter().flat_map(declared_files).collect();
    let undeclared = member.sources.iter().filter(|source| {
        let below = source.path.strip_prefix(&format!("{}/", member.folder)).unwrap_or(&source.path);
        is_looked_at(below) && !is_root(below) && !declared.contains(&source.path)
    });
    undeclared
        .map(|source| Finding::new(&source.path, 1, "declare this file as a module: it is not compiled"))
        .collect()
}

fn is_looked_at(path: &str) -> bool {
    path.starts_with("src/") || path.starts_with("tests/")
}

/// `true` for roots of cargo targets.
fn is_root(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    matches!(
        parts[..],
        ["src", "lib.rs" | "main.rs"] | ["src", "bin", ..] | ["tests", _] | ["tests", _, "main.rs"]
    )
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
    fn a_file_of_tests_that_no_program_has_is_seen() {
        let fixture = Fixture::clean();
        fixture.write("gp-ep/tests/suite/main.rs", "//! Tests.\n\nmod first;\nmod folder;\n");
        fixture.write("gp-ep/tests/suite/first.rs", "#[path = \"../shared/helper.rs\"]\nmod helper;\n");
        fixture.write("gp-ep/tests/shared/helper.rs", "");
        fixture.write("gp-ep/tests/suite/folder/mod.rs", "mod inner;\n");
        fixture.write("gp-ep/tests/suite/folder/inner.rs", "");
        fixture.write("gp-ep/tests/alone.rs", "");
        fixture.expect_none(check);
        fixture.write("gp-ep/tests/suite/second.rs", "#[test]\nfn never_run() {}\n");
        fixture.expect_one(check, "gp-ep/tests/suite/second.rs", 1, "it is not compiled");
    }

    #[test]
    fn a_file_of_a_library_that_nobody_declares_is_seen() {
        let fixture = Fixture::clean();
        fixture.write("gp-ep/src/forgotten.rs", "//! Forgotten.\n");
        fixture.expect_one(check, "gp-ep/src/forgotten.rs", 1, "it is not compiled");
    }
}
