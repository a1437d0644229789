//! Crates depend only on lower layers; gp-variational also on gp-ep.

use crate::tidy::finding::Finding;
use crate::tidy::tree::{Dependency, Member, Section, Tree};

struct Place {
    name: &'static str,
    /// From the bottom; tests may use all not above.
    floor: u8,
    /// Allowed workspace crates, except for tests.
    may_use: &'static [&'static str],
}

const LIBRARIES: &[&str] =
    &["gp-linalg", "gp-kernels", "gp-likelihoods", "gp-optim", "gp-ep", "gp-variational"];
const BELOW_INFERENCE: &[&str] = &["gp-linalg", "gp-kernels", "gp-likelihoods", "gp-optim"];
const BELOW_VARIATIONAL: &[&str] = &["gp-linalg", "gp-kernels", "gp-likelihoods", "gp-optim", "gp-ep"];
const EVERYTHING: &[&str] =
    &["gp-linalg", "gp-kernels", "gp-likelihoods", "gp-optim", "gp-ep", "gp-variational", "gp-cli"];

const HOUSE: &[Place] = &[
    Place { name: "gp-linalg", floor: 1, may_use: &[] },
    Place { name: "gp-optim", floor: 2, may_use: &[] },
    Place { name: "gp-kernels", floor: 2, may_use: &["gp-linalg", "gp-optim"] },
    Place { name: "gp-likelihoods", floor: 2, may_use: &["gp-optim"] },
    Place { name: "gp-ep", floor: 3, may_use: BELOW_INFERENCE },
    Place { name: "gp-variational", floor: 3, may_use: BELOW_VARIATIONAL },
    Place { name: "gp-cli", floor: 4, may_use: LIBRARIES },
    Place { name: "xtask", floor: 4, may_use: EVERYTHING },
];

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = members(tree);
    findings.extend(tree.members.iter().flat_map(dependencies));
    findings
}

fn place(name: &str) -> Option<&'static Place> {
    HOUSE.iter().find(|place| place.name == name)
}

/// Crate whose rules apply to its `examples/`, or to `xtask/`.
fn owner(folder: &str) -> Option<&'static Place> {
    let (owner, below) = folder.split_once('/')?;
    (owner == "xtask" || below.starts_with("examples/")).then(|| place(owner))?
}

fn members(tree: &Tree) -> Vec<Finding> {
    let listed = &tree.manifest.members;
    let missing = HOUSE.iter().filter(|place| !listed.iter().any(|name| name == place.name));
    let missing =
        missing.map(|place| format!("add the crate `{}`, which is missing from the workspace", place.name));
    let unknown = listed.iter().filter(|name| place(name).is_none() && owner(name).is_none());
    let unknown = unknown.map(|name| {
        format!("give the crate `{name}` a place in xtask/src/tidy/rules/layering.rs, or remove it")
    });
    missing
        .chain(unknown)
        .map(|message| Finding::new(&tree.manifest.path, tree.manifest.members_line, message))
        .collect()
}

fn dependencies(member: &Member) -> Vec<Finding> {
    let guest = owner(&member.folder);
    let Some(user) = place(&member.folder).or(guest) else { return Vec::new() };
    let wrong = member.manifest.dependencies.iter().filter(|dependency| {
        let is_owner = guest.is_some_and(|owner| owner.name == dependency.package);
        !is_owner && !is_allowed(user, dependency)
    });
    wrong
        .map(|dependency| Finding::new(&member.manifest.path, dependency.line, complaint(user, dependency)))
        .collect()
}

fn is_allowed(user: &Place, dependency: &Dependency) -> bool {
    let Some(used) = place(&dependency.package) else { return true };
    match dependency.section {
        Section::Normal | Section::Build => user.may_use.contains(&used.name),
        Section::Dev => used.floor <= user.floor,
        Section::Workspace => true,
    }
}

fn complaint(user: &Place, dependency: &Dependency) -> String {
    let allowed = match dependency.section {
        Section::Dev => format!("its tests may use crates up to layer {}", user.floor),
        _ if user.may_use.is_empty() => "it may use no other crate of the workspace".to_owned(),
        _ => format!("it may use {}", user.may_use.join(", ")),
    };
    format!("remove the dependency of `{}` on `{}`: {allowed}", user.name, dependency.package)
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
    fn a_dependency_that_points_up_or_across_is_seen() {
        for (user, used) in [
            ("gp-linalg", "gp-optim"),
            ("gp-optim", "gp-linalg"),
            ("gp-likelihoods", "gp-kernels"),
            ("gp-kernels", "gp-likelihoods"),
            ("gp-ep", "gp-variational"),
            ("gp-ep", "gp-cli"),
            ("gp-cli", "xtask"),
        ] {
            let fixture = Fixture::clean();
            let manifest = format!("{user}/Cargo.toml");
            fixture.replace(
                &manifest,
                "[dependencies]\n",
                &format!("[dependencies]\n{used}.workspace = true\n"),
            );
            let line = fixture.line_of(&manifest, &format!("{used}.workspace"));
            fixture.expect_one(check, &manifest, line, &format!("on `{used}`"));
        }
    }

    #[test]
    fn build_dependencies_and_renamed_packages_are_seen() {
        let fixture = Fixture::clean();
        fixture.append(
            "gp-optim/Cargo.toml",
            "\n[build-dependencies]\nla = { package = \"gp-linalg\", path = \"../gp-linalg\" }\n",
        );
        let line = fixture.line_of("gp-optim/Cargo.toml", "la =");
        fixture.expect_one(check, "gp-optim/Cargo.toml", line, "gp-linalg");
    }

    #[test]
    fn tests_may_use_what_is_below_or_beside_but_not_above() {
        let fixture = Fixture::clean();
        fixture.append("gp-kernels/Cargo.toml", "\n[dev-dependencies]\ngp-likelihoods.workspace = true\n");
        fixture.expect_none(check);
        fixture.append("gp-kernels/Cargo.toml", "gp-ep.workspace = true\n");
        let line = fixture.line_of("gp-kernels/Cargo.toml", "gp-ep.");
        fixture.expect_one(check, "gp-kernels/Cargo.toml", line, "up to layer 2");
    }

    #[test]
    fn a_package_of_examples_uses_its_owner_and_what_that_may_use() {
        let fixture = Fixture::clean();
        fixture.replace("Cargo.toml", "\"xtask\"", "\"xtask\", \"gp-likelihoods/examples/own\"");
        let manifest = "gp-likelihoods/examples/own/Cargo.toml";
        let dependencies = "gp-likelihoods.workspace = true\ngp-optim.workspace = true\n";
        fixture.write(manifest, &format!("[package]\nname = \"own\"\n[dependencies]\n{dependencies}"));
        fixture.expect_none(check);
        fixture.append(manifest, "gp-kernels.workspace = true\n");
        let line = fixture.line_of(manifest, "gp-kernels");
        fixture.expect_one(check, manifest, line, "on `gp-kernels`");
    }

    #[test]
    fn a_missing_and_an_unknown_crate_are_seen() {
        let fixture = Fixture::clean();
        fixture.replace("Cargo.toml", "\"gp-variational\"", "\"gp-extra\"");
        fixture.write("gp-extra/Cargo.toml", "[package]\nname = \"gp-extra\"\n");
        let found = fixture.findings(check);
        let line = fixture.line_of("Cargo.toml", "members");
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(
            found.iter().all(|finding| finding.path == "Cargo.toml" && finding.line == line),
            "{found:?}"
        );
        assert!(found[0].message.contains("`gp-variational`, which is missing"), "{found:?}");
        assert!(found[1].message.contains("`gp-extra` a place"), "{found:?}");
    }
}
