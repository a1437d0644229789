//! Read-only database and statement.

use super::super::options::ReadOptions;
use super::super::table_room::TableMemory;
use crate::data::list;
use crate::error::{CliError, ErrorKind};
use crate::memory::Budget;
use rusqlite::ffi::ErrorCode;
use rusqlite::{Connection, Error, OpenFlags, Statement};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(1);
/// Header position of write version; value for write-ahead logs.
const WRITE_VERSION: usize = 18;
const WRITE_AHEAD: u8 = 2;

#[derive(Debug)]
pub(super) struct Database {
    name: String,
    place: DatabasePlace,
    budget: Budget,
}

#[derive(Debug)]
enum DatabasePlace {
    File(PathBuf),
    Memory(Vec<u8>),
}

impl Database {
    pub(super) fn of_file(name: &str, path: &Path, budget: Budget) -> Self {
        Self { name: name.to_owned(), place: DatabasePlace::File(path.to_owned()), budget }
    }

    pub(super) fn of_bytes(name: &str, bytes: Vec<u8>, budget: Budget) -> Self {
        Self { name: name.to_owned(), place: DatabasePlace::Memory(bytes), budget }
    }

    pub(super) fn room(&self) -> TableMemory {
        TableMemory::new(&self.name, self.budget)
    }

    pub(super) fn budget(&self) -> Budget {
        self.budget
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Connection to a snapshot, consistent despite writers.
    pub(super) fn connect(&self) -> Result<Connection, CliError> {
        let connection = self.open()?;
        connection.busy_timeout(PATIENCE).map_err(|cause| self.fault(&cause))?;
        connection.execute_batch("BEGIN").map_err(|cause| self.fault(&cause))?;
        Ok(connection)
    }

    fn open(&self) -> Result<Connection, CliError> {
        let opened = match &self.place {
            DatabasePlace::File(path) => {
                let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
                Connection::open_with_flags(self.address(path)?, flags)
            }
            DatabasePlace::Memory(bytes) => Connection::open_in_memory().and_then(|mut connection| {
                let mut bytes = bytes.clone();
                // Without a log file no change is pending.
                if let Some(versions) = bytes.get_mut(WRITE_VERSION..WRITE_VERSION + 2) {
                    versions.fill(1);
                }
                connection.deserialize_read_exact("main", bytes.as_slice(), bytes.len(), true)?;
                Ok(connection)
            }),
        };
        opened.map_err(|cause| self.fault(&cause))
    }

    /// Address, `immutable` without pending changes: reading a write-ahead database would create files next to it.
    fn address(&self, path: &Path) -> Result<String, CliError> {
        let beside = |end: &str| PathBuf::from(format!("{}{end}", path.display()));
        let is_written_ahead = header(path).is_some_and(|header| header[WRITE_VERSION] == WRITE_AHEAD);
        let has_changes = fs::metadata(beside("-wal")).is_ok_and(|wal| wal.len() > 0);
        if is_written_ahead && has_changes && !beside("-shm").exists() {
            let message = format!(
                "`{}` has changes that are not in it yet, in `{}-wal`; open and close it once with the program that wrote it",
                self.name, self.name
            );
            return Err(CliError::new(ErrorKind::Io, message));
        }
        let immutable = if is_written_ahead && !has_changes { "&immutable=1" } else { "" };
        Ok(format!("file:{}?mode=ro{immutable}", escaped(&path.display().to_string())))
    }

    pub(super) fn statement<'c>(
        &self,
        connection: &'c Connection,
        options: &ReadOptions,
    ) -> Result<Statement<'c>, CliError> {
        let Some(query) = &options.choice.query else {
            let table = self.table(connection, options.choice.table.as_deref())?;
            let all = format!("SELECT * FROM \"{}\"", table.replace('"', "\"\""));
            return connection.prepare(&all).map_err(|cause| self.fault(&cause));
        };
        let statement = connection.prepare(query).map_err(|cause| self.refused(&cause))?;
        if !statement.readonly() || statement.column_count() == 0 {
            return Err(CliError::usage(
                "--query has to select rows: a statement that begins with SELECT or WITH".to_owned(),
            ));
        }
        Ok(statement)
    }

    /// Requested table, or the only one.
    fn table(&self, connection: &Connection, wanted: Option<&str>) -> Result<String, CliError> {
        let of_type = |kind: &str| {
            let query = format!(
                "SELECT name FROM sqlite_schema WHERE type = '{kind}' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
            );
            let mut statement = connection.prepare(&query)?;
            let names = statement.query_map([], |row| row.get(0))?;
            names.collect::<Result<Vec<String>, Error>>()
        };
        let all = of_type("table").and_then(|tables| Ok((tables, of_type("view")?)));
        let (tables, views) = all.map_err(|cause| self.fault(&cause))?;
        let known: Vec<&str> = tables.iter().chain(&views).map(String::as_str).collect();
        let fault = |what: String| Err(CliError::new(ErrorKind::Data, format!("`{}` {what}", self.name)));
        match (wanted, tables.as_slice()) {
            // SQLite names are case-insensitive.
            (Some(name), _) => match known.iter().find(|known| known.eq_ignore_ascii_case(name)) {
                Some(found) => Ok((*found).to_owned()),
                None => {
                    let meant = gp_optim::did_you_mean(name, known.iter().copied());
                    fault(format!("has no table {name}; it has {}{meant}", list(&known)))
                }
            },
            (None, [only]) => Ok(only.clone()),
            (None, []) => fault("has no table".to_owned()),
            (None, _) => fault(format!(
                "has the tables {}; name one with --table, or select rows with --query",
                list(&known)
            )),
        }
    }

    fn refused(&self, cause: &Error) -> CliError {
        match cause {
            Error::MultipleStatement => CliError::usage("--query takes one statement".to_owned()),
            Error::SqlInputError { msg, .. } => CliError::usage(format!("--query: {msg}")),
            Error::SqliteFailure(code, Some(message)) if code.code == ErrorCode::Unknown => {
                CliError::usage(format!("--query: {message}"))
            }
            _ => self.fault(cause),
        }
    }

    pub(super) fn fault(&self, cause: &Error) -> CliError {
        let name = &self.name;
        let (kind, what) = match cause.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                (ErrorKind::Io, "is locked by another program; try again when it has written".to_owned())
            }
            Some(ErrorCode::ReadOnly) => {
                let what = format!(
                    "was left in the middle of a change, and `{name}-journal` holds what was there before; open it once with the program that wrote it"
                );
                (ErrorKind::Io, what)
            }
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::SchemaChanged) => {
                (ErrorKind::Data, format!("is a damaged or truncated SQLite file: {cause}"))
            }
            Some(ErrorCode::CannotOpen | ErrorCode::SystemIoFailure | ErrorCode::PermissionDenied) => {
                (ErrorKind::Io, format!("cannot be read by SQLite: {cause}"))
            }
            _ => (ErrorKind::Data, format!("cannot be read by SQLite: {cause}")),
        };
        CliError::new(kind, format!("`{name}` {what}"))
    }
}

fn header(path: &Path) -> Option<[u8; 100]> {
    let mut header = [0; 100];
    fs::File::open(path).ok()?.read_exact(&mut header).ok()?;
    Some(header)
}

fn escaped(path: &str) -> String {
    let letter = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
            char::from(byte).to_string()
        }
        other => format!("%{other:02X}"),
    };
    path.bytes().map(letter).collect()
}
