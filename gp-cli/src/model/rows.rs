//! Table rows in a model's form.

use super::{Approximation, Model};
use crate::data::Frame;
use crate::encode::{Adjuster, Role, RoleValues, Unseen, known_share, row_marks};
use crate::error::CliError;
use faer::{Mat, MatRef};
use gp_kernels::posterior::LatentBeliefs;

/// Minimum reported share of known rows.
const MIN_KNOWN: f64 = 0.05;

/// Table rows used in training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum KnownRows {
    /// None, or too few.
    None,
    /// Approximate share.
    Share(f64),
    /// Exactly fit, update, or both.
    All,
}

/// Points with role values.
#[derive(Clone, Debug)]
pub struct ModelRows {
    /// N×D, one row per point.
    pub points: Mat<f64>,
    /// First unseen level per column.
    pub unseen: Vec<Unseen>,
    /// Latent offsets; may be empty.
    offsets: Vec<f64>,
    /// Known noise in model units; may be empty.
    noise: Vec<f64>,
}

impl ModelRows {
    /// Rows without roles.
    #[must_use]
    pub fn points(points: Mat<f64>) -> Self {
        Self { points, unseen: Vec::new(), offsets: Vec::new(), noise: Vec::new() }
    }

    /// One line per unseen level.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        self.unseen.iter().map(Unseen::to_string).collect()
    }

    /// Copy restricted to these rows.
    #[must_use]
    pub fn rows(&self, rows: &[usize]) -> Self {
        let some = |values: &[f64]| rows.iter().filter_map(|&row| values.get(row)).copied().collect();
        Self {
            points: Mat::from_fn(rows.len(), self.points.ncols(), |i, d| self.points[(rows[i], d)]),
            unseen: self.unseen.clone(),
            offsets: some(&self.offsets),
            noise: some(&self.noise),
        }
    }

    /// Points, N×D.
    #[must_use]
    pub fn x(&self) -> MatRef<'_, f64> {
        self.points.as_ref()
    }

    /// Latent offsets in model units; empty without such roles.
    #[must_use]
    pub fn offsets(&self) -> &[f64] {
        &self.offsets
    }

    /// Latent beliefs with offsets, and known noise for the likelihood.
    ///
    /// # Errors
    /// [`Numerical`](crate::ErrorKind::Numerical) for unpredictable points.
    pub fn beliefs(&self, by: &Approximation) -> Result<LatentBeliefs, CliError> {
        Ok(self.behind_observations(by.beliefs(self.x())?))
    }

    /// Adds offsets and known noise.
    #[must_use]
    pub fn behind_observations(&self, functions: LatentBeliefs) -> LatentBeliefs {
        if self.offsets.is_empty() && self.noise.is_empty() {
            return functions;
        }
        functions.moved(&self.offsets, &self.noise)
    }
}

impl Model {
    /// Converts role values for the likelihood.
    #[must_use]
    pub fn adjuster(&self) -> Adjuster {
        Adjuster::new(self.posterior().likelihood(), self.target().scale().scale)
    }

    /// Encodes table rows.
    ///
    /// # Errors
    /// [`Data`](crate::ErrorKind::Data), with place, for missing columns or unsuitable values.
    pub fn encode(&self, frame: &Frame) -> Result<ModelRows, CliError> {
        let encoded = self.inputs().encode(frame)?;
        self.with_roles(frame, ModelRows { unseen: encoded.unseen, ..ModelRows::points(encoded.points) })
    }

    /// Table rows used in training or updates.
    #[must_use]
    pub fn known_rows(&self, frame: &Frame) -> KnownRows {
        if self.was_trained_on(frame) {
            return KnownRows::All;
        }
        let training = &self.about().training;
        let Some(sketch) = training.sketch_of_rows() else { return KnownRows::None };
        let names = self.inputs().names();
        let share = known_share((&sketch, training.rows), frame, &names, &self.targets());
        share.filter(|share| *share >= MIN_KNOWN).map_or(KnownRows::None, KnownRows::Share)
    }

    /// [`KnownRows::All`], in any order.
    fn was_trained_on(&self, frame: &Frame) -> bool {
        let training = &self.about().training;
        let count = frame.row_count();
        let all = training.check_sum.iter().filter(|_| training.rows == count);
        let parts = training.parts.iter().filter(|part| part.rows == count).map(|part| &part.check_sum);
        let mut known = all.chain(parts).peekable();
        known.peek().is_some() && {
            let marks = row_marks(frame, &self.inputs().names(), &self.targets());
            marks.is_some_and(|marks| known.any(|known| marks.check_sum == *known))
        }
    }

    /// Adds role values of a single target; otherwise use [`by_target`](Self::by_target).
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn with_roles(&self, frame: &Frame, mut seen: ModelRows) -> Result<ModelRows, CliError> {
        let roles = &self.about().roles;
        if roles.adjust() && !self.has_several_targets() {
            let (values, adjuster) = (RoleValues::of_predictions(roles, frame)?, self.adjuster());
            seen.offsets = values.rows().iter().map(|row| adjuster.offset(row)).collect();
            seen.noise = values.rows().iter().map(|row| adjuster.noise(row)).collect();
        }
        Ok(seen)
    }

    /// Targets without offset, at exposure 1; `None` for labels.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn bare_targets(&self, frame: &Frame) -> Result<Option<Vec<f64>>, CliError> {
        let target = frame.column(&self.target().name).filter(|_| self.target().labels().is_none());
        let Some(numbers) = target.and_then(|column| column.numbers()) else { return Ok(None) };
        let (values, adjuster) = (RoleValues::of_predictions(&self.about().roles, frame)?, self.adjuster());
        let bare = numbers.iter().zip(values.rows()).map(|(&y, row)| adjuster.bare(y, row));
        Ok(Some(bare.collect()))
    }

    /// Name of [`bare_targets`](Self::bare_targets).
    #[must_use]
    pub fn bare_name(&self) -> String {
        let (name, roles) = (&self.target().name, &self.about().roles);
        let (offset, exposure) = (roles.column(Role::Offset), roles.column(Role::Exposure));
        match (offset, exposure, self.adjuster().moves_target()) {
            (Some(offset), _, true) => format!("{name} − {offset}"),
            (None, Some(exposure), false) => format!("{name} / {exposure}"),
            (Some(_), _, false) => format!("{name} without its offset"),
            _ => name.clone(),
        }
    }

    /// Columns for predicting a table.
    #[must_use]
    pub fn needed<'a>(&'a self, frame: &'a Frame) -> Vec<&'a str> {
        let mut names = self.inputs().names();
        names.extend(self.about().roles.needed_for_predictions(frame));
        names
    }

    /// Sentence about missing optional role columns.
    #[must_use]
    pub fn left_out_of(&self, frame: &Frame) -> Option<String> {
        let names = self.about().roles.noise_left_out(frame);
        let (columns, parts) = if names.len() > 1 { ("columns", "parts") } else { ("column", "part") };
        (!names.is_empty()).then(|| {
            format!(
                "the table has no {columns} {}, the known {parts} of the noise variance: predictions have the noise that was learned alone",
                names.join(", ")
            )
        })
    }
}
