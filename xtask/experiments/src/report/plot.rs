//! Plots of curves, and of scores by setting.

use super::{Block, Summary};
use crate::harness::Results;
use gp_cli::picture::{CLASSES, INK, Layer, Picture};

/// Scale of the horizontal axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Linear scale.
    Linear,
    /// Base 10.
    Log,
}

impl Scale {
    fn of(self, x: f64) -> f64 {
        match self {
            Self::Linear => x,
            Self::Log => x.max(f64::MIN_POSITIVE).log10(),
        }
    }

    fn name(self, name: &str) -> String {
        match self {
            Self::Linear => name.to_owned(),
            Self::Log => format!("log10 of {name}"),
        }
    }
}

/// Curves by method, first split; `names`: horizontal axis, vertical axis, curve.
#[must_use]
pub fn course(
    results: &Results,
    file: &str,
    [data, setting]: [&str; 2],
    methods: &[&str],
    names: [&str; 3],
    scale: Scale,
) -> Option<Block> {
    let [x_name, y_name, curve] = names;
    let layer = |(k, method): (usize, &&str)| {
        let points = *results.curves(data, setting, method, curve).first()?;
        let places = points.iter().filter(|(x, _)| scale == Scale::Linear || *x > 0.0);
        Some(Layer::Line {
            x: places.clone().map(|(x, _)| scale.of(*x)).collect(),
            y: places.map(|(_, y)| *y).collect(),
            colour: CLASSES[k % CLASSES.len()],
            label: (*method).to_owned(),
        })
    };
    let layers: Vec<Layer> = methods.iter().enumerate().filter_map(layer).collect();
    let title = format!("{data}, {setting}: {y_name}");
    picture(file, title, scale.name(x_name), y_name.to_owned(), layers)
}

/// Mean scores by a setting's number, or horizontal lines; `names`: number, score.
#[must_use]
pub fn levels(
    results: &Results,
    file: &str,
    data: &str,
    settings: &[(&str, Option<f64>)],
    methods: &[&str],
    names: [&str; 2],
    scale: Scale,
) -> Option<Block> {
    let [x_name, score] = names;
    let mean =
        |setting: &str, method: &str| Some(Summary::of(&results.scores(data, setting, method, score))?.mean);
    let layer = |(k, method): (usize, &&str)| {
        let point = |(setting, x): &(&str, Option<f64>)| Some((scale.of((*x)?), mean(setting, method)?));
        let (x, y): (Vec<f64>, Vec<f64>) = settings.iter().filter_map(point).unzip();
        let label = (*method).to_owned();
        (!x.is_empty()).then_some(Layer::Line { x, y, colour: CLASSES[k % CLASSES.len()], label })
    };
    let layers: Vec<Layer> = methods.iter().enumerate().filter_map(layer).collect();
    let all = || {
        layers
            .iter()
            .filter_map(|layer| if let Layer::Line { x, .. } = layer { Some(x) } else { None })
            .flatten()
            .copied()
    };
    let ends = vec![all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max)];
    let without = settings.iter().filter(|(_, x)| x.is_none() && !layers.is_empty());
    let level = |(setting, method): (&str, &&str)| {
        let y = vec![mean(setting, method)?; 2];
        Some(Layer::Line { x: ends.clone(), y, colour: INK, label: (*method).to_owned() })
    };
    let levels = without.flat_map(|(setting, _)| methods.iter().map(move |method| (*setting, method)));
    let levels: Vec<Layer> = levels.filter_map(level).collect();
    let layers = layers.into_iter().chain(levels).collect();
    picture(file, format!("{data}: {score}"), scale.name(x_name), score.to_owned(), layers)
}

fn picture(file: &str, title: String, x_name: String, y_name: String, layers: Vec<Layer>) -> Option<Block> {
    let picture = Picture { title, x_name, y_name, layers, ..Picture::default() };
    (!picture.layers.is_empty()).then(|| Block::Figure(file.replace([' ', '=', ';'], "-"), Box::new(picture)))
}
