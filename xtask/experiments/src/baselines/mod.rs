//! What Gaussian processes are compared with.
