//! The course of training while it goes on: a line on the terminal, and lines of JSON in a file.

use crate::error::{CliError, ErrorKind};
use gp_optim::{Control, Record};
use serde_json::json;
use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// Least time between two states of the line.
const PAUSE: Duration = Duration::from_millis(125);
/// Back to the beginning of the line, and nothing in it.
const CLEAR: &str = "\r\x1b[K";

/// Who is shown the course of training.
#[derive(Debug)]
pub(crate) struct Course {
    line: bool,
    trace: Option<File>,
}

impl Course {
    /// A line on the error stream where that is a terminal, unless there is to be quiet, and a line of JSON for each
    /// iteration in a file. Training that goes on adds to the file that is there.
    ///
    /// # Errors
    /// Of kind [`Io`](ErrorKind::Io) for a file that cannot be written, or that is there already and is not to be
    /// replaced.
    pub(crate) fn new(
        quiet: bool,
        trace: Option<&Path>,
        (goes_on, force): (bool, bool),
    ) -> Result<Self, CliError> {
        let line = !quiet && io::stderr().is_terminal();
        let open = |path: &Path| {
            let mut how = OpenOptions::new();
            match (goes_on, force) {
                (true, _) => how.append(true).create(true),
                (false, true) => how.write(true).create(true).truncate(true),
                (false, false) => how.write(true).create_new(true),
            };
            how.open(path).map_err(|cause| match cause.kind() {
                io::ErrorKind::AlreadyExists => {
                    let shown = path.display();
                    let message = format!(
                        "`{shown}` is there already; replace it with --force, or choose another name"
                    );
                    CliError::new(ErrorKind::Io, message)
                }
                _ => CliError::io("write", path, cause),
            })
        };
        Ok(Self { line, trace: trace.map(open).transpose()? })
    }

    /// The same control, with a look at every iteration.
    pub(crate) fn watch(self, control: Control) -> Control {
        let Self { line, mut trace } = self;
        if !line && trace.is_none() {
            return control;
        }
        let begun = Instant::now();
        let mut shown: Option<Instant> = None;
        control.with_watcher(move |record| {
            if line && shown.is_none_or(|last| last.elapsed() >= PAUSE) {
                shown = Some(Instant::now());
                show(record, begun.elapsed());
            }
            let Some(file) = &mut trace else { return Ok(()) };
            let (log_posterior, norm) = (-record.value, record.gradient_norm);
            let entry =
                json!({"iteration": record.iteration, "log_posterior": log_posterior, "gradient_norm": norm});
            writeln!(file, "{entry}").map_err(|cause| format!("the trace cannot be written: {cause}"))
        })
    }
}

/// The line as it is now. That nobody sees it is no reason to stop.
fn show(record: &Record, since: Duration) {
    let Record { iteration, value, gradient_norm, .. } = record;
    let (log_posterior, seconds) = (-value, since.as_secs());
    let _ = write!(
        io::stderr(),
        "{CLEAR}iteration {iteration}: log posterior {log_posterior:.3}, gradient {gradient_norm:.1e}, {seconds} s"
    );
}

/// Takes the line away, where there may be one.
pub(crate) fn clear_line(quiet: bool) {
    if !quiet && io::stderr().is_terminal() {
        let _ = write!(io::stderr(), "{CLEAR}");
    }
}
