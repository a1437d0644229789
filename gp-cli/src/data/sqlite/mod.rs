//! SQLite tables and queries.

mod database;
mod rows;

use super::format::Format;
use super::frame::Frame;
use super::input::Input;
use super::options::ReadOptions;
use super::pieces::{FrameStream, WHOLE, rows_of_piece};
use super::source::Source;
use super::supply::Supply;
use crate::error::{CliError, ErrorKind};
use database::Database;
use rows::Selected;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

const MAGIC: &[u8] = b"SQLite format 3\0";

#[derive(Clone, Copy, Debug)]
pub(super) struct Sqlite;

impl Format for Sqlite {
    fn name(&self) -> &'static str {
        "sqlite"
    }

    fn summary(&self) -> &'static str {
        "a table of an SQLite file, the one of --table, or the rows that --query selects"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["sqlite", "sqlite3", "db", "db3"]
    }

    fn recognises(&self, bytes: &[u8]) -> bool {
        bytes.starts_with(MAGIC)
    }

    fn takes_queries(&self) -> bool {
        true
    }

    fn read(&self, source: &Source, options: &ReadOptions) -> Result<Frame, CliError> {
        whole(&Database::of_bytes(source.name(), source.bytes().to_vec(), source.budget()), options)
    }

    fn read_input(&self, input: Input, options: &ReadOptions) -> Result<Frame, CliError> {
        whole(&database(&input)?, options)
    }

    fn comes_in_pieces(&self) -> bool {
        true
    }

    fn pieces<'a>(
        &self,
        input: &'a Input,
        options: &ReadOptions,
    ) -> Result<Box<dyn FrameStream + 'a>, CliError> {
        let (database, options) = (database(input)?, options.clone());
        let (name, (sender, receiver)) = (input.name().to_owned(), sync_channel(1));
        // A statement borrows its connection and both outlive a chunk, so they live on their own thread.
        let spawned = std::thread::Builder::new().spawn(move || send(&database, &options, &sender));
        spawned.map_err(|cause| CliError::caused(ErrorKind::Io, format!("cannot read `{name}`"), cause))?;
        Ok(Box::new(Received { name, from: receiver }))
    }
}

fn database(input: &Input) -> Result<Database, CliError> {
    match input.path() {
        Some(path) => Ok(Database::of_file(input.name(), path, input.budget())),
        None => {
            let bytes = super::counted::read_all(input.reader()?.as_mut(), input, 0)?;
            Ok(Database::of_bytes(input.name(), bytes, input.budget()))
        }
    }
}

fn whole(database: &Database, options: &ReadOptions) -> Result<Frame, CliError> {
    let mut read = None;
    Selected::with(database, options, |selected| {
        Selected::for_each(selected, WHOLE, &mut |piece| {
            read = Some(piece);
            true
        })
    })?;
    read.ok_or_else(|| Frame::no_rows(database.name()))
}

/// `None` after the last chunk.
type Sent = Result<Option<Frame>, CliError>;

/// Sends until the receiver is dropped.
fn send(database: &Database, options: &ReadOptions, to: &SyncSender<Sent>) {
    let read = Selected::with(database, options, |selected| {
        let rows = rows_of_piece(database.budget());
        Selected::for_each(selected, rows, &mut |piece| to.send(Ok(Some(piece))).is_ok())
    });
    // The receiver may be gone.
    let _ = to.send(read.map(|()| None));
}

struct Received {
    name: String,
    from: Receiver<Sent>,
}

impl FrameStream for Received {
    fn next_piece(&mut self) -> Result<Option<Frame>, CliError> {
        let ended = |_| CliError::new(ErrorKind::Io, format!("cannot read `{}` to its end", self.name));
        self.from.recv().map_err(ended)?
    }
}
