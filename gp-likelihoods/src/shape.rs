//! Checks of numbers of latents and outputs.

use crate::error::{LikelihoodError, check_count};
use crate::likelihood::Described;

pub(crate) fn check_latents<L: Described + ?Sized>(
    likelihood: &L,
    found: usize,
) -> Result<(), LikelihoodError> {
    check_count("number of latents", found, found == likelihood.latents(), "that of the likelihood")
}

pub(crate) fn check_outputs<L: Described + ?Sized>(
    likelihood: &L,
    found: usize,
) -> Result<(), LikelihoodError> {
    check_count("number of outputs", found, found == likelihood.outputs(), "that of the likelihood")
}

pub(crate) fn check_output<L: Described + ?Sized>(
    likelihood: &L,
    output: usize,
) -> Result<(), LikelihoodError> {
    check_count("output", output, output < likelihood.outputs(), "below the number of outputs")
}
