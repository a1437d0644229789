//! Closed-form sparse regression: the fixed point of Power EP under Gaussian noise.
//!
//! Factors are single observations or [`Blocks`]. Factor b has a power `α_b` in [0, 1] ([`Powers`](crate::Powers)),
//! noise `Σ_b = σ² I + diag(known noise)` and unexplained prior covariance `S_b = K_bb − Φ_bᵀΦ_b`. Its site on `Φ_bᵀv`
//! has mean `y_b` and covariance `D_b = Σ_b + α_b S_b` (Bui et al. 2017 §3.6 and §3.7, there `α_b D + σ_y² I`). With D
//! block diagonal:
//!
//! - v has precision `B = I + Φ D⁻¹ Φᵀ = L_B L_Bᵀ` and mean `m = B⁻¹ Φ D⁻¹ y`;
//! - `log Z = −½ [N ln 2π + ln|Σ| + Σ_b ln|I + α_b Σ_b⁻¹S_b| / α_b + ln|B| + ‖m‖² + rᵀ D⁻¹ r]`, `r = y − Φᵀm`.
//!
//! Against cancellation the paper's two logarithms are combined (`½ + (1 − α)/2α = 1/2α`), and `yᵀ(Q + D)⁻¹y` is the
//! sum of squares that m minimises.
//!
//! At α = 0 (VFE), `ln(1 + αx)/α` is x, and log Z the variational bound, equal for all blocks. α = 1 is FITC or, with
//! blocks, PITC, exact for a single block.
//!
//! The gradient, with `β = D⁻¹ r`, `h_b = L_B⁻¹ Φ_b D_b⁻¹` and `x̄` for the derivative by x:
//!
//! - `S̄_b = ½ [α_b (β_bβ_bᵀ + h_bᵀh_b) − D_b⁻¹]`,
//! - `Φ̄_b = m β_bᵀ − L_B⁻ᵀ h_b − 2 Φ_b S̄_b`,
//! - by the noise variance of observation i of block b: `½ [β_i² + ‖h_i‖² − 1/Σ_i + (D_b⁻¹S_b)_ii/Σ_i]`.
//!
//! `pulled` has a cheaper reverse pass for α = 0 and one noise variance.

mod blocks;
mod blockwise;
mod evaluate;
mod lane;
mod model;
mod pointwise;
mod posterior;
mod pulled;
mod workspace;

pub use blocks::Blocks;
pub use model::SparseRegression;
pub use workspace::RegressionWorkspace;
