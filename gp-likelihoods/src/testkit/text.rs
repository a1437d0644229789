//! Round trips of text.

use gp_optim::Prior;

use super::Report;
use crate::likelihood::Likelihood;
use crate::registry::Registry;

pub(super) fn check(likelihood: &dyn Likelihood, registry: &Registry, report: &mut Report) {
    round_trip(likelihood, registry, report);
    let mut marked = likelihood.clone_box();
    for parameter in marked.parameters_mut() {
        let mut free = vec![0.0; parameter.free_len()];
        report.value("writing unconstrained parameters", parameter.write_free_unconstrained(&mut free));
        // Values that need all digits.
        free.iter_mut().for_each(|eta| *eta += 0.1);
        report.value("setting unconstrained parameters", parameter.set_free_unconstrained(&free));
        report.value("fixing", parameter.fix(0, true));
        let (least, most) = parameter
            .values()
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |ends, &x| (ends.0.min(x), ends.1.max(x)));
        let prior = Prior::Uniform { lo: least - 0.5, hi: most + 0.7 };
        report.value("setting a prior", parameter.set_prior(Some(prior)));
    }
    round_trip(&*marked, registry, report);
}

fn round_trip(likelihood: &dyn Likelihood, registry: &Registry, report: &mut Report) {
    let text = likelihood.expression();
    let Some(back) = report.value("reading the expression back", registry.parse(&text)) else { return };
    report.require(back.expression() == text, || format!("`{text}` reads back as `{}`", back.expression()));
    let bits = |likelihood: &dyn Likelihood| -> Vec<u64> {
        likelihood.parameters().iter().flat_map(|p| p.values()).map(|value| value.to_bits()).collect()
    };
    let same = back.parameters() == likelihood.parameters() && bits(&*back) == bits(likelihood);
    report.require(same, || format!("the parameters of `{text}` read back otherwise"));
    let shape = |l: &dyn Likelihood| (l.settings(), l.latents(), l.outputs(), l.support());
    report.require(shape(&*back) == shape(likelihood), || {
        format!("the shape of `{text}` reads back otherwise")
    });
}
