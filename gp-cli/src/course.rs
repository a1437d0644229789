//! The course of training while it goes on: how far it is, on the terminal, and lines of JSON in a file.

use crate::error::{CliError, ErrorKind};
use crate::line::Line;
use gp_optim::{Control, Record};
use serde_json::json;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Who is shown the course of training.
#[derive(Debug)]
pub(crate) struct Course {
    line: Line,
    trace: Option<File>,
}

impl Course {
    /// A line on the terminal, where there is one, and a line of JSON for each iteration in a file. Training that goes on adds to the file that is there.
    ///
    /// # Errors
    /// Of kind [`Io`](ErrorKind::Io) for a file that cannot be written, or that is there already and is not to be
    /// replaced.
    pub(crate) fn new(
        line: Line,
        trace: Option<&Path>,
        (goes_on, force): (bool, bool),
    ) -> Result<Self, CliError> {
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
        control.with_watcher(move |record| {
            line.detail(|| detail(record));
            let Some(file) = &mut trace else { return Ok(()) };
            let (log_posterior, norm) = (-record.value, record.gradient_norm);
            let entry =
                json!({"iteration": record.iteration, "log_posterior": log_posterior, "gradient_norm": norm});
            writeln!(file, "{entry}").map_err(|cause| format!("the trace cannot be written: {cause}"))
        })
    }
}

/// How far training is.
fn detail(record: &Record) -> String {
    let Record { iteration, value, gradient_norm, .. } = record;
    format!("iteration {iteration}, log posterior {:.3}, gradient {gradient_norm:.1e}", -value)
}
