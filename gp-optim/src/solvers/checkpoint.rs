//! Checkpoint files.

mod envelope;

use super::error::{CheckpointError, OptimError};
use super::history::Record;
use super::state::GradientState;
use crate::files::{self, DiscardedWrites};
use crate::team::Team;
use argmin::core::Error;
use argmin::core::checkpointing::{Checkpoint, CheckpointingFrequency};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Stored solver and state of a run.
///
/// In a [`Control`](super::Control), an existing file resumes the run with the same bits; writes are atomic.
/// argmin's executor omits the objective's state.
///
/// The label identifies the run: others, damaged files and newer formats are refused.
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

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct RunMemory {
    /// State of the objective.
    pub(super) memory: Vec<u8>,
    pub(super) records: Vec<Record>,
}

pub(super) type Stored<S, P> = (S, GradientState<P>, RunMemory);

impl CheckpointFile {
    /// File written after every iteration.
    pub fn new(path: impl Into<PathBuf>, label: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            label: label.into(),
            frequency: CheckpointingFrequency::Always,
            max_iterations: None,
        }
    }

    /// Sets the iterations between writes.
    #[must_use]
    pub fn every(mut self, frequency: CheckpointingFrequency) -> Self {
        // argmin divides by this number: no 0.
        self.frequency = match frequency {
            CheckpointingFrequency::Every(0) => CheckpointingFrequency::Never,
            other => other,
        };
        self
    }

    /// Sets a resumed run's iteration limit (default: stored).
    #[must_use]
    pub fn max_iterations(mut self, total: u64) -> Self {
        self.max_iterations = Some(total);
        self
    }

    /// File of another run, with suffix `.word`.
    #[must_use]
    pub fn beside(&self, word: &str) -> Self {
        let mut name = self.path.file_name().unwrap_or_default().to_owned();
        name.push(".");
        name.push(word);
        Self { path: self.path.with_file_name(name), ..self.clone() }
    }

    /// Path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes file and leftovers.
    ///
    /// # Errors
    /// [`CheckpointError::Io`].
    pub fn remove(&self) -> Result<(), CheckpointError> {
        if DiscardedWrites::is_here() {
            return Ok(());
        }
        files::remove_leftover(&self.path);
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(CheckpointError::io("remove", &self.path, &error))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn about(mut self, kind: &str) -> Self {
        if !kind.is_empty() {
            self.label = format!("{}: {kind}", self.label);
        }
        self
    }

    pub(super) fn is_due(&self, iteration: u64) -> bool {
        match self.frequency {
            CheckpointingFrequency::Always => true,
            CheckpointingFrequency::Every(count) => iteration.is_multiple_of(count),
            CheckpointingFrequency::Never => false,
        }
    }

    /// Replaces the file.
    ///
    /// # Errors
    /// [`CheckpointError::Io`], file unchanged; [`CheckpointError::Encode`].
    pub fn write<S: Serialize, P: Serialize>(
        &self,
        solver: &S,
        state: &GradientState<P>,
    ) -> Result<(), CheckpointError> {
        self.write_with_memory(solver, state, &RunMemory::default())
    }

    pub(super) fn write_with_memory<S: Serialize, P: Serialize>(
        &self,
        solver: &S,
        state: &GradientState<P>,
        kept: &RunMemory,
    ) -> Result<(), CheckpointError> {
        let path = self.path.clone();
        let encoded = postcard::to_stdvec(&(&self.label, kept, solver, state));
        let payload =
            encoded.map_err(|error| CheckpointError::Encode { path, message: error.to_string() })?;
        files::replace(&self.path, &envelope::seal(&payload))
            .map_err(|error| CheckpointError::io("write", &self.path, &error))
    }

    /// Solver and state; `None` without a file.
    ///
    /// # Errors
    /// [`CheckpointError`].
    pub fn read<S, P>(&self) -> Result<Option<(S, GradientState<P>)>, CheckpointError>
    where
        S: DeserializeOwned,
        P: DeserializeOwned,
    {
        Ok(self.read_with_memory(&Team::default())?.map(|(solver, state, _)| (solver, state)))
    }

    pub(super) fn read_with_memory<S, P>(&self, team: &Team) -> Result<Option<Stored<S, P>>, CheckpointError>
    where
        S: DeserializeOwned,
        P: DeserializeOwned,
    {
        let Some(bytes) = self.bytes(team)? else { return Ok(None) };
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

    pub(super) fn memory(&self, team: &Team) -> Result<Option<Vec<u8>>, CheckpointError> {
        let Some(bytes) = self.bytes(team)? else { return Ok(None) };
        let (kept, _) = self.take_kept(envelope::open(&bytes, &self.path)?)?;
        Ok(Some(kept.memory))
    }

    fn bytes(&self, team: &Team) -> Result<Option<Vec<u8>>, CheckpointError> {
        team.bytes_of_first(|| match fs::read(&self.path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(CheckpointError::io("read", &self.path, &error)),
        })
    }

    fn take_kept<'a>(&self, payload: &'a [u8]) -> Result<(RunMemory, &'a [u8]), CheckpointError> {
        // The label comes first: types of the rest depend on the run.
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
