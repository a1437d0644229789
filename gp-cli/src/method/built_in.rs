//! Registered methods of this crate.

use super::closed_form::ClosedForm;
use super::ep::Ep;
use super::methods::Methods;
use super::{exact, ivm, savigp, sep, svgp};
use std::sync::Arc;

impl Methods {
    /// Methods in display order.
    #[must_use]
    pub fn built_in() -> Self {
        Self::new(vec![
            Arc::new(exact::Exact),
            Arc::new(ClosedForm::PEP),
            Arc::new(ClosedForm::VFE),
            Arc::new(ClosedForm::FITC),
            Arc::new(Ep::EP),
            Arc::new(Ep::GFITC),
            Arc::new(sep::Sep),
            Arc::new(ivm::IvmMethod),
            Arc::new(svgp::Svgp),
            Arc::new(savigp::SavigpMethod),
        ])
    }
}
