//! Checkpoints in a file that is always whole.

mod envelope;
mod error;

pub use error::CheckpointError;

use super::error::OptimError;
use super::history::Record;
use super::state::GradientState;
use crate::files;
use argmin::core::Error;
use argmin::core::checkpointing::{Checkpoint, CheckpointingFrequency};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The file in which a run keeps solver and state, and from which it goes on.
///
/// Hand it to a [`Control`](super::Control): if the file exists, the run continues from what it holds and ends with the
/// same bits as a run that was never interrupted; afterwards the file is replaced after every so many iterations. It is
/// replaced whole or not at all, whenever the process or the machine stops. It is also a checkpoint for argmin's
/// executor, which then knows nothing of what an objective may remember.
///
/// The label says what the run is about (the objective, the data, the solver); a file with another label is
/// refused, as is one that is damaged or of a newer format.
///
/// ```
/// use gp_optim::argmin::core::checkpointing::CheckpointingFrequency;
/// use gp_optim::{CheckpointFile, Control, MinimiseOptions, minimise};
/// use std::convert::Infallible;
///
/// let parabola = |x: &[f64], gradient: &mut [f64]| {
///     gradient[0] = 2.0 * x[0];
///     Ok::<f64, Infallible>(x[0] * x[0])
/// };
/// let folder = tempfile::tempdir()?;
/// let file = CheckpointFile::new(folder.path().join("run.checkpoint"), "parabola")
///     .every(CheckpointingFrequency::Every(10));
/// let control = Control::new().with_checkpoint(file);
/// let minimum = minimise(parabola, &[3.0], &MinimiseOptions { control, ..MinimiseOptions::default() })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CheckpointFile {
    path: PathBuf,
    label: String,
    frequency: CheckpointingFrequency,
    max_iterations: Option<u64>,
}

/// What a run keeps beside solver and state.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Remembered {
    /// What the objective's evaluations depend on besides the point.
    pub(super) memory: Vec<u8>,
    /// The course so far, where it is kept.
    pub(super) records: Vec<Record>,
}

/// Solver, state and what was kept beside them.
pub(super) type Stored<S, P> = (S, GradientState<P>, Remembered);

impl CheckpointFile {
    /// A checkpoint after every iteration.
    pub fn new(path: impl Into<PathBuf>, label: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            label: label.into(),
            frequency: CheckpointingFrequency::Always,
            max_iterations: None,
        }
    }

    /// Sets after how many iterations the file is replaced.
    #[must_use]
    pub fn every(mut self, frequency: CheckpointingFrequency) -> Self {
        // argmin divides by this number.
        self.frequency = match frequency {
            CheckpointingFrequency::Every(0) => CheckpointingFrequency::Never,
            other => other,
        };
        self
    }

    /// Lets a run that is resumed go on to another total number of iterations than the one it was started with,
    /// which is stored in the file.
    #[must_use]
    pub fn max_iterations(mut self, total: u64) -> Self {
        self.max_iterations = Some(total);
        self
    }

    /// A file for a run that follows: the same in everything but the name, behind which is another word.
    #[must_use]
    pub fn beside(&self, word: &str) -> Self {
        let mut name = self.path.file_name().unwrap_or_default().to_owned();
        name.push(".");
        name.push(word);
        Self { path: self.path.with_file_name(name), ..self.clone() }
    }

    /// Where the file is, or will be.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Takes the file away, and what a killed process may have left beside it. That there is none is no error.
    ///
    /// # Errors
    /// [`CheckpointError::Io`].
    pub fn remove(&self) -> Result<(), CheckpointError> {
        files::remove_leftover(&self.path);
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(CheckpointError::io("remove", &self.path, &error))
            }
            _ => Ok(()),
        }
    }

    /// The same file for one kind of run, which others refuse.
    pub(super) fn about(mut self, kind: &str) -> Self {
        if !kind.is_empty() {
            self.label = format!("{}: {kind}", self.label);
        }
        self
    }

    /// Whether the file is replaced after this iteration.
    pub(super) fn is_due(&self, iteration: u64) -> bool {
        match self.frequency {
            CheckpointingFrequency::Always => true,
            CheckpointingFrequency::Every(count) => iteration.is_multiple_of(count),
            CheckpointingFrequency::Never => false,
        }
    }

    /// Replaces the file. Solver and state are written as they are, infinities included.
    ///
    /// # Errors
    /// [`CheckpointError::Io`], after which the file is as it was, or [`CheckpointError::Encode`].
    pub fn write<S: Serialize, P: Serialize>(
        &self,
        solver: &S,
        state: &GradientState<P>,
    ) -> Result<(), CheckpointError> {
        self.write_with_memory(solver, state, &Remembered::default())
    }

    /// Replaces the file, with what the run keeps beside solver and state.
    pub(super) fn write_with_memory<S: Serialize, P: Serialize>(
        &self,
        solver: &S,
        state: &GradientState<P>,
        kept: &Remembered,
    ) -> Result<(), CheckpointError> {
        let path = self.path.clone();
        let encoded = postcard::to_stdvec(&(&self.label, kept, solver, state));
        let payload =
            encoded.map_err(|error| CheckpointError::Encode { path, message: error.to_string() })?;
        files::replace(&self.path, &envelope::seal(&payload))
            .map_err(|error| CheckpointError::io("write", &self.path, &error))
    }

    /// What the file holds; nothing if there is no file.
    ///
    /// # Errors
    /// [`CheckpointError`] for a file that cannot be read, is no checkpoint, is of a newer version, is damaged or
    /// belongs to another run.
    pub fn read<S, P>(&self) -> Result<Option<(S, GradientState<P>)>, CheckpointError>
    where
        S: DeserializeOwned,
        P: DeserializeOwned,
    {
        Ok(self.read_with_memory()?.map(|(solver, state, _)| (solver, state)))
    }

    /// What the file holds, with what the run kept beside solver and state.
    pub(super) fn read_with_memory<S, P>(&self) -> Result<Option<Stored<S, P>>, CheckpointError>
    where
        S: DeserializeOwned,
        P: DeserializeOwned,
    {
        let Some(bytes) = self.bytes()? else { return Ok(None) };
        let (kept, rest) = self.take_kept(envelope::open(&bytes, &self.path)?)?;
        let (contents, rest) = postcard::take_from_bytes(rest).map_err(|error| self.malformed(&error))?;
        if !rest.is_empty() {
            return Err(self.damaged("it goes on after its contents"));
        }
        let (solver, mut state): (S, GradientState<P>) = contents;
        if let Some(total) = self.max_iterations {
            state.max_iters = total;
        }
        Ok(Some((solver, state, kept)))
    }

    /// What the objective of the run remembered, whatever its solver was; nothing if there is no file.
    pub(super) fn memory(&self) -> Result<Option<Vec<u8>>, CheckpointError> {
        let Some(bytes) = self.bytes()? else { return Ok(None) };
        let (kept, _) = self.take_kept(envelope::open(&bytes, &self.path)?)?;
        Ok(Some(kept.memory))
    }

    fn bytes(&self) -> Result<Option<Vec<u8>>, CheckpointError> {
        match fs::read(&self.path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(CheckpointError::io("read", &self.path, &error)),
        }
    }

    fn take_kept<'a>(&self, payload: &'a [u8]) -> Result<(Remembered, &'a [u8]), CheckpointError> {
        // First the label: whatever follows it may be of another type than what is asked for.
        let (found, rest) =
            postcard::take_from_bytes::<String>(payload).map_err(|error| self.malformed(&error))?;
        if found != self.label {
            let (path, expected) = (self.path.clone(), self.label.clone());
            return Err(CheckpointError::OtherRun { path, found, expected });
        }
        postcard::take_from_bytes(rest).map_err(|error| self.malformed(&error))
    }

    fn malformed(&self, error: &postcard::Error) -> CheckpointError {
        self.damaged(&format!("its contents do not decode: {error}"))
    }

    /// The error of a memory that this run cannot take up.
    pub(super) fn unfit(&self, what: String) -> CheckpointError {
        CheckpointError::Unfit { path: self.path.clone(), what }
    }

    fn damaged(&self, what: &str) -> CheckpointError {
        CheckpointError::Damaged { path: self.path.clone(), what: what.to_owned() }
    }
}

impl<S, P> Checkpoint<S, GradientState<P>> for CheckpointFile
where
    S: Serialize + DeserializeOwned,
    P: Serialize + DeserializeOwned,
{
    fn save(&self, solver: &S, state: &GradientState<P>) -> Result<(), Error> {
        Ok(self.write(solver, state).map_err(OptimError::Checkpoint)?)
    }

    fn save_cond(&self, solver: &S, state: &GradientState<P>, iteration: u64) -> Result<(), Error> {
        if self.is_due(iteration) { self.save(solver, state) } else { Ok(()) }
    }

    fn load(&self) -> Result<Option<(S, GradientState<P>)>, Error> {
        Ok(self.read().map_err(OptimError::Checkpoint)?)
    }

    fn frequency(&self) -> CheckpointingFrequency {
        self.frequency
    }
}
