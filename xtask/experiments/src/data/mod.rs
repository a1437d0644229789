//! Data sets and their splits.

mod banana;
mod deformed;
mod digits;
mod drawn;
mod flights;
mod load;
mod manifest;
mod normal;
mod part;
mod plain;
mod sets;
mod splits;
mod store;
mod synthetic;
mod task;

pub use banana::{BANANA, banana};
pub use deformed::{Deformed, EIGHT_MILLION};
pub use digits::Digits;
pub(crate) use drawn::{DRAWN_NOISE, scaled_rbf};
pub use drawn::{draw_classes, draw_regression, draw_with_kernel, every_fifth};
pub use flights::Flights;
pub use manifest::{Entry, State, manifest};
pub(crate) use normal::normal;
pub use part::{Part, Scales, Split};
pub use plain::{Plain, PlainSplit};
pub use sets::{Set, count_of, files_of, set};
pub use splits::{Splits, shuffle};
pub use store::Store;
pub use synthetic::sample_prior;
pub use task::Task;
