//! Conversions to `Box<dyn Likelihood>`, compiled once.

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
