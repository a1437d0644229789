//! What one observation says about its latent values.
