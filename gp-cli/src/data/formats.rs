//! The formats of a program, and which of them a file has.

use super::foreign;
use super::format::Format;
use super::frame::Frame;
use super::input::Input;
use super::options::ReadOptions;
use super::pieces::FrameStream;
use super::source::Source;
use crate::error::{CliError, ErrorKind};
use crate::memory::Budget;
use gp_optim::did_you_mean;
use std::sync::Arc;

/// Share of the remaining memory up to which piped input stays in memory; beyond, it goes to a temporary
/// file.
const SHARE_OF_PIPE: f64 = 0.25;
/// And up to so many bytes in any case.
const FEW: u64 = 1 << 20;

/// A list of formats, to which programs add their own.
#[derive(Clone, Debug)]
pub struct Formats {
    known: Vec<Arc<dyn Format>>,
    budget: Budget,
}

impl Formats {
    /// A list of these.
    #[must_use]
    pub fn new(known: Vec<Arc<dyn Format>>) -> Self {
        Self { known, budget: Budget::default() }
    }

    /// Adds a format, or puts it in the place of one of the same name.
    #[must_use]
    pub fn with(mut self, format: Arc<dyn Format>) -> Self {
        self.known.retain(|known| known.name() != format.name());
        self.known.push(format);
        self
    }

    /// The same, whose tables keep within a budget of memory.
    #[must_use]
    pub fn within(self, budget: Budget) -> Self {
        Self { budget, ..self }
    }

    /// The budget of memory of tables that are [opened](Self::open).
    #[must_use]
    pub fn budget(&self) -> Budget {
        self.budget
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &dyn Format> {
        self.known.iter().map(AsRef::as_ref)
    }

    /// The names of all of them, for people.
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        self.iter().map(Format::name).collect()
    }

    /// The table in the file of this path, or in the standard input where the path is `-`.
    ///
    /// # Errors
    /// Of kind [`Io`](ErrorKind::Io) where the file cannot be read; otherwise as [`read`](Self::read).
    pub fn open(&self, path: &str, options: &ReadOptions) -> Result<Frame, CliError> {
        self.read_input(self.input(path, SHARE_OF_PIPE)?, options)
    }

    /// A table that is opened as far as its format can be told. What comes through a pipe stays in memory up to a share of
    /// what is left of it.
    ///
    /// # Errors
    /// As [`Input::open`].
    pub fn input(&self, path: &str, share: f64) -> Result<Input, CliError> {
        let keep = self.budget.left().map_or(u64::MAX, |left| (share * left) as u64);
        Ok(Input::open(path, keep.max(FEW))?.within(self.budget))
    }

    /// The table in a file: in the format asked for, else in the one whose mark the file begins with, else in the one
    /// that the end of its name tells, else as CSV.
    ///
    /// # Errors
    /// Of kind [`Usage`](ErrorKind::Usage) for a format there is not; otherwise of kind [`Data`](ErrorKind::Data).
    pub fn read(&self, source: &Source, options: &ReadOptions) -> Result<Frame, CliError> {
        let format = self.choose(source.name(), (source.bytes(), &source.extension()), options)?;
        format.read(source, options)?.read_as(options)
    }

    /// The same of a file that need not be in memory.
    ///
    /// # Errors
    /// As [`read`](Self::read); of kind [`Io`](ErrorKind::Io) where the file cannot be read.
    pub fn read_input(&self, input: Input, options: &ReadOptions) -> Result<Frame, CliError> {
        self.of(&input, options)?.read_input(input, options)?.read_as(options)
    }

    /// The same table, some rows at a time.
    ///
    /// # Errors
    /// As [`read`](Self::read) and [`Format::pieces`].
    pub fn pieces<'a>(
        &self,
        input: &'a Input,
        options: &ReadOptions,
    ) -> Result<Box<dyn FrameStream + 'a>, CliError> {
        let from = self.of(input, options)?.pieces(input, options)?;
        Ok(Box::new(Typed { from, options: options.clone() }))
    }

    /// The format of a file.
    ///
    /// # Errors
    /// Of kind [`Usage`](ErrorKind::Usage) for a format there is not.
    pub fn of(&self, input: &Input, options: &ReadOptions) -> Result<&dyn Format, CliError> {
        self.choose(input.name(), (input.head(), &input.extension()), options)
    }

    /// By what was asked for, the first bytes or the end of the name; `table` is what errors call it.
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
                .find(|format| format.name() == name)
                .ok_or_else(|| CliError::new(ErrorKind::Usage, message()));
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

/// Pieces whose columns are of the types that were asked for.
struct Typed<'a> {
    from: Box<dyn FrameStream + 'a>,
    options: ReadOptions,
}

impl FrameStream for Typed<'_> {
    fn next_piece(&mut self) -> Result<Option<Frame>, CliError> {
        self.from.next_piece()?.map(|piece| piece.read_as(&self.options)).transpose()
    }
}
