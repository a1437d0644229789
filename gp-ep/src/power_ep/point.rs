//! Update of one observation: cavity, tilted moments, new sites, and its part of log Z and gradients.
//!
//! Let μ, w be mean and variance of `a = φᵀv`, s the variance of f given a. Removal of the power α of a site gives the
//! cavity `N(m, c)` (Bui et al. 2017 §3.2). With the factor's power α, `h = −∂²ln Z̃/∂m² = (∂ln Z̃/∂m)² − 2 ∂ln Z̃/∂c`
//! gives `τ_α = h/(1 − h c)` and `ν_α = (∂ln Z̃/∂m + h m)/(1 − h c)`. A full update sets the site to the power 1/α of
//! this; at α = 0, with the expected log density E, to `τ = −2 ∂E/∂w`, `ν = ∂E/∂μ + τ μ`.

use super::rules::{Level, NegativePrecision};
use super::site::{Belief, Marginal, Site};
use crate::error::InferenceError;
use gp_likelihoods::{Latent, LatentDerivatives, Likelihood, Pieces, Workspace};

/// Part of a factor of weight w per update: power `min(α, w)`, same fraction of its site.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Portion {
    /// Fraction of the site, in [0, 1]; 0 is variational.
    pub(crate) site: f64,
    /// Power of the factor; variational: its weight.
    pub(crate) factor: f64,
}

impl Portion {
    pub(crate) fn new(power: f64, weight: f64) -> Self {
        let factor = if power == 0.0 { weight } else { power.min(weight) };
        Self { site: if power == 0.0 { 0.0 } else { factor / weight }, factor }
    }

    /// Scale from portion to factor.
    fn whole(self) -> f64 {
        if self.site == 0.0 { self.factor } else { 1.0 / self.site }
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Point<'a> {
    pub(crate) likelihood: &'a dyn Likelihood,
    pub(crate) level: Level,
    pub(crate) portion: Portion,
    pub(crate) y: &'a [f64],
    pub(crate) marginals: &'a [Marginal],
    /// By piece, then its latents.
    pub(crate) sites: &'a [Site],
    /// `true` if excluded from the posterior.
    pub(crate) is_out: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Tally {
    /// Part of the observations.
    pub(crate) log_z: f64,
    /// Squared changes by full updates, in units of marginals.
    pub(crate) change: f64,
    pub(crate) improper: f64,
    pub(crate) negative: f64,
}

impl Tally {
    pub(crate) const LEN: usize = 4;

    pub(crate) fn add(&mut self, other: Self) {
        self.log_z += other.log_z;
        self.change += other.change;
        self.improper += other.improper;
        self.negative += other.negative;
    }

    pub(crate) fn to_array(self) -> [f64; Self::LEN] {
        [self.log_z, self.change, self.improper, self.negative]
    }

    pub(crate) fn from_slice(sums: &[f64]) -> Self {
        Self { log_z: sums[0], change: sums[1], improper: sums[2], negative: sums[3] }
    }
}

/// Derivatives at one observation and latent; by φ, `on_mean · m + on_spread · Vφ`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PointDerivatives {
    pub(crate) on_mean: f64,
    pub(crate) on_spread: f64,
    /// By s.
    pub(crate) residual: f64,
    /// By μ and w; 0 at fixed points.
    pub(crate) mean: f64,
    pub(crate) variance: f64,
}

#[derive(Debug, Default)]
pub(crate) struct PointScratch {
    ws: Workspace,
    slopes: LatentDerivatives,
    /// By latent, without the sites' power α.
    cavities: Vec<Belief>,
    /// Gaussians for the integral of the factor.
    tilted: Vec<Latent>,
    together: Vec<Site>,
    /// Products of proposed sites, by latent.
    proposed: Vec<Site>,
}

impl PointScratch {
    /// Proposes new sites; tallies current ones.
    pub(crate) fn refine(
        &mut self,
        point: Point<'_>,
        step: f64,
        negative: NegativePrecision,
        proposed: &mut [Site],
        tally: &mut Tally,
    ) -> Result<(), InferenceError> {
        self.bring_together(point);
        tally.log_z += self.noise_part(point);
        // Damping is relative to present sites; excluded ones take full steps.
        let step = if point.is_out { 1.0 } else { step };
        for piece in point.pieces() {
            let sites = piece.first..piece.first + piece.touched;
            proposed[sites.clone()].copy_from_slice(&point.sites[sites.clone()]);
            if !self.open(point, piece)? {
                tally.improper += 1.0;
                tally.log_z = f64::NAN;
                continue;
            }
            tally.log_z += self.log_z(point, piece);
            for (slot, proposed) in proposed[sites].iter_mut().enumerate() {
                let Some((wanted, at_zero)) = self.target(point.portion, slot) else {
                    tally.improper += 1.0;
                    continue;
                };
                let wanted = if wanted.precision >= 0.0 {
                    wanted
                } else {
                    tally.negative += 1.0;
                    match negative {
                        NegativePrecision::Keep => wanted,
                        NegativePrecision::Bound => at_zero,
                        NegativePrecision::Skip => *proposed,
                    }
                };
                let spread = self.site_belief(point, piece, slot).map_or(0.0, |belief| belief.variance);
                let (d_tau, d_nu) = (wanted.precision - proposed.precision, wanted.shift - proposed.shift);
                tally.change += (d_tau * spread).powi(2) + d_nu * d_nu * spread;
                *proposed = self.moved(point, (piece, slot), wanted, step);
            }
        }
        Ok(())
    }

    pub(crate) fn evaluate(&mut self, point: Point<'_>, tally: &mut Tally) -> Result<(), InferenceError> {
        self.bring_together(point);
        tally.log_z += self.noise_part(point);
        for piece in point.pieces() {
            if self.open(point, piece)? {
                tally.log_z += self.log_z(point, piece);
            } else {
                tally.improper += 1.0;
            }
        }
        Ok(())
    }

    /// Cavities and tilted integral; `false` without cavity.
    fn open(&mut self, point: Point<'_>, piece: Piece) -> Result<bool, InferenceError> {
        self.cavities.clear();
        self.tilted.clear();
        for slot in 0..piece.touched {
            let Some((cavity, tilted)) = self.cavity(point, piece, slot) else { return Ok(false) };
            let Ok(latent) = Latent::new(tilted.mean, tilted.variance) else { return Ok(false) };
            self.cavities.push(cavity);
            self.tilted.push(latent);
        }
        let (likelihood, q, power) = (point.likelihood, &self.tilted, point.portion.factor);
        if point.portion.site == 0.0 {
            likelihood.expected_piece(point.y, piece.index, q, &mut self.ws, &mut self.slopes)?;
        } else {
            likelihood.tilted_piece(point.y, piece.index, q, power, &mut self.ws, &mut self.slopes)?;
        }
        Ok(self.slopes.value.is_finite())
    }

    /// Site of a full update, and of precision 0 with the same mean; None if moments have no match.
    fn target(&self, portion: Portion, slot: usize) -> Option<(Site, Site)> {
        let (g, k) = (self.slopes.by_mean[slot], self.slopes.by_variance[slot]);
        let (cavity, whole) = (self.cavities[slot], portion.whole());
        let (wanted, at_zero) = if portion.site == 0.0 {
            let precision = -2.0 * k;
            (Site { precision, shift: g + precision * cavity.mean }, Site { precision: 0.0, shift: g })
        } else {
            let h = g * g - 2.0 * k;
            let left = 1.0 - h * cavity.variance;
            if left <= 0.0 {
                return None;
            }
            let fraction = Site { precision: h / left, shift: (g + h * cavity.mean) / left };
            (fraction, Site { precision: 0.0, shift: g })
        };
        wanted.is_finite().then_some((wanted.scaled(whole), at_zero.scaled(whole)))
    }

    /// Part of a piece in log Z: `(1/α) ln Z̃` and terms of its sites (Hernández-Lobato & Hernández-Lobato
    /// 2016 eq. 28, Villacampa-Calvo & Hernández-Lobato 2017 eq. 61).
    fn log_z(&self, point: Point<'_>, piece: Piece) -> f64 {
        let limit = point.portion.site == 0.0;
        let mut sites = 0.0;
        for slot in 0..piece.touched {
            let site = point.held_site(piece, slot);
            let Some(belief) = self.site_belief(point, piece, slot) else { return f64::NAN };
            sites += if limit {
                let Belief { mean, variance } = belief;
                0.5 * site.precision * (variance + mean * mean) - site.shift * mean
            } else {
                belief.log_expectation(site.scaled(-point.portion.site))
            };
        }
        let whole = point.portion.whole();
        if limit { whole * self.slopes.value + sites } else { whole * (self.slopes.value + sites) }
    }

    /// Sum of the constants κ of sites on f as sites on a.
    fn noise_part(&self, point: Point<'_>) -> f64 {
        if point.level == Level::Projection {
            return 0.0;
        }
        let constant = |(site, marginal): (&Site, &Marginal)| {
            site.through_noise(marginal.residual).map_or(f64::NAN, |(_, kappa)| kappa)
        };
        self.together.iter().zip(point.marginals).map(constant).sum()
    }

    /// Derivatives of the observation's part of log Z: writes `weights`, adds to `by_params`; returns the
    /// part, None if undefined. `on_mean`, `on_spread`, `residual`: at fixed sites *and* posterior.
    pub(crate) fn slopes(
        &mut self,
        point: Point<'_>,
        weights: &mut [PointDerivatives],
        by_params: &mut [f64],
    ) -> Result<Option<f64>, InferenceError> {
        weights.fill(PointDerivatives::default());
        self.bring_together(point);
        let mut log_z = self.noise_part(point);
        for piece in point.pieces() {
            if !self.open(point, piece)? {
                return Ok(None);
            }
            log_z += self.log_z(point, piece);
            let whole = point.portion.whole();
            by_params.iter_mut().zip(&self.slopes.by_params).for_each(|(sum, d)| *sum += whole * d);
            if point.level == Level::Projection {
                for slot in 0..piece.touched {
                    let weights = &mut weights[point.latent(piece, slot)];
                    let (g, k) = (self.slopes.by_mean[slot], self.slopes.by_variance[slot]);
                    projection_slopes(point, piece, slot, (whole * g, whole * k), weights);
                }
            }
        }
        if point.level == Level::Latent {
            for ((marginal, together), weights) in point.marginals.iter().zip(&self.together).zip(weights) {
                let Some(found) = latent_slopes(*marginal, *together) else { return Ok(None) };
                *weights = found;
            }
        }
        Ok(Some(log_z))
    }

    /// `ln p(y | other observations)`; NaN if sites cannot be removed.
    pub(crate) fn leave_one_out(&mut self, point: Point<'_>) -> Result<f64, InferenceError> {
        if !self.leave_out(point) {
            return Ok(f64::NAN);
        }
        Ok(point.likelihood.log_predictive_density(point.y, &self.tilted, &mut self.ws)?)
    }

    /// Appends leave-one-out class probabilities, NaN if sites cannot be removed.
    pub(crate) fn left_out_classes(
        &mut self,
        point: Point<'_>,
        out: &mut Vec<f64>,
    ) -> Result<(), InferenceError> {
        let (begin, likelihood) = (out.len(), point.likelihood);
        let support = likelihood.support();
        out.resize(begin + support.classes(), f64::NAN);
        let classes = &mut out[begin..];
        if !self.leave_out(point) {
            return Ok(());
        }
        if likelihood.plain().is_none() {
            return Ok(likelihood.class_probabilities(&self.tilted, &mut self.ws, classes)?);
        }
        // Other columns, such as an offset, do not change.
        let mut y = point.y.to_vec();
        for (class, probability) in classes.iter_mut().enumerate() {
            y[0] = support.label(class);
            *probability = likelihood.log_predictive_density(&y, &self.tilted, &mut self.ws)?.exp();
        }
        Ok(())
    }

    /// Latents without own sites; `false` if sites cannot be removed.
    fn leave_out(&mut self, point: Point<'_>) -> bool {
        self.gather(point);
        self.tilted.clear();
        for (marginal, together) in point.marginals.iter().zip(&self.together) {
            let without = match point.level {
                Level::Projection => {
                    marginal.projection.without(*together).map(|belief| belief.widened(marginal.residual))
                }
                Level::Latent => without_observation(*marginal, *together),
            };
            let latent = without.and_then(|belief| Latent::new(belief.mean, belief.variance).ok());
            let Some(latent) = latent else { return false };
            self.tilted.push(latent);
        }
        true
    }

    fn bring_together(&mut self, point: Point<'_>) {
        if point.level == Level::Latent {
            self.gather(point);
            self.proposed.clone_from(&self.together);
        }
    }

    fn gather(&mut self, point: Point<'_>) {
        self.together.clear();
        self.together.resize(point.marginals.len(), Site::default());
        for (latent, site) in point.likelihood.touched_latents(point.y).zip(point.sites) {
            if !point.is_out {
                self.together[latent] = self.together[latent].times(*site);
            }
        }
    }

    /// Site moved by `step`; at the latent level halved until sites on f convert to a site on a.
    fn moved(&mut self, point: Point<'_>, (piece, slot): (Piece, usize), to: Site, mut step: f64) -> Site {
        let from = point.site(piece, slot);
        let mut moved = from.towards(to, step);
        if point.level == Level::Latent {
            let residual = point.marginal(piece, slot).residual;
            let proposed = &mut self.proposed[point.latent(piece, slot)];
            let others = proposed.times(point.held_site(piece, slot).scaled(-1.0));
            while others.times(moved).through_noise(residual).is_none() && step > 0.0 {
                step *= 0.5;
                moved = from.towards(to, step);
            }
            *proposed = others.times(moved);
        }
        moved
    }

    /// Marginal of the site's argument, a or f, sites included.
    fn site_belief(&self, point: Point<'_>, piece: Piece, slot: usize) -> Option<Belief> {
        let (latent, marginal) = (point.latent(piece, slot), point.marginal(piece, slot));
        match point.level {
            Level::Projection => Some(marginal.projection),
            Level::Latent => {
                without_observation(marginal, self.together[latent])?.times(self.together[latent])
            }
        }
    }

    /// Cavity without the site's portion, and belief about f for the integral.
    fn cavity(&self, point: Point<'_>, piece: Piece, slot: usize) -> Option<(Belief, Belief)> {
        let (site, marginal) = (point.held_site(piece, slot), point.marginal(piece, slot));
        let out = site.scaled(-point.portion.site);
        match point.level {
            Level::Projection => {
                let cavity = marginal.projection.times(out)?;
                Some((cavity, cavity.widened(marginal.residual)))
            }
            Level::Latent => {
                let together = self.together[point.latent(piece, slot)];
                let cavity = without_observation(marginal, together)?.times(together.times(out))?;
                Some((cavity, cavity))
            }
        }
    }
}

#[derive(Clone, Copy)]
struct Piece {
    index: usize,
    /// Number of latents, index of first site.
    touched: usize,
    first: usize,
}

impl<'a> Point<'a> {
    fn pieces(self) -> impl Iterator<Item = Piece> + 'a {
        let place = move |next: &mut usize, index| {
            let (touched, first) = (self.likelihood.touched_count(index), *next);
            *next += touched;
            Some(Piece { index, touched, first })
        };
        (0..self.likelihood.piece_count()).scan(0, place)
    }

    fn site(&self, piece: Piece, slot: usize) -> Site {
        self.sites[piece.first + slot]
    }

    /// Neutral if excluded from the posterior.
    fn held_site(&self, piece: Piece, slot: usize) -> Site {
        if self.is_out { Site::default() } else { self.site(piece, slot) }
    }

    fn latent(&self, piece: Piece, slot: usize) -> usize {
        self.likelihood.touched_latent(self.y, piece.index, slot)
    }

    fn marginal(&self, piece: Piece, slot: usize) -> Marginal {
        self.marginals[self.latent(piece, slot)]
    }
}

/// Belief about f without own sites.
fn without_observation(marginal: Marginal, together: Site) -> Option<Belief> {
    let Marginal { projection, residual } = marginal;
    let (seen, _) = together.through_noise(residual)?;
    Some(projection.without(seen)?.widened(residual))
}

/// Derivatives through `a ~ N(μ, w)`, projection level; g, k: of ln Z̃ by the cavity's mean and variance.
/// With `r = 1/(1 − ατw)`: `m_c = m + α r (τμ − ν) Vφ`, `V_c φ = r Vφ`.
fn projection_slopes(
    point: Point<'_>,
    piece: Piece,
    slot: usize,
    (g, k): (f64, f64),
    weights: &mut PointDerivatives,
) {
    let Site { precision: tau, shift: nu } = point.held_site(piece, slot);
    let Belief { mean: mu, variance: w } = point.marginal(piece, slot).projection;
    let alpha = point.portion.site;
    let r = 1.0 / (1.0 - alpha * tau * w);
    let away = tau * mu - nu;
    weights.on_mean += g;
    weights.on_spread += r * (alpha * g * away + 2.0 * k);
    weights.residual += k;
    weights.mean += r * (g + away);
    // m_c = r (μ − α ν w), so τ m_c − ν = r (τμ − ν).
    weights.variance += r * r * (k + alpha * g * away + 0.5 * alpha * away * away) + 0.5 * tau * r;
}

/// Derivatives of `ln ∫ N(f; m_c, c + s) t̃(f) df` at a latent-level fixed point: t̃ is the product of own
/// sites, `N(m_c, c)` the cavity.
fn latent_slopes(marginal: Marginal, together: Site) -> Option<PointDerivatives> {
    let Marginal { projection, residual } = marginal;
    let ((seen, _), without) = (together.through_noise(residual)?, without_observation(marginal, together)?);
    let widened = 1.0 + together.precision * without.variance;
    let g = (together.shift - together.precision * without.mean) / widened;
    let k = 0.5 * (g * g - together.precision / widened);
    let r = 1.0 / (1.0 - seen.precision * projection.variance);
    let on_spread = r * (g * (seen.precision * projection.mean - seen.shift) + 2.0 * k);
    Some(PointDerivatives { on_mean: g, on_spread, residual: k, ..PointDerivatives::default() })
}
