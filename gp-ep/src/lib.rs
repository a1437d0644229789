//! Power-EP inference for Gaussian processes: exact regression and the pseudo-point family.
