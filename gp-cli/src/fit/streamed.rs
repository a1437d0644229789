//! Tables in files: each process writes its rows.

use super::observed::Observed;
use super::raw_rows::{RawRows, RawWriter, ShareWriter};
use super::read_summary::ReadSummary;
use super::reading::begin_survey;
use super::rows_read::RowsRead;
use super::spec::FitSpec;
use crate::data::{Column, Formats, Frame, FrameStream, Input, ReadOptions, TableChoice};
use crate::encode::{Factors, Inputs, Role, RowEncoder, Survey, Target, checked};
use crate::error::{CliError, ErrorKind};
use crate::left_out::LeftOut;
use crate::method::TrainingRows;
use crate::missing::MissingRules;
use crate::own_rows::all_succeed;
use gp_ep::{DataError, DataSource, Rows as Selection};
use gp_likelihoods::Support;
use gp_optim::Team;
use std::ops::Range;
use std::path::Path;

/// Rows, block per row, power per factor.
pub(super) type EncodedRows = (TrainingRows, Vec<usize>, Option<Vec<f64>>);

/// Table in an unnamed file: one number per column, indices for words. The file never outlives the process.
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
    raw: RawRows,
    dropped: LeftOut,
    left_out: Vec<String>,
    why: String,
    origin: Origin,
}

#[derive(Debug)]
struct Origin {
    formats: Formats,
    input: Input,
    options: ReadOptions,
    rules: MissingRules,
}

impl Streamed {
    /// Writes a table's numbers to a file in `folder`; `why` is for messages.
    ///
    /// # Errors
    /// [`Data`](ErrorKind::Data) as [`fit::read`](super::read) and [`Plan::new`](super::Plan::new),
    /// [`Usage`](ErrorKind::Usage) for formats without chunks, [`Io`](ErrorKind::Io) for a full or unwritable folder.
    pub fn read(
        input: Input,
        (choice, formats): (&TableChoice, &Formats),
        spec: &FitSpec,
        folder: &Path,
        why: &str,
    ) -> Result<Self, CliError> {
        Self::read_by(&Team::default(), (input, choice, formats), spec, folder, why)
    }

    pub(crate) fn read_by(
        team: &Team,
        (input, choice, formats): (Input, &TableChoice, &Formats),
        spec: &FitSpec,
        folder: &Path,
        why: &str,
    ) -> Result<Self, CliError> {
        let options = spec.read_options(choice)?;
        let rules = spec.missing_rules()?;
        let origin = Origin { formats: formats.clone(), input, options, rules };
        let (survey, dropped, left_out, raw) =
            if team.is_alone() { origin.held(spec, folder)? } else { origin.spread(team, spec, folder)? };
        Ok(Self { survey, raw, dropped, left_out, why: why.to_owned(), origin })
    }

    #[cfg(test)]
    pub(super) fn raw(&self) -> &RawRows {
        &self.raw
    }

    /// Survey of the columns.
    #[must_use]
    pub fn survey(&self) -> &Survey {
        &self.survey
    }

    /// Rows dropped for missing values.
    #[must_use]
    pub fn dropped(&self) -> &LeftOut {
        &self.dropped
    }

    /// Dropped columns, one sentence each.
    #[must_use]
    pub fn left_out(&self) -> &[String] {
        &self.left_out
    }

    /// Reason for using a file.
    #[must_use]
    pub fn why(&self) -> &str {
        &self.why
    }

    pub(super) fn into_rows(self, inputs: &Inputs, observed: &Observed) -> Result<EncodedRows, CliError> {
        let support = observed.likelihood.support();
        let (all, features) = (observed.targets(), self.survey.features().len());
        let targets: Vec<&Target> = all.iter().map(|of| &of.target).collect();
        let roles = (&observed.roles, observed.likelihood.as_ref());
        let encoder = RowEncoder::new(&self.survey, inputs, &targets, roles);
        if support != Support::Real {
            self.check_targets(&encoder, &targets, support)?;
        }
        let factors = self.factors()?;
        let name = observed.roles.column(Role::AlphaColumn).unwrap_or_default();
        let powers = factors.powers_of_factors(|row, what| self.origin.fault(row, name, what))?;
        Ok((
            TrainingRows::elsewhere(EncodedFile { raw: self.raw, encoder, features }),
            factors.blocks,
            powers,
        ))
    }

    fn check_targets(
        &self,
        encoder: &RowEncoder,
        targets: &[&Target],
        support: Support,
    ) -> Result<(), CliError> {
        let features = self.survey.features().len();
        let (mut row, mut values, mut first) =
            (self.raw.own().start, vec![0.0; encoder.outputs()], Vec::new());
        self.raw.for_each(&mut |numbers| {
            encoder.observe(&numbers[features..], &mut values);
            let wrong = || values.iter().take(targets.len()).position(|&value| support.check(value).is_err());
            if let Some(place) = first.is_empty().then(wrong).flatten() {
                first = vec![row as f64, place as f64, values[place]];
            }
            row += 1;
            Ok(())
        })?;
        let [row, place, value, ..] = self.raw.gathered(first)?[..] else { return Ok(()) };
        let name = targets.get(place as usize).map_or("", |target| &target.name);
        checked(value, support, |what| self.origin.fault(row as usize, name, what)).map(drop)
    }

    fn factors(&self) -> Result<Factors, CliError> {
        let [blocks, powers] = [Role::Blocks, Role::AlphaColumn].map(|role| self.survey.place_of(role, 0));
        let (places, mut factors) = ([blocks, powers], Factors::default());
        let width = places.iter().flatten().count();
        if width > 0 {
            let mut own = Vec::new();
            self.raw.for_each(&mut |numbers| {
                own.extend(places.iter().flatten().map(|&place| numbers[place]));
                Ok(())
            })?;
            for row in self.raw.gathered(own)?.chunks_exact(width) {
                let block = blocks.and_then(|_| row.first()).map(|&block| block as usize);
                factors.add(block, powers.and_then(|_| row.last()).copied());
            }
        }
        Ok(factors)
    }
}

/// Parts of a [`Streamed`] table.
type TableInFile = (Survey, LeftOut, Vec<String>, RawRows);

impl Origin {
    fn pieces(&self) -> Result<Box<dyn FrameStream + '_>, CliError> {
        self.formats.pieces(&self.input, &self.options)
    }

    /// Passes expected row count and each row.
    fn see(
        &self,
        mut pieces: Box<dyn FrameStream + '_>,
        spec: &FitSpec,
        mut each: impl FnMut(Option<usize>, &[f64]) -> Result<(), CliError>,
    ) -> Result<ReadSummary, CliError> {
        let (mut rows, mut survey, mut columns, mut left_out) = (0, None, None, Vec::new());
        let mut dropped = LeftOut::default();
        let expected = pieces.row_count();
        while let Some(piece) = pieces.next_piece()? {
            if rows == 0 {
                left_out = piece.left_out().to_vec();
                let column = |column: &Column| (column.name().to_owned(), column.kind());
                columns = Some(piece.columns().iter().map(column).collect());
            }
            rows += piece.row_count();
            dropped.add(&piece, &self.rules.dropped(&piece));
            let Some(piece) = self.rules.apply(piece)? else { continue };
            let survey: &mut Survey = match &mut survey {
                Some(begun) => begun,
                none => none.insert(begin_survey(&piece, spec)?),
            };
            survey.add(&piece)?.for_each(&mut |row| each(expected, row))?;
        }
        Ok(ReadSummary { survey, columns, rows, dropped, left_out })
    }

    /// No writer without rows.
    fn write(
        &self,
        pieces: Box<dyn FrameStream + '_>,
        spec: &FitSpec,
        folder: &Path,
    ) -> Result<(ReadSummary, Option<RawWriter>), CliError> {
        let mut writer = None;
        let seen = self.see(pieces, spec, |expected, row| {
            let writer = match &mut writer {
                Some(writer) => writer,
                none => none.insert(RawWriter::new(folder, row.len(), (self.input.name(), expected))?),
            };
            writer.write(row)
        })?;
        Ok((seen, writer))
    }

    fn held(&self, spec: &FitSpec, folder: &Path) -> Result<TableInFile, CliError> {
        let (seen, writer) = self.write(self.pieces()?, spec, folder)?;
        let (mut survey, dropped, left_out) = seen.of_table(self.input.name())?;
        let raw = writer.ok_or_else(|| Frame::no_rows(self.input.name()))?.whole()?;
        survey.measure(|each| raw.for_each(each))?;
        Ok((survey, dropped, left_out, raw))
    }

    /// Survey of all rows, file of own ones.
    fn spread(&self, team: &Team, spec: &FitSpec, folder: &Path) -> Result<TableInFile, CliError> {
        let read = match self.formats.own_pieces(&self.input, &self.options, team) {
            Ok(None) => return self.read_by_all(team, spec, folder),
            Ok(Some(pieces)) => self.write(pieces, spec, folder),
            Err(error) => Err(error),
        };
        match read {
            Ok(own) if all_succeed(team, true)? => self.passed_on(team, own, spec, folder),
            Ok(_) => self.read_by_all(team, spec, folder),
            // All processes read the whole table, and report the error of a single process.
            Err(_) => all_succeed(team, false)
                .map_err(CliError::from)
                .and_then(|_| self.read_by_all(team, spec, folder)),
        }
    }

    fn passed_on(
        &self,
        team: &Team,
        (own, writer): (ReadSummary, Option<RawWriter>),
        spec: &FitSpec,
        folder: &Path,
    ) -> Result<TableInFile, CliError> {
        let untold = |cause| {
            CliError::caused(ErrorKind::Numerical, "the columns cannot be sent to the other processes", cause)
        };
        let parts = team.gather_bytes(&postcard::to_stdvec(&own).map_err(untold)?)?;
        let parts = parts.iter().map(|part| postcard::from_bytes(part).map_err(untold));
        let parts = parts.collect::<Result<Vec<ReadSummary>, CliError>>()?;
        let counts: Vec<usize> = parts.iter().map(ReadSummary::rows_left).collect();
        // All processes find that parts do not fit together, and report the error of a single process.
        let Ok(joined) = ReadSummary::joined(parts) else { return self.read_by_all(team, spec, folder) };
        let (mut survey, dropped, left_out) = joined.of_table(self.input.name())?;
        let words = own.survey.map_or_else(Vec::new, |own| own.words_within(&survey));
        let read = writer.map(RawWriter::whole).transpose()?;
        let to = ShareWriter::new((team, folder), survey.width(), (self.input.name(), survey.rows()))?;
        let raw = RowsRead::new(team, read, &counts, words).passed_on(to.of_own())?;
        survey.total_by(team, |each| raw.for_each(each))?;
        survey.measure_by(team, |each| raw.for_each(each))?;
        Ok((survey, dropped, left_out, raw))
    }

    /// Reads the table in every process; twice if its row count, which determines own rows, is not known in advance.
    fn read_by_all(&self, team: &Team, spec: &FitSpec, folder: &Path) -> Result<TableInFile, CliError> {
        let begin = |width, count| ShareWriter::new((team, folder), width, (self.input.name(), count));
        let mut writer = None;
        let seen = self.see(self.pieces()?, spec, |expected, row| match (&mut writer, expected) {
            (Some(writer), _) => ShareWriter::write(writer, row),
            (none, Some(count)) => none.insert(begin(row.len(), count)?).write(row),
            _ => Ok(()),
        })?;
        let (count, width) = (seen.rows_left(), seen.width());
        let (mut survey, dropped, left_out) = seen.of_table(self.input.name())?;
        let raw = match writer.filter(|writer| writer.is_whole(count)) {
            Some(writer) => writer.rows()?,
            None => {
                let mut writer = begin(width, count)?;
                let again = self.see(self.pieces()?, spec, |_, row| writer.write(row))?;
                if !writer.is_whole(count) || again.width() != width {
                    return Err(self.changed());
                }
                writer.rows()?
            }
        };
        survey.measure_by(team, |each| raw.for_each(each))?;
        Ok((survey, dropped, left_out, raw))
    }

    fn changed(&self) -> CliError {
        CliError::new(ErrorKind::Data, format!("`{}` has changed while it was read", self.input.name()))
    }

    /// Error about a row; rereads the table.
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
        Err(self.changed())
    }
}

#[derive(Debug)]
struct EncodedFile {
    raw: RawRows,
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

    fn held(&self) -> Option<(&Team, Range<usize>)> {
        self.raw.held()
    }

    fn fetch_lanes(&self, lanes: &[Selection<'_>]) -> Result<(), DataError> {
        self.raw.fetch_lanes(lanes)
    }

    fn fetch(&self, rows: &Selection<'_>) -> Result<(), DataError> {
        self.raw.fetch(rows)
    }
}
