//! Placement and number of inducing inputs.

use super::observed::Observed;
use super::sample::Sample;
use super::spec::FitSpec;
use crate::context::Context;
use crate::data::{Formats, Frame, ReadOptions};
use crate::encode::Inputs;
use crate::error::{CliError, ErrorKind};
use crate::left_out::counted;
use crate::method::{Method, TrainingRows};
use faer::Mat;
use gp_ep::ivm::{IvmOptions, IvmPlacement};
use gp_kernels::inducing::InducingInputs;
use gp_kernels::placement::Placements;
use gp_kernels::{Kernel, KernelError, KernelExt as _};

const PLACEMENT: &str = "kmeans";

pub(super) fn place(
    spec: &FitSpec,
    context: &Context,
    count: usize,
    inputs: &Inputs,
    sample: &Sample,
    kernels: &[Box<dyn Kernel>],
    observed: &Observed,
) -> Result<(Vec<InducingInputs>, Option<Placing>), CliError> {
    check_windows(spec, kernels)?;
    let latents = observed.likelihood.latents();
    if !spec.inducing_file.is_empty() {
        let files = &spec.inducing_file;
        if files.len() != 1 && files.len() != latents {
            return Err(CliError::usage(format!(
                "--inducing-file was given {} times; the likelihood has {}",
                files.len(),
                counted(latents, "latent function")
            )));
        }
        let read: Vec<InducingInputs> = files
            .iter()
            .map(|path| {
                with_windows(read_inducing(&path.to_string_lossy(), inputs, &context.formats)?, spec.windows)
            })
            .collect::<Result<_, _>>()?;
        let own = |latent: usize| read[latent.min(read.len() - 1)].clone();
        return Ok(((0..latents).map(own).collect(), None));
    }
    let placing = Placing::new(spec, &context.placements, count, &sample.rows, observed)?;
    let places = placing.place(kernels[0].as_ref(), &sample.rows, latents, spec.seed)?;
    Ok((places, Some(placing)))
}

#[derive(Clone, Debug)]
pub(super) struct Placing {
    placements: Placements,
    name: String,
    count: usize,
    windows: Option<f64>,
}

impl Placing {
    fn new(
        spec: &FitSpec,
        known: &Placements,
        count: usize,
        rows: &TrainingRows,
        observed: &Observed,
    ) -> Result<Self, CliError> {
        let placements = placements(known, observed, rows.column(0)?);
        let name = spec.placement.as_deref().unwrap_or(PLACEMENT).to_owned();
        Ok(Self { placements, name, count, windows: spec.windows })
    }

    pub(super) fn place(
        &self,
        kernel: &dyn Kernel,
        rows: &TrainingRows,
        latents: usize,
        seed: u64,
    ) -> Result<Vec<InducingInputs>, CliError> {
        let wrong = |flag: String| move |cause| CliError::caused(ErrorKind::Usage, flag, cause);
        let placement = self.placements.find(&self.name).map_err(wrong("--placement".to_owned()))?;
        let placed = placement.place(kernel, rows.whole()?.0, self.count, seed);
        let placed = placed.map_err(wrong(format!("--placement {}", self.name)))?;
        Ok(vec![with_windows(placed.inputs, self.windows)?; latents])
    }
}

fn check_windows(spec: &FitSpec, kernels: &[Box<dyn Kernel>]) -> Result<(), CliError> {
    let Some(width) = spec.windows else { return Ok(()) };
    if !(width > 0.0 && (width * width).is_finite() && width * width > 0.0) {
        let width = gp_optim::format_number(width);
        let what =
            format!("--windows {width}: a width has to be above 0, and its square a finite number above 0");
        return Err(CliError::usage(what));
    }
    if let Some(kernel) = kernels.iter().find(|kernel| kernel.windowed().is_none()) {
        let cause = KernelError::NoWindow { kernel: kernel.expression() };
        return Err(CliError::usage(format!(
            "--windows: {cause}; there are windows for rbf, linear, constant and white, and for sums and multiples of these"
        )));
    }
    Ok(())
}

fn with_windows(inputs: InducingInputs, width: Option<f64>) -> Result<InducingInputs, CliError> {
    let Some(width) = width else { return Ok(inputs) };
    let variances = Mat::from_fn(inputs.count(), inputs.dim(), |_, _| width * width);
    Ok(inputs.with_windows(variances.as_ref())?)
}

pub(super) fn count(
    spec: &FitSpec,
    method: &dyn Method,
    one_length: bool,
    (latents, rows): (usize, usize),
) -> Result<usize, CliError> {
    let default = match one_length {
        true => method.default_inducing_of_one_length(latents, rows),
        false => method.default_inducing(latents, rows),
    };
    match spec.inducing.unwrap_or(default).min(rows) {
        0 => Err(CliError::usage("--inducing 0: at least one inducing point is needed".to_owned())),
        count => Ok(count),
    }
}

fn placements(known: &Placements, observed: &Observed, labels: Vec<f64>) -> Placements {
    let ivm = IvmPlacement::new(labels, observed.likelihood.clone(), IvmOptions::default());
    known.clone().with(Box::new(ivm))
}

fn read_inducing(path: &str, inputs: &Inputs, formats: &Formats) -> Result<InducingInputs, CliError> {
    let frame = formats.open(path, &ReadOptions::default())?;
    let (found, features) = (frame.columns(), inputs.features());
    if found.len() != features.len() {
        let what = format!(
            "`{path}` has {} columns, and there are {} features: {}",
            found.len(),
            features.len(),
            inputs.names().join(", ")
        );
        return Err(CliError::new(ErrorKind::Data, what));
    }
    let columns = found.iter().zip(features).map(|(column, feature)| column.renamed(&feature.name)).collect();
    let frame = Frame::new(path, columns, None)?;
    let points: Mat<f64> = inputs.encode(&frame)?.points;
    Ok(InducingInputs::points(points.as_ref())?)
}
