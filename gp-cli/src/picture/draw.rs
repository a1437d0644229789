//! Drawing with plotters, on any backend.

use super::calendar::TickedAxis;
use super::canvas::{Chart, Drawn, Scale, TEXT_RISE, labels, register_letters, rgb, ticks_of};
use super::colour_bar;
use super::legend::Legend;
use super::names;
use super::stroke::{Dot, dashes, dot, line_style, radius};
use super::{AxisKind, CURVE, Colour, INK, Layer, Picture};
use plotters::coord::Shift;
use plotters::prelude::*;

/// Plot size in units.
pub(super) const WIDTH: u32 = 1200;
pub(super) const HEIGHT: u32 = 720;

/// Units per tick.
const X_TICK: f64 = 100.0;
const Y_TICK: f64 = 80.0;
/// Units per horizontal date tick.
const X_DATE: f64 = 180.0;
/// Widths: tick letter, vertical axis name.
const LETTER: f64 = 9.5;
const Y_NAME: f64 = 40.0;
const MARGIN: f64 = 18.0;
const GRID: RGBColor = RGBColor(226, 229, 234);

/// Panels per row and scale.
const PANELS: usize = 3;
const PANEL_SCALE: f64 = 0.7;

pub(super) fn svg(picture: &Picture) -> Drawn<Vec<u8>> {
    let mut text = String::new();
    let area = SVGBackend::with_string(&mut text, (WIDTH, HEIGHT)).into_drawing_area();
    draw(picture, &area, Scale(1.0))?;
    drop(area);
    Ok(text.into_bytes())
}

pub(super) fn draw<B>(picture: &Picture, area: &DrawingArea<B, Shift>, scale: Scale) -> Drawn<()>
where
    B: DrawingBackend,
    B::ErrorType: 'static,
{
    register_letters()?;
    area.fill(&WHITE)?;
    let legend = Legend::of(picture, area, scale)?;
    let (axes, below) = area.split_vertically(area.dim_in_pixel().1.saturating_sub(legend.height()));
    legend.draw(&below)?;
    if picture.panels.is_empty() {
        draw_axes(picture, &axes, scale)?;
    } else {
        let (top, none, area) = (scale.pixels(14.0), 0u32, axes);
        let area = area.margin(top, none, none, none).titled(&picture.title, scale.text(27.0))?;
        let rows = picture.panels.len().div_ceil(PANELS);
        let columns = picture.panels.len().min(PANELS);
        for (panel, part) in picture.panels.iter().zip(area.split_evenly((rows, columns))) {
            draw_axes(panel, &part, Scale(PANEL_SCALE * scale.0))?;
        }
    }
    area.present()?;
    Ok(())
}

fn draw_axes<B>(picture: &Picture, area: &DrawingArea<B, Shift>, scale: Scale) -> Drawn<()>
where
    B: DrawingBackend,
    B::ErrorType: 'static,
{
    let bar = picture.colours.as_ref().map(|colours| {
        let width = area.dim_in_pixel().0.saturating_sub(scale.pixels(colour_bar::width(colours)));
        (colours, area.split_horizontally(width))
    });
    let mut chart = axes(picture, bar.as_ref().map_or(area, |(_, (left, _))| left), scale)?;
    if let Some((colours, (_, right))) = &bar {
        colour_bar::draw(colours, right, &chart, scale)?;
    }
    for layer in &picture.layers {
        draw_layer(&mut chart, layer, scale)?;
    }
    Ok(())
}

fn axes<'a, B>(picture: &Picture, area: &DrawingArea<B, Shift>, scale: Scale) -> Drawn<Chart<'a, B>>
where
    B: DrawingBackend,
    B::ErrorType: 'static,
{
    let [x, y] = picture.extents();
    let (width, height) = area.dim_in_pixel();
    let x_tick = if picture.x_ticks == AxisKind::Dates { X_DATE } else { X_TICK };
    let (x_places, x_ticks) = ticks_of(picture.x_ticks, x, (width, x_tick), scale);
    let (y_places, y_ticks) = ticks_of(picture.y_ticks, y, (height, Y_TICK), scale);
    let y_room = Y_NAME + LETTER * y_ticks.widest(&y_places) as f64;
    // The last date may be at the right end, and is centred there.
    let half_a_date = 0.5 * LETTER * x_ticks.widest(&x_places) as f64;
    let right = if picture.x_ticks == AxisKind::Dates { half_a_date.max(MARGIN) } else { MARGIN };
    let mut chart = ChartBuilder::on(area)
        .caption(&picture.title, scale.text(27.0))
        .margin(scale.pixels(MARGIN))
        .margin_right(scale.pixels(right))
        .x_label_area_size(scale.pixels(52.0))
        .y_label_area_size(scale.pixels(y_room.max(72.0)))
        .build_cartesian_2d(
            TickedAxis::new(x, picture.x_ticks, &x_places),
            TickedAxis::new(y, picture.y_ticks, &y_places),
        )?;
    let letters = (f64::from(width) / scale.0 - y_room) / LETTER;
    let names = names::fitting(&picture.x_places, letters.max(0.0) as usize);
    let named = |place: &f64| {
        let whole = (place.fract() == 0.0 && *place >= 0.0).then_some(*place as usize);
        if names.is_empty() {
            x_ticks.short(*place, &x_places)
        } else {
            whole.and_then(|i| names.get(i)).cloned().unwrap_or_default()
        }
    };
    // Ticks at and between names, or fewer without room.
    let x_count = match names.len() {
        0 => labels(width, x_tick, scale),
        count => 2 * count + 1,
    };
    chart
        .configure_mesh()
        .bold_line_style(GRID.stroke_width(scale.pixels(1.0)))
        .light_line_style(TRANSPARENT)
        .axis_style(rgb(INK).stroke_width(scale.pixels(1.0)))
        .x_desc(&picture.x_name)
        .y_desc(&picture.y_name)
        .x_labels(x_count)
        .y_labels(labels(height, Y_TICK, scale))
        .x_label_formatter(&named)
        .y_label_formatter(&|place| y_ticks.short(*place, &y_places))
        .y_label_offset(scale.pixels(TEXT_RISE))
        .set_all_tick_mark_size(scale.pixels(5.0))
        .label_style(scale.text(18.0))
        .axis_desc_style(scale.text(21.0))
        .draw()?;
    Ok(chart)
}

fn draw_layer<B>(chart: &mut Chart<'_, B>, layer: &Layer, scale: Scale) -> Drawn<()>
where
    B: DrawingBackend,
    B::ErrorType: 'static,
{
    match layer {
        Layer::Band { x, lower, upper, strength, .. } => draw_band(chart, (x, lower, upper), *strength),
        Layer::Line { x, y, colour, .. } => draw_line(chart, (x, y), *colour, scale),
        Layer::Points { x, y, colour, .. } => draw_points(chart, (x, y), *colour, scale),
        Layer::Rings { x, y, .. } => draw_rings(chart, (x, y), scale),
        Layer::Reach { .. } => Ok(()),
        Layer::Cells { x, y, colours } => draw_cells(chart, (x, y), colours),
    }
}

fn draw_band<B>(
    chart: &mut Chart<'_, B>,
    (x, lower, upper): (&[f64], &[f64], &[f64]),
    strength: f64,
) -> Drawn<()>
where
    B: DrawingBackend,
    B::ErrorType: 'static,
{
    let below = x.iter().copied().zip(lower.iter().copied());
    let above = x.iter().copied().zip(upper.iter().copied());
    let outline: Vec<(f64, f64)> = below.chain(above.rev()).collect();
    chart.draw_series([Polygon::new(outline, rgb(CURVE).mix(strength))])?;
    Ok(())
}

fn draw_line<B>(chart: &mut Chart<'_, B>, (x, y): (&[f64], &[f64]), colour: Colour, scale: Scale) -> Drawn<()>
where
    B: DrawingBackend,
    B::ErrorType: 'static,
{
    let style = line_style(colour, scale);
    let curve: Vec<(f64, f64)> = x.iter().copied().zip(y.iter().copied()).collect();
    match dashes(colour, scale) {
        None => chart.draw_series(LineSeries::new(curve, style))?,
        Some((dash, gap)) => chart.draw_series(DashedLineSeries::new(curve, dash, gap, style))?,
    };
    Ok(())
}

fn draw_points<B>(
    chart: &mut Chart<'_, B>,
    (x, y): (&[f64], &[f64]),
    colour: Colour,
    scale: Scale,
) -> Drawn<()>
where
    B: DrawingBackend,
    B::ErrorType: 'static,
{
    let (size, fill) = (radius(scale), rgb(colour).filled());
    let places = x.iter().copied().zip(y.iter().copied());
    match dot(colour) {
        Dot::Disc => chart.draw_series(places.map(|at| Circle::new(at, size, fill)))?,
        Dot::Triangle => {
            chart.draw_series(places.map(|at| TriangleMarker::new(at, size + size / 3, fill)))?
        }
        Dot::Square => {
            let square = |at| EmptyElement::at(at) + Rectangle::new([(-size, -size), (size, size)], fill);
            chart.draw_series(places.map(square))?
        }
    };
    Ok(())
}

fn draw_rings<B>(chart: &mut Chart<'_, B>, (x, y): (&[f64], &[f64]), scale: Scale) -> Drawn<()>
where
    B: DrawingBackend,
    B::ErrorType: 'static,
{
    let stroke = rgb(INK).stroke_width(scale.pixels(1.4));
    let rings = x.iter().zip(y).map(|(&x, &y)| Circle::new((x, y), scale.pixels(6.0), stroke));
    chart.draw_series(rings)?;
    Ok(())
}

fn draw_cells<B>(chart: &mut Chart<'_, B>, (x, y): (&[f64], &[f64]), colours: &[Colour]) -> Drawn<()>
where
    B: DrawingBackend,
    B::ErrorType: 'static,
{
    let columns = x.len().saturating_sub(1).max(1);
    let rows = colours.chunks(columns).enumerate();
    let last = (x.len().saturating_sub(1), y.len().saturating_sub(1));
    // Neighbours of equal colour merge into rectangles, which extend under the next ones to avoid seams in
    // scaled pictures.
    let stretches = rows.flat_map(|(i, row)| {
        row.chunk_by(|a, b| a == b).scan(0, move |start, stretch| {
            let from = *start;
            *start += stretch.len();
            let corners = [(x[from], y[i]), (x[(*start + 1).min(last.0)], y[(i + 2).min(last.1)])];
            Some(Rectangle::new(corners, rgb(stretch[0]).filled()))
        })
    });
    chart.draw_series(stretches)?;
    Ok(())
}
