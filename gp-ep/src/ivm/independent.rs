//! One active set per latent (Seeger & Jordan 2004 §6, App. B); for one latent the binary machine. Means and variances
//! of all points are kept for scoring.

use super::active_set::{ActiveClass, ActiveSet};
use super::chunks::in_chunks;
use super::classes::{Classes, EpCounts, Target, Task};
use super::observation::{ClassBelief, IntegralScratch};
use super::options::Selection;
use super::representation::ClassPart;
use super::select::entropy;
use super::small::Square;
use super::stubs::{NewRow, Stubs};
use super::tilt::Tilted;
use crate::error::InferenceError;
use crate::power_ep::Site;
use faer::{Mat, MatRef};
use gp_linalg::{JitterPolicy, LinalgError};
use rand_chacha::ChaCha8Rng;

const CHUNK: usize = 256;

pub(super) struct IndependentClasses<'a> {
    task: &'a Task<'a>,
    latents: Vec<Latent>,
    stubs: Stubs,
}

struct Latent {
    part: ClassPart,
    sites: Vec<(usize, Site)>,
    /// `true` for points included or refused.
    taken: Vec<bool>,
    means: Vec<f64>,
    variances: Vec<f64>,
}

impl<'a> IndependentClasses<'a> {
    pub(super) fn new(task: &'a Task<'a>) -> Self {
        let (points, active) = (task.data.len(), task.full());
        let latent = |variances: &[f64]| Latent {
            part: ClassPart::new(active),
            sites: Vec::new(),
            taken: vec![false; points],
            means: vec![0.0; points],
            variances: variances.to_vec(),
        };
        let latents: Vec<Latent> = task.kernels.diagonals.iter().map(|diagonal| latent(diagonal)).collect();
        let stubs = Stubs::new(points, latents.len(), active, task.model.threading);
        Self { task, latents, stubs }
    }

    /// Best active set, and score if its gain is positive.
    fn score(
        &self,
        row: usize,
        open: &[Target],
        scratch: &mut IntegralScratch,
    ) -> Result<Option<(Target, f64)>, InferenceError> {
        let belief = self.belief(row);
        let Some(tilted) = self.task.observed.tilt(self.task.data.targets()[row], 1.0, &belief, scratch)?
        else {
            return Ok(None);
        };
        let free = open.iter().copied().filter(|&target| self.is_free(row, target));
        let gains = free.map(|target| (target, scalar_site(&belief, &tilted, target.unwrap_or(0)).1));
        let best = gains.reduce(|best, other| if other.1 > best.1 { other } else { best });
        let Some((target, gain)) = best.filter(|(_, gain)| *gain > 0.0) else {
            return Ok(None);
        };
        let by_entropy = self.task.options.selection == Selection::MaxEntropy;
        let score =
            if by_entropy { entropy(&self.task.observed.probabilities(&belief, scratch)?) } else { gain };
        Ok(Some((target, score)))
    }

    fn belief(&self, row: usize) -> ClassBelief {
        let mut covariance = Square::zeros(self.latents.len());
        for (c, latent) in self.latents.iter().enumerate() {
            // Rounding can make a variance negative once nothing is left to learn.
            covariance[(c, c)] = latent.variances[row].max(0.0);
        }
        ClassBelief { mean: self.latents.iter().map(|latent| latent.means[row]).collect(), covariance }
    }
}

impl Classes for IndependentClasses<'_> {
    /// Site, and covariances with all points.
    type Site = (Site, Vec<f64>);

    fn open(&self) -> Vec<Target> {
        let full = self.task.full();
        (0..self.latents.len()).filter(|&c| self.latents[c].sites.len() < full).map(Some).collect()
    }

    fn is_free(&self, row: usize, target: Target) -> bool {
        !self.latents[target.unwrap_or(0)].taken[row]
    }

    fn scores(
        &mut self,
        rows: &[usize],
        open: &[Target],
    ) -> Result<Vec<Option<(Target, f64)>>, InferenceError> {
        in_chunks(rows, CHUNK, self.task.model.threading, |rows| {
            let mut scratch = IntegralScratch::default();
            rows.iter().map(|&row| self.score(row, open, &mut scratch)).collect()
        })
    }

    fn take(&mut self, row: usize, target: Target) -> bool {
        self.latents[target.unwrap_or(0)].taken[row] = true;
        self.latents.iter().all(|latent| latent.taken[row])
    }

    fn site(&mut self, row: usize, target: Target) -> Result<Option<Self::Site>, InferenceError> {
        let (latent, belief) = (target.unwrap_or(0), self.belief(row));
        let (y, mut scratch) = (self.task.data.targets()[row], IntegralScratch::default());
        let Some(tilted) = self.task.observed.tilt(y, 1.0, &belief, &mut scratch)? else {
            return Ok(None);
        };
        let (site, _) = scalar_site(&belief, &tilted, latent);
        if site.precision <= 0.0 {
            return Ok(None);
        }
        Ok(Some((site, self.task.kernels.one(row, latent)?)))
    }

    fn include(
        &mut self,
        row: usize,
        target: Target,
        (site, kernel): Self::Site,
    ) -> Result<Option<usize>, InferenceError> {
        let class = target.unwrap_or(0);
        let Latent { part, sites, means, variances, .. } = &mut self.latents[class];
        let cross = Mat::from_fn(sites.len(), 1, |i, _| kernel[sites[i].0]);
        let own = MatRef::from_column_major_slice(&kernel[row..=row], 1, 1);
        let new = (&[site.precision][..], &[site.shift][..]);
        match part.include(new, (cross.as_ref(), own), &JitterPolicy::none()) {
            Ok(()) => {}
            Err(LinalgError::ExtendBreakdown { .. }) => return Ok(Some(row)),
            Err(fault) => return Err(fault.into()),
        }
        let (last, diagonal) = part.last_row();
        let new = NewRow { row: &last, diagonal, root: site.precision.sqrt() };
        self.stubs.include(class, &new, &kernel);
        let (d, beta) = (sites.len(), part.beta.last().copied().unwrap_or(0.0));
        for (point, (mean, variance)) in means.iter_mut().zip(variances).enumerate() {
            let mu = self.stubs.component(point, class, d);
            *mean += beta * mu;
            *variance -= mu * mu;
        }
        sites.push((row, site));
        Ok(None)
    }

    fn settle(&mut self, _rng: &mut ChaCha8Rng) -> Result<bool, InferenceError> {
        Ok(false)
    }

    fn complete(&mut self, _rng: &mut ChaCha8Rng) -> Result<(), InferenceError> {
        Ok(())
    }

    fn active_set(&self) -> ActiveSet {
        let inputs = self.task.data.inputs();
        let numbers = |(row, site): &(usize, Site)| (*row, site.precision, site.shift);
        let class = |latent: &Latent| ActiveClass::new(inputs, latent.sites.iter().map(numbers));
        ActiveSet { classes: self.latents.iter().map(class).collect(), coupled: false }
    }

    fn ep(&self) -> EpCounts {
        EpCounts::default()
    }
}

/// Site `π = (1/â − 1/a)₊`, `b = g + π ĥ`; gain `½ (ln m + 1/m − 1 + g² a)`, `m = 1 + π a`, or 0 if π is 0.
fn scalar_site(belief: &ClassBelief, tilted: &Tilted, latent: usize) -> (Site, f64) {
    let (a, hat) = (belief.covariance[(latent, latent)], tilted.belief.covariance[(latent, latent)]);
    let g = tilted.gradient[latent];
    let precision = if hat > 0.0 && hat < a { 1.0 / hat - 1.0 / a } else { 0.0 };
    let m = 1.0 + precision * a;
    let gain = if precision > 0.0 { 0.5 * (m.ln() + 1.0 / m - 1.0 + g * g * a) } else { 0.0 };
    (Site { precision, shift: g + precision * tilted.belief.mean[latent] }, gain)
}
