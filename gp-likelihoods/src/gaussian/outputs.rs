//! [`Density`](crate::Density) methods for Gaussian noise.

/// Methods by `mean(p, f)`, `variance(p)` of output p.
macro_rules! gaussian_given_latents {
    () => {
        fn moments_given(&self, f: &[f64], out: &mut [$crate::ObservationMoments]) {
            for (p, slot) in out.iter_mut().enumerate() {
                *slot = $crate::ObservationMoments { mean: self.mean(p, f), variance: self.variance(p) };
            }
        }

        fn cdf_given(&self, output: usize, y: f64, f: &[f64]) -> f64 {
            $crate::special::standard_normal_cdf((y - self.mean(output, f)) / self.variance(output).sqrt())
        }

        fn sample_given(&self, f: &[f64], rng: &mut dyn ::rand::Rng, out: &mut [f64]) -> Option<()> {
            for (p, slot) in out.iter_mut().enumerate() {
                let standard: f64 = ::rand_distr::Distribution::sample(&::rand_distr::StandardNormal, rng);
                *slot = self.mean(p, f) + self.variance(p).sqrt() * standard;
            }
            out.iter().all(|y| y.is_finite()).then_some(())
        }
    };
}

/// Predictions by `moments_of(p, q)` of output p.
macro_rules! gaussian_predictions {
    () => {
        fn quantile_closed_form(&self, q: &[$crate::Latent], output: usize, probability: f64) -> Option<f64> {
            let z = $crate::special::standard_normal_quantile(probability).ok()?;
            let of = self.moments_of(output, q);
            Some(of.mean + z * of.variance.sqrt())
        }

        fn cdf_closed_form(&self, q: &[$crate::Latent], output: usize, y: f64) -> Option<f64> {
            let of = self.moments_of(output, q);
            Some($crate::special::standard_normal_cdf((y - of.mean) / of.variance.sqrt()))
        }

        fn predictive_closed_form(
            &self,
            q: &[$crate::Latent],
            _ws: &mut $crate::Workspace,
            out: &mut [$crate::ObservationMoments],
        ) -> bool {
            out.iter_mut().enumerate().for_each(|(p, slot)| *slot = self.moments_of(p, q));
            true
        }
    };
}

pub(crate) use {gaussian_given_latents, gaussian_predictions};
