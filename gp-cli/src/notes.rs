//! What a command tells about its work.

use std::fmt;
use std::io::Write;

/// Lines for people, unless they asked for quiet.
pub struct Notes<'a> {
    stream: &'a mut dyn Write,
    quiet: bool,
}

impl<'a> Notes<'a> {
    /// Notes on a stream, or none at all.
    pub fn new(stream: &'a mut dyn Write, quiet: bool) -> Self {
        Self { stream, quiet }
    }

    /// Whether nothing is to be told.
    #[must_use]
    pub fn are_quiet(&self) -> bool {
        self.quiet
    }

    /// One line.
    pub fn say(&mut self, line: fmt::Arguments<'_>) {
        if !self.quiet {
            // Work does not stop because nobody listens.
            let _ = writeln!(self.stream, "{line}");
        }
    }
}

impl fmt::Debug for Notes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notes").field("quiet", &self.quiet).finish_non_exhaustive()
    }
}
