//! The model file: JSON with a format name and a version.

use crate::error::{CliError, ErrorKind};
use crate::standardise::Standardiser;
use gp_ep::Training;
use serde::{Deserialize, Serialize};
use std::error::Error;

/// What every model file calls itself.
pub(super) const FORMAT: &str = "gp-model";
/// The version this program writes. It goes up whenever an older program would misread the file.
pub(super) const VERSION: u32 = 1;

/// Everything a model is, as it is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct ModelFile {
    pub(super) format: String,
    pub(super) version: u32,
    /// The command that made it.
    pub(super) origin: String,
    pub(super) seed: u64,
    pub(super) columns: Columns,
    pub(super) input_scales: Vec<Standardiser>,
    pub(super) target_scale: Standardiser,
    /// The kernel as an expression, in standardised units.
    pub(super) kernel: String,
    /// The noise variance, in standardised units.
    pub(super) noise_variance: f64,
    pub(super) training: TrainingRecord,
    /// The training inputs by column, in the units of the data.
    pub(super) inputs: Vec<Vec<f64>>,
    /// The training targets, in the units of the data.
    pub(super) targets: Vec<f64>,
}

/// Names of columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Columns {
    pub(super) inputs: Vec<String>,
    pub(super) target: String,
}

/// How the parameters came about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct TrainingRecord {
    pub(super) log_marginal_likelihood: f64,
    pub(super) iterations: u64,
    pub(super) converged: bool,
}

impl TrainingRecord {
    pub(super) fn of(training: &Training) -> Self {
        Self {
            log_marginal_likelihood: training.log_marginal_likelihood,
            iterations: training.iterations,
            converged: training.converged,
        }
    }
}

/// The part that every version has.
#[derive(Deserialize)]
struct Header {
    format: String,
    version: u32,
    origin: Option<String>,
}

impl ModelFile {
    pub(super) fn to_text(&self) -> Result<String, CliError> {
        let text = serde_json::to_string_pretty(self)
            .map_err(|cause| CliError::caused(ErrorKind::Model, "the model cannot be written", cause))?;
        Ok(text + "\n")
    }

    pub(super) fn from_text(text: &str, source: &str) -> Result<Self, CliError> {
        let header: Header = serde_json::from_str(text).map_err(|cause| {
            CliError::caused(ErrorKind::Model, format!("`{source}` is no model file"), cause)
        })?;
        header.check(source)?;
        let file: Self = serde_json::from_str(text).map_err(|cause| damaged(source, cause))?;
        file.check().map_err(|reason| damaged(source, reason))?;
        Ok(file)
    }

    /// What the types do not say. Numbers are finite already: JSON has no others.
    fn check(&self) -> Result<(), String> {
        let (inputs, rows) = (self.columns.inputs.len(), self.targets.len());
        if self.inputs.len() != inputs || self.input_scales.len() != inputs {
            let (columns, scales) = (self.inputs.len(), self.input_scales.len());
            return Err(format!("{inputs} input names, {columns} input columns and {scales} scales"));
        }
        if let Some(short) = self.inputs.iter().position(|column| column.len() != rows) {
            let (name, found) = (&self.columns.inputs[short], self.inputs[short].len());
            return Err(format!("{rows} targets, but {found} values of input {name}"));
        }
        match self.input_scales.iter().chain([&self.target_scale]).all(Standardiser::is_sound) {
            true => Ok(()),
            false => Err("a scale that is not positive".to_owned()),
        }
    }
}

impl Header {
    fn check(&self, source: &str) -> Result<(), CliError> {
        if self.format != FORMAT {
            let message =
                format!("`{source}` is no model file: its format is `{}`, not `{FORMAT}`", self.format);
            return Err(CliError::new(ErrorKind::Model, message));
        }
        if self.version != VERSION {
            let message = format!(
                "`{source}` has version {} of the model format; this program reads version {VERSION}",
                self.version
            );
            return Err(CliError::new(ErrorKind::Model, message));
        }
        Ok(())
    }
}

/// The command that wrote this text, if it is a model file of any version.
pub(super) fn origin(text: &str) -> Option<String> {
    let header: Header = serde_json::from_str(text).ok()?;
    if header.format == FORMAT { header.origin } else { None }
}

/// A model file whose content does not make a model.
pub(super) fn damaged(source: &str, cause: impl Into<Box<dyn Error + Send + Sync>>) -> CliError {
    CliError::caused(ErrorKind::Model, format!("`{source}` is damaged"), cause)
}
