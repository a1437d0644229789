//! Target: scaled number, count, or label.

use crate::data::{Column, FILL_OR_DROP, Frame, Kind, ReadOptions, TARGET};
use crate::error::{CliError, ErrorKind};
use crate::shown::shown;
use crate::standardise::Standardiser;
use gp_likelihoods::Support;
use gp_optim::format_number;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Column, with conversion to observations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Target {
    /// Name in the table.
    pub name: String,
    /// Column type.
    pub kind: Kind,
    /// Conversion to observations.
    pub values: TargetValues,
    /// Display names of labels, in order; empty for texts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
}

/// Number or labels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TargetValues {
    /// Scaled number or count.
    Number(Standardiser),
    /// In the order of class probabilities.
    Classes(Vec<String>),
}

impl Target {
    /// Displayed names, else texts; None for numbers.
    #[must_use]
    pub fn labels(&self) -> Option<&[String]> {
        match &self.values {
            TargetValues::Classes(_) if !self.names.is_empty() => Some(&self.names),
            TargetValues::Classes(labels) => Some(labels),
            TargetValues::Number(_) => None,
        }
    }

    /// Displayed labels, with texts after names: `yes (1)`.
    #[must_use]
    pub fn labels_with_texts(&self) -> Option<Vec<String>> {
        let TargetValues::Classes(texts) = &self.values else { return None };
        let shown = |(text, name): (&String, &String)| {
            if text == name { text.clone() } else { format!("{name} ({text})") }
        };
        Some(texts.iter().zip(self.labels()?).map(shown).collect())
    }

    /// Class per row, by label text or name.
    pub fn classes<'c>(&self, column: &'c Column) -> impl Iterator<Item = Option<usize>> + 'c {
        let texts = match &self.values {
            TargetValues::Classes(texts) => texts.as_slice(),
            TargetValues::Number(_) => &[],
        };
        // Label texts take precedence over names.
        let pairs = |all: &[String]| {
            all.iter().cloned().enumerate().map(|(class, text)| (text, class)).collect::<Vec<_>>()
        };
        let known: HashMap<String, usize> = pairs(&self.names).into_iter().chain(pairs(texts)).collect();
        (0..column.values().len()).map(move |row| {
            let text = column.text(row);
            // Earlier model files store dates as days.
            let days = || column.numbers().map(|days| format_number(days[row]));
            known.get(text.as_str()).or_else(|| known.get(days()?.as_str())).copied()
        })
    }

    /// Identity for labels.
    #[must_use]
    pub fn scale(&self) -> Standardiser {
        match self.values {
            TargetValues::Number(scale) => scale,
            TargetValues::Classes(_) => Standardiser::identity(),
        }
    }

    /// Adds the column, with training type unless it may hold label names.
    pub fn extend(&self, options: &mut ReadOptions) {
        options.columns.get_or_insert_default().insert(self.name.clone());
        if self.names.is_empty() {
            options.kinds.insert(self.name.clone(), self.kind);
        }
        if self.kind == Kind::Number && self.names.is_empty() {
            options.uses.insert(self.name.clone(), TARGET);
        }
    }

    /// Observations for this support.
    ///
    /// # Errors
    /// [`Data`](ErrorKind::Data), with the place, for a missing column or value, an unknown label, or a number outside
    /// the support.
    pub fn encode(&self, frame: &Frame, support: Support) -> Result<Vec<f64>, CliError> {
        let columns = frame.require(&[&self.name])?;
        frame.refuse_missing(&columns, FILL_OR_DROP)?;
        let Some(&column) = columns.first() else { return Ok(Vec::new()) };
        match &self.values {
            TargetValues::Classes(_) => self.encode_labels(frame, column, support),
            TargetValues::Number(scale) => {
                let numbers = column.numbers().ok_or_else(|| {
                    let what = format!("words, but {} has to be a number", self.name);
                    CliError::new(
                        ErrorKind::Data,
                        format!("`{}`, column {}: {what}", frame.source(), self.name),
                    )
                })?;
                let observe = |(row, &number): (usize, &f64)| {
                    let observation = scale.apply(number);
                    checked(observation, support, |what| frame.fault(row, &self.name, what))
                };
                numbers.iter().enumerate().map(observe).collect()
            }
        }
    }

    /// [`encode`](Self::encode), but NaN if missing.
    fn encode_with_gaps(&self, frame: &Frame, support: Support) -> Result<Vec<f64>, CliError> {
        let nothing = vec![f64::NAN; frame.row_count()];
        let Some(column) = frame.column(&self.name) else { return Ok(nothing) };
        let there = frame.complete_rows(&[column]);
        if there.len() == frame.row_count() {
            return self.encode(frame, support);
        }
        let mut all = nothing;
        if !there.is_empty() {
            let found = self.encode(&frame.rows(&there)?, support)?;
            there.iter().zip(found).for_each(|(&row, value)| all[row] = value);
        }
        Ok(all)
    }

    fn encode_labels(&self, frame: &Frame, column: &Column, support: Support) -> Result<Vec<f64>, CliError> {
        let class = |(row, class): (usize, Option<usize>)| {
            class.map(|class| support.label(class)).ok_or_else(|| {
                let (text, known) = (column.text(row), self.labels_with_texts().unwrap_or_default());
                let known: Vec<String> = known.iter().map(|label| shown(label)).collect();
                let what =
                    format!("`{}` is not among the training labels: {}", shown(&text), known.join(", "));
                frame.fault(row, &self.name, &what)
            })
        };
        self.classes(column).enumerate().map(class).collect()
    }
}

/// Observations row by row, one output per target. Missing values are NaN if there are several targets.
///
/// # Errors
/// As [`Target::encode`].
pub fn encode_targets(targets: &[&Target], frame: &Frame, support: Support) -> Result<Vec<f64>, CliError> {
    if let [target] = targets {
        return target.encode(frame, support);
    }
    let columns: Vec<Vec<f64>> =
        targets.iter().map(|target| target.encode_with_gaps(frame, support)).collect::<Result<_, _>>()?;
    Ok((0..frame.row_count()).flat_map(|row| columns.iter().map(move |column| column[row])).collect())
}

pub(crate) fn checked(
    observation: f64,
    support: Support,
    fault: impl FnOnce(&str) -> CliError,
) -> Result<f64, CliError> {
    let checked = support.check(observation).map(|()| observation);
    checked.map_err(|cause| fault(&format!("{cause}; the likelihood cannot take it")))
}
