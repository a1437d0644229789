//! Files read by a command, which it therefore does not write.

use crate::error::CliError;
use gp_optim::files::is_same_file;
use std::path::{Path, PathBuf};

/// The files that a command reads, by the words of its command line.
#[derive(Clone, Debug, Default)]
pub struct InputFiles(Vec<(&'static str, PathBuf)>);

impl InputFiles {
    /// No files.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// One more file, where there is one; `-` is the standard input.
    #[must_use]
    pub fn and(mut self, word: &'static str, path: Option<&(impl AsRef<Path> + ?Sized)>) -> Self {
        let path = path.map(AsRef::as_ref);
        let path = path.map(|path| if path == Path::new("-") { Path::new("/dev/stdin") } else { path });
        self.0.extend(path.map(|path| (word, path.to_owned())));
        self
    }

    /// Refuses an output that is one of them.
    ///
    /// # Errors
    /// Of kind [`Usage`](crate::ErrorKind::Usage), with the words of both.
    pub fn check(&self, word: &str, output: &Path) -> Result<(), CliError> {
        match self.0.iter().find(|(_, input)| is_same_file(input, output)) {
            None => Ok(()),
            Some((other, _)) => Err(CliError::usage(format!(
                "{word} and {other} are one file, `{}`, which would be lost; choose another name for {word}",
                output.display()
            ))),
        }
    }
}
