//! Limits in which the answer is known.
