//! Links between observation and latent.

/// Effect of the first latent on the observation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Link {
    /// Density depends on the difference only.
    Identity,
    /// Mean proportional to `exp(f)`.
    Log,
    /// Any other link.
    Other,
}
