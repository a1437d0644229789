//! Rows of a table as a model sees them.

use super::{Approximation, Model};
use crate::data::Frame;
use crate::encode::{Adjuster, Role, RoleValues, Unseen};
use crate::error::CliError;
use faer::{Mat, MatRef};
use gp_kernels::posterior::LatentBeliefs;

/// The points of some rows, and what columns with a role say of their observations.
#[derive(Clone, Debug)]
pub struct ModelRows {
    /// Points, N×D, one per row.
    pub points: Mat<f64>,
    /// Levels that were not seen in training, the first of each column that has such.
    pub unseen: Vec<Unseen>,
    /// Offset of the latent function at each row; empty without such a column.
    offsets: Vec<f64>,
    /// Known variances of noise, in the units of the model; none where no column says.
    noise: Vec<f64>,
}

impl ModelRows {
    /// Points of no table, without columns with a role.
    #[must_use]
    pub fn points(points: Mat<f64>) -> Self {
        Self { points, unseen: Vec::new(), offsets: Vec::new(), noise: Vec::new() }
    }

    /// Warnings, one per line.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        self.unseen.iter().map(Unseen::to_string).collect()
    }

    /// Some of the rows.
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

    /// The points.
    #[must_use]
    pub fn x(&self) -> MatRef<'_, f64> {
        self.points.as_ref()
    }

    /// Beliefs about the latent values of these rows, with their offsets and known noise in addition to the
    /// likelihood's.
    ///
    /// # Errors
    /// Of kind [`Numerical`](crate::ErrorKind::Numerical) for points that cannot be predicted.
    pub fn beliefs(&self, by: &Approximation) -> Result<LatentBeliefs, CliError> {
        Ok(self.behind_observations(by.beliefs(self.x())?))
    }

    /// The same from what is believed of the latent functions at these points.
    #[must_use]
    pub fn behind_observations(&self, functions: LatentBeliefs) -> LatentBeliefs {
        if self.offsets.is_empty() && self.noise.is_empty() {
            return functions;
        }
        functions.moved(&self.offsets, &self.noise)
    }
}

impl Model {
    /// Conversion of role values for the likelihood.
    #[must_use]
    pub fn adjuster(&self) -> Adjuster {
        Adjuster::new(self.posterior().likelihood(), self.target().scale().scale)
    }

    /// The rows of a table.
    ///
    /// # Errors
    /// Of kind [`Data`](crate::ErrorKind::Data) for a column of an input, an offset or an exposure that is not there, and a
    /// value that is missing or cannot be, with its place.
    pub fn encode(&self, frame: &Frame) -> Result<ModelRows, CliError> {
        let encoded = self.inputs().encode(frame)?;
        self.with_roles(frame, ModelRows { unseen: encoded.unseen, ..ModelRows::points(encoded.points) })
    }

    /// The rows of a table at points that are known, with what its columns say of observations of a single target. Those of
    /// several targets are of [each](Self::by_target).
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

    /// The numbers of the target in a table as they would be without offset and of exposure 1, which is what pictures of the
    /// function show; nothing for labels.
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

    /// Description of these numbers, for people.
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

    /// The names of the columns that predictions for a table go by.
    #[must_use]
    pub fn needed<'a>(&'a self, frame: &'a Frame) -> Vec<&'a str> {
        let mut names = self.inputs().names();
        names.extend(self.about().roles.needed_for_predictions(frame));
        names
    }

    /// A sentence for each column with a role that predictions could go by and a table does not have.
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
