//! Stored informative vector machine: active points with sites.

use super::functions::{Functions, Storable};
use super::posteriors::{PosteriorEntry, Stored};
use crate::error::{CliError, ErrorKind};
use gp_ep::ivm::{IvmPosterior, StoredIvm};
use serde_json::Value;

const NAME: &str = "ivm";

pub(super) const ENTRY: PosteriorEntry = PosteriorEntry::new(NAME, read);

impl From<IvmPosterior> for Functions {
    fn from(active: IvmPosterior) -> Self {
        Self::new(active)
    }
}

impl Storable for IvmPosterior {
    fn name(&self) -> &'static str {
        NAME
    }

    fn to_stored(&self) -> Result<Value, CliError> {
        serde_json::to_value(self.to_stored()?)
            .map_err(|cause| CliError::caused(ErrorKind::Model, "a posterior that cannot be written", cause))
    }

    fn clone_box(&self) -> Box<dyn Storable> {
        Box::new(self.clone())
    }

    fn format_version(&self) -> u32 {
        2
    }
}

fn read(stored: Stored<'_>) -> Result<Functions, CliError> {
    let (kernels, likelihoods) = (stored.kernels, stored.likelihoods);
    Ok(stored.read::<StoredIvm>()?.restore(kernels, likelihoods)?.into())
}
