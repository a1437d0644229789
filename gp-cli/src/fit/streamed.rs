//! Tables outside memory: written to a file of numbers, from which rows are read as needed.

use super::observed::Observed;
use super::reading::begin_survey;
use super::spec::FitSpec;
use crate::data::{Formats, Frame, FrameStream, Input, ReadOptions, Spool, TableChoice};
use crate::encode::{EachRow, Factors, Inputs, Role, RowEncoder, Survey, Target, checked};
use crate::error::{CliError, ErrorKind};
use crate::left_out::LeftOut;
use crate::method::TrainingRows;
use crate::missing::{MissingRules, none_left};
use gp_ep::{DataError, DataSource, RowReader, Rows as Selection};
use gp_likelihoods::Support;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Rows; block per row and power per factor, if there are such columns.
pub(super) type EncodedRows = (TrainingRows, Vec<usize>, Option<Vec<f64>>);

/// Number of rows read at once in a full pass.
const AT_ONCE: usize = 4096;

/// Table with its rows in an unnamed file: one number per column, with indices for words. The file disappears
/// with the process, however it ends.
///
/// ```
/// use gp_cli::Context;
/// use gp_cli::data::{Input, TableChoice};
/// use gp_cli::fit::{FitSpec, Plan, Streamed, fit};
///
/// let context = Context::built_in();
/// let flags = ["--target", "y", "--method", "sep", "--inducing", "10", "--epochs", "2"];
/// let spec = FitSpec::from_flags(flags, &context)?;
///
/// let rows = (0..500).map(|i| format!("{},{}\n", 0.02 * f64::from(i), (0.02 * f64::from(i)).sin()));
/// let text = "x,y\n".to_owned() + &rows.collect::<String>();
/// let input = Input::from_bytes("sine.csv", text.into())?;
/// let from = (&TableChoice::default(), &context.formats);
/// let table = Streamed::read(input, from, &spec, &std::env::temp_dir(), "as an example")?;
/// let model = fit(Plan::streamed(table, &spec, &context)?, &spec, "an example")?;
/// assert_eq!(model.about().training.rows, 500);
/// # Ok::<(), gp_cli::CliError>(())
/// ```
#[derive(Debug)]
pub struct Streamed {
    survey: Survey,
    raw: Raw,
    dropped: LeftOut,
    left_out: Vec<String>,
    why: String,
    origin: Origin,
}

/// Origin of the table, read again to locate an error.
#[derive(Debug)]
struct Origin {
    formats: Formats,
    input: Input,
    options: ReadOptions,
    rules: MissingRules,
}

impl Streamed {
    /// Reads a table and writes its numbers to a file in a folder. `why` is the reason, for messages.
    ///
    /// # Errors
    /// [`Data`](ErrorKind::Data) as [`fit::read`](super::read) and [`Plan::new`](super::Plan::new),
    /// [`Usage`](ErrorKind::Usage) for a format that cannot be read in chunks, [`Io`](ErrorKind::Io) for a full or
    /// unwritable folder.
    pub fn read(
        input: Input,
        (choice, formats): (&TableChoice, &Formats),
        spec: &FitSpec,
        folder: &Path,
        why: &str,
    ) -> Result<Self, CliError> {
        let options = spec.read_options(choice)?;
        let rules = spec.missing_rules()?;
        let origin = Origin { formats: formats.clone(), input, options, rules };
        let (mut rows, mut begun, mut left_out) = (0, None, Vec::new());
        let mut dropped = LeftOut::default();
        let mut pieces = origin.pieces()?;
        let expected = (origin.input.name(), pieces.row_count());
        while let Some(piece) = pieces.next_piece()? {
            if rows == 0 {
                left_out = piece.left_out().to_vec();
            }
            rows += piece.row_count();
            dropped.look(&piece, &origin.rules.dropped(&piece));
            let Some(piece) = origin.rules.apply(piece)? else { continue };
            let (survey, raw) = match &mut begun {
                Some(begun) => begun,
                none => none.insert(begin(&piece, spec, folder, expected)?),
            };
            let numbers = survey.look(&piece)?;
            numbers.for_each(&mut |row| raw.write(row))?;
        }
        drop(pieces);
        let (mut survey, raw) = begun.ok_or_else(|| match rows {
            0 => Frame::no_rows(origin.input.name()),
            _ => none_left(origin.input.name(), rows),
        })?;
        let raw = raw.done()?;
        survey.measure(|each| raw.for_each(each))?;
        Ok(Self { survey, raw, dropped, left_out, why: why.to_owned(), origin })
    }

    /// Survey of the table.
    #[must_use]
    pub fn survey(&self) -> &Survey {
        &self.survey
    }

    /// Rows dropped because of a missing value.
    #[must_use]
    pub fn dropped(&self) -> &LeftOut {
        &self.dropped
    }

    /// Dropped columns, one sentence each.
    #[must_use]
    pub fn left_out(&self) -> &[String] {
        &self.left_out
    }

    /// Reason for leaving the rows in a file.
    #[must_use]
    pub fn why(&self) -> &str {
        &self.why
    }

    /// Rows in model units, with blocks and powers.
    ///
    /// # Errors
    /// [`Data`](ErrorKind::Data), with the place, for an observation outside the support or different powers
    /// in a block.
    pub(super) fn into_rows(self, inputs: &Inputs, observed: &Observed) -> Result<EncodedRows, CliError> {
        let support = observed.likelihood.support();
        let (all, features) = (observed.targets(), self.survey.features().len());
        let targets: Vec<&Target> = all.iter().map(|of| &of.target).collect();
        let roles = (&observed.roles, observed.likelihood.as_ref());
        let encoder = RowEncoder::new(&self.survey, inputs, &targets, roles);
        if support != Support::Real {
            let (mut row, mut values) = (0, vec![0.0; encoder.outputs()]);
            self.raw.for_each(&mut |numbers| {
                encoder.observe(&numbers[features..], &mut values);
                for (&value, target) in values.iter().zip(&targets) {
                    checked(value, support, |what| self.origin.fault(row, &target.name, what))?;
                }
                row += 1;
                Ok(())
            })?;
        }
        let factors = self.factors()?;
        let name = observed.roles.column(Role::AlphaColumn).unwrap_or_default();
        let powers = factors.powers_of_factors(|row, what| self.origin.fault(row, name, what))?;
        Ok((
            TrainingRows::elsewhere(EncodedFile { raw: self.raw.0, encoder, features }),
            factors.blocks,
            powers,
        ))
    }

    /// Blocks and powers of all rows. Reads the whole file if there are such columns.
    fn factors(&self) -> Result<Factors, CliError> {
        let [blocks, powers] = [Role::Blocks, Role::AlphaColumn].map(|role| self.survey.place_of(role, 0));
        let mut factors = Factors::default();
        if blocks.is_some() || powers.is_some() {
            self.raw.for_each(&mut |numbers| {
                factors.add(blocks.map(|place| numbers[place] as usize), powers.map(|place| numbers[place]));
                Ok(())
            })?;
        }
        Ok(factors)
    }
}

/// Survey and file for the columns of a chunk, of a table with this name and perhaps this number of rows.
fn begin(
    piece: &Frame,
    spec: &FitSpec,
    folder: &Path,
    (name, rows): (&str, Option<usize>),
) -> Result<(Survey, RawWriter), CliError> {
    let survey = begin_survey(piece, spec)?;
    let width = survey.width();
    let mut to = Spool::new(folder)?;
    if let Some(rows) = rows {
        let bytes = size_of::<f64>() as f64 * rows as f64 * width as f64;
        to.expect(bytes, &format!("`{name}`, {rows} × {width} numbers,"))?;
    }
    Ok((survey, RawWriter::new(to, folder, width)))
}

impl Origin {
    fn pieces(&self) -> Result<Box<dyn FrameStream + '_>, CliError> {
        self.formats.pieces(&self.input, &self.options)
    }

    /// Error about a row, not counting dropped ones; reads the table again.
    fn fault(&self, row: usize, column: &str, what: &str) -> CliError {
        self.find(row, column, what).unwrap_or_else(|error| error)
    }

    fn find(&self, mut row: usize, column: &str, what: &str) -> Result<CliError, CliError> {
        let mut pieces = self.pieces()?;
        while let Some(piece) = pieces.next_piece()? {
            let Some(piece) = self.rules.apply(piece)? else { continue };
            if row < piece.row_count() {
                return Ok(piece.fault(row, column, what));
            }
            row -= piece.row_count();
        }
        Err(CliError::new(ErrorKind::Data, format!("`{}` has changed while it was read", self.input.name())))
    }
}

struct RawWriter {
    out: BufWriter<Spool>,
    folder: PathBuf,
    width: usize,
}

impl RawWriter {
    fn new(to: Spool, folder: &Path, width: usize) -> Self {
        Self { out: BufWriter::with_capacity(1 << 18, to), folder: folder.to_owned(), width }
    }

    fn write(&mut self, row: &[f64]) -> Result<(), CliError> {
        let written = row.iter().try_for_each(|value| self.out.write_all(&value.to_le_bytes()));
        written.map_err(|cause| Spool::unwritten(&self.folder, cause))
    }

    fn done(self) -> Result<Raw, CliError> {
        let Self { out, folder, width } = self;
        let to = out.into_inner().map_err(|refused| Spool::unwritten(&folder, refused.into_error()))?;
        Ok(Raw(RowReader::new(to.into_file(), width, 0)?))
    }
}

#[derive(Debug)]
struct Raw(RowReader<File>);

impl Raw {
    fn for_each(&self, each: EachRow<'_>) -> Result<(), CliError> {
        let (count, width) = (self.0.count(), self.0.dim());
        let mut numbers = Vec::new();
        for start in (0..count).step_by(AT_ONCE) {
            let range = start..(start + AT_ONCE).min(count);
            numbers.resize(range.len() * width, 0.0);
            self.0.read(&Selection::Range(range), &mut numbers, &mut [])?;
            numbers.chunks_exact(width).try_for_each(&mut *each)?;
        }
        Ok(())
    }
}

/// Rows in a file, encoded as points and observations when read.
#[derive(Debug)]
struct EncodedFile {
    raw: RowReader<File>,
    encoder: RowEncoder,
    features: usize,
}

impl DataSource for EncodedFile {
    fn count(&self) -> usize {
        self.raw.count()
    }

    fn dim(&self) -> usize {
        self.encoder.dim()
    }

    fn outputs(&self) -> usize {
        self.encoder.outputs()
    }

    fn read(&self, rows: &Selection<'_>, points: &mut [f64], targets: &mut [f64]) -> Result<(), DataError> {
        let (width, dim, outputs) = (self.raw.dim(), self.encoder.dim(), self.outputs());
        let mut numbers = vec![0.0; rows.len() * width];
        self.raw.read(rows, &mut numbers, &mut [])?;
        let outs = points.chunks_exact_mut(dim).zip(targets.chunks_exact_mut(outputs));
        for (numbers, (point, target)) in numbers.chunks_exact(width).zip(outs) {
            let (features, observed) = numbers.split_at(self.features);
            self.encoder.point(features, point);
            self.encoder.observe(observed, target);
        }
        Ok(())
    }
}
