//! One observation after the other, each seeing what the last one changed: a rank-one change of the factor of B each.
//!
//! A first visit is assumed-density filtering, so this is also how observations are added to a posterior.

use super::batch::{BatchEp, Sweep};
use super::model::PowerEp;
use super::point::Tally;
use super::posterior::{RankOne, WhitenedPosterior};
use super::rules::EpOptions;
use super::shard::{Shard, SumOf};
use super::site::Site;
use super::sums::Layout;
use crate::error::{EpError, check_count};
use crate::powers::Powers;
use crate::weights::Weights;
use gp_kernels::data::{DataSource, Rows};

/// What visits to single observations work on, apart from their shard.
struct Visitor<'a> {
    model: &'a PowerEp,
    options: EpOptions,
    layout: &'a Layout,
    posteriors: &'a mut [WhitenedPosterior],
    sums: &'a mut [f64],
    rank_one: &'a mut RankOne,
    tally: Tally,
}

impl Visitor<'_> {
    /// Updates the sites of one observation and the posteriors with them. Where that would leave no proper posterior,
    /// nothing changes and the observation counts as improper.
    fn visit(&mut self, shard: &mut Shard, place: usize) -> Result<(), EpError> {
        let block = place..place + 1;
        shard.marginals(self.posteriors, &block)?;
        let (point, scratch, proposed) =
            shard.point(self.model.likelihood(), self.model.level(), &block, place);
        scratch.refine(point, self.options.step, self.options.negative, proposed, &mut self.tally)?;
        let sites = shard.sites_of(place);
        if self.change(shard, place)? {
            shard.sites[sites.clone()].copy_from_slice(&shard.proposed[sites]);
        } else {
            shard.proposed[sites.clone()].copy_from_slice(&shard.sites[sites]);
            self.tally.improper += 1.0;
        }
        Ok(())
    }

    /// Takes the sites of an observation out again; false where that leaves no proper posterior.
    fn take_out(&mut self, shard: &mut Shard, place: usize) -> Result<bool, EpError> {
        shard.marginals(self.posteriors, &(place..place + 1))?;
        let sites = shard.sites_of(place);
        shard.proposed[sites].fill(Site::default());
        self.change(shard, place)
    }

    /// Changes the posteriors from the present to the proposed sites of the observation whose marginals were found
    /// last; false, and no change, where one of them would not be proper.
    fn change(&mut self, shard: &mut Shard, place: usize) -> Result<bool, EpError> {
        let (likelihood, level, block) = (self.model.likelihood(), self.model.level(), place..place + 1);
        shard.natural(likelihood, level, &block, SumOf::Change)?;
        for (q, posterior) in self.posteriors.iter_mut().enumerate() {
            let (change, (phi, half)) = (shard.latents[q].natural_of(0), shard.single(q, place));
            if !posterior.change(phi, half, change, self.rank_one)? {
                for (r, posterior) in self.posteriors[..q].iter_mut().enumerate() {
                    let (sites, shift) = self.layout.latent(self.sums, r);
                    posterior.set(sites, shift, 1.0)?;
                }
                return Ok(false);
            }
        }
        for (q, latent) in shard.latents.iter().enumerate() {
            self.layout.add_site(self.sums, q, shard.single(q, place).0, latent.natural_of(0));
        }
        Ok(true)
    }
}

impl BatchEp {
    /// One update of every site in turn. Whatever threads there are, it works on one.
    ///
    /// # Errors
    /// As [`sweep`](Self::sweep); [`EpError::Unsupported`] where several processes share the data.
    pub fn sweep_in_turn(&mut self, model: &PowerEp, options: &EpOptions) -> Result<Sweep, EpError> {
        options.check()?;
        let before = self.tally_or_nan(model)?;
        let tally = self.visit_all(model, options, |_, _| true)?;
        // Rank-one changes gather roundings; the sum of all sites has none of them.
        self.rebuild(model)?;
        Ok(Sweep {
            log_z: before,
            change: (tally.change / self.sites.max(1) as f64).sqrt(),
            improper: tally.improper as usize,
            negative: tally.negative as usize,
            halvings: 0,
        })
    }

    /// Log Z of the present sites, NaN where it is not defined.
    fn tally_or_nan(&mut self, model: &PowerEp) -> Result<f64, EpError> {
        match self.log_z(model) {
            Err(EpError::ImproperCavity { .. }) => Ok(f64::NAN),
            other => other,
        }
    }

    /// Visits the observations (by lane and place) that are asked for, in order.
    fn visit_all(
        &mut self,
        model: &PowerEp,
        options: &EpOptions,
        asked: impl Fn(usize, usize) -> bool,
    ) -> Result<Tally, EpError> {
        self.check_alone()?;
        let mut visitor = Visitor {
            model,
            options: *options,
            layout: &self.passes.layout,
            posteriors: &mut self.posteriors,
            sums: &mut self.sums,
            rank_one: &mut self.rank_one,
            tally: Tally::default(),
        };
        let mut lanes = self.passes.lanes.states_mut().iter_mut().enumerate();
        let done = lanes.try_for_each(|(lane, shard)| {
            let mut places = (0..shard.places).filter(|&place| asked(lane, place));
            places.try_for_each(|place| visitor.visit(shard, place))
        });
        let tally = visitor.tally;
        // What was visited before a fault stays.
        self.settle();
        done.map(|()| tally)
    }

    /// Means, which rank-one changes leave for later.
    fn settle(&mut self) {
        self.posteriors.iter_mut().for_each(WhitenedPosterior::settle);
    }

    /// Adds observations behind the others and takes in what they say by assumed-density filtering: one visit each,
    /// whole steps. Sweeps afterwards let everything see everything.
    ///
    /// Projections of the new observations are all that is computed, not those of the old. They go to the last lane.
    ///
    /// # Errors
    /// As [`new`](Self::new) for what is wrong with observations, then nothing has changed;
    /// [`EpError::Unsupported`] with one power or weight for each observation, or where several processes share the data.
    pub fn add(&mut self, model: &PowerEp, data: &dyn DataSource) -> Result<Sweep, EpError> {
        self.check_alone()?;
        check_count("new inputs", "columns", self.dim(), data.dim())?;
        check_count("new targets", "columns", model.likelihood().outputs(), data.outputs())?;
        if let (Powers::Each(_), _) | (_, Weights::Each(_)) = (model.powers(), model.weights()) {
            return Err(EpError::Unsupported { what: "adding observations to a list of powers or weights" });
        }
        let before = self.tally_or_nan(model)?;
        let priors = &self.passes.priors;
        let shards = self.passes.lanes.states_mut();
        let last = shards.len() - 1;
        let first_new = shards[last].places;
        shards[last].append(model, priors, data, &Rows::Range(0..data.count()))?;
        self.sites += data.count() * model.sites_per_observation();
        let options = EpOptions { step: 1.0, ..EpOptions::default() };
        let tally = self.visit_all(model, &options, |lane, place| lane == last && place >= first_new)?;
        let added = (data.count() * model.sites_per_observation()).max(1);
        Ok(Sweep {
            log_z: before,
            change: (tally.change / added as f64).sqrt(),
            improper: tally.improper as usize,
            negative: tally.negative as usize,
            halvings: 0,
        })
    }

    /// Takes one observation out, sites and all. Those behind it move up by one.
    ///
    /// # Errors
    /// [`EpError::Shape`] for an observation there is not; [`EpError::ImproperPosterior`] where the others leave no
    /// proper posterior, and nothing has changed; [`EpError::Unsupported`] where several processes share the data.
    pub fn remove(&mut self, model: &PowerEp, observation: usize) -> Result<(), EpError> {
        self.check_alone()?;
        let (mut place, mut lane) = (observation, 0);
        let shards = self.passes.lanes.states_mut();
        while lane < shards.len() && place >= shards[lane].places {
            place -= shards[lane].places;
            lane += 1;
        }
        let Some(shard) = shards.get_mut(lane) else {
            let found = self.sites / model.sites_per_observation();
            let (what, axis) = ("data", "observations");
            return Err(EpError::Shape { what, axis, expected: observation + 1, found });
        };
        let mut visitor = Visitor {
            model,
            options: EpOptions::default(),
            layout: &self.passes.layout,
            posteriors: &mut self.posteriors,
            sums: &mut self.sums,
            rank_one: &mut self.rank_one,
            tally: Tally::default(),
        };
        if !visitor.take_out(shard, place)? {
            let sites = shard.sites_of(place);
            shard.proposed[sites.clone()].copy_from_slice(&shard.sites[sites]);
            return Err(EpError::ImproperPosterior);
        }
        shard.remove(place);
        self.sites -= model.sites_per_observation();
        self.settle();
        Ok(())
    }

    fn check_alone(&self) -> Result<(), EpError> {
        if self.passes.lanes.states().len() == self.passes.lanes.count() {
            Ok(())
        } else {
            Err(EpError::Unsupported { what: "single observations that several processes share" })
        }
    }
}
