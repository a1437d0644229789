//! Updates of single observations, as rank-one changes of the factor of B; of new ones, [assumed-density
//! filtering](BatchEp::add).

use super::batch::{BatchEp, Sweep};
use super::lane::{self, LaneSites, SumOf};
use super::model::PowerEp;
use super::passes::{EpPasses, Posteriors};
use super::point::Tally;
use super::posterior::{RankOne, WhitenedPosterior};
use super::rules::EpOptions;
use super::site::Site;
use crate::error::{InferenceError, check_count};
use crate::powers::Powers;
use gp_kernels::data::{DataSource, Rows};
use gp_kernels::passes::{Lane, Layout, PartMut, Passes, Sums};
use gp_linalg::JitterPolicy;

struct Visitor<'a> {
    model: &'a PowerEp,
    options: EpOptions,
    layout: &'a Layout,
    posteriors: &'a mut [WhitenedPosterior],
    sums: &'a mut Sums,
    rank_one: &'a mut RankOne,
    tally: Tally,
    extra: &'a mut Vec<f64>,
}

impl Visitor<'_> {
    /// Updates an observation; counts an improper update.
    fn visit(&mut self, lane: &mut Lane<LaneSites>, place: usize) -> Result<(), InferenceError> {
        let block = place..place + 1;
        lane.marginals((&Posteriors(self.posteriors), 0), &block)?;
        self.extra.fill(0.0);
        let how = (&self.options, SumOf::Change);
        lane::refine(lane.view(0, &block), self.extra, self.model, how)?;
        self.tally.add(Tally::from_slice(&self.extra[self.posteriors.len()..]));
        let sites = lane.own.sites_of(place);
        let changed = self.change(lane, place)?;
        let LaneSites { present, proposed, .. } = &mut lane.own;
        if changed {
            present[sites.clone()].copy_from_slice(&proposed[sites]);
        } else {
            proposed[sites.clone()].copy_from_slice(&present[sites]);
            self.tally.improper += 1.0;
        }
        Ok(())
    }

    /// Removes an observation's sites; `false` if improper.
    fn take_out(&mut self, lane: &mut Lane<LaneSites>, place: usize) -> Result<bool, InferenceError> {
        let block = place..place + 1;
        lane.marginals((&Posteriors(self.posteriors), 0), &block)?;
        let sites = lane.own.sites_of(place);
        lane.own.proposed[sites].fill(Site::default());
        lane::accumulate(lane.view(0, &block), self.extra, self.model, SumOf::Change)?;
        self.change(lane, place)
    }

    /// Applies proposed sites of one observation; `false`, without changes, if improper.
    fn change(&mut self, lane: &mut Lane<LaneSites>, place: usize) -> Result<bool, InferenceError> {
        let block = lane.view(0, &(place..place + 1));
        let change =
            |q: usize| Site { precision: block.latents[q].gram[0], shift: block.latents[q].shift[0] };
        for (q, posterior) in self.posteriors.iter_mut().enumerate() {
            let (phi, half) = (block.seen.phi(q, 0), block.latents[q].half_of(0));
            if !posterior.change(phi, half, change(q), self.rank_one)? {
                for (r, posterior) in self.posteriors[..q].iter_mut().enumerate() {
                    let part = self.layout.part(&self.sums.numbers, 0, r);
                    posterior.set(part, 1.0, &JitterPolicy::none())?;
                }
                return Ok(false);
            }
        }
        for q in 0..self.posteriors.len() {
            let part = self.layout.part_mut(&mut self.sums.numbers, 0, q);
            add_site(part, block.seen.phi(q, 0), change(q));
        }
        Ok(true)
    }
}

fn add_site(mut part: PartMut<'_>, phi: &[f64], site: Site) {
    let mut matrix = part.matrix();
    for (j, &phi_j) in phi.iter().enumerate() {
        let column = matrix.as_mut().col_mut(j).subrows_mut(j, phi.len() - j);
        let scaled = site.precision * phi_j;
        column.iter_mut().zip(&phi[j..]).for_each(|(out, phi)| *out += scaled * phi);
    }
    part.shift.iter_mut().zip(phi).for_each(|(out, phi)| *out += site.shift * phi);
}

impl BatchEp {
    /// Updates observations one by one, on one thread.
    ///
    /// # Errors
    /// As [`sweep`](Self::sweep); [`InferenceError::Unsupported`] with several processes.
    pub fn sweep_in_turn(&mut self, model: &PowerEp, options: &EpOptions) -> Result<Sweep, InferenceError> {
        options.check()?;
        let before = self.tally_or_nan(model)?;
        let tally = self.visit_from((0, 0), model, options)?;
        // Rank-one changes accumulate rounding errors; a new sum removes them.
        self.rebuild(model)?;
        Ok(Sweep::of(before, tally, self.sites))
    }

    fn tally_or_nan(&mut self, model: &PowerEp) -> Result<f64, InferenceError> {
        match self.log_z(model) {
            Err(InferenceError::ImproperCavity { .. }) => Ok(f64::NAN),
            other => other,
        }
    }

    fn visit_from(
        &mut self,
        from: (usize, usize),
        model: &PowerEp,
        options: &EpOptions,
    ) -> Result<Tally, InferenceError> {
        self.check_alone()?;
        let (mut visitor, passes) = self.visitor(model, *options)?;
        let done = passes.visit_from(from, |lane, place| visitor.visit(lane, place));
        let tally = visitor.tally;
        // Updates before an error are kept.
        self.settle();
        done.map(|()| tally)
    }

    fn visitor<'a>(
        &'a mut self,
        model: &'a PowerEp,
        options: EpOptions,
    ) -> Result<(Visitor<'a>, &'a mut Passes<LaneSites>), InferenceError> {
        let Self { passes: EpPasses { passes, layout, .. }, posteriors, sums, rank_one, extra, .. } = self;
        passes.project_all::<InferenceError>()?;
        Ok((
            Visitor { model, options, layout, posteriors, sums, rank_one, tally: Tally::default(), extra },
            passes,
        ))
    }

    fn settle(&mut self) {
        self.posteriors.iter_mut().for_each(WhitenedPosterior::settle);
    }

    /// Adds observations by assumed-density filtering: one full update each, in order. Projects only these.
    ///
    /// # Errors
    /// As [`new`](Self::new), without changes; [`InferenceError::Unsupported`] with individual powers or
    /// several processes.
    pub fn add(&mut self, model: &PowerEp, data: &dyn DataSource) -> Result<Sweep, InferenceError> {
        self.check_alone()?;
        check_count("new inputs", "columns", self.dim(), data.dim())?;
        check_count("new targets", "columns", model.likelihood().outputs(), data.outputs())?;
        if let Powers::Each(_) = model.powers() {
            return Err(InferenceError::Unsupported { what: "adding observations to a list of powers" });
        }
        let before = self.tally_or_nan(model)?;
        let last = self.passes.passes.lanes().len() - 1;
        let first_new = self.passes.passes.lanes()[last].count();
        self.append(model, data)?;
        let added = data.count() * model.sites_per_observation();
        self.sites += added;
        let options = EpOptions { step: 1.0, ..EpOptions::default() };
        let tally = self.visit_from((last, first_new), model, &options)?;
        Ok(Sweep::of(before, tally, added))
    }

    /// Reads and projects; errors change nothing.
    fn append(&mut self, model: &PowerEp, data: &dyn DataSource) -> Result<(), InferenceError> {
        let passes = &mut self.passes.passes;
        let rows = Rows::Range(0..data.count());
        passes.on_last_lane(|lane, priors| {
            let before = lane.count();
            let done = lane
                .append(data, &rows, &|sites: &mut LaneSites, taken| sites.take(model, taken))
                .and_then(|()| lane.project(priors));
            if done.is_err() {
                lane.truncate(before);
                lane.own.truncate(before);
            }
            done
        })
    }

    /// Removes an observation with its sites; later ones move up.
    ///
    /// # Errors
    /// [`InferenceError::Shape`] if unknown; [`InferenceError::ImproperPosterior`], without changes;
    /// [`InferenceError::Unsupported`] with several processes.
    pub fn remove(&mut self, model: &PowerEp, observation: usize) -> Result<(), InferenceError> {
        self.check_alone()?;
        let (mut place, mut lane) = (observation, 0);
        let all_sites = self.sites;
        let (mut visitor, passes) = self.visitor(model, EpOptions::default())?;
        let lanes = passes.lanes_mut();
        while lane < lanes.len() && place >= lanes[lane].count() {
            place -= lanes[lane].count();
            lane += 1;
        }
        let Some(lane) = lanes.get_mut(lane) else {
            let found = all_sites / model.sites_per_observation();
            let (what, axis) = ("data", "observations");
            return Err(InferenceError::Shape { what, axis, expected: observation + 1, found });
        };
        if !visitor.take_out(lane, place)? {
            let sites = lane.own.sites_of(place);
            let LaneSites { present, proposed, .. } = &mut lane.own;
            proposed[sites.clone()].copy_from_slice(&present[sites]);
            return Err(InferenceError::ImproperPosterior);
        }
        lane.own.remove(place);
        lane.remove(place);
        self.passes.passes.project::<InferenceError>()?;
        self.sites -= model.sites_per_observation();
        self.settle();
        Ok(())
    }

    fn check_alone(&self) -> Result<(), InferenceError> {
        if self.passes.passes.lanes().len() == self.passes.passes.lane_count() {
            Ok(())
        } else {
            Err(InferenceError::Unsupported { what: "single observations that several processes share" })
        }
    }
}
