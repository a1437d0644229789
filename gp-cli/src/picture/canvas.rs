//! Units, fonts, colours and ticks of plots.

use super::calendar::{self, TickedAxis};
use super::ticks::Ticks;
use super::{AxisKind, Colour, INK};
use plotters::coord::ranged1d::{BoldPoints, Ranged};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::register_font;

const FONT: &str = "gp-picture";
/// Rise of centred text, in units.
pub(super) const TEXT_RISE: f64 = 4.0;
pub(super) type Drawn<T> = Result<T, Box<dyn std::error::Error>>;
pub(super) type Chart<'a, B> = ChartContext<'a, B, Cartesian2d<TickedAxis, TickedAxis>>;

/// Pixels per unit.
#[derive(Clone, Copy)]
pub(super) struct Scale(pub(super) f64);

impl Scale {
    pub(super) fn pixels(self, length: f64) -> u32 {
        // Lengths here are small positive constants.
        (length * self.0).round().max(1.0) as u32
    }

    pub(super) fn text(self, size: f64) -> TextStyle<'static> {
        (FONT, self.pixels(size)).into_font().color(&rgb(INK))
    }
}

pub(super) fn rgb([red, green, blue]: Colour) -> RGBColor {
    RGBColor(red, green, blue)
}

pub(super) fn register_letters() -> Drawn<()> {
    register_font(FONT, FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT)
        .map_err(|_| "the embedded font cannot be read".into())
}

/// Tick positions and notation, about one per `units`; dates by calendar.
pub(super) fn ticks_of(
    kind: AxisKind,
    ends: (f64, f64),
    (pixels, units): (u32, f64),
    scale: Scale,
) -> (Vec<f64>, Ticks) {
    let dates =
        (kind == AxisKind::Dates).then(|| calendar::ticks(ends, labels(pixels, units, scale))).flatten();
    let places = dates.unwrap_or_else(|| places_of(ends, pixels, units, scale));
    let ticks = Ticks::of(&places, kind);
    (places, ticks)
}

pub(super) fn labels(pixels: u32, units: f64, scale: Scale) -> usize {
    ((f64::from(pixels) / (units * scale.0)).round() as usize).max(3)
}

fn places_of((low, high): (f64, f64), pixels: u32, units: f64, scale: Scale) -> Vec<f64> {
    RangedCoordf64::from(low..high).key_points(BoldPoints(labels(pixels, units, scale)))
}
