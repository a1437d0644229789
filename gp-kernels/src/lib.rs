//! Covariance functions, their algebra and expression language, inducing inputs and the posterior over inducing values.
