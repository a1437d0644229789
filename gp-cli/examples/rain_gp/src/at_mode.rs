//! Custom posterior: a Gaussian at a mode, joint over latents.

use faer::prelude::ReborrowMut as _;
use faer::{Accum, Mat, MatRef};
use gp_cli::model::{Functions, PosteriorEntry, Storable, Stored};
use gp_cli::{CliError, ErrorKind};
use gp_ep::{InferenceError, Posterior};
use gp_kernels::inducing::{InducingInputs, InducingPrior, SharedPoints, SparseProcess};
use gp_kernels::posterior::{LatentBeliefs, LatentFunction, LatentPrediction, sample_joint};
use gp_kernels::{Evaluator, KernelExt as _};
use gp_linalg::product::matmul;
use gp_linalg::{Cholesky, JitterPolicy};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::ops::Range;

/// Name in model files.
const NAME: &str = "at_mode";
const ROUNDING: f64 = 1e-12;

/// `N(v, H⁻¹)` over all whitened inducing values.
#[derive(Clone, Debug)]
pub struct AtMode {
    priors: Vec<InducingPrior>,
    v: Mat<f64>,
    factor: Cholesky,
}

#[derive(Debug, Serialize, Deserialize)]
struct StoredMode {
    latents: Vec<StoredLatent>,
    v: Vec<f64>,
    factor: Cholesky,
}

#[derive(Debug, Serialize, Deserialize)]
struct StoredLatent {
    kernel: String,
    inputs: InducingInputs,
}

impl AtMode {
    /// Registry entry of the reader.
    #[must_use]
    pub fn entry() -> PosteriorEntry {
        PosteriorEntry::new(NAME, read)
    }

    pub(crate) fn new(latents: &[SparseProcess], v: Mat<f64>, factor: Cholesky) -> Result<Self, CliError> {
        let (policy, by) = (JitterPolicy::default(), Evaluator::default());
        let priors = latents.iter().map(|process| InducingPrior::new(process, &policy, &by));
        Ok(Self { priors: priors.collect::<Result<_, _>>()?, v, factor })
    }

    /// φ of one latent (zeros for others), `L_H⁻¹φ`, residual variances s.
    fn project(
        &self,
        latent: usize,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<Projected, InferenceError> {
        let start = self.priors[..latent].iter().map(InducingPrior::count).sum();
        let projection = self.priors[latent].project(&SharedPoints::new(x), 0, by)?;
        let mut phi = Mat::zeros(self.v.nrows(), x.nrows());
        phi.as_mut().subrows_mut(start, projection.phi().nrows()).copy_from(projection.phi());
        let mut half = phi.clone();
        self.factor.half_solve_in_place(half.as_mut(), by.threading())?;
        let mean = (0..x.nrows()).map(|i| phi.col(i).transpose() * self.v.col(0)).collect();
        Ok(Projected { phi, half, mean, left: projection.residual().to_vec() })
    }

    /// Joint mean and covariance of some latents, latent by latent.
    fn together(
        &self,
        latents: Range<usize>,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<(Vec<f64>, Mat<f64>), InferenceError> {
        let (n, first) = (x.nrows(), latents.start);
        let (mut mean, mut covariance) = (Vec::new(), Mat::zeros(latents.len() * n, latents.len() * n));
        let mut half = Mat::zeros(self.v.nrows(), latents.len() * n);
        for latent in latents {
            let (found, start) = (self.project(latent, x, by)?, (latent - first) * n);
            half.as_mut().subcols_mut(start, n).copy_from(&found.half);
            let mut own = covariance.as_mut().submatrix_mut(start, start, n, n);
            by.gram(self.priors[latent].kernel(), x, own.rb_mut())?;
            let phi = found.phi.as_ref();
            matmul(own, Accum::Add, phi.transpose(), phi, -1.0, by.threading())?;
            mean.extend(found.mean);
        }
        matmul(covariance.as_mut(), Accum::Add, half.transpose(), half.as_ref(), 1.0, by.threading())?;
        Ok((mean, covariance))
    }
}

struct Projected {
    phi: Mat<f64>,
    half: Mat<f64>,
    mean: Vec<f64>,
    left: Vec<f64>,
}

impl Posterior for AtMode {
    fn latent_count(&self) -> usize {
        self.priors.len()
    }

    fn describe(&self, latent: usize) -> LatentFunction<'_> {
        let prior = &self.priors[latent];
        LatentFunction {
            kernel: prior.kernel(),
            represented_by: Some(prior.inputs().z().as_dyn_stride()),
            windows: prior.inputs().windows().map(|windows| windows.as_dyn_stride()),
            points_name: "inducing points",
            jitter: prior.jitter().added,
        }
    }

    fn beliefs(&self, x: MatRef<'_, f64>, by: &Evaluator) -> Result<LatentBeliefs, InferenceError> {
        let each = (0..self.latent_count()).map(|latent| {
            let Projected { half, mean, left, .. } = self.project(latent, x, by)?;
            let variance = left.iter().enumerate().map(|(i, left)| left + half.col(i).squared_norm_l2());
            Ok(LatentPrediction { mean, variance: variance.collect() })
        });
        Ok(LatentBeliefs::independent(each.collect::<Result<_, InferenceError>>()?))
    }

    fn joint(
        &self,
        latent: usize,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<(Vec<f64>, Mat<f64>), InferenceError> {
        self.together(latent..latent + 1, x, by)
    }

    fn sample(
        &self,
        x: MatRef<'_, f64>,
        count: usize,
        seed: u64,
        by: &Evaluator,
    ) -> Result<Vec<Mat<f64>>, InferenceError> {
        let (mean, covariance) = self.together(0..self.latent_count(), x, by)?;
        let largest = (0..mean.len()).fold(0.0_f64, |largest, i| largest.max(covariance[(i, i)]));
        let all = sample_joint(&mean, covariance, ROUNDING * largest, (count, seed), by.threading())?;
        let own = |latent: usize| all.as_ref().subrows(latent * x.nrows(), x.nrows()).to_owned();
        Ok((0..self.latent_count()).map(own).collect())
    }
}

impl Storable for AtMode {
    fn name(&self) -> &'static str {
        NAME
    }

    fn to_stored(&self) -> Result<Value, CliError> {
        let latent = |prior: &InducingPrior| StoredLatent {
            kernel: prior.kernel().expression(),
            inputs: prior.inputs().clone(),
        };
        let latents = self.priors.iter().map(latent).collect();
        let v = (0..self.v.nrows()).map(|m| self.v[(m, 0)]).collect();
        serde_json::to_value(StoredMode { latents, v, factor: self.factor.clone() })
            .map_err(|cause| CliError::caused(ErrorKind::Model, "the mode cannot be written", cause))
    }

    fn clone_box(&self) -> Box<dyn Storable> {
        Box::new(self.clone())
    }
}

fn read(stored: Stored<'_>) -> Result<Functions, CliError> {
    let kernels = stored.kernels;
    let StoredMode { latents, v, factor } = stored.read()?;
    let process = |StoredLatent { kernel, inputs }: StoredLatent| {
        SparseProcess::new(kernels.parse_for(&kernel, inputs.dim())?, inputs)
    };
    let latents = latents.into_iter().map(process).collect::<Result<Vec<_>, _>>()?;
    let count: usize = latents.iter().map(|process| process.inputs().count()).sum();
    if v.len() != count || factor.dim() != count {
        return Err(CliError::new(ErrorKind::Model, format!("a mode of {} values for {count}", v.len())));
    }
    let v = Mat::from_fn(count, 1, |m, _| v[m]);
    Ok(Functions::new(AtMode::new(&latents, v, factor)?))
}
