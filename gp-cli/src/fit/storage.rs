//! Storage of rows: memory or file.

use super::spec::FitSpec;
use super::streaming;
use crate::context::Context;
use crate::data::{Input, SHARE_HELD, Stream, TableChoice};
use crate::error::{CliError, ErrorKind};
use crate::in_step;
use crate::memory::size_text;
use std::path::{Path, PathBuf};

impl Stream {
    /// Reason for rows in a file, if any.
    ///
    /// # Errors
    /// [`Usage`](ErrorKind::Usage) if a requested file does not suit the method; [`Data`](ErrorKind::Data) if
    /// rows neither fit memory nor can be streamed.
    pub fn why_not_held(
        self,
        input: &Input,
        choice: &TableChoice,
        spec: &FitSpec,
        context: &Context,
    ) -> Result<Option<String>, CliError> {
        // The first process decides for all: free memory differs between processes.
        in_step::of_first(&context.team, || self.why_not_here(input, choice, spec, context))
    }

    fn why_not_here(
        self,
        input: &Input,
        choice: &TableChoice,
        spec: &FitSpec,
        context: &Context,
    ) -> Result<Option<String>, CliError> {
        match self {
            Self::Never => Ok(None),
            Self::Always => {
                streaming::check_spec(spec, &context.methods).map(|()| Some("as --stream says".to_owned()))
            }
            Self::Auto => {
                let (formats, options) = (&context.formats, spec.read_options(choice)?);
                let format = formats.of(input, &options)?;
                let Some(free) = context.budget().left() else { return Ok(None) };
                let able = if format.comes_in_pieces() {
                    streaming::check_spec(spec, &context.methods)
                } else {
                    Err(format.not_in_pieces(input.name()))
                };
                by_size(formats.memory(input, &options)?, free, able)
            }
        }
    }
}

/// Reason for a file. `able`: error if streaming is impossible.
fn by_size(needed: f64, free: f64, able: Result<(), CliError>) -> Result<Option<String>, CliError> {
    if needed <= SHARE_HELD * free {
        return Ok(None);
    }
    let why =
        format!("the table would take about {} of {} that are left", size_text(needed), size_text(free));
    match able {
        Ok(()) => Ok(Some(format!("because {why}"))),
        Err(_) if needed <= free => Ok(None),
        Err(objection) => Err(CliError::caused(ErrorKind::Data, why, objection)),
    }
}

/// Closest existing folder, for temporary files.
pub(crate) fn folder_near(folder: &Path) -> PathBuf {
    let there = folder.ancestors().find(|at| at.is_dir() && *at != Path::new(""));
    there.unwrap_or(Path::new(".")).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_held_while_they_leave_room() {
        let unable = || Err(CliError::new(ErrorKind::Usage, "method ep needs all rows in memory"));
        assert_eq!(by_size(5e9, 10e9, Ok(())).unwrap(), None);
        let why = by_size(5.1e9, 10e9, Ok(())).unwrap().unwrap();
        assert_eq!(why, "because the table would take about 5.1 GB of 10.0 GB that are left");
        assert_eq!(by_size(9e9, 10e9, unable()).unwrap(), None);
        let refused = by_size(11e9, 10e9, unable()).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Data);
        assert!(refused.with_causes().ends_with("left: method ep needs all rows in memory"));
    }

    #[test]
    fn tables_without_room_go_to_a_file_by_themselves() {
        let (folder, context) = (tempfile::tempdir().unwrap(), Context::built_in());
        let choose = |name: &str, size: u64, flags: &[&str]| {
            let path = folder.path().join(name);
            std::fs::write(&path, "x,y\n0.25,1.5\n-3.5,2.25\n").unwrap();
            std::fs::File::options().append(true).open(&path).unwrap().set_len(size).unwrap();
            let spec = FitSpec::from_flags(["--target", "y"].iter().chain(flags).copied(), &context).unwrap();
            let input = Stream::Auto.open(path.to_str().unwrap(), &context.formats).unwrap();
            Stream::Auto.why_not_held(&input, &TableChoice::default(), &spec, &context)
        };
        const HUGE: u64 = 1 << 42;
        if context.budget().left().is_some() {
            assert!(choose("t.csv", HUGE, &[]).unwrap().unwrap().starts_with("because the table would take"));
            assert!(choose("t.csv", HUGE, &["--method", "svgp"]).unwrap().is_some());
            assert!(choose("t.csv", HUGE, &["--method", "pep"]).unwrap().is_some());
            assert!(choose("t.csv", HUGE, &["--method", "ep"]).is_err());
            let refused = choose("t.npy", HUGE, &[]).unwrap_err();
            assert!(refused.with_causes().contains("tables in npy are not read in pieces"));
        }
        assert_eq!(choose("t.csv", 30, &[]).unwrap(), None);
    }

    #[test]
    fn temporary_files_are_near_a_folder_to_come() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(folder_near(root.path()), root.path());
        assert_eq!(folder_near(&root.path().join("a/b")), root.path());
        assert_eq!(folder_near(Path::new("not-there")), Path::new("."));
    }
}
