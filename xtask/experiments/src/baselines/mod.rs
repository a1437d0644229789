//! Baselines: linear models, textbook EP, and Monte Carlo for the exact posterior.

mod elliptical;
mod hamiltonian;
mod linear;
mod logistic;
mod textbook_ep;
mod whitened;

pub use elliptical::elliptical_slice;
pub use hamiltonian::{Leapfrog, hamiltonian};
pub use linear::BayesianLinear;
pub use logistic::Logistic;
pub use textbook_ep::TextbookEp;
pub use whitened::{Chain, WhitenedPosterior};
