//! Calls of cargo.

use std::ffi::OsString;
use std::fmt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::error::XtaskError;

#[derive(Debug)]
pub(crate) struct CargoCommand {
    arguments: &'static [&'static str],
    variable: Option<(&'static str, &'static str)>,
    component: Option<Component>,
}

#[derive(Debug)]
struct Component {
    name: &'static str,
    probe: &'static [&'static str],
}

impl CargoCommand {
    pub(crate) fn new(arguments: &'static [&'static str]) -> Self {
        Self { arguments, variable: None, component: None }
    }

    pub(crate) fn with_variable(self, name: &'static str, value: &'static str) -> Self {
        Self { variable: Some((name, value)), ..self }
    }

    /// Requires a component for which `cargo PROBE` succeeds.
    pub(crate) fn needing(self, name: &'static str, probe: &'static [&'static str]) -> Self {
        Self { component: Some(Component { name, probe }), ..self }
    }
}

impl fmt::Display for CargoCommand {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((name, value)) = self.variable {
            write!(formatter, "{name}=\"{value}\" ")?;
        }
        write!(formatter, "cargo {}", self.arguments.join(" "))
    }
}

#[derive(Debug)]
pub(crate) struct Cargo {
    program: OsString,
}

impl Cargo {
    /// Program of `CARGO`, else `cargo`.
    pub(crate) fn of_this_toolchain() -> Self {
        Self { program: std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()) }
    }

    pub(crate) fn has_nextest(&self) -> bool {
        self.succeeds_quietly(&["nextest", "--version"])
    }

    /// Runs in `root`; both streams go to standard output: logs end with the test summary.
    pub(crate) fn run(&self, command: &CargoCommand, root: &Path) -> Result<(), XtaskError> {
        if let Some(component) = &command.component
            && !self.succeeds_quietly(component.probe)
        {
            return Err(XtaskError::MissingComponent { component: component.name });
        }
        let mut run = Command::new(&self.program);
        self.finish(run.args(command.arguments).envs(command.variable).current_dir(root))
    }

    pub(crate) fn run_in(&self, folder: &Path, arguments: &[&str]) -> Result<(), XtaskError> {
        self.finish(Command::new(&self.program).args(arguments).current_dir(folder))
    }

    pub(crate) fn output_in(&self, folder: &Path, arguments: &[&str]) -> Result<String, XtaskError> {
        let mut run = Command::new(&self.program);
        run.args(arguments).current_dir(folder).stdin(Stdio::null()).stderr(Stdio::inherit());
        let output = run.output().map_err(|source| self.cannot_start(source))?;
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        } else {
            Err(XtaskError::CommandFailed { status: output.status.to_string() })
        }
    }

    fn finish(&self, run: &mut Command) -> Result<(), XtaskError> {
        let status = run.stdin(Stdio::null()).stderr(std::io::stdout()).status();
        let status = status.map_err(|source| self.cannot_start(source))?;
        if status.success() { Ok(()) } else { Err(XtaskError::CommandFailed { status: status.to_string() }) }
    }

    pub(crate) fn program(&self) -> &OsString {
        &self.program
    }

    /// Runs a command that reports its own failure.
    pub(crate) fn pass_on(&self, mut command: Command) -> Result<(), XtaskError> {
        let status = command.status().map_err(|source| self.cannot_start(source))?;
        match status.code() {
            Some(0) => Ok(()),
            Some(code) => Err(XtaskError::Reported { code: u8::try_from(code).unwrap_or(1) }),
            None => Err(XtaskError::CommandFailed { status: status.to_string() }),
        }
    }

    fn succeeds_quietly(&self, arguments: &[&str]) -> bool {
        Command::new(&self.program)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    }

    fn cannot_start(&self, source: std::io::Error) -> XtaskError {
        XtaskError::Spawn { program: self.program.to_string_lossy().into_owned(), source }
    }
}
