//! A folder from which a cross-validation goes on: in it one for each part, with the state of its training or, once that is
//! over, with its model.

use super::checkpoint::{CheckpointFolder, how_to_go_on, lock, none_in};
use super::plan::Plan;
use super::run;
use super::spec::FitSpec;
use crate::error::{CliError, ErrorKind};
use crate::files;
use crate::model::{Model, Vocabulary};
use gp_optim::Interrupt;
use gp_optim::files::FolderLock;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Prefix of the folders of parts.
const PART: &str = "part-";
/// The name of a model in the folder of its part.
const MODEL: &str = "model.gp";

/// Folders of parts in a folder.
#[derive(Debug)]
pub struct FoldFolders {
    folder: PathBuf,
    every: Duration,
    _lock: FolderLock,
}

impl FoldFolders {
    /// A folder for fits that begin; `every` is the least time between two checkpoints of one.
    ///
    /// # Errors
    /// Of kind [`Io`](ErrorKind::Io) for a folder that cannot be written into, that is in use or that holds parts already.
    pub fn begin(folder: &Path, every: Duration) -> Result<Self, CliError> {
        files::make_writable_folder(folder)?;
        let folders = Self { folder: folder.to_owned(), every, _lock: lock(folder)? };
        if folders.are_begun() {
            let shown = folder.display();
            let message = format!(
                "`{shown}` holds a checkpoint already; go on from it with --resume {shown}, or choose another folder"
            );
            return Err(CliError::new(ErrorKind::Io, message));
        }
        Ok(folders)
    }

    /// The folder of fits that go on.
    ///
    /// # Errors
    /// Of kind [`Io`](ErrorKind::Io) where there is none, or another process works on it.
    pub fn resume(folder: &Path, every: Duration) -> Result<Self, CliError> {
        if !folder.is_dir() {
            return Err(none_in(folder));
        }
        let folders = Self { folder: folder.to_owned(), every, _lock: lock(folder)? };
        if folders.are_begun() { Ok(folders) } else { Err(none_in(folder)) }
    }

    fn part(&self, part: usize) -> PathBuf {
        self.folder.join(format!("{PART}{}", part + 1))
    }

    /// `true` if the folder of any part exists; parts are begun in parallel.
    fn are_begun(&self) -> bool {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        entries.into_iter().any(|entry| entry.file_name().to_string_lossy().starts_with(PART))
    }

    /// Carries out the plan of a part from where it stands, until the interrupt.
    ///
    /// # Errors
    /// As [`CheckpointFolder::resume`], [`fit`](super::fit) and [`Model::load`].
    pub fn fit(
        &self,
        part: usize,
        mut plan: Plan,
        spec: &FitSpec,
        origin: &str,
        interrupt: &Interrupt,
        names: &dyn Vocabulary,
    ) -> Result<Model, CliError> {
        let folder = self.part(part);
        let checkpoint = if CheckpointFolder::is_begun(&folder) {
            CheckpointFolder::resume(&folder, &plan, spec)?
        } else {
            CheckpointFolder::begin(&folder, &plan, spec)?
        };
        let done = folder.join(MODEL);
        if done.exists() {
            return Model::load(&done, names);
        }
        let control = plan.problem.settings.control.clone().with_interrupt(interrupt.clone());
        plan.problem.settings.control = checkpoint.keep(control, self.every);
        let model = run::fit(plan, spec, origin)?;
        files::write_whole(&folder, MODEL, &model.to_bytes()?)?;
        Ok(model)
    }

    /// An interruption says what to do next; other errors are what they are.
    #[must_use]
    pub fn how_to_go_on(&self, error: CliError) -> CliError {
        how_to_go_on(error, &self.folder)
    }

    /// Takes the folders of all parts away, and the folder if nothing else is in it.
    ///
    /// # Errors
    /// Of kind [`Io`](ErrorKind::Io).
    pub fn remove(&self, parts: usize) -> Result<(), CliError> {
        for part in (0..parts).map(|part| self.part(part)) {
            fs::remove_dir_all(&part).map_err(|cause| CliError::io("remove", &part, cause))?;
        }
        // A folder with something of somebody else's in it stays.
        let _ = fs::remove_dir(&self.folder);
        Ok(())
    }
}
