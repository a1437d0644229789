//! Checkpoints in a file that is always whole.

mod envelope;
mod error;
mod replace;

pub use error::CheckpointError;

use super::error::OptimError;
use super::interrupt::Interrupt;
use super::state::GradientState;
use argmin::core::Error;
use argmin::core::checkpointing::{Checkpoint, CheckpointingFrequency};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The file in which a run keeps solver and state, and from which it goes on.
///
/// Attach it to a run: if the file exists, the run continues from what it holds and ends with the same bits as a
/// run that was never interrupted; afterwards the file is replaced after every so many iterations. It is replaced
/// whole or not at all, whenever the process or the machine stops.
///
/// The label says what the run is about (the objective, the data, the solver); a file with another label is
/// refused, as is one that is damaged or of a newer format.
///
/// ```
/// use gp_optim::argmin::core::checkpointing::CheckpointingFrequency;
/// use gp_optim::{CheckpointFile, MinimiseOptions, minimise_with};
/// use std::convert::Infallible;
///
/// let parabola = |x: &[f64], gradient: &mut [f64]| {
///     gradient[0] = 2.0 * x[0];
///     Ok::<f64, Infallible>(x[0] * x[0])
/// };
/// let folder = tempfile::tempdir()?;
/// let file = CheckpointFile::new(folder.path().join("run.checkpoint"), "parabola")
///     .every(CheckpointingFrequency::Every(10));
/// let minimum =
///     minimise_with(parabola, &[3.0], &MinimiseOptions::default(), |run| run.checkpointing(file))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct CheckpointFile {
    path: PathBuf,
    label: String,
    frequency: CheckpointingFrequency,
    max_iterations: Option<u64>,
    interrupt: Interrupt,
}

impl CheckpointFile {
    /// A checkpoint after every iteration.
    pub fn new(path: impl Into<PathBuf>, label: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            label: label.into(),
            frequency: CheckpointingFrequency::Always,
            max_iterations: None,
            interrupt: Interrupt::new(),
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

    /// Ends the run when an end is requested: after the iteration it is in, whatever the frequency, the file is
    /// replaced, and the run returns [`OptimError::Interrupted`].
    #[must_use]
    pub fn interrupted_by(mut self, interrupt: Interrupt) -> Self {
        self.interrupt = interrupt;
        self
    }

    /// Where the file is, or will be.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
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
        let path = self.path.clone();
        let encoded = postcard::to_stdvec(&(&self.label, solver, state));
        let payload =
            encoded.map_err(|error| CheckpointError::Encode { path, message: error.to_string() })?;
        replace::replace(&self.path, &envelope::seal(&payload))
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
        let bytes = match fs::read(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(CheckpointError::io("read", &self.path, &error)),
        };
        let payload = envelope::open(&bytes, &self.path)?;
        let (solver, mut state): (S, GradientState<P>) = self.decode(payload)?;
        if let Some(total) = self.max_iterations {
            state.max_iters = total;
        }
        Ok(Some((solver, state)))
    }

    fn decode<T: DeserializeOwned>(&self, payload: &[u8]) -> Result<T, CheckpointError> {
        let malformed =
            |error: postcard::Error| self.damaged(&format!("its contents do not decode: {error}"));
        // First the label: whatever follows it may be of another type than what is asked for.
        let (found, rest) = postcard::take_from_bytes::<String>(payload).map_err(malformed)?;
        if found != self.label {
            let (path, expected) = (self.path.clone(), self.label.clone());
            return Err(CheckpointError::OtherRun { path, found, expected });
        }
        let (contents, rest) = postcard::take_from_bytes(rest).map_err(malformed)?;
        if rest.is_empty() { Ok(contents) } else { Err(self.damaged("it goes on after its contents")) }
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
        let due = match self.frequency {
            CheckpointingFrequency::Always => true,
            CheckpointingFrequency::Every(count) => iteration.is_multiple_of(count),
            CheckpointingFrequency::Never => false,
        };
        let interrupted = self.interrupt.is_requested();
        if due || interrupted {
            self.save(solver, state)?;
        }
        if interrupted {
            return Err(OptimError::Interrupted { iteration, path: self.path.clone() }.into());
        }
        Ok(())
    }

    fn load(&self) -> Result<Option<(S, GradientState<P>)>, Error> {
        Ok(self.read().map_err(OptimError::Checkpoint)?)
    }

    fn frequency(&self) -> CheckpointingFrequency {
        self.frequency
    }
}
