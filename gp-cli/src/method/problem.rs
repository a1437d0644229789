//! Problem for a method to fit.

use super::given::Given;
use super::optimizer::Optimizer;
use super::rows::TrainingRows;
use crate::error::CliError;
use gp_ep::operations::Extents;
use gp_ep::{Blocks, Powers};
use gp_kernels::Kernel;
use gp_kernels::data::{DataSource, Reduction, TeamReduction};
use gp_kernels::inducing::{InducingInputs, SparseProcess};
use gp_likelihoods::{Likelihood, OwnLatent};
use gp_optim::Control;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Checkpoint suffix of the second stage.
pub const SECOND_STAGE: &str = "2";

/// Checkpoint suffix of one target, before its number.
pub const TARGET_STAGE: &str = "target";

/// Checkpoint suffix of a target, from 0.
#[must_use]
pub fn target_stage(target: usize) -> String {
    format!("{TARGET_STAGE}{target}")
}

/// Problem to fit, in model units.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Points and observations of all rows.
    pub rows: TrainingRows,
    /// One kernel per latent.
    pub kernels: Vec<Box<dyn Kernel>>,
    /// `true` if latents share kernel and inducing inputs.
    pub alike: bool,
    /// Inducing inputs per latent, or empty.
    pub inducing: Vec<InducingInputs>,
    /// Likelihood with initial parameters.
    pub likelihood: Box<dyn Likelihood>,
    /// Settings for the method.
    pub settings: Settings,
}

/// Settings of a fit.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Given settings that the method declares.
    pub given: Given,
    /// Optimiser of parameters.
    pub optimizer: Option<Optimizer>,
    /// Rows per batch, in mini-batches.
    pub batch_size: Option<usize>,
    /// Number of active rows.
    pub active: Option<usize>,
    /// Time limit, interrupt and checkpoint.
    pub control: Control,
    /// Random seed.
    pub seed: u64,
    /// `true` if inducing inputs are fixed.
    pub fixed_inducing: bool,
    /// `true` if window widths are fixed.
    pub fixed_windows: bool,
    /// Blocks of rows, if supported.
    pub blocks: Option<Blocks>,
    /// Power per row or block, if supported.
    pub powers: Option<Vec<f64>>,
    /// `true` for known parameters by default: mixtures of several targets cannot be combined.
    pub known_parameters: bool,
}

/// Sizes of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Number N of rows.
    pub rows: usize,
    /// Number of rows in memory.
    pub held: usize,
    /// Rows per step: batch or all.
    pub at_once: usize,
    /// Number D of input dimensions.
    pub dim: usize,
    /// Number P of observation columns.
    pub outputs: usize,
    /// Number M of inducing inputs, or of active rows.
    pub inducing: usize,
    /// Number Q of latents.
    pub latents: usize,
}

impl Sizes {
    /// Values per row: D + P.
    #[must_use]
    pub fn width(&self) -> usize {
        self.dim + self.outputs
    }
}

impl Settings {
    /// Powers from a column, else `power`.
    #[must_use]
    pub fn powers_or(&self, power: f64) -> Powers {
        self.powers.as_ref().map_or(Powers::Same(power), |powers| Powers::Each(powers.clone()))
    }
}

impl Problem {
    /// Reduction over processes; `None` with one.
    #[must_use]
    pub fn reduction(&self) -> Option<Arc<dyn Reduction>> {
        let team = self.settings.control.team();
        (!team.is_alone()).then(|| Arc::new(TeamReduction::of(team.clone())) as Arc<dyn Reduction>)
    }

    pub(crate) fn alone(&self) -> Self {
        let mut own = self.clone();
        own.settings.control = own.settings.control.alone();
        own
    }

    /// N, D, P, M, Q; rows held, per step.
    #[must_use]
    pub fn sizes(&self) -> Sizes {
        let rows = self.rows.count();
        Sizes {
            rows,
            held: if self.rows.are_in_memory() { rows } else { 0 },
            at_once: self.settings.batch_size.map_or(rows, |size| size.min(rows)),
            dim: self.rows.dim(),
            outputs: self.rows.outputs(),
            inducing: self.inducing.first().map_or(self.settings.active.unwrap_or(0), InducingInputs::count),
            latents: self.kernels.len(),
        }
    }

    /// Sizes of one evaluation, for operation counts.
    #[must_use]
    pub fn extents(&self) -> Extents {
        let Sizes { at_once: rows, inducing, dim, latents, .. } = self.sizes();
        Extents { rows, inducing, dim, latents, processes: if self.shares_processes() { 1 } else { latents } }
    }

    /// Latents with their inducing inputs.
    ///
    /// # Errors
    /// [`Numerical`](crate::ErrorKind::Numerical) for inducing inputs unsupported by a kernel.
    pub fn processes(&self) -> Result<Vec<SparseProcess>, CliError> {
        let pairs = self.kernels.iter().map(AsRef::as_ref).zip(&self.inducing);
        let process = |(kernel, inputs): (&dyn Kernel, &InducingInputs)| {
            let process = SparseProcess::new(kernel.clone_box(), inputs.clone())?;
            Ok(match (self.settings.fixed_inducing, self.settings.fixed_windows) {
                (true, _) => process.with_fixed_inputs(),
                (false, true) => process.with_fixed_windows(),
                (false, false) => process,
            })
        };
        pairs.map(process).collect()
    }

    /// Problem per target with own latent and kernel; `None` if coupled.
    ///
    /// # Errors
    /// As [`TrainingRows::of_target`].
    pub fn parts(&self) -> Result<Option<Vec<Self>>, CliError> {
        let outputs = self.likelihood.targets();
        if outputs == 1 || self.alike {
            return Ok(None);
        }
        let own = (0..outputs).map(|output| self.likelihood.own_latent(output)).collect::<Option<Vec<_>>>();
        let Some(own) = own else { return Ok(None) };
        own.into_iter()
            .enumerate()
            .map(|(output, own)| self.part(output, own))
            .collect::<Result<_, _>>()
            .map(Some)
    }

    fn part(&self, output: usize, own: OwnLatent) -> Result<Self, CliError> {
        let mut settings = Settings { known_parameters: true, ..self.settings.clone() };
        if settings.blocks.is_some() || settings.powers.is_some() {
            let present = self.rows.present(output, self.likelihood.targets())?;
            (settings.blocks, settings.powers) = factors_of_rows(&settings, &present)?;
        }
        if let Some(file) = settings.control.checkpoint() {
            let file = file.beside(&target_stage(output));
            settings.control = settings.control.clone().with_checkpoint(file);
        }
        Ok(Self {
            rows: self.rows.of_target(output, self.likelihood.targets())?,
            kernels: vec![self.kernels[own.latent].clone_box()],
            alike: true,
            inducing: self.inducing.get(own.latent).cloned().into_iter().collect(),
            likelihood: own.likelihood,
            settings,
        })
    }

    /// [`processes`](Self::processes), or one if latents are alike.
    ///
    /// # Errors
    /// As [`processes`](Self::processes).
    pub fn shared_processes(&self) -> Result<Vec<SparseProcess>, CliError> {
        let mut processes = self.processes()?;
        if self.shares_processes() {
            processes.truncate(1);
        }
        Ok(processes)
    }

    fn shares_processes(&self) -> bool {
        let of_classes = self.likelihood.support().classes() == self.likelihood.latents();
        self.alike && (of_classes || self.likelihood.targets() > 1)
    }
}

/// Blocks and powers of ascending rows.
fn factors_of_rows(
    settings: &Settings,
    rows: &[usize],
) -> Result<(Option<Blocks>, Option<Vec<f64>>), CliError> {
    let power = |factor: &usize| settings.powers.as_ref().and_then(|powers| powers.get(*factor)).copied();
    let Some(blocks) = &settings.blocks else {
        let powers = rows.iter().map(power).collect::<Option<Vec<f64>>>();
        return Ok((None, powers));
    };
    let mut labels = vec![0; blocks.observations()];
    blocks.iter().enumerate().for_each(|(block, rows)| rows.iter().for_each(|&row| labels[row] = block));
    let labels: Vec<usize> = rows.iter().filter_map(|&row| labels.get(row)).copied().collect();
    let left: BTreeSet<usize> = labels.iter().copied().collect();
    let powers = left.iter().map(power).collect::<Option<Vec<f64>>>();
    Ok((Some(Blocks::from_labels(&labels)?), powers))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_go_with_their_rows() {
        let blocks = Blocks::from_labels(&[2, 0, 1, 2, 0]).unwrap();
        let both =
            Settings { blocks: Some(blocks), powers: Some(vec![0.1, 0.2, 0.3]), ..Settings::default() };
        let (blocks, powers) = factors_of_rows(&both, &[0, 1, 3]).unwrap();
        let found: Vec<Vec<usize>> = blocks.unwrap().iter().map(<[usize]>::to_vec).collect();
        assert_eq!((found, powers), (vec![vec![1], vec![0, 2]], Some(vec![0.1, 0.3])));
        let alone = Settings { powers: Some(vec![0.1, 0.2, 0.3]), ..Settings::default() };
        assert_eq!(factors_of_rows(&alone, &[0, 2]).unwrap().1, Some(vec![0.1, 0.3]));
    }
}
