//! Variational inference for latent Gaussian-process models.
