//! Observations spread over a team.
//!
//! Each process holds consecutive rows. A collective fetch sends it others, which it keeps until the next fetch.

use super::error::{DataError, check_count};
use super::lanes::{lane_count, lane_rows};
use super::source::{DataSource, Rows};
use super::team::share;
use gp_optim::Team;
use std::ops::Range;
use std::sync::{PoisonError, RwLock};

/// Rows of all processes.
#[derive(Debug)]
pub struct SpreadRows<S> {
    team: Team,
    own: Range<usize>,
    source: Option<S>,
    count: usize,
    dim: usize,
    outputs: usize,
    fetched: RwLock<Fetched>,
}

#[derive(Debug, Default)]
struct Fetched {
    /// Ascending.
    rows: Vec<usize>,
    numbers: Vec<f64>,
}

impl Fetched {
    fn of(&self, row: usize, width: usize) -> Option<&[f64]> {
        let place = self.rows.binary_search(&row).ok()?;
        self.numbers.get(place * width..(place + 1) * width)
    }
}

impl<S: DataSource> SpreadRows<S> {
    /// Rows of this process, out of `count`: those of its lanes in passes over all rows.
    #[must_use]
    pub fn share(team: &Team, count: usize) -> Range<usize> {
        Self::share_of(team, team.rank(), count)
    }

    /// [Share](Self::share) of process `rank`.
    #[must_use]
    pub fn share_of(team: &Team, rank: usize, count: usize) -> Range<usize> {
        rows_of(team, rank, count)
    }

    /// `count` rows; `source` has this process's [`share`](Self::share), None if empty.
    ///
    /// # Errors
    /// [`DataError::Shape`] for other sizes.
    pub fn new(
        team: Team,
        source: Option<S>,
        (count, dim, outputs): (usize, usize, usize),
    ) -> Result<Self, DataError> {
        let own = rows_of(&team, team.rank(), count);
        let found = source.as_ref().map_or((0, dim, outputs), |own| (own.count(), own.dim(), own.outputs()));
        check_count("data", "rows", own.len(), found.0)?;
        check_count("inputs", "columns", dim, found.1)?;
        check_count("targets", "columns", outputs, found.2)?;
        Ok(Self { team, own, source, count, dim, outputs, fetched: RwLock::default() })
    }

    fn width(&self) -> usize {
        self.dim + self.outputs
    }

    fn holder(&self, row: usize) -> usize {
        (0..self.team.count()).find(|&rank| rows_of(&self.team, rank, self.count).contains(&row)).unwrap_or(0)
    }

    /// Own rows, inputs before targets.
    fn packed(&self, rows: &[usize]) -> Result<Vec<f64>, DataError> {
        let Some(source) = &self.source else { return Ok(Vec::new()) };
        let places: Vec<usize> = rows.iter().map(|row| row - self.own.start).collect();
        let mut points = vec![0.0; rows.len() * self.dim];
        let mut targets = vec![0.0; rows.len() * self.outputs];
        source.read(&Rows::List(&places), &mut points, &mut targets)?;
        if self.outputs == 0 {
            return Ok(points);
        }
        let mut packed = Vec::with_capacity(rows.len() * self.width());
        for row in 0..rows.len() {
            packed.extend_from_slice(&points[row * self.dim..(row + 1) * self.dim]);
            packed.extend_from_slice(&targets[row * self.outputs..(row + 1) * self.outputs]);
        }
        Ok(packed)
    }

    /// Distinct ascending rows that a process needs but lacks.
    fn lacking(&self, lanes: &[Rows<'_>], rank: usize) -> Vec<usize> {
        let held = rows_of(&self.team, rank, self.count);
        let own = &lanes[share(rank, self.team.count(), lanes.len())];
        let mut rows: Vec<usize> = own
            .iter()
            .flat_map(|lane| match lane {
                Rows::Range(range) => {
                    let before = range.start..range.end.min(held.start);
                    before.chain(range.start.max(held.end)..range.end).collect()
                }
                Rows::List(list) => {
                    list.iter().copied().filter(|row| !held.contains(row)).collect::<Vec<_>>()
                }
            })
            .collect();
        rows.sort_unstable();
        rows.dedup();
        rows
    }

    fn keep(&self, fetched: Fetched) {
        *self.fetched.write().unwrap_or_else(PoisonError::into_inner) = fetched;
    }
}

fn rows_of(team: &Team, rank: usize, count: usize) -> Range<usize> {
    let lanes = lane_count(count);
    let own = share(rank, team.count(), lanes);
    lane_rows(own.start, lanes, count).start..lane_rows(own.end, lanes, count).start
}

fn within<'a>(rows: &'a [usize], range: &Range<usize>) -> &'a [usize] {
    let at = |end: usize| rows.partition_point(|&row| row < end);
    &rows[at(range.start)..at(range.end).max(at(range.start))]
}

impl<S: DataSource + Send> DataSource for SpreadRows<S> {
    fn count(&self) -> usize {
        self.count
    }

    fn dim(&self) -> usize {
        self.dim
    }

    fn outputs(&self) -> usize {
        self.outputs
    }

    fn read(&self, rows: &Rows<'_>, points: &mut [f64], targets: &mut [f64]) -> Result<(), DataError> {
        check_count("buffer of inputs", "entries", rows.len() * self.dim, points.len())?;
        check_count("buffer of targets", "entries", rows.len() * self.outputs, targets.len())?;
        let fetched = self.fetched.read().unwrap_or_else(PoisonError::into_inner);
        let mut place = 0;
        while place < rows.len() {
            let is_own = |place: usize| self.own.contains(&rows.at(place));
            let end = (place..rows.len()).find(|&next| is_own(next) != is_own(place)).unwrap_or(rows.len());
            let points = &mut points[place * self.dim..end * self.dim];
            let targets = &mut targets[place * self.outputs..end * self.outputs];
            match &self.source {
                Some(source) if is_own(place) => {
                    let own = rows.part(place..end).moved_back(self.own.start);
                    source.read(&own.as_rows(), points, targets)?;
                }
                _ => {
                    for at in place..end {
                        let row = rows.at(at);
                        let lacking = || DataError::Read { row, reason: self.whose(row) };
                        let numbers = fetched.of(row, self.width()).ok_or_else(lacking)?;
                        let (inputs, outputs) = numbers.split_at(self.dim);
                        let at = at - place;
                        points[at * self.dim..(at + 1) * self.dim].copy_from_slice(inputs);
                        targets[at * self.outputs..(at + 1) * self.outputs].copy_from_slice(outputs);
                    }
                }
            }
            place = end;
        }
        Ok(())
    }

    fn held(&self) -> Option<(&Team, Range<usize>)> {
        Some((&self.team, self.own.clone()))
    }

    fn fetch_lanes(&self, lanes: &[Rows<'_>]) -> Result<(), DataError> {
        let (here, processes) = (self.team.rank(), self.team.count());
        let lacking = self.lacking(lanes, here);
        let (mut fetched, mut failed) = (Vec::new(), Ok(()));
        // Pairs of processes in the same order everywhere, against deadlock.
        for from in 0..processes {
            for to in (0..processes).filter(|&to| to != from && [from, to].contains(&here)) {
                if to == here {
                    let rows = within(&lacking, &rows_of(&self.team, from, self.count)).len();
                    let start = fetched.len();
                    fetched.resize(start + rows * self.width(), 0.0);
                    if rows > 0 {
                        self.team.receive(from, &mut fetched[start..])?;
                    }
                    continue;
                }
                let wanted = self.lacking(lanes, to);
                let wanted = within(&wanted, &self.own);
                if wanted.is_empty() {
                    continue;
                }
                // A process that cannot read still sends, since others wait; all then act on its error.
                let packed = self.packed(wanted).unwrap_or_else(|error| {
                    failed = Err(error);
                    vec![f64::NAN; wanted.len() * self.width()]
                });
                self.team.send(to, &packed)?;
            }
        }
        self.keep(Fetched { rows: lacking, numbers: fetched });
        failed
    }

    fn fetch(&self, rows: &Rows<'_>) -> Result<(), DataError> {
        let mut wanted: Vec<usize> = (0..rows.len()).map(|place| rows.at(place)).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let own = within(&wanted, &self.own);
        let read = self.packed(own);
        let mut failures = [f64::from(u8::from(read.is_err()))];
        self.team.sum_counts(&mut failures)?;
        let packed = read?;
        if failures[0] > 0.0 {
            return Err(DataError::InAnotherProcess { of_the_place: false });
        }
        let numbers = self.team.gather(&packed)?;
        wanted.retain(|&row| row < self.count);
        self.keep(Fetched { rows: wanted, numbers });
        Ok(())
    }
}

impl<S: DataSource> SpreadRows<S> {
    fn whose(&self, row: usize) -> String {
        if row < self.count {
            format!("process {} holds it", self.holder(row))
        } else {
            format!("there are {} observations", self.count)
        }
    }
}

enum Moved {
    Range(Range<usize>),
    List(Vec<usize>),
}

impl Moved {
    fn as_rows(&self) -> Rows<'_> {
        match self {
            Self::Range(range) => Rows::Range(range.clone()),
            Self::List(list) => Rows::List(list),
        }
    }
}

impl Rows<'_> {
    fn moved_back(&self, start: usize) -> Moved {
        match self {
            Self::Range(range) => Moved::Range(range.start - start..range.end - start),
            Self::List(list) => Moved::List(list.iter().map(|row| row - start).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Reduction, lane_count_of};
    use crate::data::{Table, TeamReduction};
    use faer::{Mat, MatRef};

    /// Observations `(10 i, 10 i + 1 | 10 i + 2)`.
    fn matrices(rows: Range<usize>) -> (Mat<f64>, Mat<f64>) {
        let first = rows.start;
        let inputs = Mat::from_fn(rows.len(), 2, |i, j| (10 * (first + i) + j) as f64);
        (inputs, Mat::from_fn(rows.len(), 1, |i, _| (10 * (first + i) + 2) as f64))
    }

    fn with_rows<T>(team: Team, count: usize, work: impl FnOnce(&SpreadRows<Table<'_>>) -> T) -> T {
        let own = SpreadRows::<Table<'_>>::share(&team, count);
        let (inputs, targets) = matrices(own.clone());
        let table = (!own.is_empty()).then(|| Table::new(inputs.as_ref(), targets.as_ref()).unwrap());
        work(&SpreadRows::new(team, table, (count, 2, 1)).unwrap())
    }

    fn check(rows: &Rows<'_>, data: &dyn DataSource) {
        let (mut points, mut targets) = (vec![0.0; 2 * rows.len()], vec![0.0; rows.len()]);
        data.read(rows, &mut points, &mut targets).unwrap();
        let points = MatRef::from_row_major_slice(&points, rows.len(), 2);
        for place in 0..rows.len() {
            let first = (10 * rows.at(place)) as f64;
            assert_eq!(
                [points[(place, 0)], points[(place, 1)], targets[place]],
                [first, first + 1.0, first + 2.0]
            );
        }
    }

    #[test]
    fn every_row_has_one_holder_and_own_rows_need_no_messages() {
        for (count, processes) in [(1, 3), (600, 8), (1000, 1), (2000, 4), (5000, 3)] {
            let held = Team::in_threads(processes, |team| {
                with_rows(team, count, |data| {
                    let (team, own) = data.held().unwrap();
                    check(&Rows::Range(own.clone()), data);
                    // Passes over all rows read own rows only.
                    let lanes = lane_count(count);
                    let lanes: Vec<_> =
                        (0..lanes).map(|lane| Rows::Range(lane_rows(lane, lanes, count))).collect();
                    data.fetch_lanes(&lanes).unwrap();
                    assert_eq!(team.traffic().messages, 0);
                    own
                })
            });
            assert_eq!(held.iter().map(Range::len).sum::<usize>(), count);
            assert!(held.windows(2).all(|pair| pair[0].end == pair[1].start));
        }
    }

    #[test]
    fn rows_of_others_come_before_they_are_read() {
        let count = 2000;
        let batch: Vec<usize> = (0..500).map(|i| (i * 737 + 11) % count).collect();
        for processes in [1, 2, 3, 4, 7] {
            Team::in_threads(processes, |team| {
                with_rows(team.clone(), count, |data| {
                    let other = Rows::List(&batch);
                    if processes > 1 {
                        let place = (0..500).find(|&place| !data.own.contains(&batch[place])).unwrap();
                        let lacking = Rows::List(&batch[place..=place]);
                        let error = data.read(&lacking, &mut [0.0; 2], &mut [0.0]).unwrap_err().to_string();
                        assert!(error.contains("holds it"), "{error}");
                    }
                    for latents in [1, 3] {
                        let count = lane_count_of(batch.len(), latents);
                        let lanes: Vec<Rows<'_>> =
                            (0..count).map(|lane| other.part(lane_rows(lane, count, batch.len()))).collect();
                        data.fetch_lanes(&lanes).unwrap();
                        lanes[TeamReduction::of(team.clone()).own(count)]
                            .iter()
                            .for_each(|lane| check(lane, data));
                    }
                    // Lanes of another number, whose ends are elsewhere.
                    let lanes: Vec<Rows<'_>> =
                        (0..5).map(|lane| Rows::Range(lane_rows(lane, 5, count))).collect();
                    data.fetch_lanes(&lanes).unwrap();
                    lanes[TeamReduction::of(team).own(5)].iter().for_each(|lane| check(lane, data));
                    data.fetch(&other).unwrap();
                    check(&other, data);
                    check(&Rows::List(&batch[100..200]), data);
                    let error = data.read(&Rows::List(&[count]), &mut [0.0; 2], &mut [0.0]).unwrap_err();
                    assert_eq!(
                        error.to_string(),
                        "observation 2000 cannot be read: there are 2000 observations"
                    );
                });
            });
        }
    }
}
