//! Pages about results: the paper's number, ours, how far they are apart, and pictures.

mod block;
mod compare;
mod contents;
mod html;
mod markdown;
mod page;
mod peers;
mod plot;
mod reference;
mod region;
mod summary;
mod wins;

pub use block::Block;
pub use compare::{Agreement, Comparison};
pub use page::{Page, page};
pub use plot::{Scale, course, levels};
pub use reference::{Published, Reference};
pub use region::regions;
pub use summary::Summary;
pub use wins::{Pairing, wins};
