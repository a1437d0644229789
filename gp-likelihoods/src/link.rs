//! Links between observation and latent.

/// Effect of the first latent value on the observation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Link {
    /// Equal shift: the density depends only on the difference.
    Identity,
    /// Mean proportional to the latent's exponential.
    Log,
    /// Any other link.
    Other,
}
