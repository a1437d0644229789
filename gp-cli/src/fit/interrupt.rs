//! Interrupts between the stages of a fit.

use crate::error::{CliError, ErrorKind};
use gp_optim::Control;

/// Stops a fit after an interrupt, so that nothing depends on unfinished work, which resuming repeats.
///
/// # Errors
/// [`Interrupted`](ErrorKind::Interrupted) if there is a checkpoint to resume.
pub(super) fn check_interrupt(control: &Control) -> Result<(), CliError> {
    if control.is_interrupted() && control.checkpoint().is_some() {
        return Err(CliError::new(ErrorKind::Interrupted, "interrupted"));
    }
    Ok(())
}
