//! Test of the likelihood template outside the workspace. It uses packaged crates, so that missing files show.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::cargo::Cargo;
use crate::error::XtaskError;
use crate::program::output_folder;
use crate::workspace::RELEASED;

const TEMPLATE: &str = "templates/likelihood";
/// Folder in the build output.
const PLACE: &str = "outside";

pub(crate) fn check(cargo: &Cargo, root: &Path) -> Result<(), XtaskError> {
    let output = output_folder(root);
    let place = output.join(PLACE);
    let mut package = vec!["package", "--quiet", "--no-verify", "--allow-dirty", "--exclude-lockfile"];
    RELEASED.iter().for_each(|name| package.extend(["--package", *name]));
    cargo.run_in(root, &package)?;
    make_anew(&place)?;
    for name in RELEASED {
        unpack(&output.join("package"), name, &place)?;
    }
    let template = place.join("template");
    copy(&root.join(TEMPLATE), &template)?;
    // Same third-party versions, already fetched.
    copy_file(&root.join("Cargo.lock"), &template.join("Cargo.lock"))?;
    fs::create_dir(template.join(".cargo")).map_err(|source| unwritable(&template, source))?;
    let config = template.join(".cargo/config.toml");
    fs::write(&config, patches(&place)).map_err(|source| unwritable(&config, source))?;
    cargo.run_in(&template, &["test", "--quiet"])?;
    cargo.run_in(&template, &["check", "--quiet", "--all-features"])
}

/// Cargo configuration that selects the unpacked crates.
fn patches(place: &Path) -> String {
    let line = |name: &str| format!("{name} = {{ path = {:?} }}\n", place.join(name).display().to_string());
    let lines: String = RELEASED.into_iter().map(line).collect();
    format!("[patch.crates-io]\n{lines}")
}

/// Unpacks a crate into `place/name`.
fn unpack(packages: &Path, name: &str, place: &Path) -> Result<(), XtaskError> {
    let folder = place.join(name);
    let file = packages.join(format!("{name}-{}.crate", env!("CARGO_PKG_VERSION")));
    fs::create_dir(&folder).map_err(|source| unwritable(&folder, source))?;
    let mut tar = Command::new("tar");
    tar.arg("-xzf").arg(file).arg("--strip-components=1").arg("-C").arg(&folder);
    let status = tar.status().map_err(|source| XtaskError::Spawn { program: "tar".to_owned(), source })?;
    if status.success() { Ok(()) } else { Err(XtaskError::CommandFailed { status: status.to_string() }) }
}

fn make_anew(folder: &Path) -> Result<(), XtaskError> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|source| unwritable(folder, source))?;
    }
    fs::create_dir_all(folder).map_err(|source| unwritable(folder, source))
}

fn copy(from: &Path, to: &Path) -> Result<(), XtaskError> {
    let unreadable = |source| XtaskError::Read { path: from.to_owned(), source };
    fs::create_dir(to).map_err(|source| unwritable(to, source))?;
    for entry in fs::read_dir(from).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if source.is_dir() { copy(&source, &target)? } else { copy_file(&source, &target)? }
    }
    Ok(())
}

fn copy_file(from: &Path, to: &Path) -> Result<(), XtaskError> {
    fs::copy(from, to).map(|_| ()).map_err(|source| unwritable(to, source))
}

fn unwritable(path: &Path, source: std::io::Error) -> XtaskError {
    XtaskError::Unwritable { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace;

    #[test]
    fn the_template_names_crates_that_are_packaged() {
        let root = workspace::root().unwrap();
        let manifest = fs::read_to_string(root.join(TEMPLATE).join("Cargo.toml")).unwrap();
        let named: Vec<&str> = manifest
            .lines()
            .filter_map(|line| line.split_once(" = {").or(line.split_once(" = \"")))
            .map(|(name, _)| name)
            .filter(|name| name.starts_with("gp-"))
            .collect();
        assert!(named.contains(&"gp-likelihoods") && named.contains(&"gp-cli"), "{named:?}");
        assert!(named.iter().all(|name| RELEASED.contains(name)), "{named:?}");
        let patches = patches(Path::new("/somewhere"));
        assert!(patches.contains("gp-cli = { path = \"/somewhere/gp-cli\" }\n"), "{patches}");
    }
}
