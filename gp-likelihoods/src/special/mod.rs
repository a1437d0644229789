//! Special functions, tested by `tests/suite/special_table.rs`.

mod coefficients;
mod erfcx;
mod gamma;
mod incomplete;
mod interval;
mod logs;
mod normal;
mod quantile;
mod remainders;
mod tail;

pub use erfcx::erfcx;
pub use gamma::{digamma, ln_gamma, trigamma};
pub use incomplete::{incomplete_beta, incomplete_gamma};
pub use interval::NormalInterval;
pub use logs::{log_softplus, log_softplus_slopes, log_sum_exp, log1p_exp, logistic};
pub use normal::{
    HALF_LN_TAU, inverse_mills, inverse_mills_excess, log_normal_cdf, log_normal_cdf_difference,
};
pub(crate) use normal::{log_normal_cdf_slopes, log_normal_cdf_slopes_of_many, normal_cdfs};
pub use quantile::standard_normal_quantile;
pub(crate) use remainders::{STIRLING_FROM, ln_gamma_step, stirling_remainder};
pub use remainders::{exp_remainder, log_remainder};

use std::f64::consts::FRAC_1_SQRT_2;

/// `Φ(x)`, within about 2x² ulps in the lower tail.
#[must_use]
pub fn standard_normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x * FRAC_1_SQRT_2)
}
