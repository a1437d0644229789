//! `data`: fetches, lists and verifies data files.

use super::DataFolder;
use crate::ExperimentError;
use crate::data::{Entry, State, manifest};
use std::io::Write;

/// Options of `data`; without a subcommand, missing files are fetched.
#[derive(Clone, Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Options {
    #[command(subcommand)]
    what: Option<Data>,
    #[command(flatten)]
    fetch: FetchOptions,
}

/// Commands for data sets.
#[derive(Clone, Debug, clap::Subcommand)]
enum Data {
    /// Fetch missing or wrong files, and print the origins of those without an address
    Fetch(FetchOptions),
    /// List all files with size, rows, origin and presence
    List(Which),
    /// Compare the files with their checksums
    Verify(Which),
}

/// Selected files, and their folder.
#[derive(Clone, Debug, clap::Args)]
struct Which {
    #[command(flatten)]
    data: DataFolder,
    /// Only files whose names start with this, such as `binary/` or `mnist`
    #[arg(value_name = "FILE")]
    files: Vec<String>,
}

/// Options of `fetch`.
#[derive(Clone, Debug, clap::Args)]
struct FetchOptions {
    #[command(flatten)]
    which: Which,
    /// Fetch from this http or https server, with the same folder layout (default: the files' own addresses)
    #[arg(long, value_name = "URL")]
    from: Option<String>,
}

impl Options {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<(), ExperimentError> {
        match &self.what {
            None => self.fetch.fetch(out),
            Some(Data::Fetch(options)) => options.fetch(out),
            Some(Data::List(options)) => options.list(out),
            Some(Data::Verify(options)) => options.verify(out),
        }
    }
}

impl Which {
    fn entries(&self) -> Result<Vec<Entry>, ExperimentError> {
        let is_asked = |entry: &Entry| {
            self.files.is_empty() || self.files.iter().any(|name| entry.file.starts_with(name))
        };
        let asked: Vec<Entry> = manifest()?.into_iter().filter(is_asked).collect();
        if asked.is_empty() {
            let names = self.files.join(", ");
            return Err(ExperimentError::Files(format!("no file name starts with {names}")));
        }
        Ok(asked)
    }

    fn list(&self, out: &mut dyn Write) -> Result<(), ExperimentError> {
        for entry in self.entries()? {
            let there = if self.data.path().join(&entry.file).is_file() { "" } else { " (missing)" };
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
                    writeln!(out, "{}: missing", entry.file)?;
                }
                State::Wrong(why) => {
                    wrong += 1;
                    writeln!(out, "{}: {why}", entry.file)?;
                }
            }
        }
        writeln!(out, "{right} files correct, {missing} missing, {wrong} wrong")?;
        if wrong > 0 { Err(ExperimentError::Files(format!("{wrong} files are wrong"))) } else { Ok(()) }
    }
}

impl FetchOptions {
    fn fetch(&self, out: &mut dyn Write) -> Result<(), ExperimentError> {
        let folder = self.which.data.path();
        let (mut fetched, mut there, mut by_hand, mut failed) = (0, 0, 0, Vec::new());
        for entry in self.which.entries()? {
            if entry.state(&folder)? == State::Right {
                there += 1;
                continue;
            }
            let Some(address) = entry.address_on(self.from.as_deref()) else {
                by_hand += 1;
                writeln!(out, "{}: has no address; its origin: {}", entry.file, entry.source)?;
                continue;
            };
            match entry.fetch(&address, &folder) {
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
        let files = if fetched == 1 { "1 file" } else { &format!("{fetched} files") };
        writeln!(
            out,
            "{files} fetched, {there} already present, {by_hand} without an address, {} failed",
            failed.len()
        )?;
        if failed.is_empty() {
            Ok(())
        } else {
            Err(ExperimentError::Files(format!("not fetched: {}", failed.join(", "))))
        }
    }
}
