//! Stepwise growth of kernels.

use super::base::{Base, Form, SeenColumns};
use super::judge::{Judge, Judged, NOISE};
use super::structure::{Product, Structure};
use crate::error::CliError;
use crate::fit::seasons::Plausible;
use crate::model::TriedKernel;
use rayon::prelude::*;

/// Maximum trainings of all candidates together.
pub(super) const MAX_FITS: usize = 200;
const MAX_INPUTS: usize = 4;
/// Initial smooth length-scales, in typical distances; minimum with seasons.
const LENGTHS: [f64; 2] = [1.0, 0.2];
const SLOW: f64 = 3.0;
/// Initial variance per product.
const VARIANCE: f64 = 0.5;
/// Initial season memory, in input standard deviations.
const MEMORY: f64 = 5.0;
/// Initial linear length-scale: small slopes.
const STRAIGHT: f64 = 3.0;

pub(super) struct Grammar<'a> {
    pub(super) judge: &'a Judge<'a>,
    pub(super) all: SeenColumns,
    pub(super) inputs: Vec<SeenColumns>,
    pub(super) is_straight: bool,
    /// Seasons along one input, with its columns and units.
    pub(super) seasons: Option<(Plausible, SeenColumns, f64)>,
    pub(super) depth: usize,
}

pub(super) struct Grown {
    pub(super) best: Option<Judged>,
    pub(super) tried: Vec<TriedKernel>,
    pub(super) ended: &'static str,
}

/// Kernel with sets of initial values.
type Candidate = Vec<Structure>;

impl Grammar<'_> {
    pub(super) fn grow(&self) -> Result<Grown, CliError> {
        let mut grown =
            Grown { best: None, tried: Vec::new(), ended: "it has grown for as many steps as it may" };
        let (mut score, mut fits, mut inputs) = (f64::NEG_INFINITY, MAX_FITS, Vec::new());
        for step in 1..=self.depth {
            let mut candidates = match &grown.best {
                None => self.first(),
                Some(best) => self.larger(&best.structure, &inputs),
            };
            fits = affordable(&mut candidates, fits);
            let noise = grown.best.as_ref().map_or(NOISE, |best| best.noise);
            let judged = candidates.par_iter().map(|candidate| self.judge.best(candidate, noise));
            let judged = judged.collect::<Result<Vec<_>, _>>()?;
            if step == 1 {
                inputs = self.most_important(&judged);
            }
            let best = self.record(step, judged, &mut grown.tried);
            let better = best.filter(|(value, _)| *value > score);
            let is_better = better.is_some();
            if let Some((value, best)) = better {
                (score, grown.best) = (value, Some(best));
            }
            let is_over = self.judge.control.wants_end();
            let ends = [
                (is_over, "the time was over"),
                (!is_better, "no step further is worth more"),
                (fits == 0, "as many kernels were tried as may be"),
            ];
            if let Some((_, why)) = ends.iter().find(|(ends, _)| *ends) {
                grown.ended = why;
                break;
            }
        }
        mark(&mut grown);
        Ok(grown)
    }

    fn record(
        &self,
        step: usize,
        judged: Vec<Option<Judged>>,
        tried: &mut Vec<TriedKernel>,
    ) -> Option<(f64, Judged)> {
        let mut best: Option<(f64, Judged)> = None;
        for judged in judged.into_iter().flatten() {
            let parameters = judged.structure.parameters();
            let periods = judged.structure.periods().len() as f64;
            let choice = self.seasons.as_ref().map_or(0.0, |(plausible, ..)| plausible.choice());
            let cost = parameters as f64 * self.judge.cost_of_a_parameter() + periods * choice;
            let score = judged.evidence - cost;
            let kernel = judged.structure.describe();
            tried.push(TriedKernel {
                step,
                kernel,
                evidence: judged.evidence,
                parameters,
                score,
                kept: false,
            });
            if best.as_ref().is_none_or(|(highest, _)| score > *highest) {
                best = Some((score, judged));
            }
        }
        best
    }

    fn sum(&self, products: Vec<Product>) -> Structure {
        Structure { products, constant: self.judge.labels.as_ref().map(|_| 1.0) }
    }

    fn product(&self, base: Base) -> Product {
        Product::of(base, self.judge.labels.as_ref().map_or(VARIANCE, |labels| labels.variances.0))
    }

    fn first(&self) -> Vec<Candidate> {
        let single = |base: Base| self.sum(vec![self.product(base)]);
        let smooth = |form: Form| LENGTHS.map(|length| single(Base::of(form, &self.all, length))).to_vec();
        let mut candidates: Vec<Candidate> = Form::SMOOTH.into_iter().map(smooth).collect();
        if self.is_straight {
            let straight = Base::of(Form::Linear, &self.all, STRAIGHT);
            candidates.insert(0, vec![single(straight.clone())]);
            let both = vec![self.product(Base::of(Form::Rbf, &self.all, 1.0)), self.product(straight)];
            candidates.push(vec![self.sum(both.clone())]);
            let default = |season: &Base| {
                let lasting =
                    self.product(Base::of(Form::Matern52, &season.seen, MEMORY)).times(season.clone());
                vec![self.sum(both.iter().cloned().chain([lasting]).collect())]
            };
            candidates.extend(self.seasonal(&[]).iter().map(default));
        }
        candidates.extend(self.seasonal(&[]).into_iter().map(|season| vec![single(season)]));
        candidates
    }

    fn seasonal(&self, known: &[f64]) -> Vec<Base> {
        let Some((plausible, seen, unit)) = &self.seasons else { return Vec::new() };
        let periods = plausible.clone().beside(known);
        periods.into_iter().map(|(period, around)| Base::periodic(period, around, *unit, seen)).collect()
    }

    fn larger(&self, best: &Structure, inputs: &[SeenColumns]) -> Vec<Candidate> {
        let seasons = self.seasonal(&best.periods());
        let mut candidates = self.sums(best, inputs, &seasons);
        candidates.extend(self.products(best, inputs, &seasons));
        candidates.extend(reshaped(best));
        candidates.extend(reduced(best));
        candidates
    }

    fn sums(&self, best: &Structure, inputs: &[SeenColumns], seasons: &[Base]) -> Vec<Candidate> {
        let with = |from: &Structure, base: Base| {
            let products = from.products.iter().cloned().chain([self.product(base)]);
            Structure { products: products.collect(), ..from.clone() }
        };
        let forms: &[Form] =
            if self.inputs.is_empty() { &Form::SMOOTH } else { &[Form::Rbf, Form::Matern32] };
        let smooth =
            |form: &Form| LENGTHS.map(|length| with(best, Base::of(*form, &self.all, length))).to_vec();
        let mut candidates: Vec<Candidate> = forms.iter().map(smooth).collect();
        let straight = |seen: &SeenColumns| vec![with(best, Base::of(Form::Linear, seen, STRAIGHT))];
        candidates.extend(self.is_straight.then(|| straight(&self.all)));
        for seen in inputs {
            candidates.push(vec![with(best, Base::of(Form::Rbf, seen, 1.0))]);
            candidates.push(straight(seen));
        }
        let slow = best.slowed(SLOW);
        candidates.extend(
            seasons.iter().map(|season| vec![with(best, season.clone()), with(&slow, season.clone())]),
        );
        candidates
    }

    fn products(&self, best: &Structure, inputs: &[SeenColumns], seasons: &[Base]) -> Vec<Candidate> {
        let times = |from: &Structure, place: usize, base: &Base| {
            let mut grown = from.clone();
            grown.products[place] = grown.products[place].times(base.clone());
            grown
        };
        let seen = if inputs.is_empty() { std::slice::from_ref(&self.all) } else { inputs };
        let one = |seen: &SeenColumns| {
            [
                Base::of(Form::Rbf, seen, SLOW),
                Base::of(Form::Matern32, seen, SLOW),
                Base::of(Form::Linear, seen, 1.0),
            ]
        };
        let bases: Vec<Base> = seen.iter().flat_map(one).collect();
        let (slow, mut candidates) = (best.slowed(SLOW), Vec::new());
        for place in 0..best.products.len() {
            let taken = bases.iter().filter(|base| best.takes(place, base));
            candidates.extend(taken.map(|base| vec![times(best, place, base)]));
            let taken = seasons.iter().filter(|base| best.takes(place, base));
            candidates.extend(taken.map(|base| vec![times(best, place, base), times(&slow, place, base)]));
        }
        candidates
    }

    /// Inputs with the shortest ARD length-scales.
    fn most_important(&self, judged: &[Option<Judged>]) -> Vec<SeenColumns> {
        let smooth = judged.iter().flatten().flat_map(|judged| &judged.structure.products);
        let mut factors = smooth.flat_map(|product| &product.factors);
        let found = factors.find(|base| base.form.is_smooth() && base.seen == self.all).cloned();
        let Some(mut base) = found.filter(|_| !self.inputs.is_empty()) else { return Vec::new() };
        let lengths = base.lengths();
        if lengths.len() != self.all.count {
            return Vec::new();
        }
        let shortest = |seen: &SeenColumns| {
            let columns = seen.columns.iter().flatten();
            columns.map(|&column| lengths[column]).fold(f64::INFINITY, f64::min)
        };
        let mut order: Vec<usize> = (0..self.inputs.len()).collect();
        order.sort_by(|&a, &b| shortest(&self.inputs[a]).total_cmp(&shortest(&self.inputs[b])));
        order.truncate(MAX_INPUTS);
        order.sort_unstable();
        order.into_iter().map(|place| self.inputs[place].clone()).collect()
    }
}

/// Drops candidates beyond `fits` trainings; returns trainings left.
fn affordable(candidates: &mut Vec<Candidate>, mut fits: usize) -> usize {
    candidates.retain(|candidate| {
        let stays = candidate.len() <= fits;
        fits = if stays { fits - candidate.len() } else { 0 };
        stays
    });
    fits
}

fn reduced(best: &Structure) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for (place, product) in best.products.iter().enumerate() {
        if best.products.len() > 1 {
            let mut other = best.clone();
            other.products.remove(place);
            candidates.push(vec![other]);
        }
        for factor in (0..product.factors.len()).filter(|_| product.factors.len() > 1) {
            let mut other = best.clone();
            other.products[place] = product.without(factor);
            candidates.push(vec![other]);
        }
    }
    candidates
}

fn reshaped(best: &Structure) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    if best.products.iter().map(|product| product.factors.len()).sum::<usize>() == 1 {
        // The first step tried all of these.
        return candidates;
    }
    for (place, product) in best.products.iter().enumerate() {
        for (factor, base) in product.factors.iter().enumerate().filter(|(_, base)| base.form.is_smooth()) {
            for form in Form::SMOOTH.into_iter().filter(|form| *form != base.form) {
                let mut other = best.clone();
                other.products[place].factors[factor] = base.reshaped(form);
                candidates.push(vec![other]);
            }
        }
    }
    candidates
}

fn mark(grown: &mut Grown) {
    let highest = grown.tried.iter().map(|tried| tried.score).fold(f64::NEG_INFINITY, f64::max);
    if let Some(best) = grown.tried.iter_mut().find(|tried| tried.score == highest) {
        best.kept = true;
    }
}
