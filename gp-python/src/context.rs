//! Context of models from Python: the names that they may use.

use crate::function::FunctionLikelihood;
use gp_cli::Context;

/// Registries for a fit: everything built in, and the likelihood written in Python, if any.
pub(crate) fn context(likelihood: Option<FunctionLikelihood>) -> Context {
    let context = Context::built_in();
    match likelihood {
        Some(likelihood) => context.with_likelihood(likelihood.entry()),
        None => context,
    }
}
