//! Checks of pieces.

use super::cases::{accuracy, beliefs, latent_values};
use super::{Report, difference, log_density, parameter_step, with_parameter};
use crate::derivatives::LatentDerivatives;
use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::likelihood::{Likelihood, parameter_count, parameter_value};
use crate::pieces::Pieces;
use crate::workspace::Workspace;

/// None: expected log density.
const POWERS: [Option<f64>; 3] = [None, Some(1.0), Some(0.3)];
const PRODUCT: f64 = 1e-9;

pub(super) fn check(likelihood: &dyn Likelihood, observations: &[Vec<f64>], report: &mut Report) {
    let mut ws = Workspace::new();
    let all = report.value("beliefs", beliefs(likelihood)).unwrap_or_default();
    if likelihood.pieces().is_none() {
        if let (Some(y), Some(q)) = (observations.first(), all.first()) {
            whole(likelihood, y, q, &mut ws, report);
        }
        return;
    }
    for y in observations {
        if !touches(likelihood, y, report) {
            return;
        }
        if likelihood.multiply_to_density() {
            product(likelihood, y, &mut ws, report);
        }
        for (q, power) in all.iter().flat_map(|q| POWERS.map(|power| (q, power))) {
            for piece in 0..likelihood.piece_count() {
                let touched = touched(likelihood, y, piece);
                let q: Vec<Latent> = touched.iter().map(|&latent| q[latent]).collect();
                PieceCase { y, piece, q: &q, power }.slopes(likelihood, &mut ws, report);
            }
        }
    }
}

fn touched(likelihood: &dyn Likelihood, y: &[f64], piece: usize) -> Vec<usize> {
    (0..likelihood.touched_count(piece)).map(|slot| likelihood.touched_latent(y, piece, slot)).collect()
}

fn touches(likelihood: &dyn Likelihood, y: &[f64], report: &mut Report) -> bool {
    let latents = likelihood.latents();
    let sound = |piece: usize| {
        let mut touched = touched(likelihood, y, piece);
        let count = touched.len();
        touched.sort_unstable();
        touched.dedup();
        count > 0 && touched.len() == count && touched.iter().all(|&latent| latent < latents)
    };
    let faulty: Vec<usize> = (0..likelihood.piece_count()).filter(|&piece| !sound(piece)).collect();
    report.require(likelihood.piece_count() > 0, || "no pieces".to_owned());
    report.require(faulty.is_empty(), || {
        format!("pieces {faulty:?} at y = {y:?} touch no latents, one twice, or some there are not")
    });
    likelihood.piece_count() > 0 && faulty.is_empty()
}

fn whole(likelihood: &dyn Likelihood, y: &[f64], q: &[Latent], ws: &mut Workspace, report: &mut Report) {
    let all: Vec<usize> = (0..likelihood.latents()).collect();
    let alone = likelihood.piece_count() == 1 && touched(likelihood, y, 0) == all;
    report.require(alone, || "is not one piece on all latents".to_owned());
    for power in POWERS {
        let found = PieceCase { y, piece: 0, q, power }.integral(likelihood, ws);
        let mut expected = LatentDerivatives::default();
        let done = match power {
            Some(power) => likelihood.tilted(y, q, power, ws, &mut expected),
            None => likelihood.expected_log_density(y, q, ws, &mut expected),
        };
        let same = found == done.map(|()| expected);
        report.require(same, || format!("its one piece is not the whole at y = {y:?}, power {power:?}"));
    }
}

fn product(likelihood: &dyn Likelihood, y: &[f64], ws: &mut Workspace, report: &mut Report) {
    for f in latent_values(likelihood) {
        let log_p = log_density(likelihood, y, &f);
        for power in POWERS {
            let mut sum = 0.0;
            for piece in 0..likelihood.piece_count() {
                let known = |latent: usize| Latent::new(f[latent], 0.0);
                let q: Result<Vec<Latent>, _> =
                    touched(likelihood, y, piece).into_iter().map(known).collect();
                let part = q.and_then(|q| PieceCase { y, piece, q: &q, power }.integral(likelihood, ws));
                sum += part.map_or(f64::NAN, |slopes| slopes.value);
            }
            let what = || format!("product of pieces at y = {y:?}, f = {f:?}, power {power:?}");
            report.close(what, sum, power.unwrap_or(1.0) * log_p, PRODUCT);
        }
    }
}

struct PieceCase<'a> {
    y: &'a [f64],
    piece: usize,
    q: &'a [Latent],
    power: Option<f64>,
}

impl PieceCase<'_> {
    fn integral(
        &self,
        likelihood: &dyn Likelihood,
        ws: &mut Workspace,
    ) -> Result<LatentDerivatives, LikelihoodError> {
        let mut out = LatentDerivatives::default();
        match self.power {
            Some(power) => likelihood.tilted_piece(self.y, self.piece, self.q, power, ws, &mut out),
            None => likelihood.expected_piece(self.y, self.piece, self.q, ws, &mut out),
        }?;
        Ok(out)
    }

    fn value(&self, likelihood: &dyn Likelihood, q: &[Latent], ws: &mut Workspace) -> f64 {
        PieceCase { q, ..*self }.integral(likelihood, ws).map_or(f64::NAN, |slopes| slopes.value)
    }

    fn at(&self, slot: usize, moved: (f64, f64), likelihood: &dyn Likelihood, ws: &mut Workspace) -> f64 {
        let Ok(latent) = Latent::new(moved.0, moved.1) else { return f64::NAN };
        let mut q = self.q.to_vec();
        q[slot] = latent;
        self.value(likelihood, &q, ws)
    }

    fn describe(&self, what: &str) -> String {
        let beliefs: Vec<_> = self.q.iter().map(|q| (q.mean(), q.variance())).collect();
        let Self { y, piece, power, .. } = self;
        format!("{what} of piece {piece} at y = {y:?}, {beliefs:?}, power {power:?}")
    }

    fn slopes(&self, likelihood: &dyn Likelihood, ws: &mut Workspace, report: &mut Report) {
        let found = self.integral(likelihood, ws);
        let Some(found) = report.value(&self.describe("the integral"), found) else { return };
        let counts = [found.by_mean.len(), found.by_variance.len(), found.by_params.len()];
        let params = parameter_count(likelihood.parameters());
        let right = counts == [self.q.len(), self.q.len(), params];
        report.require(right, || self.describe("wrong numbers of derivatives"));
        if !right {
            return;
        }
        // A difference divides its function's error by the step.
        let tolerance = (100.0 * accuracy(self.q.len(), likelihood, self.power)).min(5e-2);
        for (slot, q) in self.q.iter().enumerate() {
            let (m, v) = (q.mean(), q.variance());
            let expected = difference(m, 1e-3, |m| self.at(slot, (m, v), likelihood, ws));
            let what = || self.describe(&format!("derivative by mean {slot}"));
            report.close(what, found.by_mean[slot], expected, tolerance);
            if v > 1e-3 {
                let expected = difference(v, 1e-2 * v.min(1.0), |v| self.at(slot, (m, v), likelihood, ws));
                let what = || self.describe(&format!("derivative by variance {slot}"));
                report.close(what, found.by_variance[slot], expected, 10.0 * tolerance);
            }
        }
        for (index, found) in found.by_params.into_iter().enumerate() {
            let theta = parameter_value(likelihood.parameters(), index);
            let expected = difference(theta, parameter_step(likelihood, index), |theta| {
                let moved = with_parameter(likelihood, index, theta);
                moved.map_or(f64::NAN, |moved| self.value(&*moved, self.q, ws))
            });
            let what = || self.describe(&format!("derivative by parameter {index}"));
            report.close(what, found, expected, 10.0 * tolerance);
        }
    }
}
