//! Colour scale right of a surface.

use super::AxisKind;
use super::ColourScale;
use super::INK;
use super::canvas::{Chart, Drawn, Scale, TEXT_RISE, rgb, ticks_of};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Widths in units: total and parts.
const WIDTH: f64 = 118.0;
/// Additional width for dates.
const DATES: f64 = 44.0;
const BAR: f64 = 22.0;
const TICK: f64 = 5.0;
/// Height per tick, in units.
const SPACING: f64 = 80.0;
/// Units from right edge to name.
const EDGE: f64 = 26.0;

pub(super) fn width(bar: &ColourScale) -> f64 {
    if bar.ticks == AxisKind::Dates { WIDTH + DATES } else { WIDTH }
}

pub(super) fn draw<B>(
    bar: &ColourScale,
    area: &DrawingArea<B, Shift>,
    beside: &Chart<'_, B>,
    scale: Scale,
) -> Drawn<()>
where
    B: DrawingBackend,
    B::ErrorType: 'static,
{
    let rows = beside.plotting_area().get_pixel_range().1;
    let base = area.get_base_pixel().1;
    let (top, bottom) = (rows.start - base, rows.end - base);
    let right = scale.pixels(BAR) as i32;
    let at = |share: f64| bottom - (share * f64::from(bottom - top)).round() as i32;
    let shades = bar.colours.len().max(1) as f64;
    for (place, &colour) in bar.colours.iter().enumerate() {
        let [low, high] = [place, place + 1].map(|edge| at(edge as f64 / shades));
        area.draw(&Rectangle::new([(0, high), (right, low)], rgb(colour).filled()))?;
    }
    let line = rgb(INK).stroke_width(scale.pixels(1.0));
    area.draw(&Rectangle::new([(0, top), (right, bottom)], line))?;
    let along = ((bottom - top).unsigned_abs(), SPACING);
    let (places, ticks) = ticks_of(bar.ticks, (bar.low, bar.high), along, scale);
    let beside_bar = scale.text(18.0).pos(Pos::new(HPos::Left, VPos::Center));
    for &place in &places {
        let y = at((place - bar.low) / (bar.high - bar.low));
        let end = right + scale.pixels(TICK) as i32;
        area.draw(&PathElement::new([(right, y), (end, y)], line))?;
        let from = (end + scale.pixels(TICK) as i32, y + scale.pixels(TEXT_RISE) as i32);
        area.draw(&Text::new(ticks.short(place, &places), from, beside_bar.clone()))?;
    }
    let across = scale.text(21.0).transform(FontTransform::Rotate90).pos(Pos::new(HPos::Center, VPos::Top));
    let edge = scale.pixels(width(bar)) as i32 - scale.pixels(EDGE) as i32;
    area.draw(&Text::new(bar.name.clone(), (edge + scale.pixels(21.0) as i32, (top + bottom) / 2), across))?;
    Ok(())
}
