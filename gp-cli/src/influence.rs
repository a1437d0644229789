//! Influence of inputs.

use crate::encode::Inputs;
use crate::error::CliError;
use crate::model::{Approximation, Influence, InputInfluence};
use crate::parts::term_names;
use faer::MatRef;
use gp_ep::{Posterior as _, ShareOptions, VarianceShares};

/// Maximum multiplications for shares, and again for ranges; about 1 s.
const MAX_WORK: f64 = 2e10;
/// Minimum points per input; with fewer, nothing is computed.
const MIN_POINTS: usize = 384;

/// Minimum reported share of interactions and correlations; about twice the accuracy of sums.
const MIN_SHARED: f64 = 0.1;
/// Largest share reported as negative; others are estimation noise.
const NEGATIVE: f64 = -0.005;
/// Minimum reported difference, in standard deviations over permutations.
const DEVIATIONS: f64 = 3.0;

/// Influences of inputs over `points`; empty if too expensive. `rows`: training rows, used without inducing inputs.
pub(crate) fn of_points(
    posterior: &Approximation,
    inputs: &Inputs,
    points: MatRef<'_, f64>,
    (rows, seed): (usize, u64),
) -> Result<Vec<Influence>, CliError> {
    let Some(how) = effort(posterior, inputs, rows, seed) else { return Ok(Vec::new()) };
    let found = posterior.variance_shares(points, &inputs.places(), &how)?;
    Ok(found.iter().map(|shares| named(shares, posterior, inputs)).collect())
}

fn effort(posterior: &Approximation, inputs: &Inputs, rows: usize, seed: u64) -> Option<ShareOptions> {
    let mut how = ShareOptions::default();
    how.seed = seed;
    let seen = posterior.describe().iter().filter_map(|latent| Some(latent.represented_by?.nrows())).max();
    let (seen, dim) = (seen.unwrap_or(rows) as f64, inputs.dim() as f64);
    let components = posterior.functions().weights().len();
    let functions = posterior.functions().latent_count() as f64;
    let groups = inputs.features().len() as f64;

    let a_point = (groups + 1.0) * functions * components as f64 * 2.0 * seen * (dim + 10.0);
    how.points = how.points.min((MAX_WORK / a_point) as usize);
    let n = how.points_of_draws as f64;
    let a_draw = n * n * (n / 3.0 + 2.0 * seen) + n * seen * (seen + dim + 10.0);
    if groups * functions * components.min(how.draws) as f64 * a_draw > MAX_WORK {
        how.draws = 0;
    }
    (how.points >= MIN_POINTS).then_some(how)
}

pub(crate) fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    format!("{:.1} %", if percent.abs() < 0.05 { 0.0 } else { percent })
}

pub(crate) fn together(influence: &Influence) -> Vec<String> {
    if influence.inputs.len() < 2 {
        return Vec::new();
    }
    let Some(of) = &influence.recombined else { return interact(pairwise(influence)).into_iter().collect() };
    let lost = 1.0 - of.variance;
    let mut said: Vec<String> = interact(of.interactions).into_iter().collect();
    if lost.abs() < MIN_SHARED.max(DEVIATIONS * of.deviation) {
        return said;
    }
    let percent = 100.0 * lost;
    match (of.correlated, lost > 0.0) {
        (true, true) => said.push(format!(
            "about {percent:.0} % of the variance belongs to no single input: inputs are correlated and act in the same direction"
        )),
        (true, false) => said.push(format!(
            "inputs are correlated and offset each other: without that, the variance would be {:.1} times as large",
            of.variance
        )),
        (false, true) => said.push(format!(
            "about {percent:.0} % is lost if inputs are combined in new ways: the function varies most at the rows \
             themselves"
        )),
        (false, false) => {}
    }
    said
}

fn interact(share: f64) -> Option<String> {
    (share >= MIN_SHARED).then(|| {
        format!(
            "about {:.0} % of the variance belongs to no input alone: inputs interact, the effect of one depends on others",
            100.0 * share
        )
    })
}

/// Share of interactions between two inputs, which both totals contain; for older models.
fn pairwise(influence: &Influence) -> f64 {
    let beyond = |of: &InputInfluence| of.total.value - of.alone.value;
    0.5 * influence.inputs.iter().map(beyond).sum::<f64>()
}

pub(crate) fn offset_terms(influence: &Influence) -> Option<&'static str> {
    let is_negative = |(_, share): &(String, f64)| *share <= NEGATIVE;
    influence.terms.iter().any(is_negative).then_some("a term with a negative share is offset by the others")
}

fn named(shares: &VarianceShares, posterior: &Approximation, inputs: &Inputs) -> Influence {
    let named = |(name, share): (&str, &gp_ep::InputShare)| InputInfluence {
        input: name.to_owned(),
        alone: share.alone,
        total: share.total,
    };
    let mut of_inputs: Vec<InputInfluence> =
        inputs.names().into_iter().zip(&shares.inputs).map(named).collect();
    // The sort is stable: ties keep their order.
    of_inputs.sort_by(|a, b| b.total.value.total_cmp(&a.total.value));
    let kernel = posterior.describe()[shares.latents.start].kernel;
    let names = term_names(kernel, &inputs.column_names());
    Influence {
        latents: shares.latents.clone(),
        target: None,
        inputs: of_inputs,
        terms: names.into_iter().zip(shares.terms.iter().copied()).collect(),
        recombined: shares.recombined,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gp_ep::{Recombined, Spanned};

    fn remarks(shares: &[(f64, f64)], recombined: Option<Recombined>) -> String {
        let spanned = |value| Spanned { value, low: value, high: value };
        let input = |&(alone, total): &(f64, f64)| InputInfluence {
            input: "x".to_owned(),
            alone: spanned(alone),
            total: spanned(total),
        };
        let inputs = shares.iter().map(input).collect();
        together(&Influence { latents: 0..1, target: None, inputs, terms: Vec::new(), recombined }).join("; ")
    }

    #[test]
    fn what_is_left_is_said() {
        let said = |variance: f64, deviation: f64, interactions: f64, correlated: bool| {
            let recombined = Recombined { variance, deviation, interactions, correlated };
            remarks(&[(0.5, 0.5), (0.3, 0.3)], Some(recombined))
        };
        assert_eq!(said(0.95, 0.01, 0.02, true), "");
        assert_eq!(said(0.6, 0.2, 0.02, true), "", "variances of permutations differ as much");
        assert!(
            said(0.26, 0.01, 0.0, true)
                .starts_with("about 74 % of the variance belongs to no single input: inputs are")
        );
        assert!(said(0.26, 0.01, 0.0, false).starts_with("about 74 % is lost if inputs are combined"));
        assert!(
            said(1.0, 0.01, 0.4, false)
                .starts_with("about 40 % of the variance belongs to no input alone: inputs interact")
        );
        assert!(said(1.7, 0.1, 0.0, true).ends_with("the variance would be 1.7 times as large"));
        assert_eq!(said(1.7, 0.1, 0.0, false), "");
        assert_eq!(said(0.3, 0.01, 0.4, true).split("; ").count(), 2);
    }

    #[test]
    fn of_earlier_models_only_interactions_are_said() {
        assert_eq!(remarks(&[(0.6, 0.6), (0.38, 0.4)], None), "");
        assert_eq!(remarks(&[(1.0, 1.0)], None), "");
        assert_eq!(remarks(&[(0.05, 0.06), (0.2, 0.2)], None), "");
        assert!(
            remarks(&[(0.3, 0.7), (0.3, 0.7)], None)
                .starts_with("about 40 % of the variance belongs to no input alone")
        );
    }

    #[test]
    fn nothing_is_below_zero() {
        assert_eq!([-1e-7, -0.0, 0.0649, -0.065].map(percent), ["0.0 %", "0.0 %", "6.5 %", "-6.5 %"]);
    }
}
