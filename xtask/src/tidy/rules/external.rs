//! Only gp-linalg calls matrix products; some crates are banned.
//!
//! gp-linalg restores the processor state and avoids slow sizes of faer. Operators (`a * b`) are not checked, because
//! their types are unknown.

use crate::tidy::finding::Finding;
use crate::tidy::tree::{Member, Mention, MentionKind, Tree};

/// Only caller of faer's products and factorisations.
const DOOR: &str = "gp-linalg";

/// Matrix methods of faer.
const FACTORISATIONS: &[&str] = &[
    "llt",
    "ldlt",
    "lblt",
    "qr",
    "col_piv_qr",
    "partial_piv_lu",
    "full_piv_lu",
    "svd",
    "thin_svd",
    "self_adjoint_eigen",
];

const BANNED: &[(&str, &str)] = &[
    ("statrs", "its error function is good to ten digits only; use libm or gp-likelihoods"),
    ("bincode", "its newest release is an empty shell that does not compile"),
];

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = banned(tree);
    let libraries =
        tree.members.iter().filter(|member| member.library_root().is_some() && member.folder != DOOR);
    findings.extend(libraries.flat_map(around_the_door));
    findings
}

fn banned(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for manifest in tree.manifests() {
        for dependency in &manifest.dependencies {
            if let Some((name, reason)) = BANNED.iter().find(|(name, _)| *name == dependency.package) {
                let message = format!("remove the dependency on `{name}`: {reason}");
                findings.push(Finding::new(&manifest.path, dependency.line, message));
            }
        }
    }
    findings
}

fn around_the_door(member: &Member) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in &member.sources {
        for mention in source.shipped_mentions() {
            if let Some(what) = goes_around(mention) {
                let message = format!(
                    "call {DOOR} instead of {what}: it is the one door to products and factorisations"
                );
                findings.push(Finding::new(&source.path, mention.line, message));
            }
        }
    }
    findings
}

fn goes_around(mention: &Mention) -> Option<String> {
    match &mention.kind {
        MentionKind::Path(segments) => {
            let reaches_in = segments.windows(2).any(|pair| pair[0] == "faer" && pair[1] == "linalg");
            reaches_in.then(|| format!("`{}`", segments.join("::")))
        }
        MentionKind::Method(name) => FACTORISATIONS.contains(&name.as_str()).then(|| format!("`.{name}(…)`")),
    }
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
    fn faer_products_and_factorisations_are_seen_outside_the_door() {
        for code in [
            "use faer::linalg::matmul::matmul;",
            "use faer::{Mat, linalg::solvers::Llt};",
            "fn f() { faer::linalg::matmul::matmul(); }",
            "fn f(a: M) { a.llt(x); }",
            "fn f(a: M) { assert!(a.qr().ok()); }",
        ] {
            let fixture = Fixture::clean();
            fixture.append("gp-ep/src/lib.rs", &format!("\n{code}\n"));
            let line = fixture.line_of("gp-ep/src/lib.rs", code);
            fixture.expect_one(check, "gp-ep/src/lib.rs", line, "call gp-linalg instead");
        }
    }

    #[test]
    fn the_door_tests_and_plain_matrices_are_free() {
        let fixture = Fixture::clean();
        let code = "use faer::linalg::matmul::matmul;\nfn f(a: M) { a.llt(x); }\n";
        fixture.append("gp-linalg/src/lib.rs", code);
        fixture.write("gp-ep/tests/exact.rs", code);
        fixture.write("gp-ep/benches/sweep.rs", code);
        fixture.append(
            "gp-ep/src/lib.rs",
            &format!("\nuse faer::{{Mat, MatRef}};\n#[cfg(test)]\nmod tests {{\n{code}}}\n"),
        );
        fixture.expect_none(check);
    }

    #[test]
    fn banned_crates_are_seen_in_every_manifest_and_section() {
        for (manifest, addition) in [
            ("Cargo.toml", "\n[workspace.dependencies]\nstatrs = \"0.19\"\n"),
            ("gp-likelihoods/Cargo.toml", "\n[dev-dependencies]\nstatrs = \"0.19\"\n"),
            ("xtask/Cargo.toml", "\n[build-dependencies]\nbincode = \"3\"\n"),
        ] {
            let fixture = Fixture::clean();
            fixture.append(manifest, addition);
            let line = fixture.line_count(manifest);
            fixture.expect_one(check, manifest, line, "remove the dependency on");
        }
    }
}
