//! Resumable cross-validation: checkpoint or model per fold.

use super::checkpoint::{CheckpointFolder, going_on, holds_training, how_to_go_on, lock, none_in};
use super::plan::Plan;
use super::run;
use super::spec::FitSpec;
use crate::error::{CliError, ErrorKind};
use crate::files;
use crate::interrupt::TrainingState;
use crate::model::{Model, Vocabulary};
use gp_optim::Interrupt;
use gp_optim::files::FolderLock;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

const PART: &str = "part-";
const MODEL: &str = "model.gp";

/// Resumable cross-validation fits.
#[derive(Debug)]
pub struct FoldFolders {
    folder: PathBuf,
    every: Duration,
    _lock: FolderLock,
}

impl FoldFolders {
    /// New fits, with checkpoints at least `every` apart.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io) if unwritable, in use, or holding folds.
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

    /// Fits to resume.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io) if without folds or in use.
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

    fn are_begun(&self) -> bool {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        entries.into_iter().any(|entry| entry.file_name().to_string_lossy().starts_with(PART))
    }

    /// Runs, resumes or loads fold `part`, from 0.
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
            CheckpointFolder::resume(&folder, &plan, spec, names.budget())?
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

    /// Training state for the signal handler.
    #[must_use]
    pub(crate) fn state(&self) -> TrainingState {
        let (folder, words) = (self.folder.clone(), going_on(&self.folder));
        let is_saved = move || {
            let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
            entries.into_iter().any(|entry| holds_training(&entry.path()))
        };
        TrainingState { is_saved: Box::new(is_saved), going_on: words.clone(), from_the_start: words }
    }

    /// Adds resume advice to interruptions.
    #[must_use]
    pub fn how_to_go_on(&self, error: CliError) -> CliError {
        how_to_go_on(error, &self.folder)
    }

    /// Removes fold folders, and the folder if empty.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io).
    pub fn remove(&self, parts: usize) -> Result<(), CliError> {
        for part in (0..parts).map(|part| self.part(part)) {
            fs::remove_dir_all(&part).map_err(|cause| CliError::io("remove", &part, cause))?;
        }
        // The folder stays if it holds other files.
        let _ = fs::remove_dir(&self.folder);
        Ok(())
    }
}
