//! Links between observation and latent value.

/// Effect of the (first) latent value on the observation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Link {
    /// Shift by the same amount: the density depends only on the difference.
    Identity,
    /// Mean proportional to the exponential of the latent value.
    Log,
    /// Any other link.
    Other,
}
