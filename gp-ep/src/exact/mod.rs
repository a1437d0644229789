//! Exact Gaussian-process regression: `f ~ GP(0, k)`, `y_i = f(x_i) + ε_i`.
//!
//! With `K_y = K + σ² I + diag(known noise) = L Lᵀ` and `α = K_y⁻¹ y`:
//!
//! - `ln p(y) = −½ yᵀα − Σ ln l_ii − ½ N ln 2π`;
//! - `d ln p(y) = ½ tr((ααᵀ − K_y⁻¹) dK_y)`;
//! - at new points, `f* ~ N(k*ᵀα, k** − ‖L⁻¹k*‖²)`;
//! - without observation i, `y_i ~ N(y_i − α_i/c_i, 1/c_i)` with `c = diag K_y⁻¹`.

mod evaluate;
mod leave_one_out;
mod model;
mod observations;
mod parameters;
mod posterior;
mod workspace;

pub use leave_one_out::LeaveOneOut;
pub use model::ExactGp;
pub use observations::Observations;
pub use posterior::ExactPosterior;
pub use workspace::ExactWorkspace;
