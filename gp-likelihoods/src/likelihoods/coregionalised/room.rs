//! Memory of the mixed integral.

#[derive(Clone, Debug, Default)]
pub(crate) struct MixedScratch {
    pub(super) factor: Vec<f64>,
    /// `B⁻¹`, by columns.
    pub(super) inverse: Vec<f64>,
    /// `V^{½}`
    pub(super) deviations: Vec<f64>,
    pub(super) given: Vec<f64>,
    /// `S⁻¹ r`, 0 for missing outputs.
    pub(super) pulls: Vec<f64>,
}
