//! Fitting: from a table to a model.
//!
//! ```
//! use gp_cli::Context;
//! use gp_cli::data::{ReadOptions, Source};
//! use gp_cli::fit::{FitSpec, Plan, fit};
//!
//! let context = Context::built_in();
//! let spec = FitSpec::from_flags(["--target", "y", "--kernel", "1 * rbf"], &context)?;
//!
//! let rows = (0..30).map(|i| format!("{},{}\n", 0.2 * f64::from(i), (0.2 * f64::from(i)).sin()));
//! let text = "x,y\n".to_owned() + &rows.collect::<String>();
//! let frame = context.formats.read(&Source::from_bytes("sine.csv", text.into())?, &ReadOptions::default())?;
//! let model = fit(Plan::new(&frame, &spec, &context)?, &spec, "an example")?;
//!
//! let points = model.inputs().encode(&frame)?.points;
//! let latents = model.posterior().beliefs(points.as_ref())?;
//! let mean = model.target().scale().undo(latents.functions()[0].mean[5]);
//! assert!((mean - 1f64.sin()).abs() < 0.01);
//! # Ok::<(), gp_cli::CliError>(())
//! ```

mod asked_columns;
mod bare_moments;
mod baseline;
mod bounds;
mod checkpoint;
mod choices;
mod class_frequencies;
mod conditions;
mod constant_latent;
mod default_likelihoods;
mod default_noise;
mod design;
mod dispersion;
mod duplicates;
mod expected_time;
mod flags;
mod folds;
mod guess;
mod influence;
mod interrupt;
mod jitter;
mod kernel_texts;
mod kernels;
mod label_names;
mod large_weights;
mod lookalikes;
mod lost_classes;
mod memo;
mod names;
mod noise;
mod observe;
mod observed;
mod order;
mod outliers;
mod parameters;
mod placing;
mod plan;
mod quoted;
mod raw_rows;
mod read_summary;
mod reading;
mod restarts;
mod rewritten;
mod rows_read;
mod run;
mod sample;
mod scales;
mod search;
mod seasons;
mod several;
mod skill;
mod spec;
mod spread;
mod start;
mod storage;
mod streamed;
mod streaming;
mod task;
mod task_choice;
mod task_flag;
mod temperature;
mod trained;
mod untrained;
mod variation;
mod weighted_rows;

pub use checkpoint::{CheckpointFolder, check_sum};
pub use expected_time::ExpectedTime;
pub use flags::{given, with_settings};
pub use folds::FoldFolders;
pub(crate) use guess::Guess;
pub use observed::Observed;
pub use plan::Plan;
pub(crate) use quoted::joined as joined_names;
pub(crate) use reading::what_is_unnamed;
pub use reading::{drop_incomplete, read, read_input};
pub use run::fit;
pub use sample::Sample;
pub(crate) use scales::default_order;
pub use spec::{FitSpec, LengthUnits, Standardize, parse_time};
pub(crate) use storage::folder_near;
pub use streamed::Streamed;
pub(crate) use streaming::able as streaming;
pub use task::Task;
pub use task_choice::settled;
pub use task_flag::TaskChoice;
