//! How an observation follows its latent value.

/// What is known of an observation whose (first) latent value is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Link {
    /// It moves by as much: the density depends on the difference of the two alone.
    Identity,
    /// Its mean is proportional to the exponential function of the latent value.
    Log,
    /// Neither.
    Other,
}
