//! The gp command.
