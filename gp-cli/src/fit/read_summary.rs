//! Summary of a process's rows.

use crate::data::{Frame, Kind};
use crate::encode::Survey;
use crate::error::{CliError, ErrorKind};
use crate::left_out::LeftOut;
use crate::missing::none_left;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub(super) struct ReadSummary {
    /// `None` if no row is left.
    pub(super) survey: Option<Survey>,
    /// Names and types of columns, of dropped rows too; `None` without rows.
    pub(super) columns: Option<Vec<(String, Kind)>>,
    pub(super) rows: usize,
    pub(super) dropped: LeftOut,
    /// Dropped columns, one sentence each.
    pub(super) left_out: Vec<String>,
}

impl ReadSummary {
    /// Joins parts by rank; fails for different columns or too many words.
    pub(super) fn joined(parts: Vec<Self>) -> Result<Self, CliError> {
        let (mut rows, mut dropped, mut left_out) = (0, LeftOut::default(), Vec::new());
        let mut surveys = Vec::with_capacity(parts.len());
        let mut columns = None;
        for part in parts {
            if let (Some(before), Some(own)) = (&columns, &part.columns)
                && before != own
            {
                return Err(CliError::new(ErrorKind::Data, "files of the table have different columns"));
            }
            columns = columns.or(part.columns);
            rows += part.rows;
            dropped.join(part.dropped);
            left_out = if left_out.is_empty() { part.left_out } else { left_out };
            surveys.extend(part.survey);
        }
        Ok(Self { survey: Survey::joined(surveys)?, columns, rows, dropped, left_out })
    }

    pub(super) fn rows_left(&self) -> usize {
        self.survey.as_ref().map_or(0, Survey::rows)
    }

    pub(super) fn width(&self) -> usize {
        self.survey.as_ref().map_or(0, Survey::width)
    }

    pub(super) fn of_table(self, name: &str) -> Result<(Survey, LeftOut, Vec<String>), CliError> {
        let survey = self.survey.ok_or_else(|| match self.rows {
            0 => Frame::no_rows(name),
            rows => none_left(name, rows),
        })?;
        Ok((survey, self.dropped, self.left_out))
    }
}
