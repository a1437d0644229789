//! Trained models: exact regression with everything around it that makes predictions in the units of the data.

mod file;

use crate::error::CliError;
use crate::metrics::Forecast;
use crate::standardise::Standardiser;
use faer::Mat;
use file::{Columns, FORMAT, ModelFile, TrainingRecord, VERSION};
use gp_ep::Training;
use gp_ep::{EpError, ExactGp, ExactPosterior, Observations};
use gp_kernels::{Kernel, KernelExt};
use gp_likelihoods::Gaussian;
use gp_optim::MinimiseOptions;

/// A model of one target as a function of some inputs.
///
/// It is trained and predicts in the units of the data; inside, every column is standardised.
#[derive(Clone, Debug)]
pub struct RegressionModel {
    file: ModelFile,
    posterior: ExactPosterior,
}

/// A table to train on, with what the model file keeps besides.
#[derive(Clone, Copy, Debug)]
pub struct TrainingData<'a> {
    /// Names of the input columns, D of them.
    pub input_names: &'a [&'a str],
    /// The input columns, D of them, each with N numbers.
    pub inputs: &'a [Vec<f64>],
    /// Name of the target column.
    pub target_name: &'a str,
    /// The target column, N numbers.
    pub targets: &'a [f64],
}

impl RegressionModel {
    /// Trains a kernel and a noise variance, both in standardised units, from the values they have.
    ///
    /// `origin` and `seed` are kept in the file.
    ///
    /// # Errors
    /// Of kind [`Numerical`](crate::ErrorKind::Numerical) when the table is empty or ragged, or when the start cannot be
    /// evaluated.
    pub fn train(
        data: &TrainingData<'_>,
        kernel: Box<dyn Kernel>,
        noise: Gaussian,
        origin: &str,
        seed: u64,
    ) -> Result<(Self, Training), CliError> {
        let input_scales: Vec<Standardiser> =
            data.inputs.iter().map(|column| Standardiser::of(column)).collect();
        let target_scale = Standardiser::of(data.targets);
        let (inputs, targets) = standardised(data.inputs, data.targets, &input_scales, target_scale);
        let observations = Observations::new(inputs.as_ref(), &targets)?;
        let mut gp = ExactGp::new(kernel, noise);
        let training = gp.train(&observations, &MinimiseOptions::default())?;
        let posterior = gp.condition(&observations)?;
        let file = ModelFile {
            format: FORMAT.to_owned(),
            version: VERSION,
            origin: origin.to_owned(),
            seed,
            columns: Columns {
                inputs: data.input_names.iter().map(|&name| name.to_owned()).collect(),
                target: data.target_name.to_owned(),
            },
            input_scales,
            target_scale,
            kernel: gp.kernel().expression(),
            noise_variance: gp.noise().variance(),
            training: TrainingRecord::of(&training),
            inputs: data.inputs.to_vec(),
            targets: data.targets.to_vec(),
        };
        Ok((Self { file, posterior }, training))
    }

    /// The model as the text of a model file.
    ///
    /// # Errors
    /// Of kind [`Model`](crate::ErrorKind::Model), should the text not come about.
    pub fn to_text(&self) -> Result<String, CliError> {
        self.file.to_text()
    }

    /// The model in the text of a model file, `source` in errors. Its predictions have the bits of those before.
    ///
    /// # Errors
    /// Of kind [`Model`](crate::ErrorKind::Model): no model file, one of a newer version (both versions are named), or
    /// a damaged one (the place is named).
    pub fn from_text(text: &str, source: &str) -> Result<Self, CliError> {
        let file = ModelFile::from_text(text, source)?;
        let posterior = posterior_of(&file).map_err(|cause| file::damaged(source, cause))?;
        Ok(Self { file, posterior })
    }

    /// Whether the text is a model file that the command `origin` has written.
    #[must_use]
    pub fn is_text_from(text: &str, origin: &str) -> bool {
        file::origin(text).is_some_and(|found| found == origin)
    }

    /// What the model says of observations at M places: `inputs` holds the D input columns, each with M numbers.
    ///
    /// # Errors
    /// Of kind [`Numerical`](crate::ErrorKind::Numerical) for inputs that are not finite or have the wrong shape.
    pub fn forecast(&self, inputs: &[Vec<f64>]) -> Result<Vec<Forecast>, CliError> {
        self.predict(inputs, |prediction| &prediction.observation_variance)
    }

    /// The same of the function without the noise of observations.
    ///
    /// # Errors
    /// As [`forecast`](Self::forecast).
    pub fn forecast_latent(&self, inputs: &[Vec<f64>]) -> Result<Vec<Forecast>, CliError> {
        self.predict(inputs, |prediction| &prediction.latent_variance)
    }

    fn predict(
        &self,
        inputs: &[Vec<f64>],
        variance: impl Fn(&gp_ep::exact::Prediction) -> &Vec<f64>,
    ) -> Result<Vec<Forecast>, CliError> {
        let points = standardised_inputs(inputs, &self.file.input_scales);
        let prediction = self.posterior.predict(points.as_ref())?;
        let undo = &self.file.target_scale;
        let pairs = prediction.latent_mean.iter().zip(variance(&prediction));
        Ok(pairs
            .map(|(mean, variance)| Forecast {
                mean: undo.undo(*mean),
                variance: undo.undo_variance(*variance),
            })
            .collect())
    }

    /// The posterior in standardised units.
    #[must_use]
    pub fn posterior(&self) -> &ExactPosterior {
        &self.posterior
    }
}

/// Conditions again on the data in the file: the same arithmetic on the same numbers, so the same bits.
fn posterior_of(file: &ModelFile) -> Result<ExactPosterior, CliError> {
    let kernel = gp_kernels::parse(&file.kernel)?;
    let noise = Gaussian::new(file.noise_variance)?;
    let (inputs, targets) = standardised(&file.inputs, &file.targets, &file.input_scales, file.target_scale);
    let observations = Observations::new(inputs.as_ref(), &targets)?;
    ExactGp::new(kernel, noise).condition(&observations).map_err(EpError::into)
}

fn standardised(
    inputs: &[Vec<f64>],
    targets: &[f64],
    input_scales: &[Standardiser],
    target_scale: Standardiser,
) -> (Mat<f64>, Vec<f64>) {
    let targets = targets.iter().map(|&target| target_scale.apply(target)).collect();
    (standardised_inputs(inputs, input_scales), targets)
}

/// One row a point, one column an input; as many rows as the shortest column has numbers.
fn standardised_inputs(inputs: &[Vec<f64>], scales: &[Standardiser]) -> Mat<f64> {
    let count = inputs.iter().map(Vec::len).min().unwrap_or(0);
    let columns: Vec<(&Vec<f64>, &Standardiser)> = inputs.iter().zip(scales).collect();
    Mat::from_fn(count, columns.len(), |i, d| columns[d].1.apply(columns[d].0[i]))
}
