//! Dependencies compiled again for packages outside the workspace.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;

use crate::cargo::Cargo;
use crate::error::XtaskError;

/// Lists packages with features, without build dependencies.
const TREE: [&str; 7] =
    ["tree", "--workspace", "--all-features", "--edges=normal,dev", "--prefix", "none", "--format={p} [{f}]"];

/// Third-party packages of equal version but different features.
fn compiled_again(workspace: &str, package: &str) -> Vec<String> {
    let units = |tree: &str| -> BTreeSet<String> {
        let lines = tree.lines().map(|line| line.replace(" (*)", "").replace(" (proc-macro)", ""));
        // Packages with a path are our own, always compiled again.
        lines.filter(|line| !line.contains(" (/")).collect()
    };
    let versions = |units: &BTreeSet<String>| -> BTreeSet<String> {
        units.iter().filter_map(|unit| Some(unit.split_once(" [")?.0.to_owned())).collect()
    };
    let (here, there) = (units(workspace), units(package));
    let both = &versions(&here) & &versions(&there.difference(&here).cloned().collect());
    both.into_iter().collect()
}

/// Prints dependencies whose features differ from the workspace.
pub(crate) fn tell_what_is_compiled_again(
    cargo: &Cargo,
    root: &Path,
    package: &str,
    command: &str,
    out: &mut dyn Write,
) -> Result<(), XtaskError> {
    let [here, there] =
        [root.to_path_buf(), root.join(package)].map(|folder| cargo.output_in(&folder, &TREE));
    let again = compiled_again(&here?, &there?);
    if !again.is_empty() {
        let names = again.join(", ");
        writeln!(out, "{command}: compiled again, because features differ from the workspace: {names}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_with_other_features_are_compiled_again() {
        let workspace =
            "a v1.0 [std]\na v1.0 [std] (*)\nb v2.0 []\nm v1.0 (proc-macro) [full]\nours v0.1 (/w/ours) [x]";
        let package =
            "a v1.0 [std]\nb v2.0 [std]\nb v1.0 [std]\nc v1.0 []\nm v1.0 [full]\nours v0.1 (/w/ours) []";
        assert_eq!(compiled_again(workspace, package), ["b v2.0"]);
        assert!(compiled_again(workspace, workspace).is_empty());
    }
}
