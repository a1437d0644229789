//! `cargo xtask python`: builds and tests the Python package in a virtual environment.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::cargo::Cargo;
use crate::error::XtaskError;
use crate::outside;
use crate::program::output_folder;
use crate::workspace;

const PACKAGE: &str = "gp-python";
/// Succeeds in suitable interpreters.
const SUITS: &str = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";

/// Options of `cargo xtask python`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Python interpreter, 3.10 or newer
    #[arg(long, value_name = "PROGRAM", default_value = "python3")]
    interpreter: OsString,
    /// Succeed with a message if the interpreter or a requirement is missing
    #[arg(long)]
    if_installed: bool,
    /// Build in the workspace's development profile and target folder, and skip slow tests and their libraries
    #[arg(long)]
    quick: bool,
    /// Arguments for pytest, such as `-k classes`
    #[arg(last = true, value_name = "ARGUMENTS")]
    pytest: Vec<OsString>,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), XtaskError> {
    let root = workspace::root()?;
    let environment = Environment::of(&args.interpreter, &output_folder(&root));
    let needs = needs(&root.join(PACKAGE), args.quick)?;
    if let Err(missing) = environment.prepare(&args.interpreter, &needs, out)? {
        if !args.if_installed {
            return Err(XtaskError::NotInstalled { message: missing });
        }
        writeln!(out, "python: skipped: {missing}")?;
        return Ok(());
    }
    if args.quick {
        outside::tell_what_is_compiled_again(&Cargo::of_this_toolchain(), &root, PACKAGE, "python", out)?;
    }
    writeln!(out, "building the package")?;
    carry_out(&mut environment.install(&root, args.quick))?;
    let mut tests = environment.python();
    tests.args(["-m", "pytest", "--quiet"]);
    if args.quick {
        tests.args(["-m", "not slow"]);
    }
    carry_out(tests.args(&args.pytest).current_dir(root.join(PACKAGE)))?;
    writeln!(out, "python: passed")?;
    Ok(())
}

struct Environment {
    folder: PathBuf,
}

impl Environment {
    fn of(interpreter: &OsStr, built: &Path) -> Self {
        let name = Path::new(interpreter).file_name().unwrap_or(interpreter);
        Self { folder: built.join("python").join(name) }
    }

    /// Creates the environment; inner errors name missing parts.
    fn prepare(
        &self,
        interpreter: &OsStr,
        needs: &[String],
        out: &mut dyn Write,
    ) -> Result<Result<(), String>, XtaskError> {
        let shown = interpreter.display();
        if !succeeds(Command::new(interpreter).args(["-c", SUITS])) {
            return Ok(Err(format!("{PACKAGE} needs Python 3.10 or newer with venv; `{shown}` is not")));
        }
        if !self.program("python").is_file() {
            writeln!(out, "creating an environment in {}", self.folder.display())?;
            carry_out(Command::new(interpreter).args(["-m", "venv"]).arg(&self.folder))?;
        }
        let status = self.pip().args(needs).status();
        let is_there = status.is_ok_and(|status| status.success());
        Ok(if is_there { Ok(()) } else { Err(format!("pip cannot install {}", needs.join(" "))) })
    }

    fn install(&self, root: &Path, is_quick: bool) -> Command {
        let mut install = self.pip();
        install.args(["--no-build-isolation", "--no-deps", "--force-reinstall"]);
        let mut folder = output_folder(root);
        if is_quick {
            // Without debug information, which takes longer to pack than the rest.
            install.arg("--config-settings=build-args=--profile dev --strip");
        } else {
            folder.push("python");
        }
        let programs = self.program("python").parent().map(Path::to_path_buf).unwrap_or_default();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let paths = std::env::join_paths(std::iter::once(programs).chain(std::env::split_paths(&path)));
        install.env("PATH", paths.unwrap_or(path)).env("CARGO_TARGET_DIR", folder);
        install.arg(format!("./{PACKAGE}")).current_dir(root);
        install
    }

    fn pip(&self) -> Command {
        let mut pip = self.python();
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        pip
    }

    fn python(&self) -> Command {
        Command::new(self.program("python"))
    }

    fn program(&self, name: &str) -> PathBuf {
        self.folder
            .join(if cfg!(windows) { "Scripts" } else { "bin" })
            .join(name)
            .with_extension(std::env::consts::EXE_EXTENSION)
    }
}

/// Packages from `pyproject.toml`; without those of slow tests if `is_quick`.
fn needs(package: &Path, is_quick: bool) -> Result<Vec<String>, XtaskError> {
    let path = package.join("pyproject.toml");
    let text =
        std::fs::read_to_string(&path).map_err(|source| XtaskError::Read { path: path.clone(), source })?;
    let syntax = |message: String| XtaskError::Syntax { path: path.display().to_string(), line: 1, message };
    let read: toml::Table = text.parse().map_err(|error: toml::de::Error| syntax(error.to_string()))?;
    let listed = [
        listed(&read, &["build-system", "requires"]),
        listed(&read, &["project", "dependencies"]),
        listed(&read, &["project", "optional-dependencies", "test"]),
        if is_quick {
            Some(Vec::new())
        } else {
            listed(&read, &["project", "optional-dependencies", "slow-test"])
        },
    ];
    listed.into_iter().try_fold(Vec::new(), |mut all, list| {
        all.extend(list.ok_or_else(|| syntax("a list of packages is missing".to_owned()))?);
        Ok(all)
    })
}

fn listed(table: &toml::Table, names: &[&str]) -> Option<Vec<String>> {
    let (last, tables) = names.split_last()?;
    let within = tables.iter().try_fold(table, |table, name| table.get(*name)?.as_table())?;
    let list = within.get(*last)?.as_array()?;
    list.iter().map(|entry| entry.as_str().map(str::to_owned)).collect()
}

fn succeeds(command: &mut Command) -> bool {
    let silent = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    silent.status().is_ok_and(|status| status.success())
}

/// Runs a program that reports its own failure.
fn carry_out(command: &mut Command) -> Result<(), XtaskError> {
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command.status().map_err(|source| XtaskError::Spawn { program, source })?;
    match status.code() {
        Some(0) => Ok(()),
        Some(code) => Err(XtaskError::Reported { code: u8::try_from(code).unwrap_or(1) }),
        None => Err(XtaskError::CommandFailed { status: status.to_string() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_package_needs_is_what_its_project_file_says() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(needs(folder.path(), true), Err(XtaskError::Read { .. })));
        let file = folder.path().join("pyproject.toml");
        std::fs::write(
            &file,
            "[build-system]\nrequires = [\"maturin>=1\"]\n[project]\ndependencies = [\"numpy\"]",
        )
        .unwrap();
        assert!(matches!(needs(folder.path(), true), Err(XtaskError::Syntax { .. })));
        let whole = "[build-system]\nrequires = [\"maturin>=1\"]\n[project]\ndependencies = [\"numpy\"]\n\
                     [project.optional-dependencies]\ntest = [\"pytest\"]\nslow-test = [\"jax\"]";
        std::fs::write(&file, whole).unwrap();
        assert_eq!(needs(folder.path(), true).unwrap(), ["maturin>=1", "numpy", "pytest"]);
        assert_eq!(needs(folder.path(), false).unwrap(), ["maturin>=1", "numpy", "pytest", "jax"]);
        assert!(
            needs(&workspace::root().unwrap().join(PACKAGE), false)
                .unwrap()
                .iter()
                .any(|name| name.starts_with("maturin"))
        );
    }

    #[test]
    fn an_interpreter_that_is_not_there_is_left_out_if_that_is_asked_for() {
        let args = |if_installed| Args {
            interpreter: "no-such-python".into(),
            if_installed,
            quick: true,
            pytest: Vec::new(),
        };
        let mut said = Vec::new();
        run(&args(true), &mut said).unwrap();
        assert!(String::from_utf8(said).unwrap().contains("python: skipped: gp-python needs Python 3.10"));
        assert!(matches!(run(&args(false), &mut Vec::new()), Err(XtaskError::NotInstalled { .. })));
    }
}
