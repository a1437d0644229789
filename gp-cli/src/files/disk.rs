//! Free space on disks.

use std::path::Path;

/// Writable bytes in a folder, if known.
#[cfg(unix)]
pub(crate) fn free_space(folder: &Path) -> Option<f64> {
    let about = rustix::fs::statvfs(folder).ok()?;
    Some(about.f_bavail as f64 * about.f_frsize as f64)
}

/// Unknown on this system.
#[cfg(not(unix))]
pub(crate) fn free_space(_folder: &Path) -> Option<f64> {
    None
}
