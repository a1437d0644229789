//! Posterior for a model file, with active points only.

use super::active_set::{ActiveClass, ActiveSet};
use super::model::Ivm;
use super::options::{Coupling, Rule};
use super::posterior::IvmPosterior;
use crate::error::{InferenceError, check_count};
use gp_kernels::inducing::InducingInputs;
use gp_kernels::{KernelExt, Registry};
use gp_linalg::JitterPolicy;
use serde::{Deserialize, Serialize};

/// Serialisable posterior.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StoredIvm {
    likelihood: String,
    intercepts: Vec<f64>,
    coupling: Coupling,
    rule: Rule,
    jitter: JitterPolicy,
    latents: Vec<StoredActive>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct StoredActive {
    kernel: String,
    rows: Vec<usize>,
    inputs: InducingInputs,
    /// π and b.
    precision: Vec<f64>,
    shift: Vec<f64>,
}

impl IvmPosterior {
    /// Contents for a model file.
    ///
    /// # Errors
    /// [`InferenceError::Kernel`] for non-finite active inputs.
    pub fn to_stored(&self) -> Result<StoredIvm, InferenceError> {
        let model = self.model();
        let latent = |c: usize| {
            let (precision, shift) = self.sites(c);
            Ok(StoredActive {
                kernel: model.kernels[c].expression(),
                rows: self.active(c).to_vec(),
                inputs: InducingInputs::points(self.active_inputs(c))?,
                precision: precision.to_vec(),
                shift: shift.to_vec(),
            })
        };
        Ok(StoredIvm {
            likelihood: model.likelihood.expression(),
            intercepts: model.intercepts.values().to_vec(),
            coupling: model.coupling,
            rule: model.rule,
            jitter: model.jitter,
            latents: (0..model.classes()).map(latent).collect::<Result<_, InferenceError>>()?,
        })
    }
}

impl StoredIvm {
    /// Posterior, equal bit for bit.
    ///
    /// # Errors
    /// [`InferenceError`] for invalid expressions or numbers.
    pub fn restore(
        self,
        kernels: &Registry,
        likelihoods: &gp_likelihoods::Registry,
    ) -> Result<IvmPosterior, InferenceError> {
        let kernels =
            self.latents.iter().map(|latent| kernels.parse_for(&latent.kernel, latent.inputs.dim()));
        let kernels = kernels.collect::<Result<_, _>>()?;
        let model = Ivm::new(kernels, likelihoods.parse(&self.likelihood)?)?;
        let mut model = model.with_coupling(self.coupling)?.with_rule(self.rule)?;
        model.jitter = self.jitter;
        check_count("intercepts", "entries", model.classes(), self.intercepts.len())?;
        model.intercepts.set_values(&self.intercepts)?;
        let coupled = self.coupling == Coupling::Coupled;
        let mut active = ActiveSet { classes: Vec::new(), coupled };
        for latent in self.latents {
            let class = latent.check(active.classes.first().filter(|_| coupled))?;
            active.classes.push(class);
        }
        IvmPosterior::new(&model, active)
    }
}

impl StoredActive {
    /// Checked active points, same rows as `coupled_with`.
    fn check(self, coupled_with: Option<&ActiveClass>) -> Result<ActiveClass, InferenceError> {
        let count = self.inputs.count();
        for (what, found) in [
            ("active rows", self.rows.len()),
            ("precisions of sites", self.precision.len()),
            ("shifts of sites", self.shift.len()),
            ("active rows of coupled classes", coupled_with.map_or(count, |other| other.rows.len())),
        ] {
            check_count(what, "entries", count, found)?;
        }
        let others = coupled_with.map_or(&self.rows, |other| &other.rows);
        if let Some((row, _)) = self.rows.iter().zip(others).find(|(own, other)| own != other) {
            let (value, allowed) = (*row as f64, "the same in coupled classes");
            return Err(InferenceError::Option { what: "active row", value, allowed });
        }
        let wrong = |value: &&f64| !(value.is_finite() && **value > 0.0);
        if let Some(value) = self.precision.iter().find(wrong) {
            return Err(InferenceError::Option {
                what: "precision of a site",
                value: *value,
                allowed: "positive",
            });
        }
        if let Some(value) = self.shift.iter().find(|shift| !shift.is_finite()) {
            return Err(InferenceError::Option { what: "shift of a site", value: *value, allowed: "finite" });
        }
        let Self { rows, inputs, precision, shift, .. } = self;
        Ok(ActiveClass { rows, inputs: inputs.z().to_owned(), precision, shift })
    }
}
