//! Layered plots as PNG or SVG; deterministic.

mod calendar;
mod canvas;
mod colour_bar;
mod draw;
mod legend;
mod names;
mod raster;
mod stroke;
mod ticks;

use crate::data::Kind;
use crate::error::{CliError, ErrorKind};
use std::path::Path;

/// Points of a computed curve.
pub const CURVE_POINTS: usize = 601;
const MARGIN: f64 = 0.03;

/// Red, green and blue.
pub type Colour = [u8; 3];

/// Plot over two axes.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// Title of the picture.
    pub title: String,
    /// Horizontal axis name.
    pub x_name: String,
    /// Vertical axis name.
    pub y_name: String,
    /// Names at horizontal positions 0, 1, …; empty for numbers.
    pub x_places: Vec<String>,
    /// Horizontal axis type.
    pub x_ticks: AxisKind,
    /// Vertical axis type.
    pub y_ticks: AxisKind,
    /// Layers, from back to front.
    pub layers: Vec<Layer>,
    /// Colour scale, if cells show numbers.
    pub colours: Option<ColourScale>,
    /// Panels instead of layers, three per row.
    pub panels: Vec<Picture>,
}

/// Mapping of numbers to colours.
#[derive(Clone, Debug, PartialEq)]
pub struct ColourScale {
    /// Quantity shown.
    pub name: String,
    /// Value of the first colour.
    pub low: f64,
    /// Value of the last colour; above `low`.
    pub high: f64,
    /// Type of values.
    pub ticks: AxisKind,
    /// Equally spaced colours.
    pub colours: Vec<Colour>,
}

/// Notation of numbers on an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AxisKind {
    /// Plain numbers.
    #[default]
    Numbers,
    /// Days since 1970-01-01.
    Dates,
}

impl From<Kind> for AxisKind {
    fn from(kind: Kind) -> Self {
        if kind == Kind::Date { Self::Dates } else { Self::Numbers }
    }
}

/// Labelled layers are in the legend.
#[derive(Clone, Debug)]
pub enum Layer {
    /// Area between two curves.
    Band {
        /// Horizontal positions.
        x: Vec<f64>,
        /// Lower curve.
        lower: Vec<f64>,
        /// Upper curve.
        upper: Vec<f64>,
        /// Opacity, from 0 to 1.
        strength: f64,
        /// Legend text.
        label: String,
    },
    /// Curve.
    Line {
        /// Horizontal positions.
        x: Vec<f64>,
        /// Values.
        y: Vec<f64>,
        /// Colour of the layer.
        colour: Colour,
        /// Legend text.
        label: String,
    },
    /// Dots, one per data row.
    Points {
        /// Horizontal positions.
        x: Vec<f64>,
        /// Values.
        y: Vec<f64>,
        /// Colour of the layer.
        colour: Colour,
        /// Legend text.
        label: String,
    },
    /// Rings around points.
    Rings {
        /// Horizontal positions.
        x: Vec<f64>,
        /// Values.
        y: Vec<f64>,
        /// Legend text.
        label: String,
    },
    /// Invisible points inside the axes.
    Reach {
        /// Horizontal positions.
        x: Vec<f64>,
        /// Values.
        y: Vec<f64>,
    },
    /// Coloured grid cells, rows from below.
    Cells {
        /// Column edges, one more than columns.
        x: Vec<f64>,
        /// Row edges, one more than rows.
        y: Vec<f64>,
        /// Colour per cell.
        colours: Vec<Colour>,
    },
}

impl Layer {
    /// Removes the layer from the legend.
    pub fn forget_label(&mut self) {
        match self {
            Self::Band { label, .. }
            | Self::Line { label, .. }
            | Self::Points { label, .. }
            | Self::Rings { label, .. } => label.clear(),
            Self::Reach { .. } | Self::Cells { .. } => {}
        }
    }

    fn label(&self) -> &str {
        match self {
            Self::Band { label, .. }
            | Self::Line { label, .. }
            | Self::Points { label, .. }
            | Self::Rings { label, .. } => label,
            Self::Reach { .. } | Self::Cells { .. } => "",
        }
    }
}

/// Colour of text and training data.
pub const INK: Colour = [40, 44, 52];
/// Colour of means and bands.
pub const CURVE: Colour = [31, 89, 160];
/// Colour of other data.
pub const OTHER: Colour = [222, 98, 20];
/// Class colours, distinct also with red-green blindness; more classes repeat them. Each eight have own
/// dashes and dots.
pub const CLASSES: [Colour; 24] = [
    [31, 89, 160],
    [222, 98, 20],
    [44, 140, 80],
    [180, 120, 225],
    [200, 160, 20],
    [20, 160, 170],
    [180, 40, 50],
    [110, 110, 120],
    [75, 15, 60],
    [225, 165, 150],
    [0, 30, 135],
    [90, 0, 15],
    [150, 180, 90],
    [0, 90, 210],
    [0, 75, 105],
    [240, 150, 225],
    [75, 60, 60],
    [105, 45, 0],
    [75, 120, 165],
    [60, 30, 105],
    [165, 75, 15],
    [225, 105, 105],
    [165, 180, 180],
    [150, 30, 120],
];

impl Picture {
    /// File by the path's extension.
    ///
    /// # Errors
    /// [`Usage`](ErrorKind::Usage) for an extension other than `.png` or `.svg`; [`Io`](ErrorKind::Io) if
    /// drawing fails.
    pub fn bytes(&self, path: &Path) -> Result<Vec<u8>, CliError> {
        match path.extension().and_then(|end| end.to_str()) {
            Some("png") => self.png(),
            Some("svg") => self.svg(),
            _ => Err(wrong_end(path)),
        }
    }

    /// PNG file.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io), with reason.
    pub fn png(&self) -> Result<Vec<u8>, CliError> {
        raster::png(self).map_err(|cause| cannot_draw(&*cause))
    }

    /// SVG file.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io), with reason.
    pub fn svg(&self) -> Result<Vec<u8>, CliError> {
        draw::svg(self).map_err(|cause| cannot_draw(&*cause))
    }

    /// Ranges of cells, or of layers with margin.
    fn extents(&self) -> [(f64, f64); 2] {
        let (mut x, mut y) = (Extent::EMPTY, Extent::EMPTY);
        for layer in &self.layers {
            match layer {
                Layer::Band { x: at, lower, upper, .. } => {
                    x.add(at);
                    y.add(lower);
                    y.add(upper);
                }
                Layer::Line { x: at, y: values, .. }
                | Layer::Points { x: at, y: values, .. }
                | Layer::Rings { x: at, y: values, .. }
                | Layer::Reach { x: at, y: values } => {
                    x.add(at);
                    y.add(values);
                }
                Layer::Cells { x: at, y: values, .. } => {
                    x.add(at);
                    y.add(values);
                    return [(x.low, x.high), (y.low, y.high)];
                }
            }
        }
        let curves = self.layers.iter().any(|layer| matches!(layer, Layer::Band { .. } | Layer::Line { .. }));
        [if curves { (x.low, x.high) } else { x.widened() }, y.widened()]
    }
}

/// Refuses other extensions than `.png`, `.svg`.
///
/// # Errors
/// As [`Picture::bytes`].
pub fn check_name(path: &Path) -> Result<(), CliError> {
    match path.extension().and_then(|end| end.to_str()) {
        Some("png" | "svg") => Ok(()),
        _ => Err(wrong_end(path)),
    }
}

fn wrong_end(path: &Path) -> CliError {
    CliError::new(ErrorKind::Usage, format!("`{}` ends neither in .png nor in .svg", path.display()))
}

fn cannot_draw(cause: &dyn std::error::Error) -> CliError {
    CliError::caused(ErrorKind::Io, "cannot draw the picture", cause.to_string())
}

/// Equally spaced positions slightly beyond `values`.
#[must_use]
pub fn places(values: &[f64], count: usize) -> Vec<f64> {
    let mut extent = Extent::EMPTY;
    extent.add(values);
    let (low, high) = extent.widened();
    let step = (high - low) / count.saturating_sub(1).max(1) as f64;
    (0..count).map(|i| low + step * i as f64).collect()
}

#[derive(Clone, Copy)]
struct Extent {
    low: f64,
    high: f64,
}

impl Extent {
    const EMPTY: Self = Self { low: f64::INFINITY, high: f64::NEG_INFINITY };

    fn add(&mut self, values: &[f64]) {
        for &value in values.iter().filter(|value| value.is_finite()) {
            (self.low, self.high) = (self.low.min(value), self.high.max(value));
        }
    }

    fn widened(self) -> (f64, f64) {
        if self.low > self.high {
            return (0.0, 1.0);
        }
        let spread = self.high - self.low;
        let room = if spread > 0.0 { MARGIN * spread } else { 0.5 * self.low.abs().max(1.0) };
        (self.low - room, self.high + room)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn svg(label: &str) -> String {
        let (x, y, label) = (vec![0.0, 1.0], vec![1.0, 2.0], label.to_owned());
        let layers = vec![
            Layer::Line { x: x.clone(), y: y.clone(), colour: INK, label: label.clone() },
            Layer::Points { x, y, colour: OTHER, label },
        ];
        String::from_utf8(Picture { layers, ..Picture::default() }.svg().unwrap()).unwrap()
    }

    #[test]
    fn colours_of_classes_differ() {
        let apart = |a: Colour, b: Colour| (0..3).map(|k| a[k].abs_diff(b[k])).max().unwrap();
        for (place, &colour) in CLASSES.iter().enumerate() {
            for &other in &CLASSES[..place] {
                assert!(apart(colour, other) >= 30, "{colour:?} {other:?}");
            }
        }
    }

    #[test]
    fn what_has_no_label_is_not_in_the_legend() {
        let (with, without) = (svg("a curve"), svg(""));
        assert_eq!(with.matches("a curve").count(), 2);
        // Only a line and two points are drawn.
        assert_eq!(without.matches("<circle").count(), 2);
        assert_eq!(with.matches("<circle").count(), 3);
        assert_eq!(with.matches("<polyline").count(), without.matches("<polyline").count() + 1);
    }
}
