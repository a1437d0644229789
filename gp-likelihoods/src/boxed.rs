//! The likelihoods of this crate as values of any kind.
//!
//! Where a type becomes a `dyn Likelihood`, all its integrals are compiled. These conversions have that done here, once, and
//! not in each crate that makes a box.

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
