//! mixtures
