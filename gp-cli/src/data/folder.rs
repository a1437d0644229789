//! Table in the files of a folder.

use super::column::Kind;
use super::frame::{Frame, list};
use super::input::Input;
use super::pieces::FrameStream;
use super::supply::Supply;
use crate::error::{CliError, ErrorKind};
use gp_optim::Team;

type OpenTable<'a> = Box<dyn Fn(&'a Input) -> Result<Box<dyn FrameStream + 'a>, CliError> + 'a>;

/// Chunks of all tables in turn.
pub(super) struct FolderStream<'a> {
    folder: &'a Input,
    rest: std::slice::Iter<'a, Input>,
    now: Option<Box<dyn FrameStream + 'a>>,
    open: OpenTable<'a>,
    /// First table's name and columns.
    like: Option<(String, NamesAndKinds)>,
}

type NamesAndKinds = Vec<(String, Kind)>;

impl<'a> FolderStream<'a> {
    pub(super) fn new(folder: &'a Input, open: OpenTable<'a>) -> Self {
        Self { folder, rest: folder.parts().iter(), now: None, open, like: None }
    }

    /// Keeps this process's files, an about equal share.
    pub(super) fn of_process(mut self, team: &Team) -> Self {
        let parts = self.folder.parts();
        let all: f64 = parts.iter().map(Input::size).sum();
        // A file belongs to the process whose share holds its middle.
        let process = parts.iter().scan(0.0, |before, part| {
            let middle = *before + part.size() / 2.0;
            *before += part.size();
            Some((middle / all * team.count() as f64) as usize)
        });
        let processes: Vec<usize> = process.map(|process| process.min(team.count() - 1)).collect();
        let own = |rank: usize| processes.partition_point(|&process| process < rank);
        self.rest = parts[own(team.rank())..own(team.rank() + 1)].iter();
        self
    }

    /// Refuses other columns than before.
    fn check(&mut self, piece: &Frame) -> Result<(), CliError> {
        let columns: NamesAndKinds =
            piece.columns().iter().map(|column| (column.name().to_owned(), column.kind())).collect();
        let Some((first, like)) = &self.like else {
            self.like = Some((piece.source().to_owned(), columns));
            return Ok(());
        };
        if *like == columns {
            return Ok(());
        }
        let names = |of: &NamesAndKinds| list(&of.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>());
        let other = like.iter().zip(&columns).find(|(one, other)| one.0 == other.0 && one.1 != other.1);
        let what = match other {
            Some(((name, one), (_, other))) => format!(
                "column {name} is read as {other}, and as {one} in `{first}`; say --type {name}={one} or {other}"
            ),
            None => format!("the columns are {}, and {} in `{first}`", names(&columns), names(like)),
        };
        Err(CliError::new(ErrorKind::Data, format!("`{}`: {what}", piece.source())))
    }
}

impl FrameStream for FolderStream<'_> {
    fn next_piece(&mut self) -> Result<Option<Frame>, CliError> {
        loop {
            if let Some(pieces) = &mut self.now
                && let Some(piece) = pieces.next_piece()?
            {
                self.check(&piece)?;
                return Ok(Some(piece.within(self.folder.name())));
            }
            let Some(part) = self.rest.next() else { return Ok(None) };
            self.now = Some((self.open)(part)?);
        }
    }
}

/// Table of all chunks; fails for no rows or too little memory.
pub(super) fn joined(mut pieces: FolderStream<'_>) -> Result<Frame, CliError> {
    let (folder, mut all) = (pieces.folder, None::<Frame>);
    let mut room = folder.room();
    while let Some(piece) = pieces.next_piece()? {
        let bytes = size_of::<f64>() as f64 * piece.row_count() as f64 * piece.columns().len() as f64;
        room.take(bytes, || format!(", in memory up to {},", piece.place(piece.row_count() - 1)))?;
        match &mut all {
            Some(all) => all.append(piece),
            none => *none = Some(piece),
        }
    }
    all.ok_or_else(|| Frame::no_rows(folder.name()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Formats, ReadOptions};
    use std::fs::{create_dir, write};

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        files.iter().for_each(|(name, text)| write(folder.path().join(name), text).unwrap());
        folder
    }

    fn read(folder: &tempfile::TempDir, options: &ReadOptions) -> Result<Frame, CliError> {
        Formats::built_in().open(folder.path().to_str().unwrap(), options)
    }

    #[test]
    fn rows_follow_each_other_in_the_order_of_names() {
        let parts = [
            ("b.csv", "x,w,y\n3,blue,1\n4,red,2\n"),
            ("a.csv", "x,w,y\n1,red,1\n2,green,\n"),
            ("c.csv", "x,w,y\n"),
            ("_SUCCESS", ""),
            (".a.csv.crc", "x"),
        ];
        let (folder, options) = (folder(&parts), ReadOptions::default());
        let table = read(&folder, &options).unwrap();
        assert_eq!(table.column("x").unwrap().numbers().unwrap(), [1.0, 2.0, 3.0, 4.0]);
        let words: Vec<String> = (0..4).map(|row| table.column("w").unwrap().text(row)).collect();
        assert_eq!(words, ["red", "green", "blue", "red"]);
        assert_eq!((table.place(1), table.place(3)), ("line 3 of a.csv".into(), "line 3 of b.csv".into()));
        let some = table.rows(&[1, 2, 3]).unwrap();
        assert_eq!((some.place(0), some.place(1)), ("line 3 of a.csv".into(), "line 2 of b.csv".into()));
        let path = folder.path().display();
        let error = some.fault(2, "y", "too large").with_causes();
        assert_eq!(error, format!("`{path}/b.csv`, line 3, column y: too large"));
        // The same in chunks.
        let input = Input::open(&path.to_string(), 1 << 20).unwrap();
        let formats = Formats::built_in();
        let mut pieces = formats.pieces(&input, &options).unwrap();
        let places = std::iter::from_fn(|| pieces.next_piece().unwrap()).map(|piece| piece.place(1));
        assert_eq!(places.collect::<Vec<_>>(), ["line 3 of a.csv", "line 3 of b.csv"]);
    }

    #[test]
    fn tables_that_differ_are_refused_with_their_names() {
        let refused =
            |files: &[(&str, &str)]| read(&folder(files), &ReadOptions::default()).unwrap_err().with_causes();
        let kinds = refused(&[("a.csv", "x,y\n1,2\n"), ("b.csv", "x,y\none,2\n")]);
        assert!(kinds.contains("b.csv`: column x is read as category, and as number in"), "{kinds}");
        let names = refused(&[("a.csv", "x,y\n1,2\n"), ("b.csv", "x,z\n1,2\n")]);
        assert!(names.contains("b.csv`: the columns are x, z, and x, y in"), "{names}");
        assert!(refused(&[("_a", "x")]).ends_with("is a folder without tables"));
        assert!(refused(&[("a.csv", "x,y\n"), ("b.csv", "x,y\n")]).contains("has no rows"));
        let nested = folder(&[("a.csv", "x,y\n1,2\n")]);
        create_dir(nested.path().join("year=2024")).unwrap();
        let nested = read(&nested, &ReadOptions::default()).unwrap_err().with_causes();
        assert!(nested.contains("year=2024` is no file"), "{nested}");
        let arrays = refused(&[("a.npy", "\u{93}NUMPY"), ("b.csv", "x,y\n1,2\n")]);
        assert!(!arrays.is_empty());
    }
}
