//! Report pages: published numbers, ours, their differences, and plots.

mod apart;
mod block;
mod compare;
mod html;
mod index;
mod known;
mod markdown;
mod page;
mod pages;
mod peers;
mod plot;
mod printed;
mod ranks;
mod reference;
mod region;
mod stale;
mod summary;
mod tally;
mod wins;

pub use block::Block;
pub use compare::Comparison;
pub use page::Page;
pub use pages::pages;
pub use plot::{Scale, course, levels};
pub use ranks::ranks;
pub use reference::{Printed, Published, Reference};
pub use region::regions;
pub use stale::{Changes, Stale};
pub use summary::Summary;
pub use tally::Tally;
pub use wins::{Pairing, wins};
