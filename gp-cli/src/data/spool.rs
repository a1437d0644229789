//! Unnamed temporary files, which leave disk space free.

use super::supply::own_error;
use crate::error::{CliError, ErrorKind};
use crate::files::free_space;
use crate::memory::size_text;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Maximum share of free space, for known sizes.
const SHARE: f64 = 0.9;
/// Maximum share of free space, for unknown sizes.
const SHARE_OF_STREAM: f64 = 0.5;

#[derive(Debug)]
pub(crate) struct Spool {
    file: File,
    folder: PathBuf,
    free: Option<f64>,
    most: f64,
    written: f64,
}

impl Spool {
    pub(crate) fn new(folder: &Path) -> Result<Self, CliError> {
        Self::beside(folder, free_space(folder))
    }

    fn beside(folder: &Path, free: Option<f64>) -> Result<Self, CliError> {
        let file = tempfile::tempfile_in(folder).map_err(|cause| no_room(folder, cause))?;
        let most = free.map_or(f64::INFINITY, |free| SHARE_OF_STREAM * free);
        Ok(Self { file, folder: folder.to_owned(), free, most, written: 0.0 })
    }

    /// Refuses content that needs more space.
    pub(crate) fn expect(&mut self, bytes: f64, what: &str) -> Result<(), CliError> {
        self.most = self.free.map_or(f64::INFINITY, |free| SHARE * free);
        if bytes <= self.most {
            return Ok(());
        }
        let needs = format!("{what} needs a temporary file of {}", size_text(bytes));
        Err(self.full(&needs))
    }

    fn full(&self, needs: &str) -> CliError {
        let (most, folder) = (size_text(self.most), self.folder.display());
        let message = format!(
            "{needs}, and at most {most} of what is free in `{folder}` may be taken; set TMPDIR to a folder with more room"
        );
        CliError::new(ErrorKind::Io, message)
    }

    pub(crate) fn unwritten(folder: &Path, cause: io::Error) -> CliError {
        own_error(cause, |cause| no_room(folder, cause))
    }

    pub(crate) fn into_file(self) -> File {
        self.file
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.written + bytes.len() as f64 > self.most {
            return Err(io::Error::other(self.full("the table needs a larger temporary file")));
        }
        let count = self.file.write(bytes)?;
        self.written += count as f64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

pub(crate) fn no_room(folder: &Path, cause: io::Error) -> CliError {
    let message = format!(
        "cannot write a temporary file in `{}`; set TMPDIR to a folder with room for the table, or give one by --checkpoint",
        folder.display()
    );
    CliError::caused(ErrorKind::Io, message, cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_without_an_end_leave_half_of_the_room() {
        let folder = tempfile::tempdir().unwrap();
        let mut spool = Spool::beside(folder.path(), Some(10_000.0)).unwrap();
        let refused = io::copy(&mut io::repeat(0), &mut spool).unwrap_err();
        let error = Spool::unwritten(folder.path(), refused);
        assert_eq!(error.kind(), ErrorKind::Io);
        let text = error.with_causes();
        assert!(text.contains("at most 5 kB of what is free in `") && text.contains("set TMPDIR"), "{text}");
        assert!(spool.into_file().metadata().unwrap().len() <= 5_000);
    }

    #[test]
    fn what_is_known_to_fit_may_leave_a_tenth() {
        let folder = tempfile::tempdir().unwrap();
        let mut spool = Spool::beside(folder.path(), Some(10_000.0)).unwrap();
        let error = spool.expect(9_001.0, "`t.svm`, 1 row × 1125 numbers,").unwrap_err().with_causes();
        assert!(
            error.starts_with(
                "`t.svm`, 1 row × 1125 numbers, needs a temporary file of 9 kB, and at most 9 kB"
            )
        );
        spool.expect(9_000.0, "a table").unwrap();
        assert!(spool.write_all(&[0; 9_000]).is_ok() && spool.write_all(&[0]).is_err());
        assert!(Spool::beside(folder.path(), None).unwrap().expect(1e18, "a table").is_ok());
    }
}
