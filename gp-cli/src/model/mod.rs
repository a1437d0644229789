//! Trained models: posterior, data encoding, model file.

mod active;
mod approximation;
mod built_in;
mod components;
mod functions;
mod held;
mod length_units;
mod of_target;
mod posteriors;
mod record;
mod rows;
mod separate;
mod tempered;
mod tensors;
mod tried;
mod vocabulary;

pub use components::approximation;
pub use functions::{Approximation, Functions, Storable};
pub use held::Held;
pub(crate) use length_units::{MODEL, UNITS, are_of_model, says_nothing_of_lengths, with_units};
pub(crate) use of_target::of_output;
pub use of_target::together;
pub use posteriors::{PosteriorEntry, Posteriors, Stored};
pub use record::{
    About, BareMoments, FurtherTarget, Influence, InputInfluence, TargetSummary, TrainedRows, TrainingRecord,
};
pub(crate) use record::{NOTHING_LEARNED, method_with_power};
pub use rows::{KnownRows, ModelRows};
pub(crate) use tempered::without_temperature;
pub use tried::{TriedKernel, TriedKernels, TriedStart, TriedStarts};
pub use vocabulary::Vocabulary;

use crate::data::{Frame, ReadOptions};
use crate::encode::{Inputs, Target, encode_targets};
use crate::error::{CliError, ErrorKind};
use crate::files::{Unread, read_within};
use approximation::StoredApproximation;
use record::{FORMAT, Record, VERSION};
use serde::Deserialize;
use serde_json::Value;
use std::error::Error;
use std::path::Path;

/// Trained model of one or more targets.
#[derive(Clone, Debug)]
pub struct Model {
    about: About,
    posterior: Approximation,
    baseline: Option<Approximation>,
}

/// Reading memory per file size: bytes, numbers, matrices.
const COPIES: f64 = 4.0;
/// Bytes of length prefix, some of them zero, unlike in text.
const TEXT: usize = 8;

/// Fields common to all versions.
#[derive(Deserialize)]
struct Header {
    format: String,
    version: u32,
    writer: Option<String>,
    origin: Option<String>,
}

impl Model {
    /// Model from parts; `baseline` is linear.
    #[must_use]
    pub fn new(about: About, posterior: Approximation, baseline: Option<Approximation>) -> Self {
        Self { about, posterior, baseline }
    }

    /// Reads a model file.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io) if unreadable, otherwise as [`from_bytes`](Self::from_bytes).
    pub fn load(path: &Path, names: &dyn Vocabulary) -> Result<Self, CliError> {
        let what = format!("model `{}`", path.display());
        let bytes = read_within(path, (names.budget(), COPIES), &what).map_err(|unread| match unread {
            Unread::Refused(cause) => CliError::io("read", path, cause),
            Unread::TooLarge(over) => over.of_kind(ErrorKind::Model),
        })?;
        Self::from_bytes(&bytes, &path.display().to_string(), names)
    }

    /// Decodes a file, named `source` in errors; predictions keep their bits.
    ///
    /// # Errors
    /// [`Model`](ErrorKind::Model), with cause: other or damaged bytes, newer version, unknown names.
    pub fn from_bytes(bytes: &[u8], source: &str, names: &dyn Vocabulary) -> Result<Self, CliError> {
        let no_model = |cause: String| {
            if is_text(bytes) {
                let what = "is no model file but text, such as a table; gp fit writes model files";
                return CliError::new(ErrorKind::Model, format!("`{source}` {what}"));
            }
            CliError::caused(
                ErrorKind::Model,
                format!("`{source}` is no model file, or a truncated one"),
                cause,
            )
        };
        let text = tensors::record_text(bytes).map_err(no_model)?;
        let header: Header = serde_json::from_str(&text).map_err(|cause| no_model(cause.to_string()))?;
        header.check(source)?;
        let value = tensors::from_bytes(bytes).map_err(|cause| damaged(source, cause))?;
        vocabulary::check(&value, source, names)?;
        let record: Record = serde_json::from_value(value).map_err(|cause| damaged(source, cause))?;
        let model = Self::restore(record, names).map_err(|cause| damaged(source, cause))?;
        model.check().map_err(|cause| damaged(source, cause))?;
        Ok(model)
    }

    fn restore(record: Record, names: &dyn Vocabulary) -> Result<Self, CliError> {
        let Record { mut about, posterior, baseline, .. } = record;
        about.training.leave_out_old_shares();
        about.leave_out_idle_shares();
        let baseline = baseline.map(|baseline| baseline.restore(names)).transpose()?;
        Ok(Self { about, posterior: posterior.restore(names)?, baseline })
    }

    fn check(&self) -> Result<(), String> {
        let (classes, outputs) =
            (self.posterior.likelihood().support().classes(), self.posterior.likelihood().outputs());
        if outputs != self.targets().len() {
            return Err(format!("{} targets for {outputs} outputs", self.targets().len()));
        }
        if self.targets().iter().any(|target| !target.scale().is_sound()) {
            return Err("a scale that is not positive".to_owned());
        }
        let names = self.about.target.names.len();
        match self.about.target.labels() {
            Some(_) if names > 0 && names != classes => Err(format!("{names} names of {classes} labels")),
            Some(labels) if labels.len() != classes => {
                Err(format!("{} labels for {classes} classes", labels.len()))
            }
            _ => self.inputs().check(),
        }
    }

    /// Model file; deterministic.
    ///
    /// # Errors
    /// [`Model`](ErrorKind::Model) if serialisation fails.
    pub fn to_bytes(&self) -> Result<Vec<u8>, CliError> {
        tensors::to_bytes(self.to_value()?).map_err(cannot_write)
    }

    /// JSON form.
    ///
    /// # Errors
    /// As [`to_bytes`](Self::to_bytes).
    pub fn to_value(&self) -> Result<Value, CliError> {
        let record = Record {
            format: FORMAT.to_owned(),
            version: self.version(),
            writer: format!("gp {}", env!("CARGO_PKG_VERSION")),
            about: self.about.clone(),
            posterior: StoredApproximation::of(&self.posterior)?,
            baseline: self.baseline.as_ref().map(StoredApproximation::of).transpose()?,
        };
        serde_json::to_value(record).map_err(cannot_write)
    }

    fn version(&self) -> u32 {
        let about = &self.about;
        let is_tempered = self.posterior.temperature() != 1.0;
        // Version 3 supports roles with one target only, and no label names.
        let is_newest =
            !about.target.names.is_empty() || (self.has_several_targets() && !about.roles.is_empty());
        let is_new = self.inputs().keep_missing() || !about.roles.is_empty() || self.has_several_targets();
        let least = match (is_tempered, is_newest, is_new) {
            (true, ..) => 5,
            (false, true, _) => 4,
            (false, false, true) => 3,
            (false, false, false) => 1,
        };
        least.max(self.posterior.functions().stored().format_version())
    }

    /// Command that wrote a model file of any version, otherwise `None`.
    #[must_use]
    pub fn origin_of(bytes: &[u8]) -> Option<String> {
        let header: Header = serde_json::from_str(&tensors::record_text(bytes).ok()?).ok()?;
        if header.format == FORMAT { header.origin } else { None }
    }

    /// Data, origin and training.
    #[must_use]
    pub fn about(&self) -> &About {
        &self.about
    }

    /// Encoding of table columns as points.
    #[must_use]
    pub fn inputs(&self) -> &Inputs {
        &self.about.inputs
    }

    /// First target, with units.
    #[must_use]
    pub fn target(&self) -> &Target {
        &self.about.target
    }

    /// Learned posterior, in model units.
    #[must_use]
    pub fn posterior(&self) -> &Approximation {
        &self.posterior
    }

    /// Linear model, if fitted.
    #[must_use]
    pub fn baseline(&self) -> Option<&Approximation> {
        self.baseline.as_ref()
    }

    /// Options for tables to predict.
    #[must_use]
    pub fn read_options(&self) -> ReadOptions {
        let mut options = ReadOptions::default();
        self.about.inputs.extend(&mut options);
        self.targets().iter().for_each(|target| target.extend(&mut options));
        self.about.roles.extend_for_predictions(&mut options);
        options
    }

    /// Row-major observations for the likelihood; `None` without target, NaN for missing ones of several.
    /// Offsets remain: [beliefs](ModelRows::beliefs) include them.
    ///
    /// # Errors
    /// As [`Target::encode`].
    pub fn observations(&self, frame: &Frame) -> Result<Option<Vec<f64>>, CliError> {
        let targets = self.targets();
        if targets.iter().all(|target| frame.column(&target.name).is_none()) {
            return Ok(None);
        }
        encode_targets(&targets, frame, self.posterior.likelihood().support()).map(Some)
    }

    /// Observations as in training, row-major.
    ///
    /// # Errors
    /// As [`observations`](crate::encode::observations()).
    pub fn training_observations(&self, frame: &Frame) -> Result<Vec<f64>, CliError> {
        crate::encode::observations(frame, &self.targets(), &self.about.roles, self.posterior.likelihood())
    }
}

impl Header {
    fn check(&self, source: &str) -> Result<(), CliError> {
        let message = if self.format != FORMAT {
            format!("`{source}` is no model file: its format is `{}`, not `{FORMAT}`", self.format)
        } else if self.version > VERSION {
            let writer = self.writer.as_deref().unwrap_or("a newer program");
            format!(
                "`{source}` has version {} of the model format, written by {writer}; gp {} reads versions up to {VERSION}",
                self.version,
                env!("CARGO_PKG_VERSION")
            )
        } else {
            return Ok(());
        };
        Err(CliError::new(ErrorKind::Model, message))
    }
}

fn cannot_write(cause: impl Into<Box<dyn Error + Send + Sync>>) -> CliError {
    CliError::caused(ErrorKind::Model, "the model cannot be written", cause)
}

fn is_text(bytes: &[u8]) -> bool {
    let is_letter = |byte: &u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
    !bytes.is_empty() && bytes.iter().take(TEXT).all(is_letter)
}

fn damaged(source: &str, cause: impl Into<Box<dyn Error + Send + Sync>>) -> CliError {
    CliError::caused(ErrorKind::Model, format!("`{source}` is damaged"), cause)
}
