//! Guard against panicking readers.

use super::supply::Supply;
use crate::error::CliError;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};

/// Beginnings of the readers' source folders.
const FOREIGN: [&str; 2] = ["parquet-", "arrow-"];

/// Turns panics into errors. `read` only borrows, so no state becomes inconsistent.
pub(super) fn guarded<T>(
    supply: &dyn Supply,
    format: &str,
    read: impl FnOnce() -> Result<T, CliError>,
) -> Result<T, CliError> {
    catch_unwind(AssertUnwindSafe(read))
        .unwrap_or_else(|_| Err(supply.fault(&format!(" is a damaged or truncated {format} file"))))
}

pub(crate) fn silence_foreign_panics() {
    let default = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !is_foreign(info) {
            default(info);
        }
    }));
}

fn is_foreign(info: &PanicHookInfo<'_>) -> bool {
    let file = info.location().map_or("", |location| location.file());
    file.split(['/', '\\']).any(|part| FOREIGN.iter().any(|name| part.starts_with(name)))
}
