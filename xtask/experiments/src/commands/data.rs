//! `data`: the files that items need.

use super::DataFolder;
use crate::ExperimentError;
use crate::data::{Entry, State, manifest};
use std::io::Write;

/// What is to be done about data sets.
#[derive(Clone, Debug, clap::Subcommand)]
pub(crate) enum Data {
    /// Print all files: sizes, rows, where they come from, and whether they are there
    List(Options),
    /// Fetch files that are not there, or are not what they should be, from a server
    Fetch(FetchOptions),
    /// Compare the files that are there with their check sums
    Verify(Options),
}

/// Which files, and where.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    data: DataFolder,
    /// Only files whose names begin so, such as `binary/` or `mnist`
    #[arg(value_name = "FILE")]
    files: Vec<String>,
}

/// Options of `fetch`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct FetchOptions {
    #[command(flatten)]
    which: Options,
    /// Address of a folder of the same layout, http or https
    #[arg(long, value_name = "URL")]
    from: String,
}

impl Data {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<(), ExperimentError> {
        match self {
            Self::List(options) => options.list(out),
            Self::Verify(options) => options.verify(out),
            Self::Fetch(options) => options.fetch(out),
        }
    }
}

impl Options {
    fn entries(&self) -> Result<Vec<Entry>, ExperimentError> {
        let is_asked = |entry: &Entry| {
            self.files.is_empty() || self.files.iter().any(|name| entry.file.starts_with(name))
        };
        let asked: Vec<Entry> = manifest()?.into_iter().filter(is_asked).collect();
        if asked.is_empty() {
            let names = self.files.join(", ");
            return Err(ExperimentError::Files(format!("no file of the list begins with {names}")));
        }
        Ok(asked)
    }

    fn list(&self, out: &mut dyn Write) -> Result<(), ExperimentError> {
        for entry in self.entries()? {
            let there = if self.data.path().join(&entry.file).is_file() { "" } else { " (not there)" };
            let rows = entry.rows.map_or_else(String::new, |rows| format!(", {rows} rows"));
            writeln!(out, "{}{there}: {} bytes{rows}", entry.file, entry.bytes)?;
            writeln!(out, "    {}", entry.source)?;
            writeln!(out, "    SHA-256 {}", entry.sha256)?;
        }
        Ok(())
    }

    fn verify(&self, out: &mut dyn Write) -> Result<(), ExperimentError> {
        let (mut right, mut missing, mut wrong) = (0, 0, 0);
        for entry in self.entries()? {
            match entry.state(&self.data.path())? {
                State::Right => right += 1,
                State::Missing => {
                    missing += 1;
                    writeln!(out, "{}: not there", entry.file)?;
                }
                State::Wrong(why) => {
                    wrong += 1;
                    writeln!(out, "{}: {why}", entry.file)?;
                }
            }
        }
        writeln!(out, "{right} files are right, {missing} are not there, {wrong} are wrong")?;
        if wrong > 0 { Err(ExperimentError::Files(format!("{wrong} files are wrong"))) } else { Ok(()) }
    }
}

impl FetchOptions {
    fn fetch(&self, out: &mut dyn Write) -> Result<(), ExperimentError> {
        let folder = self.which.data.path();
        let (mut fetched, mut there, mut failed) = (0, 0, Vec::new());
        for entry in self.which.entries()? {
            if entry.state(&folder)? == State::Right {
                there += 1;
                continue;
            }
            match entry.fetch(&self.from, &folder) {
                Ok(()) => {
                    fetched += 1;
                    writeln!(out, "{}", entry.file)?;
                }
                Err(error) => {
                    writeln!(out, "{error}")?;
                    failed.push(entry.file);
                }
            }
        }
        writeln!(out, "{fetched} files fetched, {there} were there, {} failed", failed.len())?;
        if failed.is_empty() {
            Ok(())
        } else {
            Err(ExperimentError::Files(format!("not fetched: {}", failed.join(", "))))
        }
    }
}
