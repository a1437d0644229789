//! The informative vector machine, binary and for several classes (Seeger & Jordan 2004).
//!
//! Labels are seen through latent Gaussian processes, one for two classes or one a class. A small *active set* of
//! observations gets sites, chosen one after the other for what they tell; all others are looked at through what the
//! active ones say about them. Time and memory are linear in the number of observations.
//!
//! | [`Coupling`] | sites | active set | Seeger & Jordan 2004 |
//! |---|---|---|---|
//! | `Coupled` | diag π − π πᵀ/(1ᵀπ): what the label says about differences of latents | one for all latents | §4, App. D |
//! | `Independent` | diag π | one for each latent | §6, App. B; with one latent the binary IVM |
//!
//! [`Ivm`] is the model; [`Ivm::build`] chooses an active set at the present parameters, [learning](crate::Inference::learn) finds the
//! parameters, and [`IvmPosterior`] predicts. [`IvmPlacement`] offers active sets as inducing inputs to other methods.
//!
//! How a run goes ([`IvmOptions`]): the first points are drawn, one of each class. Then for each inclusion candidates are
//! scored with the belief about their latents ([`Selection`]), the best comes in with the site of moment matching, the
//! oldest *liquid* point is frozen, the stubs of all points are brought up to date, and EP moves the sites of the liquid
//! points, those that came in last. With [`FinalSites::AtRest`] all sites are moved after the last inclusion, to the least
//! criterion of learning: the active points then say what the labels of all rows say, not of their own alone. Without it a
//! set of surprising points stands for the data, which is too little where labels are noisy or inputs many.

mod blocks;
mod chunks;
mod classes;
mod coupled;
mod criterion;
mod data;
mod gradient;
mod independent;
mod inference;
mod kernel_rows;
mod liquid;
mod memory;
mod model;
mod observation;
mod options;
mod placement;
mod posterior;
mod projection;
mod representation;
mod rest;
mod run;
mod select;
mod slopes;
mod small;
mod stored;
mod stubs;
mod summary;
#[cfg(test)]
mod tests;
mod train;

pub use classes::EpCounts;
pub use memory::MemoryEstimate;
pub use model::Ivm;
pub use options::{Coupling, FinalSites, IvmOptions, Reweighting, Rule, Selection};
pub use placement::IvmPlacement;
pub use posterior::IvmPosterior;
pub use run::{Inclusion, IvmRun, Phase, Stage};
pub use select::Reason;
pub use stored::StoredIvm;
pub use train::{IvmLearning, IvmTraining, Round};
