//! Warning of jitter that affects predictions.

use crate::model::Approximation;
use gp_likelihoods::Likelihood;

/// Maximum harmless jitter, relative to noise.
const SHARE_OF_NOISE: f64 = 0.01;
/// [`SHARE_OF_NOISE`] without Gaussian noise, in model units.
const SHARE_OF_LATENT: f64 = 1e-6;

/// Large jitter: a tenth of target standard deviation.
const MUCH: f64 = 0.01;

pub(super) fn warning(posterior: &Approximation) -> Option<String> {
    let added = posterior.describe().iter().map(|latent| latent.jitter).fold(0.0, f64::max);
    message(added, posterior.likelihood())
}

fn message(added: f64, likelihood: &dyn Likelihood) -> Option<String> {
    let noise = likelihood.gaussian_noise().map(|noise| noise.variance());
    let harmless = noise.map_or(SHARE_OF_LATENT, |noise| SHARE_OF_NOISE * noise);
    let beside = noise.map_or_else(String::new, |noise| format!(", beside learned noise of {noise:.1e}"));
    let how = if added > MUCH { "blurred" } else { "a little blurred" };
    (added > harmless).then(|| {
        format!(
            "predictions are {how}: inputs that are nearly the same cannot be told apart in the arithmetic, so that noise of variance {added:.1e} was added (in units of the model{beside})"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_matters_is_told() {
        let told = |added, text: &str| message(added, gp_likelihoods::parse(text).unwrap().as_ref());
        assert_eq!(told(1e-13, "gaussian(variance=0.1)"), None);
        assert!(told(1e-13, "gaussian(variance=1e-12)").unwrap().contains("learned noise of 1.0e-12"));
        assert!(
            told(1e-5, "gaussian(variance=1e-12)").unwrap().starts_with("predictions are a little blurred")
        );
        assert!(told(1e9, "gaussian(variance=1e-12)").unwrap().starts_with("predictions are blurred"));
        assert_eq!(told(1e-8, "bernoulli_probit"), None);
        assert!(told(1e-5, "bernoulli_probit").unwrap().contains("variance 1.0e-5"));
        assert_eq!(told(0.0, "gaussian(variance=1e-300)"), None);
    }
}
