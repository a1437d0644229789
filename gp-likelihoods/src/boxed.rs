//! Conversions of this crate's likelihoods to `Box<dyn Likelihood>`.
//!
//! Creating a `dyn Likelihood` compiles all integrals of the type. These conversions do so once, here,
//! instead of in every crate that boxes a likelihood.

use crate::{
    BernoulliLogit, BernoulliProbit, Beta, Coregionalised, Gamma, Gaussian, Gaussians, Likelihood,
    MulticlassProbit, NegativeBinomial, Poisson, Softmax,
};

macro_rules! boxed {
    ($($likelihood:ident)*) => { $(
        impl From<$likelihood> for Box<dyn Likelihood> {
            #[inline(never)]
            fn from(likelihood: $likelihood) -> Self {
                Box::new(likelihood)
            }
        }
    )* };
}

boxed! {
    BernoulliLogit BernoulliProbit Beta Coregionalised Gamma Gaussian Gaussians MulticlassProbit NegativeBinomial Poisson
    Softmax
}
