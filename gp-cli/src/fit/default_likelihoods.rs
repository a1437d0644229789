//! Default likelihoods, named only here.

use super::task::Task;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClassIntegrals {
    /// Log densities at many nodes or samples.
    Densities,
    /// Factors to powers below 1 (α or weights).
    Powers,
    Factors,
}

/// Default likelihood, with the cheapest integrals for classes; lacks number of classes and mean count.
pub(super) const fn default_likelihood(task: Task, integrals: ClassIntegrals) -> &'static str {
    match (task, integrals) {
        (Task::Regression, _) => "gaussian(variance=0.1)",
        (Task::Binary, _) => "bernoulli_probit",
        (Task::Multiclass, ClassIntegrals::Densities) => "softmax",
        (Task::Multiclass, ClassIntegrals::Powers) => "pairwise_probit",
        (Task::Multiclass, ClassIntegrals::Factors) => "multiclass_probit",
        (Task::Ordinal, _) => "ordinal_probit",
        (Task::Count, _) => "poisson",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gp_likelihoods::{Registry, Support};

    #[test]
    fn usual_likelihoods_observe_their_tasks() {
        let parsed = |task, by| Registry::built_in().parse(default_likelihood(task, by)).unwrap();
        for by in [ClassIntegrals::Densities, ClassIntegrals::Powers, ClassIntegrals::Factors] {
            assert_eq!(parsed(Task::Regression, by).support(), Support::Real);
            assert_eq!(parsed(Task::Binary, by).support(), Support::Signs);
            assert_eq!(parsed(Task::Count, by).support(), Support::Counts);
            let (classes, ordered) = (parsed(Task::Multiclass, by), parsed(Task::Ordinal, by));
            assert_eq!(classes.support().classes(), classes.latents());
            assert!(ordered.support().classes() > 2 && ordered.latents() == 1);
        }
    }
}
