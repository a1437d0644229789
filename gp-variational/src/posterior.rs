//! Predictions: mixtures over components of what each of them predicts (Bonilla et al. 2019, eq. 36–39).

use crate::dense::DensePart;
use crate::error::{VariationalError, check_count};
use faer::{Mat, MatRef};
use gp_kernels::posterior::{
    InducingPosterior, LatentPosterior, LatentPrediction, MixturePosterior, at_rows,
};
use gp_kernels::{Evaluator, KernelError};
use gp_likelihoods::{Latent, Likelihood, LikelihoodError, ObservationMoments, Predictive, Workspace};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// What is left of a model for predictions: a Gaussian, or a mixture of Gaussians, at every point.
#[derive(Clone, Debug)]
pub struct VariationalPosterior {
    likelihood: Box<dyn Likelihood>,
    functions: MixturePosterior<Part>,
}

/// The posterior of one latent function in one component.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    Inducing(Box<InducingPosterior>),
    Dense(Box<DensePart>),
}

impl Part {
    fn held(&self) -> &dyn LatentPosterior {
        match self {
            Self::Inducing(part) => part.as_ref(),
            Self::Dense(part) => part.as_ref(),
        }
    }
}

impl LatentPosterior for Part {
    fn predict(&self, x: MatRef<'_, f64>, by: &Evaluator) -> Result<LatentPrediction, KernelError> {
        self.held().predict(x, by)
    }

    fn predict_joint(&self, x: MatRef<'_, f64>, by: &Evaluator) -> Result<(Vec<f64>, Mat<f64>), KernelError> {
        self.held().predict_joint(x, by)
    }

    fn sample(
        &self,
        x: MatRef<'_, f64>,
        count: usize,
        seed: u64,
        by: &Evaluator,
    ) -> Result<Mat<f64>, KernelError> {
        self.held().sample(x, count, seed, by)
    }
}

impl VariationalPosterior {
    pub(crate) fn new(likelihood: Box<dyn Likelihood>, functions: MixturePosterior<Part>) -> Self {
        Self { likelihood, functions }
    }

    /// What ties an observation to its latent values.
    #[must_use]
    pub fn likelihood(&self) -> &dyn Likelihood {
        self.likelihood.as_ref()
    }

    /// The proportions of the components.
    #[must_use]
    pub fn weights(&self) -> &[f64] {
        self.functions.weights()
    }

    /// What the components together predict of one observation.
    fn predictive(&self) -> Predictive<'_> {
        Predictive::new(self.likelihood.as_ref(), self.functions.weights())
    }

    /// The posterior over the inducing values of one latent function in one component, where there are those: what a model
    /// file holds.
    #[must_use]
    pub fn component(&self, component: usize, latent: usize) -> Option<&InducingPosterior> {
        let latents = self.functions.latent_count();
        let part = self.functions.parts().get(component * latents + latent).filter(|_| latent < latents)?;
        match part {
            Part::Inducing(part) => Some(part),
            Part::Dense(_) => None,
        }
    }

    /// Means and variances of each latent function at `x` (N×D), over all components: the variance of a mixture is the
    /// mean of variances and the variance of means.
    ///
    /// # Errors
    /// [`VariationalError::Kernel`] for points that do not suit the kernel or are not finite.
    pub fn latents(
        &self,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<Vec<LatentPrediction>, VariationalError> {
        Ok(self.functions.latents(x, by)?)
    }

    /// Mean and variance of each output at `x`: N·P of them, observation by observation.
    ///
    /// # Errors
    /// As [`latents`](Self::latents), and what the likelihood reports.
    pub fn moments(
        &self,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<Vec<ObservationMoments>, VariationalError> {
        let rows = self.at_rows(x, by, |ws, _, beliefs| {
            let mut each = vec![ObservationMoments::default(); self.likelihood.outputs()];
            self.predictive().moments(beliefs, ws, &mut each)?;
            Ok(each)
        })?;
        Ok(rows.concat())
    }

    /// The probability of each class at `x`: N×C, classes in the order of [`Support::label`].
    ///
    /// [`Support::label`]: gp_likelihoods::Support::label
    ///
    /// # Errors
    /// As [`moments`](Self::moments); a likelihood without classes has no probabilities of them.
    pub fn class_probabilities(
        &self,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<Mat<f64>, VariationalError> {
        let classes = self.likelihood.support().classes();
        if classes == 0 {
            return Err(VariationalError::Unsupported { what: "classes of a likelihood that has none" });
        }
        let rows = self.at_rows(x, by, |ws, _, beliefs| {
            let mut each = vec![0.0; classes];
            self.predictive().class_probabilities(beliefs, ws, &mut each)?;
            Ok(each)
        })?;
        Ok(Mat::from_fn(rows.len(), classes, |i, c| rows[i][c]))
    }

    /// `ln p(y)` of new observations at `x`, with `y` N×P.
    ///
    /// # Errors
    /// As [`moments`](Self::moments); [`VariationalError::Shape`] for another number of observations;
    /// [`VariationalError::Observation`] for one there cannot be.
    pub fn log_densities(
        &self,
        x: MatRef<'_, f64>,
        y: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<Vec<f64>, VariationalError> {
        check_count("observations", "rows", x.nrows(), y.nrows())?;
        self.at_rows(x, by, |ws, row, beliefs| {
            let target: Vec<f64> = y.row(row).iter().copied().collect();
            let density = self.predictive().log_density(&target, beliefs, ws);
            density.map_err(|fault| VariationalError::Observation { row, fault })
        })
    }

    /// The least number that one output (counted from 0) does not exceed with this probability, at each row of `x`: two
    /// of them are an interval.
    ///
    /// # Errors
    /// As [`moments`](Self::moments), for a probability that is not strictly between 0 and 1, and for no such output.
    pub fn quantiles(
        &self,
        x: MatRef<'_, f64>,
        output: usize,
        probability: f64,
        by: &Evaluator,
    ) -> Result<Vec<f64>, VariationalError> {
        self.at_rows(x, by, |ws, _, beliefs| {
            Ok(self.predictive().quantile(beliefs, (output, probability), ws)?)
        })
    }

    /// `count` joint samples of all latent functions at `x`, the same for the same seed: for each latent function N×`count`,
    /// a sample a column. Each is of one component, which it shares with the other latent functions.
    ///
    /// # Errors
    /// As [`latents`](Self::latents), and when a covariance cannot be factored.
    pub fn sample_latents(
        &self,
        x: MatRef<'_, f64>,
        count: usize,
        seed: u64,
        by: &Evaluator,
    ) -> Result<Vec<Mat<f64>>, VariationalError> {
        Ok(self.functions.sample(x, count, seed, by)?)
    }

    /// `count` samples of new observations at `x`, the same for the same seed: for each output N×`count`. Latent values
    /// of a sample are joint over all points.
    ///
    /// # Errors
    /// As [`sample_latents`](Self::sample_latents), and what the likelihood reports.
    pub fn sample(
        &self,
        x: MatRef<'_, f64>,
        count: usize,
        seed: u64,
        by: &Evaluator,
    ) -> Result<Vec<Mat<f64>>, VariationalError> {
        let latents = self.sample_latents(x, count, seed, by)?;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(1);
        let mut samples = vec![Mat::zeros(x.nrows(), count); self.likelihood.outputs()];
        let (mut f, mut y) = (vec![0.0; latents.len()], vec![0.0; self.likelihood.outputs()]);
        for j in 0..count {
            for i in 0..x.nrows() {
                f.iter_mut().zip(&latents).for_each(|(f, of)| *f = of[(i, j)]);
                self.likelihood.sample(&f, &mut rng, &mut y)?;
                samples.iter_mut().zip(&y).for_each(|(of, y)| of[(i, j)] = *y);
            }
        }
        Ok(samples)
    }

    /// `of` at every row of `x`, with the beliefs about its latent values, component by component.
    fn at_rows<T: Send>(
        &self,
        x: MatRef<'_, f64>,
        by: &Evaluator,
        of: impl Fn(&mut Workspace, usize, &[Latent]) -> Result<T, VariationalError> + Sync,
    ) -> Result<Vec<T>, VariationalError> {
        let components = self.functions.components(x, by)?;
        at_rows(
            &components,
            by.threading(),
            || Ok(()),
            Workspace::new,
            |ws, row, beliefs| {
                let beliefs: Result<Vec<Latent>, LikelihoodError> =
                    beliefs.map(|(mean, variance)| Latent::new(mean, variance)).collect();
                of(ws, row, &beliefs?)
            },
        )
    }
}
