//! `cargo xtask mpi`: builds the multi-process command, tests it under `mpirun`.

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::cargo::Cargo;
use crate::error::XtaskError;
use crate::outside;
use crate::program::output_folder;
use crate::workspace;

const PACKAGE: &str = "gp-mpi";
/// Installs requirements with apt.
const INSTALL: &str = "apt-get install libopenmpi-dev openmpi-bin libclang-dev";
const LIBRARIES: [&str; 4] = ["/usr/lib", "/usr/lib64", "/usr/local/lib", "/opt/homebrew/opt/llvm/lib"];

/// Options of `cargo xtask mpi`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Succeed with a message if MPI or libclang is missing
    #[arg(long)]
    if_installed: bool,
    /// Number of kills in the test of killed processes
    #[arg(long, value_name = "N", default_value_t = 4)]
    kills: u32,
    /// Arguments for the test program, such as a test name
    #[arg(last = true, value_name = "ARGUMENTS")]
    tests: Vec<OsString>,
}

/// Tests run in sequence, since each uses several processes.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), XtaskError> {
    let missing = missing();
    if !missing.is_empty() {
        let message = format!("{PACKAGE} needs {}; install with: {INSTALL}", missing.join(" and "));
        if !args.if_installed {
            return Err(XtaskError::NotInstalled { message });
        }
        writeln!(out, "mpi: skipped: {message}")?;
        return Ok(());
    }
    let (root, cargo) = (workspace::root()?, Cargo::of_this_toolchain());
    outside::tell_what_is_compiled_again(&cargo, &root, PACKAGE, "mpi", out)?;
    let mut test = Command::new(cargo.program());
    test.args(["test", "--", "--test-threads", "1"]).args(&args.tests);
    test.current_dir(root.join(PACKAGE));
    test.env("CARGO_TARGET_DIR", output_folder(&root)).env("GP_KILLS", args.kills.to_string());
    cargo.pass_on(test)?;
    writeln!(out, "mpi: passed")?;
    Ok(())
}

fn missing() -> Vec<&'static str> {
    let mut missing = Vec::new();
    if !(starts("mpirun", "--version") && starts("mpicc", "--version")) {
        missing.push("MPI (mpirun and mpicc)");
    }
    if !has_libclang() {
        missing.push("libclang");
    }
    missing
}

fn starts(program: &str, argument: &str) -> bool {
    let mut command = Command::new(program);
    command.arg(argument).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn has_libclang() -> bool {
    std::env::var_os("LIBCLANG_PATH").is_some()
        || LIBRARIES.iter().any(|folder| holds_libclang(Path::new(folder), 2))
}

/// Searches subfolders up to `depth`.
fn holds_libclang(folder: &Path, depth: usize) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.into_iter().any(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_library = name.starts_with("libclang") && (name.contains(".so") || name.ends_with(".dylib"));
        let is_promising = name.starts_with("llvm") || name == "lib" || name.contains("-linux-");
        is_library || (depth > 0 && is_promising && holds_libclang(&entry.path(), depth - 1))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_mpi_is_in_the_workspace() {
        let (root, cargo) = (workspace::root().unwrap(), Cargo::of_this_toolchain());
        let whole =
            ["tree", "--workspace", "--all-features", "--prefix", "none", "--format", "{p}", "--offline"];
        let tree = cargo.output_in(&root, &whole).unwrap();
        assert!(tree.lines().any(|line| line.starts_with("gp-cli ")), "{tree}");
        let foreign = ["mpi", "mpi-sys", "build-probe-mpi", "bindgen", "clang-sys", "gp-mpi"];
        for line in tree.lines() {
            let name = line.split_whitespace().next().unwrap_or_default();
            assert!(!foreign.contains(&name), "{line}");
        }
    }

    #[test]
    fn libraries_are_found_below_folders_of_versions() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!holds_libclang(folder.path(), 2));
        let deep = folder.path().join("llvm-14").join("lib");
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::write(deep.join("libclang-14.so.1"), "").unwrap();
        assert!(holds_libclang(folder.path(), 2));
        assert!(!holds_libclang(folder.path(), 1));
    }
}
