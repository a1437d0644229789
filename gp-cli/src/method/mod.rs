//! Inference methods: from rows, kernels and a likelihood to a posterior.
//!
//! To add one, implement [`Method`] with its [`Setting`]s, and extend [`Methods::built_in`] or call
//! [`Context::with_method`](crate::Context::with_method).

mod batches;
mod built_in;
mod check;
mod closed_form;
mod common;
mod contract;
mod defaults;
mod ep;
mod exact;
mod gaussian;
mod given;
mod gradients;
mod ivm;
mod ivm_model;
mod later;
mod methods;
mod optimizer;
mod outcome;
mod power_ep;
mod problem;
mod rows;
mod savigp;
mod sep;
mod separate;
mod setting;
mod sites;
mod sparse_regression;
mod svgp;
mod uncertain;
mod update;
mod variational;
mod work;

pub(crate) use batches::memory as memory_of_order;
pub use check::{GradientCheck, compare};
pub(crate) use closed_form::ClosedForm;
pub(crate) use common::KNOWN;
pub use common::{ALPHA, BATCH_SIZE, EPOCHS, ITERATIONS, PARAMETERS, batch_size};
pub use contract::{Case, Method, RepresentedBy};
pub use defaults::{DefaultCase, SettingDefault};
pub(crate) use ep::Ep;
pub use gaussian::is_gaussian;
pub use given::Given;
pub use later::{Later, Updated, refused};
pub use methods::Methods;
pub use optimizer::{Optimizer, minimise_options};
pub use outcome::Fit;
pub(crate) use outcome::log_prior;
pub(crate) use power_ep::power_of_targets;
pub use problem::{Problem, SECOND_STAGE, Settings, Sizes, TARGET_STAGE, target_stage};
pub use rows::{Elsewhere, TrainingRows};
pub use separate::update;
pub use setting::{Setting, SettingKind};
pub use sites::ConvergedSites;
pub(crate) use update::left_out_classes;
pub use work::{Integral, Work};
