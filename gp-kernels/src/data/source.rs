//! Sources of observations.

use super::error::{DataError, check_count};
use faer::MatRef;
use gp_optim::Team;
use std::fmt::Debug;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Selection of observations.
#[derive(Clone, Debug)]
pub enum Rows<'a> {
    /// Consecutive rows.
    Range(Range<usize>),
    /// Listed rows, in order.
    List(&'a [usize]),
}

impl Rows<'_> {
    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Range(range) => range.len(),
            Self::List(list) => list.len(),
        }
    }

    /// `true` without rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Row at a position.
    #[must_use]
    pub fn at(&self, place: usize) -> usize {
        match self {
            Self::Range(range) => range.start + place,
            Self::List(list) => list[place],
        }
    }

    /// Part of the selection.
    #[must_use]
    pub fn part(&self, places: Range<usize>) -> Rows<'_> {
        match self {
            Self::Range(range) => Rows::Range(range.start + places.start..range.start + places.end),
            Self::List(list) => Rows::List(&list[places]),
        }
    }
}

/// N observations of D inputs and P targets.
///
/// Threads may read at once; callers check numbers.
pub trait DataSource: Debug + Sync {
    /// Number N of observations.
    fn count(&self) -> usize;

    /// Number D of inputs.
    fn dim(&self) -> usize;

    /// Number P of targets.
    fn outputs(&self) -> usize;

    /// Reads B observations by rows: B·D into `points`, B·P into `targets`.
    ///
    /// # Errors
    /// [`DataError::Read`].
    fn read(&self, rows: &Rows<'_>, points: &mut [f64], targets: &mut [f64]) -> Result<(), DataError>;

    /// Team and own rows; None if all are readable (default).
    fn held(&self) -> Option<(&Team, Range<usize>)> {
        None
    }

    /// Makes each lane's rows readable in its [owner](super::Reduction::own) until the next fetch. All
    /// processes call it together.
    ///
    /// # Errors
    /// Errors of [`read`](Self::read) in the holder, [`DataError::Reduction`].
    fn fetch_lanes(&self, _lanes: &[Rows<'_>]) -> Result<(), DataError> {
        Ok(())
    }

    /// Makes rows readable in all processes, as [`fetch_lanes`](Self::fetch_lanes).
    ///
    /// # Errors
    /// As [`fetch_lanes`](Self::fetch_lanes), [`DataError::InAnotherProcess`].
    fn fetch(&self, _rows: &Rows<'_>) -> Result<(), DataError> {
        Ok(())
    }
}

/// Observations in memory.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a> {
    inputs: MatRef<'a, f64>,
    targets: MatRef<'a, f64>,
}

impl<'a> Table<'a> {
    /// `inputs` (N×D) and `targets` (N×P), any strides.
    ///
    /// # Errors
    /// [`DataError::NoData`] if N = 0; [`DataError::Shape`].
    pub fn new(inputs: MatRef<'a, f64>, targets: MatRef<'a, f64>) -> Result<Self, DataError> {
        check_count("targets", "rows", inputs.nrows(), targets.nrows())?;
        if inputs.nrows() == 0 { Err(DataError::NoData) } else { Ok(Self { inputs, targets }) }
    }

    /// [`new`](Self::new) for one target per observation.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_targets(inputs: MatRef<'a, f64>, targets: &'a [f64]) -> Result<Self, DataError> {
        Self::new(inputs, MatRef::from_column_major_slice(targets, targets.len(), 1))
    }
}

impl DataSource for Table<'_> {
    fn count(&self) -> usize {
        self.inputs.nrows()
    }

    fn dim(&self) -> usize {
        self.inputs.ncols()
    }

    fn outputs(&self) -> usize {
        self.targets.ncols()
    }

    fn read(&self, rows: &Rows<'_>, points: &mut [f64], targets: &mut [f64]) -> Result<(), DataError> {
        gather(self.inputs, rows, points)?;
        gather(self.targets, rows, targets)
    }
}

fn gather(from: MatRef<'_, f64>, rows: &Rows<'_>, out: &mut [f64]) -> Result<(), DataError> {
    let columns = from.ncols();
    check_count("buffer of observations", "entries", rows.len() * columns, out.len())?;
    for place in 0..rows.len() {
        let row = rows.at(place);
        if row >= from.nrows() {
            return Err(DataError::Read { row, reason: format!("there are {} observations", from.nrows()) });
        }
        let out = &mut out[place * columns..(place + 1) * columns];
        match from.row(row).try_as_row_major() {
            Some(point) => out.copy_from_slice(point.as_slice()),
            None => out.iter_mut().zip(from.row(row).iter()).for_each(|(out, value)| *out = *value),
        }
    }
    Ok(())
}

/// Seekable rows of little-endian 64-bit floats, inputs first, read on demand.
#[derive(Debug)]
pub struct RowReader<R> {
    from: Mutex<State<R>>,
    count: usize,
    dim: usize,
    outputs: usize,
}

#[derive(Debug)]
struct State<R> {
    reader: R,
    bytes: Vec<u8>,
}

impl<R: Read + Seek> RowReader<R> {
    /// Rows of `dim` inputs and `outputs` targets.
    ///
    /// # Errors
    /// [`DataError::NoData`]; [`DataError::Read`] for unknown length or incomplete rows.
    pub fn new(mut reader: R, dim: usize, outputs: usize) -> Result<Self, DataError> {
        let length = reader.seek(SeekFrom::End(0)).map_err(|error| failed(0, &error))?;
        let row = (dim + outputs) as u64 * SIZE as u64;
        if length == 0 || row == 0 {
            return Err(DataError::NoData);
        }
        let count = usize::try_from(length / row).unwrap_or(usize::MAX);
        if length % row != 0 {
            let reason = format!("it ends after {} of {row} bytes", length % row);
            return Err(DataError::Read { row: count, reason });
        }
        let from = Mutex::new(State { reader, bytes: Vec::new() });
        Ok(Self { from, count, dim, outputs })
    }
}

const SIZE: usize = size_of::<f64>();

fn failed(row: usize, error: &std::io::Error) -> DataError {
    DataError::Read { row, reason: error.to_string() }
}

impl<R: Read + Seek + Debug + Send> DataSource for RowReader<R> {
    fn count(&self) -> usize {
        self.count
    }

    fn dim(&self) -> usize {
        self.dim
    }

    fn outputs(&self) -> usize {
        self.outputs
    }

    fn read(&self, rows: &Rows<'_>, points: &mut [f64], targets: &mut [f64]) -> Result<(), DataError> {
        check_count("buffer of inputs", "entries", rows.len() * self.dim, points.len())?;
        check_count("buffer of targets", "entries", rows.len() * self.outputs, targets.len())?;
        if let Some(row) = (0..rows.len()).map(|place| rows.at(place)).find(|&row| row >= self.count) {
            return Err(DataError::Read { row, reason: format!("there are {} observations", self.count) });
        }
        // A poisoned reader is usable: every read seeks first.
        let mut state = self.from.lock().unwrap_or_else(PoisonError::into_inner);
        let mut place = 0;
        while place < rows.len() {
            let run = self.run(rows, place);
            state.fill(rows.at(place), run, self.dim + self.outputs)?;
            let mut numbers =
                state.bytes.as_chunks::<SIZE>().0.iter().map(|bytes| f64::from_le_bytes(*bytes));
            for row in place..place + run {
                let (from, to) = (row * self.dim, (row + 1) * self.dim);
                points[from..to].iter_mut().zip(&mut numbers).for_each(|(out, value)| *out = value);
                let (from, to) = (row * self.outputs, (row + 1) * self.outputs);
                targets[from..to].iter_mut().zip(&mut numbers).for_each(|(out, value)| *out = value);
            }
            place += run;
        }
        Ok(())
    }
}

impl<R> RowReader<R> {
    /// Consecutive rows from `place` on.
    fn run(&self, rows: &Rows<'_>, place: usize) -> usize {
        let first = rows.at(place);
        (1..rows.len() - place).find(|k| rows.at(place + k) != first + k).unwrap_or(rows.len() - place)
    }
}

impl<R: Read + Seek> State<R> {
    fn fill(&mut self, first: usize, count: usize, columns: usize) -> Result<(), DataError> {
        let row = columns * SIZE;
        self.bytes.resize(count * row, 0);
        self.reader
            .seek(SeekFrom::Start(first as u64 * row as u64))
            .and_then(|_| self.reader.read_exact(&mut self.bytes))
            .map_err(|error| failed(first, &error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::Mat;
    use std::io::Cursor;

    fn file(count: usize) -> Vec<u8> {
        (0..3 * count).flat_map(|i| (i as f64).to_le_bytes()).collect()
    }

    #[test]
    fn a_reader_delivers_what_a_table_does() {
        let reader = RowReader::new(Cursor::new(file(9)), 2, 1).unwrap();
        let inputs = Mat::from_fn(9, 2, |i, j| (3 * i + j) as f64);
        let targets = Mat::from_fn(9, 1, |i, _| (3 * i + 2) as f64);
        let table = Table::new(inputs.as_ref(), targets.as_ref()).unwrap();
        for rows in [Rows::Range(2..7), Rows::List(&[4, 5, 0, 8, 7, 7, 1])] {
            let buffers = || (vec![0.0; 2 * rows.len()], vec![0.0; rows.len()]);
            let (mut read, mut held) = (buffers(), buffers());
            reader.read(&rows, &mut read.0, &mut read.1).unwrap();
            table.read(&rows, &mut held.0, &mut held.1).unwrap();
            assert_eq!(read, held);
        }
    }

    #[test]
    fn faults_name_the_row() {
        let error = RowReader::new(Cursor::new(vec![0u8; 50]), 2, 1).unwrap_err();
        assert_eq!(error.to_string(), "observation 2 cannot be read: it ends after 2 of 24 bytes");
        assert_eq!(RowReader::new(Cursor::new(Vec::new()), 2, 1).unwrap_err(), DataError::NoData);
        let reader = RowReader::new(Cursor::new(file(3)), 2, 1).unwrap();
        let error = reader.read(&Rows::List(&[3]), &mut [0.0; 2], &mut [0.0]).unwrap_err();
        assert!(matches!(error, DataError::Read { row: 3, .. }), "{error}");
        let error = reader.read(&Rows::List(&[usize::MAX]), &mut [0.0; 2], &mut [0.0]).unwrap_err();
        assert!(matches!(error, DataError::Read { row: usize::MAX, .. }), "{error}");
    }
}
