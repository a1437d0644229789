//! Predictions of labels from class probabilities.

use gp_likelihoods::{ObservationMoments, Support};

#[derive(Clone, Copy, Debug)]
pub(super) struct Labels<'a> {
    pub(super) probabilities: &'a [f64],
    pub(super) support: Support,
}

impl Labels<'_> {
    fn each(&self) -> impl Iterator<Item = (f64, f64)> {
        let labels = (0..self.probabilities.len()).map(|class| self.support.label(class));
        labels.zip(self.probabilities.iter().copied())
    }

    pub(super) fn moments(&self) -> ObservationMoments {
        let mean: f64 = self.each().map(|(label, p)| p * label).sum();
        let variance = self.each().map(|(label, p)| p * (label - mean).powi(2)).sum();
        ObservationMoments { mean, variance }
    }

    pub(super) fn quantile(&self, probability: f64) -> f64 {
        let mut sum = 0.0;
        let found = self.each().find(|(_, p)| {
            sum += p;
            sum >= probability
        });
        found.or(self.each().last()).map_or(f64::NAN, |(label, _)| label)
    }

    pub(super) fn cdf(&self, y: f64) -> f64 {
        self.each().filter(|(label, _)| *label <= y).map(|(_, p)| p).sum()
    }

    pub(super) fn log_density(&self, y: f64) -> f64 {
        self.each().find(|(label, _)| *label == y).map_or(f64::NEG_INFINITY, |(_, p)| p.ln())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_have_moments_quantiles_and_densities() {
        let found = Labels { probabilities: &[0.25, 0.75], support: Support::Signs };
        let ObservationMoments { mean, variance } = found.moments();
        assert!((mean - 0.5).abs() < 1e-15 && (variance - 0.75).abs() < 1e-15);
        assert_eq!([found.quantile(0.2), found.quantile(0.25), found.quantile(0.3)], [-1.0, -1.0, 1.0]);
        assert_eq!(found.log_density(1.0), 0.75f64.ln());
        let several = Labels { probabilities: &[0.2, 0.5, 0.3], support: Support::Classes(3) };
        assert_eq!([several.quantile(0.1), several.quantile(0.6), several.quantile(0.99)], [0.0, 1.0, 2.0]);
        assert_eq!(several.log_density(0.0), 0.2f64.ln());
        assert_eq!([several.cdf(-0.5), several.cdf(1.0), several.cdf(7.0)], [0.0, 0.7, 1.0]);
    }
}
