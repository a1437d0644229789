//! Report: slopes compared with theory, memory, and plots.

use super::Case;
use super::cases::CASES;
use super::measure::{HELD, SECONDS, Threads};
use super::size::{Axis, Sizes};
use super::slope::{first_of_upper, slope};
use crate::harness::Results;
use crate::report::Block;
use gp_cli::picture::{CLASSES, Colour, INK, Layer, Picture};

struct Course<'a> {
    results: &'a Results,
    case: &'static Case,
    axis: &'static Axis,
}

impl Course<'_> {
    fn points(&self, threads: Threads, score: &str) -> Vec<(f64, f64)> {
        let point = |size: &usize| {
            let setting = self.axis.setting(self.case.base, *size);
            let value = self.results.score_of(self.case.name, &setting, threads.name(), 0, score)?;
            Some((*size as f64, value))
        };
        self.axis.sizes.iter().filter_map(point).collect()
    }

    fn work_at(&self, size: f64) -> f64 {
        (self.case.work)(&Sizes::read(&self.axis.setting(self.case.base, size as usize)))
    }

    fn work(&self) -> Vec<(f64, f64)> {
        let sizes = self.points(Threads::One, SECONDS);
        sizes.into_iter().map(|(size, _)| (size, self.work_at(size))).collect()
    }

    fn times(&self) -> Option<Vec<String>> {
        let [one, all] = Threads::ALL.map(|threads| self.points(threads, SECONDS));
        let (size, seconds) = *one.last()?;
        let upper = one[first_of_upper(one.len())?].0;
        let row = [
            self.case.name.to_owned(),
            format!("{} to {}", self.name_of(one[0].0), grouped(size)),
            self.name_of(upper),
            self.axis.theory.to_owned(),
            number(slope(&self.work()), 2),
            number(slope(&one), 2),
            number(slope(&all), 2),
            significant(Some(seconds)),
            significant(all.last().map(|(_, seconds)| *seconds)),
            format!("{:.1} {}", self.work_at(size) / seconds / 1e9, self.case.unit),
        ];
        Some(row.into())
    }

    fn memory(&self) -> Option<Vec<String>> {
        let (theory, held) = (self.axis.memory?, self.points(Threads::One, HELD));
        let ((first, least), (last, most)) = (held.first()?, held.last()?);
        let row = [
            self.case.name.to_owned(),
            format!("{} to {}", self.name_of(*first), grouped(*last)),
            theory.to_owned(),
            number(slope(&held), 2),
            number(Some(least / 1e6), 2),
            number(Some(most / 1e6), 2),
        ];
        Some(row.into())
    }

    fn name_of(&self, size: f64) -> String {
        format!("{} = {}", self.axis.letter, grouped(size))
    }

    /// Seconds and scaled operations by size.
    fn picture(&self) -> Option<Picture> {
        let one = self.points(Threads::One, SECONDS);
        let (size, seconds) = *one.last()?;
        let rate = self.work_at(size) / seconds;
        let work = self.work().into_iter().map(|(size, work)| (size, work / rate)).collect::<Vec<_>>();
        // Wide limits, so that constant times with noise look level.
        let (x, y) = logs(&[(size, seconds / 3.0), (size, seconds * 3.0)]);
        let mut layers = vec![Layer::Reach { x, y }, line(&work, INK, "operations, at the last rate")];
        for (threads, colour) in Threads::ALL.into_iter().zip(CLASSES) {
            let points = self.points(threads, SECONDS);
            layers.extend([dots(&points, colour), line(&points, colour, threads.name())]);
        }
        Some(Picture {
            title: format!("by {}", self.axis.letter),
            x_name: format!("log10 of {}", self.axis.letter),
            y_name: "log10 of seconds".to_owned(),
            layers,
            ..Picture::default()
        })
    }
}

pub(super) fn blocks(results: &Results) -> Vec<Block> {
    let courses = |case: &'static Case| case.axes.iter().map(move |axis| Course { results, case, axis });
    let all = || CASES.iter().flat_map(courses);
    let times = Block::table(
        [
            "evaluation",
            "sizes",
            "slopes from",
            "theory",
            "operations",
            "one thread",
            "all threads",
            "seconds, one thread",
            "seconds, all",
            "rate, one thread",
        ],
        all().filter_map(|course| course.times()).collect(),
    );
    let memory = Block::table(
        ["evaluation", "sizes", "theory", "measured", "MB at the smallest", "MB at the largest"],
        all().filter_map(|course| course.memory()).collect(),
    );
    let mut blocks = vec![Block::text("Slopes of time, and seconds at the largest size:"), times];
    blocks.extend([Block::text("Slopes of memory by N, and memory held:"), memory]);
    for case in CASES {
        let panels: Vec<Picture> = courses(case).filter_map(|course| course.picture()).collect();
        blocks.extend(figure(case, panels));
    }
    blocks
}

fn figure(case: &Case, mut panels: Vec<Picture>) -> Vec<Block> {
    // The first panel has the legend for all.
    for layer in panels.iter_mut().skip(1).flat_map(|panel| &mut panel.layers) {
        layer.forget_label();
    }
    let title = format!("{}, {}", case.name, case.base.replace(';', ", "));
    let picture = match panels.len() {
        0 => return Vec::new(),
        1 => Picture { title, ..panels.remove(0) },
        _ => Picture { title, panels, ..Picture::default() },
    };
    let file = format!("growth-{}", case.name.replace(", ", "-").replace(' ', "-"));
    vec![Block::text(format!("`{}`: {}", case.name, case.what)), Block::Figure(file, Box::new(picture))]
}

fn logs(points: &[(f64, f64)]) -> (Vec<f64>, Vec<f64>) {
    points.iter().map(|(x, y)| (x.log10(), y.log10())).unzip()
}

fn line(points: &[(f64, f64)], colour: Colour, label: &str) -> Layer {
    let (x, y) = logs(points);
    Layer::Line { x, y, colour, label: label.to_owned() }
}

fn dots(points: &[(f64, f64)], colour: Colour) -> Layer {
    let (x, y) = logs(points);
    Layer::Points { x, y, colour, label: String::new() }
}

fn number(value: Option<f64>, digits: usize) -> String {
    let text = value.map_or_else(|| "–".to_owned(), |value| format!("{value:.digits$}"));
    match text.strip_prefix('-') {
        Some(zero) if zero.trim_matches(['0', '.']).is_empty() => zero.to_owned(),
        _ => text,
    }
}

fn significant(value: Option<f64>) -> String {
    let digits = value.map_or(0, |value| (2.0 - value.abs().log10().floor()).clamp(0.0, 9.0) as usize);
    number(value, digits)
}

fn grouped(count: f64) -> String {
    let digits = format!("{count:.0}");
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|part| std::str::from_utf8(part).ok()).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_counts_have_commas() {
        assert_eq!([1e6, 250.0, 4_000.0].map(grouped), ["1,000,000", "250", "4,000"]);
        assert_eq!(
            [0.001_234_5, 12.345, 0.5].map(|value| significant(Some(value))),
            ["0.00123", "12.3", "0.500"]
        );
        assert_eq!([number(Some(-0.001), 2), number(Some(-1.5), 1), number(None, 1)], ["0.00", "-1.5", "–"]);
    }
}
