//! `cargo xtask supply`: licences and versions of third-party crates, and metadata of released packages.
//!
//! Reads the policy `deny.toml` of `cargo deny check licenses bans`; needs no network.

mod licence;
mod metadata;
mod policy;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;

use crate::cargo::Cargo;
use crate::error::{XtaskError, count};
use crate::workspace;
use metadata::{Metadata, Package};
use policy::Policy;

pub(crate) fn run(out: &mut dyn Write) -> Result<(), XtaskError> {
    check(&Cargo::of_this_toolchain(), &workspace::root()?, out)
}

pub(crate) fn check(cargo: &Cargo, root: &Path, out: &mut dyn Write) -> Result<(), XtaskError> {
    let (metadata, policy) = (Metadata::read(cargo, root)?, Policy::read(root)?);
    let faults = faults(&metadata.packages, &policy);
    for fault in &faults {
        writeln!(out, "{fault}")?;
    }
    match faults.len() {
        0 => {
            writeln!(
                out,
                "supply: {} comply with {}",
                count(metadata.packages.len(), "package"),
                policy::FILE
            )?;
            Ok(())
        }
        faults => Err(XtaskError::Supply { faults }),
    }
}

fn faults(packages: &[Package], policy: &Policy) -> Vec<String> {
    let (ours, theirs): (Vec<_>, Vec<_>) = packages.iter().partition(|package| package.source.is_none());
    let mut faults: Vec<String> =
        theirs.iter().filter_map(|package| licence_fault(package, policy)).collect();
    faults.extend(version_faults(&theirs, policy));
    faults.extend(ours.iter().filter(|package| is_released(package)).flat_map(|package| bare(package)));
    faults
}

fn licence_fault(package: &Package, policy: &Policy) -> Option<String> {
    let Package { name, version, license, .. } = package;
    let stated = license.as_deref().unwrap_or("none");
    let fault =
        || format!("{name} {version}: licence {stated} is not allowed by [licenses] in {}", policy::FILE);
    (!licence::is_allowed(stated, &policy.licenses.allow)).then(fault)
}

/// Duplicate versions without reasons, and obsolete reasons.
fn version_faults(packages: &[&Package], policy: &Policy) -> Vec<String> {
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for package in packages {
        versions.entry(&package.name).or_default().insert(&package.version);
    }
    let skipped: BTreeSet<&str> = policy.bans.skip.iter().map(|skip| skip.package.as_str()).collect();
    let mut faults = Vec::new();
    for (name, versions) in versions.iter().filter(|(_, versions)| versions.len() > 1) {
        let free = versions.iter().filter(|version| !skipped.contains(format!("{name}@{version}").as_str()));
        if free.count() > 1 {
            let list: Vec<&str> = versions.iter().copied().collect();
            let file = policy::FILE;
            faults.push(format!("{name} has versions {}; see [bans] in {file}", list.join(" and ")));
        }
    }
    for skip in &policy.bans.skip {
        let known = skip.package.split_once('@').and_then(|(name, version)| {
            versions.get(name).filter(|versions| versions.len() > 1 && versions.contains(version))
        });
        if known.is_none() || skip.reason.is_empty() {
            faults.push(format!(
                "{}: {} in [bans] is obsolete, or has no reason",
                policy::FILE,
                skip.package
            ));
        }
    }
    faults
}

fn is_released(package: &Package) -> bool {
    crate::workspace::RELEASED.contains(&package.name.as_str())
}

fn bare(package: &Package) -> Vec<String> {
    let lacks = [
        ("description", package.description.is_none()),
        ("license", package.license.is_none()),
        ("readme", package.readme.is_none()),
        ("keywords (one to five)", !(1..=5).contains(&package.keywords.len())),
        ("categories", package.categories.is_empty()),
        ("metadata.docs.rs", package.metadata.pointer("/docs/rs").is_none()),
    ];
    let lacking = lacks.into_iter().filter(|(_, lacks)| *lacks);
    lacking.map(|(field, _)| format!("{}: the manifest has no {field}", package.name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, version: &str, license: &str) -> Package {
        Package {
            name: name.to_owned(),
            version: version.to_owned(),
            license: Some(license.to_owned()),
            source: Some("registry".to_owned()),
            ..Package::default()
        }
    }

    fn policy(skip: &str) -> Policy {
        toml::from_str(&format!("[licenses]\nallow = [\"MIT\"]\n[bans]\nskip = [{skip}]")).unwrap()
    }

    #[test]
    fn licences_that_are_not_allowed_are_named() {
        let packages = [package("a", "1.0.0", "MIT"), package("b", "2.0.0", "GPL-3.0")];
        let faults = faults(&packages, &policy(""));
        assert_eq!(faults, ["b 2.0.0: licence GPL-3.0 is not allowed by [licenses] in deny.toml"]);
    }

    #[test]
    fn a_second_version_needs_a_reason_as_long_as_it_is_there() {
        let packages = [package("a", "1.0.0", "MIT"), package("a", "2.0.0", "MIT")];
        assert_eq!(
            faults(&packages, &policy("")),
            ["a has versions 1.0.0 and 2.0.0; see [bans] in deny.toml"]
        );
        let skip = "{ crate = \"a@1.0.0\", reason = \"b asks for it\" }";
        assert!(faults(&packages, &policy(skip)).is_empty());
        let stale = faults(&packages[1..], &policy(skip));
        assert_eq!(stale, ["deny.toml: a@1.0.0 in [bans] is obsolete, or has no reason"]);
    }

    #[test]
    fn packages_for_others_describe_themselves() {
        let mut bare = package("gp-linalg", "0.1.0", "MIT");
        bare.source = None;
        let faults = faults(&[bare], &policy(""));
        assert_eq!(faults.len(), 5, "{faults:?}");
        assert!(faults[0].starts_with("gp-linalg: the manifest has no description"));
    }
}
