//! Memory that quadrature reuses from one observation to the next.

use crate::quadrature::{GaussHermite, Panels};
use crate::slopes::{ObservationMoments, PointSlopes, Slopes};

/// Orders of the two Gauss–Hermite rules whose agreement is the sign that neither is wrong.
const ORDERS: (usize, usize) = (24, 36);

/// Rules and memory for the defaults of [`Likelihood`](crate::Likelihood): build one a thread and keep it.
#[derive(Clone, Debug)]
pub struct Workspace {
    pub(crate) small: GaussHermite,
    pub(crate) large: GaussHermite,
    pub(crate) panels: Panels,
    pub(crate) edges: Vec<f64>,
    pub(crate) point: PointSlopes,
    /// Nodes in f and normalised weights of the last integral.
    pub(crate) rule: Vec<(f64, f64)>,
    pub(crate) by_params: Vec<f64>,
    /// What [`Likelihood::log_predictive_density`](crate::Likelihood::log_predictive_density) leaves aside.
    pub(crate) slopes: Slopes,
    pub(crate) moments: Vec<ObservationMoments>,
}

impl Workspace {
    /// A workspace for any likelihood.
    #[must_use]
    pub fn new() -> Self {
        Self {
            small: GaussHermite::of_order(ORDERS.0),
            large: GaussHermite::of_order(ORDERS.1),
            panels: Panels::default(),
            edges: Vec::new(),
            point: PointSlopes::default(),
            rule: Vec::new(),
            by_params: Vec::new(),
            slopes: Slopes::default(),
            moments: Vec::new(),
        }
    }
}

impl Default for Workspace {
    fn default() -> Self {
        Self::new()
    }
}
