//! Checkpoint folder: training state and run identity.

use super::memo;
use super::plan::Plan;
use super::spec::FitSpec;
use crate::error::{CliError, ErrorKind};
use crate::files::{self, Unread, read_within};
use crate::fingerprint::Fingerprint;
use crate::interrupt::TrainingState;
use crate::memory::Budget;
use crate::method::{SECOND_STAGE, target_stage};
use crate::model::{MODEL, UNITS, says_nothing_of_lengths};
use gp_ep::DataSource as _;
use gp_optim::files::{DiscardedWrites, FolderLock};
use gp_optim::{CheckpointFile, Control, OptimError};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

const RECORD: &str = "fit.json";
const TRAINING: &str = "training.checkpoint";
const FORMAT: u32 = 1;
/// Memory per file byte.
const COPIES: f64 = 4.0;
const COPIES_OF_JSON: f64 = 32.0;
/// Settings that may differ on resuming.
const FREE: [&str; 1] = ["time-limit"];

/// Training state of one run.
#[derive(Clone, Debug)]
pub struct CheckpointFolder {
    folder: PathBuf,
    record: RunIdentity,
    _lock: Arc<FolderLock>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct RunIdentity {
    format: u32,
    method: String,
    config: Map<String, Value>,
    target: String,
    #[serde(default)]
    targets: usize,
    features: Vec<String>,
    rows: usize,
    /// Checksums: encoded table, initial inducing inputs.
    data: String,
    inducing: String,
}

impl CheckpointFolder {
    /// Folder for a new run.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io) if unwritable, in use, or holding a checkpoint.
    pub fn begin(folder: &Path, plan: &Plan, spec: &FitSpec) -> Result<Self, CliError> {
        let lock = Arc::new(lock(folder)?);
        let folder = folder.to_owned();
        if !DiscardedWrites::is_here() && [RECORD, TRAINING].iter().any(|name| folder.join(name).exists()) {
            let shown = folder.display();
            let message = format!(
                "`{shown}` holds a checkpoint already; go on from it with --resume {shown}, or choose another folder"
            );
            return Err(CliError::new(ErrorKind::Io, message));
        }
        let record = RunIdentity::new(plan, spec)?;
        let text = serde_json::to_vec_pretty(&record)
            .map_err(|cause| CliError::caused(ErrorKind::Io, "cannot write JSON", cause))?;
        files::write_whole(&folder, RECORD, &text)?;
        Ok(Self { folder, record, _lock: lock })
    }

    /// Possible checkpoint files, existing or not.
    pub fn files(folder: &Path) -> Vec<PathBuf> {
        let names = [RECORD, TRAINING].into_iter().chain(memo::ALL).map(|name| folder.join(name));
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let is_stage = |name: &str| [TRAINING].iter().chain(&memo::ALL).any(|known| name.starts_with(known));
        let stages = entries.filter(|entry| is_stage(&entry.file_name().to_string_lossy()));
        names.chain(stages.map(|entry| entry.path())).collect()
    }

    pub(super) fn is_begun(folder: &Path) -> bool {
        folder.join(RECORD).exists()
    }

    /// Folder of a run to resume.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io) without checkpoint; [`Model`](ErrorKind::Model) if damaged, newer or beyond
    /// `budget`; [`Usage`](ErrorKind::Usage) for other data or settings.
    pub fn resume(folder: &Path, plan: &Plan, spec: &FitSpec, budget: Budget) -> Result<Self, CliError> {
        let path = folder.join(RECORD);
        // A missing folder is not created.
        let lock = folder.is_dir().then(|| lock(folder)).transpose()?.map(Arc::new);
        let bytes = plan.problem.settings.control.team().bytes_of_first(|| {
            check_sizes(folder, budget)?;
            match read_within(&path, (budget, COPIES_OF_JSON), &named(&path)) {
                Ok(bytes) => Ok(Some(bytes)),
                Err(Unread::Refused(missing)) if missing.kind() == std::io::ErrorKind::NotFound => {
                    Err(none_in(folder))
                }
                Err(Unread::Refused(cause)) => Err(CliError::io("read", &path, cause)),
                Err(Unread::TooLarge(over)) => Err(over.of_kind(ErrorKind::Model)),
            }
        });
        let bytes = bytes?.unwrap_or_default();
        let damaged = |cause| {
            CliError::caused(ErrorKind::Model, format!("checkpoint `{}` is damaged", path.display()), cause)
        };
        let version: Version = serde_json::from_slice(&bytes).map_err(damaged)?;
        if version.format > FORMAT {
            let (path, found) = (path.display(), version.format);
            let message =
                format!("checkpoint `{path}` has format {found}, but this program reads format {FORMAT}");
            return Err(CliError::new(ErrorKind::Model, message));
        }
        let mut begun: RunIdentity = serde_json::from_slice(&bytes).map_err(damaged)?;
        if says_nothing_of_lengths(&begun.config) {
            // Without length-scales, units have no effect.
            begun.config.extend(spec.config().remove_entry(UNITS));
        }
        begun.config.entry(UNITS).or_insert_with(|| MODEL.into());
        let record = RunIdentity::new(plan, spec)?;
        match (begun.difference(&record), lock) {
            (None, Some(lock)) => Ok(Self { folder: folder.to_owned(), record, _lock: lock }),
            (None, None) => Err(none_in(folder)),
            (Some(difference), _) => {
                let message =
                    format!("the checkpoint in `{}` is of another fit: {difference}", folder.display());
                Err(CliError::new(ErrorKind::Usage, message))
            }
        }
    }

    /// Path of the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// Adds checkpoints at least `spacing` apart.
    #[must_use]
    pub fn keep(&self, control: Control, spacing: Duration) -> Control {
        control.with_checkpoint(self.file()).with_spacing(spacing)
    }

    fn file(&self) -> CheckpointFile {
        CheckpointFile::new(self.folder.join(TRAINING), format!("gp fit of data {}", self.record.data))
    }

    #[must_use]
    pub(crate) fn state(&self) -> TrainingState {
        let (folder, shown) = (self.folder.clone(), self.folder.display());
        let from_the_start = format!(
            "interrupted before the first checkpoint was written; the same command with --resume {shown} in place of --checkpoint begins training again"
        );
        let going_on = going_on(&self.folder);
        TrainingState { is_saved: Box::new(move || holds_training(&folder)), going_on, from_the_start }
    }

    /// Adds resume advice to interruptions.
    #[must_use]
    pub fn how_to_go_on(&self, error: CliError) -> CliError {
        how_to_go_on(error, &self.folder)
    }

    /// Removes the checkpoint, and its folder if empty.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io).
    pub fn remove(&self) -> Result<(), CliError> {
        if DiscardedWrites::is_here() {
            return Ok(());
        }
        self.file().remove().map_err(OptimError::from)?;
        // A two-stage fit has a second file.
        self.file().beside(SECOND_STAGE).remove().map_err(OptimError::from)?;
        let targets = 0..self.record.targets;
        let of_targets = targets.flat_map(|target| memo::ALL.map(|name| memo::of_target(name, target)));
        let memos = memo::ALL.into_iter().map(str::to_owned).chain(of_targets);
        for path in memos.map(|name| self.folder.join(name)).filter(|path| path.exists()) {
            fs::remove_file(&path).map_err(|cause| CliError::io("remove", &path, cause))?;
        }
        // Targets fitted separately have further files.
        for target in 0..self.record.targets {
            let file = self.file().beside(&target_stage(target));
            file.remove().map_err(OptimError::from)?;
            file.beside(SECOND_STAGE).remove().map_err(OptimError::from)?;
        }
        let record = self.folder.join(RECORD);
        fs::remove_file(&record).map_err(|cause| CliError::io("remove", &record, cause))?;
        // The folder stays if it holds other files.
        let _ = fs::remove_dir(&self.folder);
        Ok(())
    }
}

pub(super) fn lock(folder: &Path) -> Result<FolderLock, CliError> {
    FolderLock::take(folder).map_err(|cause| CliError::io("work in the folder", folder, cause))
}

fn named(path: &Path) -> String {
    format!("checkpoint `{}`", path.display())
}

fn check_sizes(folder: &Path, budget: Budget) -> Result<(), CliError> {
    for path in CheckpointFolder::files(folder) {
        let Ok(about) = fs::metadata(&path) else { continue };
        if !about.is_file() {
            return Err(CliError::new(ErrorKind::Model, format!("{} is no file", named(&path))));
        }
        let is_json = !path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(TRAINING));
        let bytes = about.len() as f64 * if is_json { COPIES_OF_JSON } else { COPIES };
        budget.check(bytes, &named(&path), "").map_err(|over| over.of_kind(ErrorKind::Model))?;
    }
    Ok(())
}

pub(super) fn none_in(folder: &Path) -> CliError {
    let message = format!("`{}` holds no checkpoint; begin one with --checkpoint", folder.display());
    CliError::new(ErrorKind::Io, message)
}

pub(super) fn how_to_go_on(error: CliError, folder: &Path) -> CliError {
    if error.kind() != ErrorKind::Interrupted {
        return error;
    }
    CliError::new(ErrorKind::Interrupted, going_on(folder))
}

pub(super) fn going_on(folder: &Path) -> String {
    format!(
        "interrupted; the same command with --resume {} in place of --checkpoint goes on",
        folder.display()
    )
}

pub(super) fn holds_training(folder: &Path) -> bool {
    let mut entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.any(|entry| is_training(&entry.file_name().to_string_lossy()))
}

fn is_training(name: &str) -> bool {
    name.strip_prefix(TRAINING).is_some_and(|stage| stage.is_empty() || stage.starts_with('.'))
}

#[derive(Deserialize)]
struct Version {
    format: u32,
}

/// Checksum of encoded data.
///
/// # Errors
/// [`Numerical`](ErrorKind::Numerical) for unreadable rows.
pub fn check_sum(plan: &Plan) -> Result<String, CliError> {
    let mut data = Fingerprint::default();
    data.rows(&plan.problem.rows)?;
    Ok(data.text())
}

impl RunIdentity {
    fn new(plan: &Plan, spec: &FitSpec) -> Result<Self, CliError> {
        let mut inducing = Fingerprint::default();
        plan.problem.inducing.iter().for_each(|inputs| inducing.numbers(&inputs.values()));
        let mut config = spec.config();
        FREE.iter().for_each(|name| drop(config.remove(*name)));
        Ok(Self {
            format: FORMAT,
            method: plan.method.name().to_owned(),
            config,
            target: spec.target.join(","),
            targets: if spec.target.len() > 1 { spec.target.len() } else { 0 },
            features: plan.inputs.names().into_iter().map(str::to_owned).collect(),
            rows: plan.problem.rows.count(),
            data: check_sum(plan)?,
            inducing: inducing.text(),
        })
    }

    fn difference(&self, now: &Self) -> Option<String> {
        let differ = |what: &str, then: &str, now: &str| Some(format!("{what} was {then}, and is {now}"));
        let keys = self.config.keys().chain(now.config.keys());
        for key in keys {
            let (then, now) = (self.config.get(key), now.config.get(key));
            if then != now {
                let text = |value: Option<&Value>| {
                    value.map_or("not given".to_owned(), |value| as_written(key, value))
                };
                return differ(&format!("--{key}"), &text(then), &text(now));
            }
        }
        if self.features != now.features {
            return differ("the list of features", &self.features.join(", "), &now.features.join(", "));
        }
        if self.rows != now.rows {
            return differ("the number of rows", &self.rows.to_string(), &now.rows.to_string());
        }
        if self.method != now.method {
            return differ("the method", &self.method, &now.method);
        }
        if self.data != now.data {
            return Some("the table has other values now".to_owned());
        }
        (self.inducing != now.inducing).then(|| "inducing points start elsewhere now".to_owned())
    }
}

fn as_written(key: &str, value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => {
            let each: Vec<String> = values.iter().map(|value| as_written(key, value)).collect();
            each.join(&format!(" --{key} "))
        }
        other => other.to_string(),
    }
}
