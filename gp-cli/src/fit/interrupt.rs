//! Interrupts between the stages of a fit.

use crate::error::{CliError, ErrorKind};
use gp_optim::Control;

/// Ends what was cut short by an interrupt and is done anew when training goes on: nothing may be built on it.
///
/// # Errors
/// Of kind [`Interrupted`](ErrorKind::Interrupted), where there is a checkpoint to go on from.
pub(super) fn check_interrupt(control: &Control) -> Result<(), CliError> {
    if control.is_interrupted() && control.checkpoint().is_some() {
        return Err(CliError::new(ErrorKind::Interrupted, "interrupted"));
    }
    Ok(())
}
