//! Predictions for several latents.

use super::room::Many;
use crate::derivatives::ObservationMoments;
use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::likelihood::Likelihood;

pub(crate) fn predictive_moments<L: Likelihood + ?Sized>(
    likelihood: &L,
    q: &[Latent],
    many: &mut Many,
    out: &mut [ObservationMoments],
) -> Result<(), LikelihoodError> {
    let Many { rules, integral, f, moments, .. } = many;
    middle(q, f);
    likelihood.conditional_moments(f, out)?;
    moments.clear();
    moments.resize(out.len(), ObservationMoments::default());
    rules.integrate(q.len(), likelihood.is_smooth(), 3 * out.len(), integral, |t, weight, sums| {
        move_to(q, t, f);
        likelihood.conditional_moments(f, moments)?;
        for ((given, middle), terms) in moments.iter().zip(&*out).zip(sums.terms.chunks_exact_mut(3)) {
            // Relative to the centre's mean: no difference of large numbers.
            let away = given.mean - middle.mean;
            terms.copy_from_slice(&[away, away * away, given.variance]);
        }
        sums.add(weight, 0.0);
        Ok(())
    })?;
    for (output, slot) in out.iter_mut().enumerate() {
        let [shift, square, variance] = [0, 1, 2].map(|k| integral.sums.mean(3 * output + k));
        slot.mean += shift;
        slot.variance = variance + (square - shift * shift).max(0.0);
    }
    Ok(())
}

/// Common nodes: probabilities sum to 1.
pub(crate) fn class_probabilities<L: Likelihood + ?Sized>(
    likelihood: &L,
    q: &[Latent],
    many: &mut Many,
    out: &mut [f64],
) -> Result<(), LikelihoodError> {
    let Many { rules, integral, f, .. } = many;
    let support = likelihood.support();
    middle(q, f);
    rules.integrate(q.len(), likelihood.is_smooth(), out.len(), integral, |t, weight, sums| {
        move_to(q, t, f);
        for (class, term) in sums.terms.iter_mut().enumerate() {
            let slot = std::slice::from_mut(term);
            likelihood.log_densities(&[support.label(class)], f, slot)?;
            slot[0] = slot[0].exp();
        }
        sums.add(weight, 0.0);
        Ok(())
    })?;
    out.iter_mut().enumerate().for_each(|(class, slot)| *slot = integral.sums.mean(class));
    Ok(())
}

/// Uses the same nodes for all y.
pub(crate) fn cdf<L: Likelihood + ?Sized>(
    likelihood: &L,
    q: &[Latent],
    output: usize,
    y: f64,
    many: &mut Many,
) -> Result<f64, LikelihoodError> {
    let Many { rules, nodes, .. } = many;
    nodes.place(rules.plain(q.len(), likelihood.is_smooth())?, q);
    nodes.sum(|f| likelihood.conditional_cdf(output, y, f))
}

fn middle(q: &[Latent], f: &mut Vec<f64>) {
    f.clear();
    f.extend(q.iter().map(|q| q.mean()));
}

fn move_to(q: &[Latent], t: &[f64], f: &mut [f64]) {
    f.iter_mut().zip(q).zip(t).for_each(|((f, q), t)| *f = q.mean() + q.variance().sqrt() * t);
}
