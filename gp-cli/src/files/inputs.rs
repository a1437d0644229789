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
        if let Some((other, folder)) = self.0.iter().find(|(_, input)| is_within(output, input)) {
            let folder = folder.display();
            return Err(CliError::usage(format!(
                "{word} is in the folder `{folder}`, whose files are the table of {other}; choose another place for {word}"
            )));
        }
        match self.0.iter().find(|(_, input)| is_same_file(input, output)) {
            None => Ok(()),
            Some((other, _)) => Err(CliError::usage(format!(
                "{word} and {other} are one file, `{}`, which would be lost; choose another name for {word}",
                output.display()
            ))),
        }
    }
}

/// `true` for a file directly in this folder, existing or not.
fn is_within(file: &Path, folder: &Path) -> bool {
    let parent = file.parent().map(|parent| if parent == Path::new("") { Path::new(".") } else { parent });
    folder.is_dir() && parent.is_some_and(|parent| is_same_file(folder, parent))
}
