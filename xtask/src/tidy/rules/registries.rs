//! Kernels and likelihoods are in registries that conformance tests cover.

use std::collections::BTreeMap;

use crate::tidy::finding::Finding;
use crate::tidy::tree::{Audience, Member, MentionKind, SourceFile, Tree};

/// Paths from the crate; one implementation per file or subfolder.
struct Collection {
    crate_folder: &'static str,
    folder: &'static str,
    registry: &'static str,
    tests: &'static str,
}

const COLLECTIONS: &[Collection] = &[
    Collection {
        crate_folder: "gp-kernels",
        folder: "src/kernels",
        registry: "src/registry.rs",
        tests: "tests/suite/conformance.rs",
    },
    Collection {
        crate_folder: "gp-likelihoods",
        folder: "src/likelihoods",
        registry: "src/registry.rs",
        tests: "tests/suite/conformance.rs",
    },
];

/// Unregistered implementations, and registries without conformance tests.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for collection in COLLECTIONS {
        if let Some(member) = tree.member(collection.crate_folder) {
            findings.extend(collection.check(member));
        }
    }
    findings
}

impl Collection {
    fn check(&self, member: &Member) -> Vec<Finding> {
        let implementations = self.implementations(member);
        if implementations.is_empty() {
            return Vec::new();
        }
        let mut findings = self.unregistered(&implementations, member.source(self.registry));
        findings.extend(self.untested(member.source(self.tests)));
        findings
    }

    /// First file by module name.
    fn implementations<'a>(&self, member: &'a Member) -> BTreeMap<&'a str, &'a str> {
        let prefix = format!("{}/{}/", self.crate_folder, self.folder);
        let mut found = BTreeMap::new();
        for source in member.sources.iter().filter(|source| source.audience == Audience::Users) {
            let Some(below) = source.path.strip_prefix(&prefix) else { continue };
            let name = below.split('/').next().unwrap_or(below);
            let name = name.strip_suffix(".rs").unwrap_or(name);
            if name != "mod" {
                found.entry(name).or_insert(source.path.as_str());
            }
        }
        found
    }

    fn unregistered(
        &self,
        implementations: &BTreeMap<&str, &str>,
        registry: Option<&SourceFile>,
    ) -> Vec<Finding> {
        let module = self.folder.rsplit('/').next().unwrap_or(self.folder);
        let missing = implementations
            .iter()
            .filter(|(name, _)| !registry.is_some_and(|file| names(file, module, name)));
        missing
            .map(|(name, path)| {
                let registry = format!("{}/{}", self.crate_folder, self.registry);
                Finding::new(
                    path,
                    1,
                    format!("add `{module}::{name}` to {registry}, or move it out of this folder"),
                )
            })
            .collect()
    }

    fn untested(&self, tests: Option<&SourceFile>) -> Option<Finding> {
        if tests.is_some_and(uses_registry) {
            return None;
        }
        let path = format!("{}/{}", self.crate_folder, self.tests);
        Some(Finding::new(&path, 1, "run the conformance tests over every entry of the registry"))
    }
}

/// `true` if shipped code mentions `module::name` or `name::…`.
fn names(registry: &SourceFile, module: &str, name: &str) -> bool {
    registry.shipped_mentions().any(|mention| match &mention.kind {
        MentionKind::Path(segments) => {
            let owns = segments[..segments.len() - 1].iter().any(|segment| segment == name);
            owns || segments.windows(2).any(|pair| pair[0] == module && pair[1] == name)
        }
        _ => false,
    })
}

/// `true` for paths such as `Registry::new()`.
fn uses_registry(tests: &SourceFile) -> bool {
    tests.mentions.iter().any(|mention| match &mention.kind {
        MentionKind::Path(segments) => {
            segments.iter().any(|segment| segment.to_lowercase().contains("registry"))
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::fixture::Fixture;

    #[test]
    fn a_clean_tree_passes() {
        let fixture = Fixture::clean();
        assert!(fixture.tree().member("gp-kernels").unwrap().source("src/kernels/rbf.rs").is_some());
        fixture.expect_none(check);
    }

    #[test]
    fn a_kernel_outside_the_registry_is_seen() {
        let fixture = Fixture::clean();
        fixture.write("gp-kernels/src/kernels/cosine.rs", "//! Cosine.\n");
        fixture.append(
            "gp-kernels/src/registry.rs",
            "// kernels::cosine\n#[cfg(test)]\nmod tests { use crate::kernels::cosine::Cosine; }\n",
        );
        fixture.expect_one(check, "gp-kernels/src/kernels/cosine.rs", 1, "add `kernels::cosine`");
        fixture.append("gp-kernels/src/registry.rs", "use crate::kernels::{cosine::Cosine, rbf};\n");
        fixture.expect_none(check);
    }

    #[test]
    fn a_kernel_in_a_subfolder_counts_once() {
        let fixture = Fixture::clean();
        fixture.write("gp-kernels/src/kernels/spectral/mod.rs", "//! Spectral.\n");
        fixture.write("gp-kernels/src/kernels/spectral/mixture.rs", "//! Mixture.\n");
        fixture.expect_one(check, "gp-kernels/src/kernels/spectral/mixture.rs", 1, "add `kernels::spectral`");
    }

    #[test]
    fn conformance_tests_that_ignore_the_registry_are_seen() {
        let fixture = Fixture::clean();
        fixture.write(
            "gp-kernels/tests/suite/conformance.rs",
            "// registry::entries()\nfn check() { gp_kernels::Rbf::new(); }\n",
        );
        fixture.expect_one(check, "gp-kernels/tests/suite/conformance.rs", 1, "over every entry");
        fixture.remove("gp-kernels/tests/suite/conformance.rs");
        fixture.expect_one(check, "gp-kernels/tests/suite/conformance.rs", 1, "over every entry");
    }

    #[test]
    fn likelihoods_are_held_to_the_same_once_their_folder_exists() {
        let fixture = Fixture::clean();
        fixture.write("gp-likelihoods/src/likelihoods/probit.rs", "//! Probit.\n");
        let found = fixture.findings(check);
        let paths: Vec<&str> = found.iter().map(|finding| finding.path.as_str()).collect();
        assert_eq!(
            paths,
            ["gp-likelihoods/src/likelihoods/probit.rs", "gp-likelihoods/tests/suite/conformance.rs"]
        );
    }
}
