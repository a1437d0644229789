//! What every method with inducing inputs starts from: a latent function seen through them.

mod process;

pub use process::SparseProcess;
