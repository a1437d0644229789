//! Rows as numbers in an unnamed file.

use crate::data::Spool;
use crate::encode::EachRow;
use crate::error::CliError;
use gp_ep::{DataError, DataSource, RowReader, Rows as Selection};
use gp_kernels::data::SpreadRows;
use gp_optim::Team;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

const AT_ONCE: usize = 4096;

pub(super) struct RawWriter {
    out: BufWriter<Spool>,
    folder: PathBuf,
    width: usize,
}

impl RawWriter {
    /// Writer for a table; its row count may be unknown.
    pub(super) fn new(
        folder: &Path,
        width: usize,
        (name, rows): (&str, Option<usize>),
    ) -> Result<Self, CliError> {
        let mut to = Spool::new(folder)?;
        if let Some(rows) = rows {
            let bytes = size_of::<f64>() as f64 * rows as f64 * width as f64;
            to.expect(bytes, &format!("`{name}`, {rows} × {width} numbers,"))?;
        }
        Ok(Self { out: BufWriter::with_capacity(1 << 18, to), folder: folder.to_owned(), width })
    }

    pub(super) fn write(&mut self, row: &[f64]) -> Result<(), CliError> {
        let written = row.iter().try_for_each(|value| self.out.write_all(&value.to_le_bytes()));
        written.map_err(|cause| Spool::unwritten(&self.folder, cause))
    }

    fn into_file(self) -> Result<File, CliError> {
        let Self { out, folder, .. } = self;
        let to = out.into_inner().map_err(|refused| Spool::unwritten(&folder, refused.into_error()))?;
        Ok(to.into_file())
    }

    pub(super) fn whole(self) -> Result<RawRows, CliError> {
        let width = self.width;
        Ok(RawRows::Whole(RowReader::new(self.into_file()?, width, 0)?))
    }
}

/// File of own rows, being written.
pub(super) struct ShareWriter {
    team: Team,
    count: usize,
    own: Range<usize>,
    /// Index of the next row among all.
    next: usize,
    to: RawWriter,
}

impl ShareWriter {
    /// Writer of own rows of a table.
    pub(super) fn new(
        (team, folder): (&Team, &Path),
        width: usize,
        (name, count): (&str, usize),
    ) -> Result<Self, CliError> {
        let own = SpreadRows::<RowReader<File>>::share(team, count);
        let to = RawWriter::new(folder, width, (name, Some(own.len())))?;
        Ok(Self { team: team.clone(), count, own, next: 0, to })
    }

    /// Expects only own rows.
    pub(super) fn of_own(self) -> Self {
        Self { next: self.own.start, ..self }
    }

    pub(super) fn write(&mut self, row: &[f64]) -> Result<(), CliError> {
        if self.own.contains(&self.next) {
            self.to.write(row)?;
        }
        self.next += 1;
        Ok(())
    }

    pub(super) fn width(&self) -> usize {
        self.to.width
    }

    pub(super) fn is_whole(&self, count: usize) -> bool {
        self.count == count && self.next == count
    }

    pub(super) fn rows(self) -> Result<RawRows, CliError> {
        let (count, width) = (self.count, self.to.width);
        let file = self.to.into_file()?;
        let reader = (!self.own.is_empty()).then(|| RowReader::new(file, width, 0)).transpose()?;
        Ok(RawRows::Spread(SpreadRows::new(self.team, reader, (count, width, 0))?))
    }
}

#[derive(Debug)]
pub(super) enum RawRows {
    Whole(RowReader<File>),
    Spread(SpreadRows<RowReader<File>>),
}

impl RawRows {
    fn source(&self) -> &dyn DataSource {
        match self {
            Self::Whole(rows) => rows,
            Self::Spread(rows) => rows,
        }
    }

    pub(super) fn own(&self) -> Range<usize> {
        self.held().map_or(0..self.count(), |(_, own)| own)
    }

    pub(super) fn for_each(&self, each: EachRow<'_>) -> Result<(), CliError> {
        let (own, width) = (self.own(), self.dim());
        let mut numbers = Vec::new();
        for start in own.clone().step_by(AT_ONCE) {
            let range = start..(start + AT_ONCE).min(own.end);
            numbers.resize(range.len() * width, 0.0);
            self.read(&Selection::Range(range), &mut numbers, &mut [])?;
            numbers.chunks_exact(width).try_for_each(&mut *each)?;
        }
        Ok(())
    }

    pub(super) fn gathered(&self, own: Vec<f64>) -> Result<Vec<f64>, CliError> {
        match self.held() {
            Some((team, _)) => Ok(team.gather(&own)?),
            None => Ok(own),
        }
    }
}

impl DataSource for RawRows {
    fn count(&self) -> usize {
        self.source().count()
    }

    fn dim(&self) -> usize {
        self.source().dim()
    }

    fn outputs(&self) -> usize {
        self.source().outputs()
    }

    fn read(&self, rows: &Selection<'_>, points: &mut [f64], targets: &mut [f64]) -> Result<(), DataError> {
        self.source().read(rows, points, targets)
    }

    fn held(&self) -> Option<(&Team, Range<usize>)> {
        self.source().held()
    }

    fn fetch_lanes(&self, lanes: &[Selection<'_>]) -> Result<(), DataError> {
        self.source().fetch_lanes(lanes)
    }

    fn fetch(&self, rows: &Selection<'_>) -> Result<(), DataError> {
        self.source().fetch(rows)
    }
}

#[cfg(test)]
mod tests {
    use crate::Context;
    use crate::data::{Input, TableChoice};
    use crate::fit::{FitSpec, Streamed};
    use gp_ep::DataSource;
    use gp_optim::Team;

    const ROWS: usize = 1000;

    fn written(count: usize) -> Vec<u64> {
        let context = Context::built_in();
        let spec = FitSpec::from_flags(["--target", "y"], &context).unwrap();
        let text: String = (0..ROWS).map(|i| format!("{i},{}\n", (0.02 * i as f64).sin())).collect();
        let write = |team: Team| {
            let input = Input::from_bytes("t.csv", format!("x,y\n{text}").into_bytes()).unwrap();
            let from = (input, &TableChoice::default(), &context.formats);
            let table = Streamed::read_by(&team, from, &spec, &std::env::temp_dir(), "for a test").unwrap();
            assert_eq!(table.survey().rows(), ROWS);
            // Readers count rows by file length.
            (table.raw().own().len() * table.raw().dim() * size_of::<f64>()) as u64
        };
        Team::in_threads(count, write)
    }

    #[test]
    fn each_process_writes_its_share() {
        let whole = (ROWS * 2 * 8) as u64;
        assert_eq!(written(1), [whole]);
        for count in [2, 3, 4] {
            let bytes = written(count);
            assert_eq!(bytes.iter().sum::<u64>(), whole);
            // Ten lanes.
            assert!(bytes.iter().all(|&own| own <= whole * 10_u64.div_ceil(count as u64) / 10), "{bytes:?}");
        }
    }
}
