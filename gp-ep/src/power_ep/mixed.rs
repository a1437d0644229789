//! Sweeps with Anderson mixing. Since sums are linear in sites, [`Mixing`] computes weights from sums and applies them
//! to sites, identically in every process.

use super::batch::{BatchEp, Sweep};
use super::lane::LaneSites;
use super::model::PowerEp;
use super::rules::{EpOptions, Level, SiteOrder};
use crate::error::InferenceError;
use gp_kernels::passes::{Layout, Sums};
use gp_optim::Mixing;

/// Relative change that abandons a mixture.
const DIVERGED: f64 = 2.0;

/// Smallest `max_sweeps` with mixing.
const FEWEST: usize = 3;

#[derive(Debug)]
pub(super) struct Remembered {
    mixing: Mixing,
    memory: usize,
    plain: Sums,
    last: Option<Sweep>,
    /// Smallest change since the memory was cleared.
    least_change: f64,
    at_mixed: bool,
    /// `true` if the last sweep abandoned a mixture.
    pub(super) reverted: bool,
}

impl Remembered {
    /// None without mixing, for sites on latents (not linear), or in turn.
    pub(super) fn new(model: &PowerEp, options: &EpOptions, sums: &Sums) -> Option<Self> {
        let is_linear = model.level() == Level::Projection && options.schedule == SiteOrder::Parallel;
        (is_linear && options.memory > 0 && options.max_sweeps >= FEWEST).then(|| Self {
            mixing: Mixing::new(options.memory),
            memory: options.memory,
            plain: sums.clone(),
            last: None,
            least_change: f64::INFINITY,
            at_mixed: false,
            reverted: false,
        })
    }

    /// `true` if a mixture is too far from convergence.
    fn has_diverged(&self, sweep: &Sweep) -> bool {
        let is_near =
            sweep.improper == 0 && sweep.log_z.is_finite() && sweep.change <= DIVERGED * self.least_change;
        self.at_mixed && !is_near
    }
}

impl BatchEp {
    pub(super) fn sweep_mixed(
        &mut self,
        model: &PowerEp,
        options: &EpOptions,
        remembered: &mut Remembered,
    ) -> Result<Sweep, InferenceError> {
        remembered.reverted = false;
        let sweep = match (self.propose(model, options), remembered.last) {
            (Ok(sweep), Some(last)) if remembered.has_diverged(&sweep) => {
                return self.turn_back(last, remembered);
            }
            // Mixtures extrapolate; their likelihoods may be impossible to integrate.
            (Err(error), Some(last)) if remembered.at_mixed && error.is_local() => {
                return self.turn_back(last, remembered);
            }
            (found, _) => found?,
        };
        let (place, end) =
            (triangles(&self.passes.layout, &self.sums), triangles(&self.passes.layout, &self.proposed));
        let step = end.iter().zip(&place).map(|(end, place)| end - place).collect();
        (remembered.last, remembered.least_change) = (Some(sweep), sweep.change.min(remembered.least_change));
        remembered.plain.numbers.copy_from_slice(&self.proposed.numbers);
        self.passes.passes.change(|sites| sites.remember(remembered.memory));
        // With negative precisions or skipped factors even the plain sweep may need halving.
        if sweep.negative > 0 || sweep.improper > 0 {
            let halvings = self.adopt_by_halves(model)?;
            if halvings > 0 {
                remembered.forget(self);
                return Ok(Sweep { halvings, ..sweep });
            }
            self.propose_plain(&remembered.plain);
        }
        if let Some(mixed) = remembered.mixing.propose(place, step) {
            set_triangles(&self.passes.layout, &mut self.proposed, mixed);
            let weights = remembered.mixing.weights();
            self.passes.passes.change(|sites| sites.mix(weights));
            remembered.at_mixed = self.adopts()?;
            if remembered.at_mixed {
                remembered.mixing.remember();
                return Ok(sweep);
            }
            // The mixture has no proper posterior.
            remembered.mixing.forget();
            self.passes.passes.change(LaneSites::forget_all_but_last);
            self.propose_plain(&remembered.plain);
        }
        remembered.at_mixed = false;
        remembered.mixing.remember();
        let halvings = self.adopt_by_halves(model)?;
        if halvings > 0 || sweep.improper > 0 {
            remembered.forget(self);
        }
        Ok(Sweep { halvings, ..sweep })
    }

    /// Returns to the last plain sweep; clears the memory.
    fn turn_back(&mut self, last: Sweep, remembered: &mut Remembered) -> Result<Sweep, InferenceError> {
        self.end_mixed(remembered)?;
        remembered.reverted = true;
        Ok(last)
    }

    /// Replaces a mixture by the last plain result, unless improper; clears the memory.
    pub(super) fn end_mixed(&mut self, remembered: &mut Remembered) -> Result<(), InferenceError> {
        if remembered.at_mixed {
            self.propose_plain(&remembered.plain);
            self.adopts()?;
        }
        remembered.forget(self);
        Ok(())
    }

    fn propose_plain(&mut self, plain: &Sums) {
        self.proposed.numbers.copy_from_slice(&plain.numbers);
        self.passes.passes.change(LaneSites::propose_last);
    }
}

impl Remembered {
    fn forget(&mut self, ep: &mut BatchEp) {
        self.mixing.forget();
        self.least_change = f64::INFINITY;
        self.at_mixed = false;
        ep.passes.passes.change(LaneSites::forget);
    }
}

fn triangles(layout: &Layout, sums: &Sums) -> Vec<f64> {
    let mut triangles = Vec::with_capacity(sums.numbers.len() / 2 + sums.numbers.len().isqrt());
    layout.triangles().for_each(|part| triangles.extend_from_slice(&sums.numbers[part]));
    triangles
}

fn set_triangles(layout: &Layout, sums: &mut Sums, triangles: &[f64]) {
    let mut rest = triangles;
    for part in layout.triangles() {
        let (now, later) = rest.split_at(part.len());
        sums.numbers[part].copy_from_slice(now);
        rest = later;
    }
}
