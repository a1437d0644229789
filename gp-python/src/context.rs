//! Kernels, likelihoods and methods for models from Python.

use crate::function::FunctionLikelihood;
use gp_cli::Context;

pub(crate) fn context(likelihood: Option<FunctionLikelihood>) -> Context {
    let context = Context::built_in();
    match likelihood {
        Some(likelihood) => context.with_likelihood(likelihood.entry()),
        None => context,
    }
}
