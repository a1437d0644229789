//! Messages of a command.

use crate::interrupt;
use crate::line::Line;
use crate::shown::printable;
use std::fmt;
use std::io::Write;

/// Stream of messages; silent with `--quiet`.
pub struct Notes<'a> {
    stream: &'a mut dyn Write,
    quiet: bool,
    line: Line,
}

impl<'a> Notes<'a> {
    /// Messages to `stream`, unless `quiet`.
    pub fn new(stream: &'a mut dyn Write, quiet: bool) -> Self {
        Self { stream, quiet, line: Line::default() }
    }

    pub(crate) fn with_line(self, line: Line) -> Self {
        Self { line: if self.quiet { Line::default() } else { line }, ..self }
    }

    pub(crate) fn line(&self) -> &Line {
        &self.line
    }

    pub(crate) fn stage(&self, stage: fmt::Arguments<'_>) {
        self.line.stage(&stage.to_string());
    }

    /// `true` if messages are suppressed.
    #[must_use]
    pub fn are_quiet(&self) -> bool {
        self.quiet
    }

    /// Prints one line.
    pub fn say(&mut self, line: fmt::Arguments<'_>) {
        interrupt::before_the_end(|| self.print(line));
    }

    /// Prints the last line; signals no longer interrupt.
    pub(crate) fn end(&mut self, line: fmt::Arguments<'_>) {
        interrupt::done_by(|| self.print(line));
    }

    fn print(&mut self, line: fmt::Arguments<'_>) {
        if !self.quiet {
            // A failure to print does not stop the command.
            let Self { stream, line: shown, .. } = self;
            let line = printable(&line.to_string());
            let _ = shown.aside(|| writeln!(stream, "{line}"));
        }
    }
}

impl fmt::Debug for Notes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notes").field("quiet", &self.quiet).finish_non_exhaustive()
    }
}
