//! Protection against readers that panic on damaged files.

use super::supply::Supply;
use crate::error::CliError;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};

/// Path prefixes of these readers' sources in any registry.
const FOREIGN: [&str; 2] = ["parquet-", "arrow-"];

/// Runs `read`; a panic becomes an error for a damaged file. `read` only borrows, so no state becomes
/// inconsistent.
pub(super) fn guarded<T>(
    supply: &dyn Supply,
    format: &str,
    read: impl FnOnce() -> Result<T, CliError>,
) -> Result<T, CliError> {
    catch_unwind(AssertUnwindSafe(read))
        .unwrap_or_else(|_| Err(supply.fault(&format!(" is a damaged or truncated {format} file"))))
}

/// Silences panic messages of these readers in this process only.
pub(crate) fn silence_foreign_panics() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !is_foreign(info) {
            usual(info);
        }
    }));
}

fn is_foreign(info: &PanicHookInfo<'_>) -> bool {
    let file = info.location().map_or("", |location| location.file());
    file.split(['/', '\\']).any(|part| FOREIGN.iter().any(|name| part.starts_with(name)))
}
