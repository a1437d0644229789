//! Every crate takes its lints from the workspace, and an exception says why it is one and goes when it is no longer
//! needed: `#[expect(…, reason = "…")]` complains when the lint stops firing, `#[allow(…)]` stays for ever.

use crate::tidy::finding::Finding;
use crate::tidy::tree::{Member, Mention, MentionKind, SourceFile, Tree};

/// Findings about silenced lints.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let silenced = tree.sources().flat_map(check_source);
    silenced.chain(tree.members.iter().filter_map(check_manifest)).collect()
}

fn check_source(source: &SourceFile) -> Vec<Finding> {
    let silencers = source.mentions.iter().filter(|mention| is_allow(mention));
    silencers
        .map(|mention| {
            Finding::new(
                &source.path,
                mention.line,
                "write `#[expect(…, reason = \"…\")]` instead of `#[allow(…)]`",
            )
        })
        .collect()
}

fn is_allow(mention: &Mention) -> bool {
    matches!(&mention.kind, MentionKind::Attribute(name) if name == "allow")
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
    fn allow_is_seen_in_every_form_also_in_tests() {
        for code in [
            "#[allow(dead_code)]\nfn f() {}",
            "#[cfg(test)]\nmod tests {\n    #![allow(unused)]\n}",
            "#[cfg_attr(test, allow(dead_code))]\nfn f() {}",
            "macro_rules! m { () => { #[allow(dead_code)] fn f() {} } }",
        ] {
            let fixture = Fixture::clean();
            fixture.append("gp-ep/src/lib.rs", &format!("\n{code}\n"));
            let line = fixture.line_of("gp-ep/src/lib.rs", "allow(");
            fixture.expect_one(check, "gp-ep/src/lib.rs", line, "#[expect(");
        }
    }

    #[test]
    fn expect_and_the_word_are_free() {
        let fixture = Fixture::clean();
        fixture.append(
            "gp-ep/src/lib.rs",
            "\n// #[allow(dead_code)]\n#[expect(dead_code, reason = \"allow(x)\")]\nfn allow(allow: u8) { allow(1); }\n",
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
