//! Training progress: terminal line and trace file.

use crate::error::CliError;
use crate::files::TraceFile;
use crate::line::Line;
use gp_optim::{Control, Record};
use serde_json::json;

#[derive(Debug)]
pub(crate) struct Course {
    line: Line,
    trace: Option<TraceFile>,
}

impl Course {
    pub(crate) fn new(line: Line, trace: Option<TraceFile>) -> Self {
        Self { line, trace }
    }

    pub(crate) fn watch(self, control: Control) -> Control {
        let Self { line, mut trace } = self;
        control.with_watcher(move |record| {
            line.detail(|| detail(record));
            let Some(file) = &mut trace else { return Ok(()) };
            let (log_posterior, norm) = (-record.value, record.gradient_norm);
            let entry =
                json!({"iteration": record.iteration, "log_posterior": log_posterior, "gradient_norm": norm});
            file.line(&entry.to_string()).map_err(|cause: CliError| cause.with_causes())
        })
    }
}

fn detail(record: &Record) -> String {
    let Record { iteration, value, gradient_norm, .. } = record;
    format!("iteration {iteration}, log posterior {:.3}, gradient {gradient_norm:.1e}", -value)
}
