//! Files that are complete or absent, however the process ends; locks of folders.
//!
//! A file is written and locked under a temporary name in its folder, synced, then renamed. A second process gets an
//! error. Temporary files without a lock come from killed processes.
//!
//! ```
//! use gp_optim::files::{Existing, Unfinished, replace};
//! use std::io::Write;
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("a.txt");
//! replace(&path, b"old")?;
//! let mut file = Unfinished::claim(&path, Existing::Replace)?;
//! file.write_all(b"new")?;
//! assert_eq!(std::fs::read(&path)?, b"old");
//! file.finish()?;
//! assert_eq!(std::fs::read(&path)?, b"new");
//! assert!(Unfinished::claim(&path, Existing::Keep).is_err());
//! # Ok::<(), std::io::Error>(())
//! ```

mod folder_lock;
mod held;
mod journal;
mod leftovers;
mod onlooker;
mod place;
mod unfinished;

pub use folder_lock::FolderLock;
pub use journal::open_journal;
#[cfg(feature = "solvers")]
pub(crate) use leftovers::remove_leftover;
pub use leftovers::{is_temporary_of, sweep};
pub use onlooker::DiscardedWrites;
pub use place::{is_same_file, is_stream};
pub use unfinished::{Abandoned, Existing, Unfinished, abandon, replace};
