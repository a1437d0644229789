//! predictions
