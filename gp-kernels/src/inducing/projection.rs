//! The prior through inducing inputs.
