//! Input files of a command, protected from its outputs.

use crate::error::CliError;
use gp_optim::files::is_same_file;
use std::path::{Path, PathBuf};

/// Input files with their names on the command line.
#[derive(Clone, Debug, Default)]
pub struct InputFiles(Vec<(&'static str, PathBuf)>);

impl InputFiles {
    /// Empty list.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Adds a file if given, except `-` (standard input).
    #[must_use]
    pub fn and(mut self, word: &'static str, path: Option<&(impl AsRef<Path> + ?Sized)>) -> Self {
        let path = path.map(AsRef::as_ref);
        let path = path.map(|path| if path == Path::new("-") { Path::new("/dev/stdin") } else { path });
        self.0.extend(path.map(|path| (word, path.to_owned())));
        self
    }

    /// Files with their names on the command line.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        self.0.iter().map(|(word, path)| (*word, path.as_path()))
    }

    /// Refuses an output that is one of the input files.
    ///
    /// # Errors
    /// [`Usage`](crate::ErrorKind::Usage), naming both.
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
