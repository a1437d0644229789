//! Where inducing inputs start, and how many there are.

use super::observed::Observed;
use super::sample::Sample;
use super::spec::FitSpec;
use crate::context::Context;
use crate::data::{Formats, Frame, ReadOptions};
use crate::encode::Inputs;
use crate::error::{CliError, ErrorKind};
use crate::method::Method;
use faer::Mat;
use gp_ep::ivm::{IvmOptions, IvmPlacement};
use gp_kernels::Kernel;
use gp_kernels::inducing::InducingInputs;
use gp_kernels::placement::Placements;

/// Where inducing inputs start unless asked otherwise.
const PLACEMENT: &str = "kmeans";

/// Inducing inputs of all latent functions: those of files, or placed among the rows of a sample.
pub(super) fn place(
    spec: &FitSpec,
    context: &Context,
    count: usize,
    inputs: &Inputs,
    sample: &Sample,
    kernels: &[Box<dyn Kernel>],
    observed: &Observed,
) -> Result<Vec<InducingInputs>, CliError> {
    let latents = observed.likelihood.latents();
    if !spec.inducing_file.is_empty() {
        let files = &spec.inducing_file;
        if files.len() != 1 && files.len() != latents {
            return Err(CliError::usage(format!(
                "--inducing-file was given {} times; there are {latents} latent functions",
                files.len()
            )));
        }
        let read: Vec<InducingInputs> = files
            .iter()
            .map(|path| read_inducing(&path.to_string_lossy(), inputs, &context.formats))
            .collect::<Result<_, _>>()?;
        return Ok((0..latents).map(|latent| read[latent.min(read.len() - 1)].clone()).collect());
    }
    let points = sample.rows.whole()?.0;
    let placements = placements(&context.placements, observed, sample.rows.column(0)?);
    let name = spec.placement.as_deref().unwrap_or(PLACEMENT);
    let placement =
        placements.find(name).map_err(|cause| CliError::caused(ErrorKind::Usage, "--placement", cause))?;
    // Latent functions with one kernel start from one placement.
    let placed = placement
        .place(kernels[0].as_ref(), points, count, spec.seed)
        .map_err(|cause| CliError::caused(ErrorKind::Usage, format!("--placement {name}"), cause))?;
    Ok(vec![placed.inputs; latents])
}

/// How many inducing inputs or active points there will be.
pub(super) fn count(
    spec: &FitSpec,
    method: &dyn Method,
    latents: usize,
    rows: usize,
) -> Result<usize, CliError> {
    match spec.inducing.unwrap_or(method.usual_inducing(latents, rows)).min(rows) {
        0 => Err(CliError::usage("--inducing 0: at least one inducing input is needed".to_owned())),
        count => Ok(count),
    }
}

/// The placements there are, and one that looks at labels.
fn placements(known: &Placements, observed: &Observed, labels: Vec<f64>) -> Placements {
    let ivm = IvmPlacement::new(labels, observed.likelihood.clone(), IvmOptions::default());
    known.clone().with(Box::new(ivm))
}

/// A table with one column for each feature, in the order of the features.
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
