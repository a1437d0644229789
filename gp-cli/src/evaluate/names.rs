//! Names of the baselines.

use gp_likelihoods::Likelihood;

const REGRESSIONS: &[(&str, &str)] = &[
    ("gaussian", "linear regression"),
    ("gaussians", "linear regression"),
    ("student_t", "robust linear regression (Student's t noise)"),
    ("warped_gaussian", "linear regression of the warped target"),
    ("heteroscedastic", "linear regression with a linear model of the noise"),
    ("bernoulli_probit", "probit regression"),
    ("bernoulli_logit", "logistic regression"),
    ("poisson", "Poisson regression"),
    ("poisson_softplus", "Poisson regression with a softplus link"),
    ("negative_binomial", "negative binomial regression"),
    ("gamma", "gamma regression"),
    ("beta", "beta regression"),
    ("ordinal_probit", "ordered probit regression"),
    ("softmax", "multinomial logistic regression"),
    ("multiclass_probit", "multinomial probit regression"),
    ("pairwise_probit", "multinomial probit regression"),
];

pub(super) fn regression(likelihood: &dyn Likelihood) -> String {
    let known = REGRESSIONS.iter().find(|(name, _)| *name == likelihood.name());
    known.map_or_else(
        || format!("linear model under {}", likelihood.name()),
        |(_, regression)| (*regression).to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use gp_likelihoods::Registry;

    /// Single-output likelihoods with unnamed linear models.
    const NAMELESS: [&str; 3] = ["robust_max", "coregionalised", "gprn"];

    #[test]
    fn every_built_in_likelihood_has_a_name() {
        for entry in Registry::built_in().entries() {
            let named = REGRESSIONS.iter().any(|(name, _)| *name == entry.name());
            assert_ne!(named, NAMELESS.contains(&entry.name()), "{}", entry.name());
        }
    }

    #[test]
    fn others_are_called_by_their_likelihood() {
        let of = |text: &str| regression(gp_likelihoods::parse(text).unwrap().as_ref());
        assert_eq!(of("poisson"), "Poisson regression");
        assert_eq!(of("robust_max(classes=3)"), "linear model under robust_max");
    }
}
