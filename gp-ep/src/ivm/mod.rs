//! Informative vector machine, binary and multi-class (Seeger & Jordan 2004).
//!
//! One latent Gaussian process for two classes, otherwise one per class. Only a small *active set* of observations gets
//! sites; time and memory are linear in N. [`Coupling`] sets the correlation of classes.
//!
//! [`Ivm`] is the model, [`Ivm::build`] chooses an active set, [learning](crate::Inference::learn) finds parameters,
//! [`IvmPosterior`] predicts, [`IvmPlacement`] offers active sets as inducing inputs.
//!
//! A run ([`IvmOptions`]) first draws one point per class. It then scores candidates ([`Selection`]), includes the best
//! with a moment-matched site, freezes the oldest *liquid* point, and updates liquid sites by EP.
//! [`FinalSites::Converged`] then minimises the criterion over all sites: better with noisy labels or many inputs.

mod active_set;
mod blocks;
mod chunks;
mod classes;
mod converged_sites;
mod coupled;
mod covariances;
mod criterion;
mod data;
mod gradient;
mod growth;
mod independent;
mod inference;
mod kernel_rows;
mod liquid;
mod memory;
mod model;
mod nodes;
mod numbers;
mod observation;
mod operations;
mod options;
mod placement;
mod posterior;
mod projection;
mod representation;
mod room;
mod run;
mod select;
mod site_step;
mod slopes;
mod small;
mod softmax;
mod stored;
mod stubs;
mod summary;
mod sums;
#[cfg(test)]
mod tests;
mod tilt;
mod train;

pub use classes::EpCounts;
pub use memory::MemoryEstimate;
pub use model::Ivm;
pub use operations::{IvmOperations, IvmWork};
pub use options::{Coupling, FinalSites, IvmOptions, Reweighting, Rule, Selection};
pub use placement::IvmPlacement;
pub use posterior::IvmPosterior;
pub use run::{Inclusion, IvmRun, IvmStage, StepPhase};
pub use select::Reason;
pub use stored::StoredIvm;
pub use train::{IvmLearning, IvmTraining, Round};
