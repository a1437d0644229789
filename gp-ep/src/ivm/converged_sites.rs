//! Final sites: minimum of the criterion for a fixed active set, by all labels (Seeger & Jordan 2004 §5).

use super::active_set::ActiveSet;
use super::blocks::DivergenceParts;
use super::criterion::Pass;
use super::data::Labelled;
use super::model::Ivm;
use super::representation::Representation;
use super::site_step::SiteStep;
use super::slopes::SiteDerivatives;
use crate::error::InferenceError;
use gp_optim::Control;

/// Maximum steps, and halvings per step.
const STEPS: usize = 40;
const HALVINGS: i32 = 6;
/// Smallest decreases that continue the search: in nats, relative.
const SMALL: (f64, f64) = (1e-4, 1e-5);

struct Visited {
    active: ActiveSet,
    criterion: f64,
    slopes: Vec<SiteDerivatives>,
}

impl Ivm {
    /// Sites that lower the criterion; `false` if interrupted.
    pub(super) fn rest(
        &self,
        control: &Control,
        data: &Labelled,
        active: ActiveSet,
    ) -> Result<(ActiveSet, bool), InferenceError> {
        let mut here = self.place(data, active)?;
        for _ in 0..STEPS {
            if control.is_interrupted() {
                return Ok((here.active, false));
            }
            if control.is_over() {
                break;
            }
            let steps: Result<Vec<SiteStep>, _> =
                here.slopes.iter().map(|slopes| slopes.step(&here.active)).collect();
            let Some(lower) = steps.ok().and_then(|steps| self.lower(data, &here, &steps)) else { break };
            let gain = here.criterion - lower.criterion;
            here = lower;
            if gain <= SMALL.0.max(SMALL.1 * here.criterion.abs()) {
                break;
            }
        }
        Ok((here.active, true))
    }

    fn lower(&self, data: &Labelled, here: &Visited, steps: &[SiteStep]) -> Option<Visited> {
        (0..=HALVINGS).find_map(|halvings| {
            let mut active = here.active.clone();
            steps.iter().for_each(|step| step.apply(0.5f64.powi(halvings), &mut active));
            let found = self.place(data, active).ok()?;
            (found.criterion < here.criterion).then_some(found)
        })
    }

    fn place(&self, data: &Labelled, active: ActiveSet) -> Result<Visited, InferenceError> {
        let grams = self.grams(&active)?;
        let all = Representation::of(&active, &grams, self.jitter)?;
        let mut slopes = SiteDerivatives::of(&active, &all, &grams, self.threading)?;
        let blocks = DivergenceParts::new(&all, grams, self.threading)?;
        let pass = Pass { data, active: &active, all: &all, blocks: &blocks };
        let criterion = self.over_rows(&pass, &mut |chunk, _| {
            slopes.iter_mut().try_for_each(|slopes| slopes.add_chunk(chunk))
        })?;
        Ok(Visited { active, criterion, slopes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::Observations;
    use crate::ivm::{Coupling, IvmOptions};
    use faer::Mat;
    use gp_likelihoods::{BernoulliProbit, Likelihood, Softmax};

    /// A fifth of labels are wrong.
    fn labelled(model: &Ivm, classes: usize, label: impl Fn(usize) -> f64) -> Labelled {
        let x = Mat::from_fn(60, 2, |i, d| 4.0 * ((0.5 + (i * (3 + 4 * d) + d) as f64 * 0.618_034).fract()));
        let class =
            |i: usize| (1.5 * x[(i, 0)] + x[(i, 1)]).floor() as usize + usize::from(i.is_multiple_of(5));
        let y: Vec<f64> = (0..60).map(|i| label(class(i) % classes)).collect();
        Labelled::read(model, &Observations::new(x.as_ref(), &y).unwrap()).unwrap()
    }

    /// Small changes of sites do not lower the criterion.
    fn is_converged(model: &Ivm, data: &Labelled) {
        let (control, options) =
            (Control::new(), IvmOptions { active: 30, liquid: 6, ..IvmOptions::default() });
        let run = model.build_of(&control, data, &options, &mut |_| Ok(())).unwrap();
        let matched = run.posterior.active_set().clone();
        let criterion = |active: &ActiveSet| model.criterion_of(data, active, None).unwrap();
        let mut rested = matched.clone();
        // Each search ends once steps gain little; repeated ones reach the minimum.
        for _ in 0..30 {
            rested = model.rest(&control, data, rested).unwrap().0;
        }
        let least = criterion(&rested);
        assert!(least < criterion(&matched) - 0.5, "{least} {}", criterion(&matched));
        for class in 0..rested.classes.len() {
            for i in (0..30).step_by(3) {
                for by in [-1e-2f64, 1e-2] {
                    let (mut shifted, mut sharpened) = (rested.clone(), rested.clone());
                    shifted.classes[class].shift[i] += by;
                    sharpened.classes[class].precision[i] *= by.exp();
                    for moved in [shifted, sharpened] {
                        let found = criterion(&moved);
                        assert!(found > least - 1e-5, "{class} {i} {by}: {found} {least}");
                    }
                }
            }
        }
    }

    #[test]
    fn converged_sites_have_the_least_criterion() {
        let kernel = gp_kernels::parse("2.0 * rbf(lengthscale=0.7)").unwrap();
        let model = Ivm::new(vec![kernel.clone()], Box::new(BernoulliProbit)).unwrap();
        is_converged(&model, &labelled(&model, 2, |class| 2.0 * class as f64 - 1.0));
        for coupling in [Coupling::Coupled, Coupling::Independent] {
            let softmax: Box<dyn Likelihood> = Box::new(Softmax::new(3).unwrap());
            let model = Ivm::shared(kernel.as_ref(), softmax).unwrap().with_coupling(coupling).unwrap();
            is_converged(&model, &labelled(&model, 3, |class| class as f64));
        }
    }
}
