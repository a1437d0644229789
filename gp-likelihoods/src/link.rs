//! Link between observation and latent value.

/// Effect of the (first) latent value on the observation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Link {
    /// Shift by the same amount: the density depends on the difference alone.
    Identity,
    /// Mean proportional to the exponential of the latent value.
    Log,
    /// Any other.
    Other,
}
