//! Cells, results on disk, and workers.

mod cell;
mod clock;
mod effort;
pub(crate) mod essence;
mod form;
mod item;
mod origin;
mod repeated;
mod results;
mod visited;
mod work;

pub use cell::{Cell, Outcome, Record};
pub use clock::Stopwatch;
pub use effort::Effort;
pub use form::{Extent, Form};
pub use item::{Context, Item, LIBRARIES};
pub use origin::Origin;
pub use repeated::{Repeated, shortest};
pub use results::Results;
pub use visited::Visited;
pub(crate) use work::perform;
pub use work::{Progress, Workers, chosen, names};
