//! Data sets, with their splits, as the seeds use them.

mod digits;
mod flights;
mod manifest;
mod part;
mod sets;
mod splits;
mod store;
mod synthetic;

pub use digits::Digits;
pub use flights::Flights;
pub use manifest::{Entry, State, manifest};
pub use part::{Part, Scales, Split};
pub use sets::{Set, Task, set};
pub use splits::Splits;
pub use store::Store;
pub use synthetic::sample_prior;
