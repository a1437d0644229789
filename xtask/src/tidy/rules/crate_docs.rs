//! Each crate has a README; library documentation has a compiled example.

use crate::tidy::finding::Finding;
use crate::tidy::tree::{Member, Tree, docs};

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let readmes = tree.members.iter().filter_map(|member| readme(tree, member));
    let examples = tree.members.iter().filter_map(|member| example(tree, member));
    readmes.chain(examples).collect()
}

fn readme(tree: &Tree, member: &Member) -> Option<Finding> {
    let path = format!("{}/README.md", member.folder);
    let is_there = tree.read(&path).is_some_and(|text| !text.trim().is_empty());
    (!is_there).then(|| Finding::new(&path, 1, "write a README with the crate's purpose and first steps"))
}

fn example(tree: &Tree, member: &Member) -> Option<Finding> {
    let library = member.library_root()?;
    let text = docs::text(&library.syntax.attrs, &library.path, tree);
    (!has_compiled_example(&text)).then(|| {
        Finding::new(&library.path, 1, "open the crate documentation with an example that is compiled")
    })
}

fn has_compiled_example(text: &str) -> bool {
    let fences = text.lines().filter_map(|line| line.trim_start().strip_prefix("```"));
    // Fences alternate between opening and closing.
    fences.step_by(2).any(is_compiled)
}

fn is_compiled(labels: &str) -> bool {
    let mut labels = labels.split([',', ' ']).filter(|label| !label.is_empty());
    labels.all(|label| matches!(label, "rust" | "no_run" | "should_panic") || label.starts_with("edition"))
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
    fn a_missing_or_empty_readme_is_seen() {
        let fixture = Fixture::clean();
        fixture.write("xtask/README.md", "\n");
        fixture.expect_one(check, "xtask/README.md", 1, "write a README");
        fixture.remove("xtask/README.md");
        fixture.expect_one(check, "xtask/README.md", 1, "write a README");
    }

    #[test]
    fn a_library_without_a_compiled_example_is_seen() {
        for text in [
            "//! A library.\n",
            "//! ```text\n//! a + b\n//! ```\n",
            "//! ```ignore\n//! f();\n//! ```\n",
            "/// ```\n/// f();\n/// ```\npub fn f() {}\n",
            "//! ```toml\n//! a = 1\n//! ```\n",
        ] {
            let fixture = Fixture::clean();
            fixture.write("gp-ep/src/lib.rs", text);
            fixture.expect_one(check, "gp-ep/src/lib.rs", 1, "an example that is compiled");
        }
    }

    #[test]
    fn an_example_may_come_second_or_from_the_readme() {
        let fixture = Fixture::clean();
        fixture.write("gp-ep/src/lib.rs", "//! ```text\n//! a\n//! ```\n//! ```no_run\n//! f();\n//! ```\n");
        fixture.expect_none(check);
        fixture.write("gp-ep/src/lib.rs", "#![doc = include_str!(\"../README.md\")]\n");
        fixture.expect_one(check, "gp-ep/src/lib.rs", 1, "an example that is compiled");
        fixture.write("gp-ep/README.md", "# gp-ep\n\n```rust\nf();\n```\n");
        fixture.expect_none(check);
    }
}
