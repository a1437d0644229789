//! Registry and detection of formats.

use super::folder::{self, FolderStream};
use super::foreign;
use super::format::Format;
use super::frame::Frame;
use super::input::Input;
use super::options::ReadOptions;
use super::pieces::FrameStream;
use super::source::Source;
use crate::error::{CliError, ErrorKind};
use crate::memory::Budget;
use gp_optim::{Team, did_you_mean};
use std::sync::Arc;

/// Share of remaining memory for piped input.
const SHARE_OF_PIPE: f64 = 0.25;
/// Bytes of piped input always in memory.
const FEW: u64 = 1 << 20;

/// Table formats; programs can add some.
#[derive(Clone, Debug)]
pub struct Formats {
    known: Vec<Arc<dyn Format>>,
    budget: Budget,
}

impl Formats {
    /// Registry, by precedence.
    #[must_use]
    pub fn new(known: Vec<Arc<dyn Format>>) -> Self {
        Self { known, budget: Budget::default() }
    }

    /// Adds a format, or replaces its namesake.
    #[must_use]
    pub fn with(mut self, format: Arc<dyn Format>) -> Self {
        self.known.retain(|known| known.name() != format.name());
        self.known.push(format);
        self
    }

    /// Sets the tables' memory budget.
    #[must_use]
    pub fn within(self, budget: Budget) -> Self {
        Self { budget, ..self }
    }

    /// Memory limit of [opened](Self::open) tables.
    #[must_use]
    pub fn budget(&self) -> Budget {
        self.budget
    }

    /// Formats by precedence.
    pub fn iter(&self) -> impl Iterator<Item = &dyn Format> {
        self.known.iter().map(AsRef::as_ref)
    }

    /// Names in flags.
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        self.iter().map(Format::name).collect()
    }

    /// Reads a file, or standard input for `-`.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io) if unreadable; as [`read`](Self::read).
    pub fn open(&self, path: &str, options: &ReadOptions) -> Result<Frame, CliError> {
        self.read_input(self.input(path, SHARE_OF_PIPE)?, options)
    }

    /// Opens a table; piped input beyond `share` of remaining memory is spooled.
    ///
    /// # Errors
    /// As [`Input::open`].
    pub fn input(&self, path: &str, share: f64) -> Result<Input, CliError> {
        let keep = self.budget.left().map_or(u64::MAX, |left| (share * left) as u64);
        Ok(Input::open(path, keep.max(FEW))?.within(self.budget))
    }

    /// Reads in the requested format, else that of the first bytes or the extension, else CSV.
    ///
    /// # Errors
    /// [`Usage`](ErrorKind::Usage) for an unknown format; otherwise [`Data`](ErrorKind::Data).
    pub fn read(&self, source: &Source, options: &ReadOptions) -> Result<Frame, CliError> {
        let format = self.choose(source.name(), (source.bytes(), &source.extension()), options)?;
        format.read(source, options)?.read_as(options)
    }

    /// [`read`](Self::read), if possible without loading the file.
    ///
    /// # Errors
    /// As [`read`](Self::read); [`Io`](ErrorKind::Io) if unreadable.
    pub fn read_input(&self, input: Input, options: &ReadOptions) -> Result<Frame, CliError> {
        let format = self.of(&input, options)?;
        if !input.parts().is_empty() && format.comes_in_pieces() {
            return folder::joined(self.pieces_of_folder(&input, options));
        }
        format.read_input(input, options)?.read_as(options)
    }

    /// Chunks of rows.
    ///
    /// # Errors
    /// As [`read`](Self::read) and [`Format::pieces`].
    pub fn pieces<'a>(
        &self,
        input: &'a Input,
        options: &ReadOptions,
    ) -> Result<Box<dyn FrameStream + 'a>, CliError> {
        if !input.parts().is_empty() {
            return Ok(Box::new(self.pieces_of_folder(input, options)));
        }
        let from = self.of(input, options)?.pieces(input, options)?;
        Ok(Box::new(Typed { from, options: options.clone() }))
    }

    /// Chunks of this process, as [`Format::own_pieces`]; of folders, its files.
    ///
    /// # Errors
    /// As [`pieces`](Self::pieces).
    pub fn own_pieces<'a>(
        &self,
        input: &'a Input,
        options: &ReadOptions,
        team: &Team,
    ) -> Result<Option<Box<dyn FrameStream + 'a>>, CliError> {
        if !input.parts().is_empty() {
            return Ok(Some(Box::new(self.pieces_of_folder(input, options).of_process(team))));
        }
        let from = self.of(input, options)?.own_pieces(input, options, team)?;
        Ok(from.map(|from| {
            let typed: Box<dyn FrameStream + 'a> = Box::new(Typed { from, options: options.clone() });
            typed
        }))
    }

    fn pieces_of_folder<'a>(&self, folder: &'a Input, options: &ReadOptions) -> FolderStream<'a> {
        let (formats, options) = (self.clone(), options.clone());
        FolderStream::new(folder, Box::new(move |table| formats.pieces(table, &options)))
    }

    /// Approximate bytes of table and points.
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub fn memory(&self, input: &Input, options: &ReadOptions) -> Result<f64, CliError> {
        if let parts @ [_, ..] = input.parts() {
            return parts.iter().map(|part| self.memory(part, options)).sum();
        }
        Ok(self.of(input, options)?.memory(input))
    }

    /// Format of a file, or of a folder's first file.
    ///
    /// # Errors
    /// [`Usage`](ErrorKind::Usage) for an unknown format.
    pub fn of(&self, input: &Input, options: &ReadOptions) -> Result<&dyn Format, CliError> {
        self.choose(input.name(), (input.head(), &input.extension()), options)
    }

    /// Errors name `table`.
    fn choose(
        &self,
        table: &str,
        beginning: (&[u8], &str),
        options: &ReadOptions,
    ) -> Result<&dyn Format, CliError> {
        let (format, choice) = (self.find(table, beginning, options)?, &options.choice);
        let said = [("--table", &choice.table), ("--query", &choice.query)];
        match said.into_iter().find(|(_, said)| said.is_some()).filter(|_| !format.takes_queries()) {
            None => Ok(format),
            Some((flag, _)) => {
                let what =
                    format!("{flag} is for databases, and `{table}` is read as a table in {}", format.name());
                Err(CliError::usage(what))
            }
        }
    }

    fn find(
        &self,
        table: &str,
        (head, extension): (&[u8], &str),
        options: &ReadOptions,
    ) -> Result<&dyn Format, CliError> {
        if let Some(name) = &options.choice.format {
            let message = || {
                let (names, meant) = (self.names().join(", "), did_you_mean(name, self.names()));
                format!("there is no format `{name}`; there are {names}{meant}")
            };
            return self
                .iter()
                .find(|format| format.name().eq_ignore_ascii_case(name))
                .ok_or_else(|| CliError::new(ErrorKind::Usage, message()));
        }
        if let Some(advice) = foreign::spreadsheet(table, extension, head) {
            return Err(CliError::new(ErrorKind::Data, advice));
        }
        let by_mark = self.iter().find(|format| format.recognises(head));
        if let Some(advice) = foreign::advice(table, head).filter(|_| by_mark.is_none()) {
            return Err(CliError::new(ErrorKind::Data, advice));
        }
        let by_name = || self.iter().find(|format| format.extensions().contains(&extension));
        by_mark.or_else(by_name).or_else(|| self.iter().next()).ok_or_else(|| {
            CliError::new(ErrorKind::Usage, "there are no formats to read tables in".to_owned())
        })
    }
}

struct Typed<'a> {
    from: Box<dyn FrameStream + 'a>,
    options: ReadOptions,
}

impl FrameStream for Typed<'_> {
    fn next_piece(&mut self) -> Result<Option<Frame>, CliError> {
        self.from.next_piece()?.map(|piece| piece.read_as(&self.options)).transpose()
    }

    fn row_count(&self) -> Option<usize> {
        self.from.row_count()
    }
}
