//! What all items share: runs that are cells of a table, their outcomes on disk, and workers that go through them.

mod cell;
mod clock;
mod item;
mod origin;
mod results;
mod visited;
mod work;

pub use cell::{Cell, Outcome, Record};
pub use clock::Stopwatch;
pub use item::{Context, Extent, Form, Item};
pub use origin::Origin;
pub use results::Results;
pub use visited::Visited;
pub use work::{Progress, Workers, chosen, names};
