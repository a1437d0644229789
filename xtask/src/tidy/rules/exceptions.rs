//! Crates inherit the workspace lints; no file or module disables them as a whole.
//!
//! clippy's `allow_attributes` misses `#![allow(…)]`.

use crate::tidy::finding::Finding;
use crate::tidy::tree::{Member, SourceFile, Tree};

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let silenced = tree.sources().flat_map(check_source);
    silenced.chain(tree.members.iter().filter_map(check_manifest)).collect()
}

fn check_source(source: &SourceFile) -> Vec<Finding> {
    let silencers =
        source.text.lines().zip(1..).filter(|(line, _)| line.trim_start().starts_with("#![allow("));
    let message = "write `#![expect(…, reason = \"…\")]` instead of `#![allow(…)]`";
    silencers.map(|(_, line)| Finding::new(&source.path, line, message)).collect()
}

fn check_manifest(member: &Member) -> Option<Finding> {
    let manifest = &member.manifest;
    (!manifest.inherits_lints).then(|| {
        Finding::new(&manifest.path, 1, "take the lints of the workspace: `[lints]` with `workspace = true`")
    })
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
    fn allow_for_a_whole_file_or_module_is_seen() {
        for code in ["#![allow(dead_code)]\n", "#[cfg(test)]\nmod tests {\n    #![allow(unused)]\n}\n"] {
            let fixture = Fixture::clean();
            fixture.write("gp-ep/src/other.rs", code);
            let line = fixture.line_of("gp-ep/src/other.rs", "allow(");
            fixture.expect_one(check, "gp-ep/src/other.rs", line, "#![expect(");
        }
    }

    #[test]
    fn expect_and_the_word_are_free() {
        let fixture = Fixture::clean();
        fixture.append(
            "gp-ep/src/lib.rs",
            "\n// #![allow(dead_code)]\n#[expect(dead_code, reason = \"allow(x)\")]\nfn allow(allow: u8) { allow(1); }\n",
        );
        fixture.expect_none(check);
    }

    #[test]
    fn a_crate_with_lints_of_its_own_is_seen() {
        let fixture = Fixture::clean();
        fixture.replace("gp-ep/Cargo.toml", "workspace = true\n\n", "rust = {}\n\n");
        fixture.expect_one(check, "gp-ep/Cargo.toml", 1, "[lints]");
    }
}
