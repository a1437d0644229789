//! Everything that happens at one observation: cavity, tilted moments, new sites, its share of log Z and of gradients.
//!
//! With μ, w the posterior mean and variance of `a = φᵀv`, and s the variance of f given a. A site of power α is taken
//! out (the cavity, seed 001 §3.2), the factor's power α put in, and `h = −∂²ln Z̃/∂m² = (∂ln Z̃/∂m)² − 2 ∂ln Z̃/∂v`
//! gives the fraction `τ_α = h/(1 − h c)`, `ν_α = (∂ln Z̃/∂m + h m)/(1 − h c)` for a cavity `N(m, c)`. A full update
//! makes the site its power 1/α; at α = 0 that is `τ = −2 ∂E/∂v`, `ν = ∂E/∂m + τ m`.

use super::factors::Factors;
use super::rules::{Level, NegativePrecision};
use super::site::{Belief, Marginal, Site};
use crate::error::EpError;
use gp_likelihoods::{Latent, Slopes, Workspace};

/// One observation, and the present state of what touches it.
#[derive(Clone, Copy)]
pub(crate) struct Point<'a> {
    pub(crate) factors: &'a dyn Factors,
    pub(crate) level: Level,
    pub(crate) power: f64,
    pub(crate) y: &'a [f64],
    /// One a latent.
    pub(crate) marginals: &'a [Marginal],
    /// Piece by piece, one a touched latent.
    pub(crate) sites: &'a [Site],
}

/// What became of the observations of a pass; sums over them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Tally {
    /// The data's part of log Z.
    pub(crate) log_z: f64,
    /// Squared changes that full updates would make, in units of the marginals.
    pub(crate) change: f64,
    /// Factors whose cavity or moments are no Gaussian's.
    pub(crate) improper: f64,
    /// Sites that asked for a negative precision.
    pub(crate) negative: f64,
}

impl Tally {
    /// The numbers, to be added up.
    pub(crate) const LEN: usize = 4;

    pub(crate) fn to_array(self) -> [f64; Self::LEN] {
        [self.log_z, self.change, self.improper, self.negative]
    }

    pub(crate) fn from_slice(sums: &[f64]) -> Self {
        Self { log_z: sums[0], change: sums[1], improper: sums[2], negative: sums[3] }
    }
}

/// Derivatives of log Z at one observation and one latent: by φ it is `on_mean · m + on_spread · Vφ`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Weights {
    pub(crate) on_mean: f64,
    pub(crate) on_spread: f64,
    /// By s.
    pub(crate) residual: f64,
    /// By μ and w, through which m and V move: 0 at a fixed point.
    pub(crate) mean: f64,
    pub(crate) variance: f64,
}

/// Memory for one observation at a time.
#[derive(Debug, Default)]
pub(crate) struct PointScratch {
    ws: Workspace,
    slopes: Slopes,
    /// What the sites act on, without the power α of theirs; one a touched latent.
    cavities: Vec<Belief>,
    /// What the factor is tilted against.
    tilted: Vec<Latent>,
}

impl PointScratch {
    /// New sites into `proposed`, and what is known of the present ones into `tally`.
    pub(crate) fn refine(
        &mut self,
        point: Point<'_>,
        step: f64,
        negative: NegativePrecision,
        proposed: &mut [Site],
        tally: &mut Tally,
    ) -> Result<(), EpError> {
        let touched = point.factors.touched();
        for piece in 0..point.factors.pieces() {
            let sites = piece * touched..(piece + 1) * touched;
            proposed[sites.clone()].copy_from_slice(&point.sites[sites.clone()]);
            if !self.open(point, piece)? {
                tally.improper += 1.0;
                tally.log_z = f64::NAN;
                continue;
            }
            tally.log_z += self.log_z(point, piece);
            for (slot, proposed) in proposed[sites].iter_mut().enumerate() {
                let Some((wanted, at_zero)) = self.target(point.power, slot) else {
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
                let spread = point.site_belief(piece, slot).map_or(0.0, |belief| belief.variance);
                let (d_tau, d_nu) = (wanted.precision - proposed.precision, wanted.shift - proposed.shift);
                tally.change += (d_tau * spread).powi(2) + d_nu * d_nu * spread;
                *proposed = point.moved(*proposed, wanted, step, point.marginal(piece, slot).residual);
            }
        }
        Ok(())
    }

    /// What is known of the present sites into `tally`.
    pub(crate) fn evaluate(&mut self, point: Point<'_>, tally: &mut Tally) -> Result<(), EpError> {
        for piece in 0..point.factors.pieces() {
            if self.open(point, piece)? {
                tally.log_z += self.log_z(point, piece);
            } else {
                tally.improper += 1.0;
            }
        }
        Ok(())
    }

    /// Finds the cavities of a piece and the factor's integral against them; false where there is no cavity.
    fn open(&mut self, point: Point<'_>, piece: usize) -> Result<bool, EpError> {
        self.cavities.clear();
        self.tilted.clear();
        for slot in 0..point.factors.touched() {
            let Some((cavity, tilted)) = point.cavity(piece, slot) else { return Ok(false) };
            let Ok(latent) = Latent::new(tilted.mean, tilted.variance) else { return Ok(false) };
            self.cavities.push(cavity);
            self.tilted.push(latent);
        }
        let (factors, q) = (point.factors, &self.tilted);
        if point.power == 0.0 {
            factors.expected(point.y, piece, q, &mut self.ws, &mut self.slopes)?;
        } else {
            factors.tilted(point.y, piece, q, point.power, &mut self.ws, &mut self.slopes)?;
        }
        Ok(self.slopes.value.is_finite())
    }

    /// The site that a full update asks for, and the one of precision 0 that has the same mean.
    fn target(&self, power: f64, slot: usize) -> Option<(Site, Site)> {
        let (g, k) = (self.slopes.by_mean[slot], self.slopes.by_variance[slot]);
        let cavity = self.cavities[slot];
        let (wanted, at_zero) = if power == 0.0 {
            let precision = -2.0 * k;
            (Site { precision, shift: g + precision * cavity.mean }, Site { precision: 0.0, shift: g })
        } else {
            let h = g * g - 2.0 * k;
            let left = 1.0 - h * cavity.variance;
            if left <= 0.0 {
                return None;
            }
            let fraction = Site { precision: h / left, shift: (g + h * cavity.mean) / left };
            (fraction.scaled(1.0 / power), Site { precision: 0.0, shift: g / power })
        };
        wanted.is_finite().then_some((wanted, at_zero))
    }

    /// A piece's share of log Z: `(1/α) ln Z̃` and what its sites took part in, seed 003 eq. 28.
    fn log_z(&self, point: Point<'_>, piece: usize) -> f64 {
        let mut sum = self.slopes.value;
        let mut outside = 0.0;
        for slot in 0..point.factors.touched() {
            let site = point.site(piece, slot);
            let Some(belief) = point.site_belief(piece, slot) else { return f64::NAN };
            sum += if point.power == 0.0 {
                let Belief { mean, variance } = belief;
                0.5 * site.precision * (variance + mean * mean) - site.shift * mean
            } else {
                belief.log_expectation(site.scaled(-point.power))
            };
            if point.level == Level::Latent {
                let s = point.marginal(piece, slot).residual;
                outside += site.through_noise(s).map_or(f64::NAN, |(_, kappa)| kappa);
            }
        }
        outside + if point.power == 0.0 { sum } else { sum / point.power }
    }

    /// Derivatives of this observation's share of log Z: into `weights` (one a latent), and added to `by_params`.
    /// The answer is the share, or None where it is not defined.
    ///
    /// `on_mean`, `on_spread` and `residual` hold sites *and* posterior fixed, which is right at a fixed point;
    /// `mean` and `variance` are what is missing elsewhere.
    pub(crate) fn slopes(
        &mut self,
        point: Point<'_>,
        weights: &mut [Weights],
        by_params: &mut [f64],
    ) -> Result<Option<f64>, EpError> {
        weights.fill(Weights::default());
        let mut log_z = 0.0;
        for piece in 0..point.factors.pieces() {
            if !self.open(point, piece)? {
                return Ok(None);
            }
            log_z += self.log_z(point, piece);
            let share = if point.power == 0.0 { 1.0 } else { 1.0 / point.power };
            by_params.iter_mut().zip(&self.slopes.by_params).for_each(|(sum, d)| *sum += share * d);
            for slot in 0..point.factors.touched() {
                let weights = &mut weights[point.factors.latent(point.y, piece, slot)];
                let (g, k) = (self.slopes.by_mean[slot], self.slopes.by_variance[slot]);
                match point.level {
                    Level::Projection => projection_slopes(point, piece, slot, (g, k), weights),
                    Level::Latent if !latent_slopes(point, piece, slot, weights) => return Ok(None),
                    Level::Latent => {}
                }
            }
        }
        Ok(Some(log_z))
    }

    /// `ln p(y | everything but this observation)`: all of its sites taken out, the whole factor put in.
    pub(crate) fn leave_one_out(&mut self, point: Point<'_>) -> Result<f64, EpError> {
        let mut sum = 0.0;
        for piece in 0..point.factors.pieces() {
            if !self.open(Point { power: 1.0, ..point }, piece)? {
                return Ok(f64::NAN);
            }
            sum += self.slopes.value;
        }
        Ok(sum)
    }
}

impl Point<'_> {
    fn site(&self, piece: usize, slot: usize) -> Site {
        self.sites[piece * self.factors.touched() + slot]
    }

    fn marginal(&self, piece: usize, slot: usize) -> Marginal {
        self.marginals[self.factors.latent(self.y, piece, slot)]
    }

    /// The way from a site to another, gone by `step` or, where the noise of f given a would make that no site, by half
    /// of it, and half again.
    fn moved(&self, from: Site, to: Site, mut step: f64, residual: f64) -> Site {
        let mut moved = from.towards(to, step);
        while self.level == Level::Latent && moved.through_noise(residual).is_none() && step > 0.0 {
            step *= 0.5;
            moved = from.towards(to, step);
        }
        moved
    }

    /// What the site acts on, with the site in: a at the projection level, f at the latent level.
    fn site_belief(&self, piece: usize, slot: usize) -> Option<Belief> {
        let marginal = self.marginal(piece, slot);
        match self.level {
            Level::Projection => Some(marginal.projection),
            Level::Latent => self.without_factor(piece, slot)?.times(self.site(piece, slot)),
        }
    }

    /// At the latent level: f with the whole site taken out.
    fn without_factor(&self, piece: usize, slot: usize) -> Option<Belief> {
        let Marginal { projection, residual } = self.marginal(piece, slot);
        let (seen, _) = self.site(piece, slot).through_noise(residual)?;
        Some(projection.without(seen)?.widened(residual))
    }

    /// What the site acts on without its power α, and the latent that the factor is tilted against.
    fn cavity(&self, piece: usize, slot: usize) -> Option<(Belief, Belief)> {
        let site = self.site(piece, slot);
        match self.level {
            Level::Projection => {
                let Marginal { projection, residual } = self.marginal(piece, slot);
                let cavity = projection.without(site.scaled(self.power))?;
                Some((cavity, cavity.widened(residual)))
            }
            Level::Latent => {
                let cavity = self.without_factor(piece, slot)?.times(site.scaled(1.0 - self.power))?;
                Some((cavity, cavity))
            }
        }
    }
}

/// Derivatives through `a ~ N(μ, w)` at the projection level, g and k being those of ln Z̃ by the cavity's mean and
/// variance. With `r = 1/(1 − ατw)`: `m_c = m + α r (τμ − ν) Vφ`, `V_c φ = r Vφ`.
fn projection_slopes(point: Point<'_>, piece: usize, slot: usize, (g, k): (f64, f64), weights: &mut Weights) {
    let Site { precision: tau, shift: nu } = point.site(piece, slot);
    let Belief { mean: mu, variance: w } = point.marginal(piece, slot).projection;
    let alpha = point.power;
    let share = if alpha == 0.0 { 1.0 } else { 1.0 / alpha };
    let (g, k) = (share * g, share * k);
    let r = 1.0 / (1.0 - alpha * tau * w);
    let away = tau * mu - nu;
    weights.on_mean += g;
    weights.on_spread += r * (alpha * g * away + 2.0 * k);
    weights.residual += k;
    weights.mean += r * (g + away);
    // m_c = r (μ − α ν w), so τ m_c − ν = r (τμ − ν).
    weights.variance += r * r * (k + alpha * g * away + 0.5 * alpha * away * away) + 0.5 * tau * r;
}

/// At the latent level, at a fixed point: those of `ln ∫ N(f; m_c, c + s) t̃(f) df`, the cavity without the whole site.
fn latent_slopes(point: Point<'_>, piece: usize, slot: usize, weights: &mut Weights) -> bool {
    let site = point.site(piece, slot);
    let Marginal { projection, residual } = point.marginal(piece, slot);
    let (Some((seen, _)), Some(without)) = (site.through_noise(residual), point.without_factor(piece, slot))
    else {
        return false;
    };
    let widened = 1.0 + site.precision * without.variance;
    let g = (site.shift - site.precision * without.mean) / widened;
    let k = 0.5 * (g * g - site.precision / widened);
    let r = 1.0 / (1.0 - seen.precision * projection.variance);
    weights.on_mean += g;
    weights.on_spread += r * (g * (seen.precision * projection.mean - seen.shift) + 2.0 * k);
    weights.residual += k;
    true
}
