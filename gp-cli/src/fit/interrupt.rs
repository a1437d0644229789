//! Interrupts between stages of a fit.

use crate::error::{CliError, ErrorKind};
use gp_optim::Control;

/// Ends interrupted resumable fits: resuming repeats unfinished work.
pub(super) fn check_interrupt(control: &Control) -> Result<(), CliError> {
    if control.is_interrupted() && control.checkpoint().is_some() {
        return Err(CliError::new(ErrorKind::Interrupted, "interrupted"));
    }
    Ok(())
}
