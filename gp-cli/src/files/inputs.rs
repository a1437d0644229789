//! Inputs, protected from outputs.

use crate::error::CliError;
use gp_optim::files::{is_same_file, is_temporary_of};
use std::path::{Path, PathBuf};

/// Input files with command-line names.
#[derive(Clone, Debug, Default)]
pub struct InputFiles(Vec<(&'static str, PathBuf)>);

impl InputFiles {
    /// Empty list.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Adds a file except `-` (standard input).
    #[must_use]
    pub fn and(mut self, word: &'static str, path: Option<&(impl AsRef<Path> + ?Sized)>) -> Self {
        let path = path.map(AsRef::as_ref);
        let path = path.map(|path| if path == Path::new("-") { Path::new("/dev/stdin") } else { path });
        self.0.extend(path.map(|path| (word, path.to_owned())));
        self
    }

    /// Command-line names and paths.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        self.0.iter().map(|(word, path)| (*word, path.as_path()))
    }

    /// Refuses outputs that are inputs or in input folders.
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
        if let Some((other, input)) = self.0.iter().find(|(_, input)| is_temporary_of(input, output)) {
            let input = input.display();
            return Err(CliError::usage(format!(
                "{word} is first written to `{input}`, the file of {other}, which would be lost; rename that file, or choose another name for {word}"
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

fn is_within(file: &Path, folder: &Path) -> bool {
    let parent = file.parent().map(|parent| if parent == Path::new("") { Path::new(".") } else { parent });
    folder.is_dir() && parent.is_some_and(|parent| is_same_file(folder, parent))
}
