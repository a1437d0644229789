//! Layers by plotters, on any backend.

use super::legend::{Corner, corner};
use super::{CURVE, Colour, INK, Layer, Picture, Ticks};
use crate::data::date_text;
use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::register_font;

/// Size of a picture in units.
pub(super) const WIDTH: u32 = 1200;
pub(super) const HEIGHT: u32 = 720;

const MINUTES_PER_DAY: f64 = 1440.0;
const FONT: &str = "gp-picture";
/// By how many units centred text in this font stands above the line it is centred on.
const TEXT_RISE: f64 = 4.0;
const GRID: RGBColor = RGBColor(226, 229, 234);

pub(super) type Drawn<T> = Result<T, Box<dyn std::error::Error>>;
type Chart<'a, B> = ChartContext<'a, B, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// Pictures of a sheet to a row, and how large everything in them is.
const PANELS: usize = 3;
const PANEL_SCALE: f64 = 0.7;

/// How many pixels a unit has.
#[derive(Clone, Copy)]
pub(super) struct Scale(pub(super) f64);

impl Scale {
    fn pixels(self, length: f64) -> u32 {
        // Lengths here are small positive constants.
        (length * self.0).round().max(1.0) as u32
    }

    fn text(self, size: f64) -> TextStyle<'static> {
        (FONT, self.pixels(size)).into_font().color(&rgb(INK))
    }

    /// Where a legend's symbol looks level with its text.
    fn beside_text(self, y: i32) -> i32 {
        y - self.pixels(TEXT_RISE / 2.0) as i32
    }
}

fn rgb([red, green, blue]: Colour) -> RGBColor {
    RGBColor(red, green, blue)
}

/// A picture as SVG.
pub(super) fn svg(picture: &Picture) -> Drawn<Vec<u8>> {
    let mut text = String::new();
    let area = SVGBackend::with_string(&mut text, (WIDTH, HEIGHT)).into_drawing_area();
    draw(picture, &area, Scale(1.0))?;
    drop(area);
    Ok(text.into_bytes())
}

/// Draws everything onto an area.
pub(super) fn draw<B>(picture: &Picture, area: &DrawingArea<B, Shift>, scale: Scale) -> Drawn<()>
where
    B: DrawingBackend,
    B::ErrorType: 'static,
{
    register_font(FONT, FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT)
        .map_err(|_| "the embedded font cannot be read")?;
    area.fill(&WHITE)?;
    if picture.panels.is_empty() {
        draw_axes(picture, area, scale)?;
    } else {
        let (top, none) = (scale.pixels(14.0), 0u32);
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

/// One picture between two axes.
fn draw_axes<B>(picture: &Picture, area: &DrawingArea<B, Shift>, scale: Scale) -> Drawn<()>
where
    B: DrawingBackend,
    B::ErrorType: 'static,
{
    let mut chart = axes(picture, area, scale)?;
    for layer in &picture.layers {
        draw_layer(&mut chart, layer, scale)?;
    }
    if picture.layers.iter().any(|layer| !layer.label().is_empty()) {
        draw_legend(&mut chart, corner(picture), scale)?;
    }
    Ok(())
}

fn axes<'a, B>(picture: &Picture, area: &DrawingArea<B, Shift>, scale: Scale) -> Drawn<Chart<'a, B>>
where
    B: DrawingBackend,
    B::ErrorType: 'static,
{
    let [x, y] = picture.extents();
    let mut chart = ChartBuilder::on(area)
        .caption(&picture.title, scale.text(27.0))
        .margin(scale.pixels(18.0))
        .x_label_area_size(scale.pixels(52.0))
        .y_label_area_size(scale.pixels(if picture.y_ticks == Ticks::Dates { 160.0 } else { 72.0 }))
        .build_cartesian_2d(x.0..x.1, y.0..y.1)?;
    let named = |place: &f64| {
        let names = &picture.x_places;
        let whole = (place.fract() == 0.0 && *place >= 0.0).then_some(*place as usize);
        if names.is_empty() {
            tick(place, picture.x_ticks)
        } else {
            whole.and_then(|i| names.get(i)).cloned().unwrap_or_default()
        }
    };
    let apart = if picture.x_ticks == Ticks::Dates { 180.0 } else { 100.0 };
    chart
        .configure_mesh()
        .bold_line_style(GRID.stroke_width(scale.pixels(1.0)))
        .light_line_style(TRANSPARENT)
        .axis_style(rgb(INK).stroke_width(scale.pixels(1.0)))
        .x_desc(&picture.x_name)
        .y_desc(&picture.y_name)
        .x_labels(labels(area.dim_in_pixel().0, apart, scale))
        .y_labels(labels(area.dim_in_pixel().1, 80.0, scale))
        .x_label_formatter(&named)
        .y_label_formatter(&|value| tick(value, picture.y_ticks))
        .y_label_offset(scale.pixels(TEXT_RISE))
        .set_all_tick_mark_size(scale.pixels(5.0))
        .label_style(scale.text(18.0))
        .axis_desc_style(scale.text(21.0))
        .draw()?;
    Ok(chart)
}

/// Ticks of an axis that is so many pixels long, one for so many units.
fn labels(pixels: u32, units: f64, scale: Scale) -> usize {
    ((f64::from(pixels) / (units * scale.0)).round() as usize).max(3)
}

/// A tick's number with as many decimals as it has, or its date to the minute; the rounding takes away what sums of steps
/// leave behind.
fn tick(value: &f64, ticks: Ticks) -> String {
    if ticks == Ticks::Dates {
        return date_text((value * MINUTES_PER_DAY).round() / MINUTES_PER_DAY);
    }
    let size = value.abs();
    if size != 0.0 && !(1e-4..1e6).contains(&size) {
        return format!("{value:.3e}");
    }
    // Adding zero turns −0 into 0.
    format!("{}", (value * 1e6).round() / 1e6 + 0.0)
}

fn draw_layer<B>(chart: &mut Chart<'_, B>, layer: &Layer, scale: Scale) -> Drawn<()>
where
    B: DrawingBackend,
    B::ErrorType: 'static,
{
    match layer {
        Layer::Band { x, lower, upper, strength, label } => {
            draw_band(chart, (x, lower, upper), *strength, label, scale)
        }
        Layer::Line { x, y, colour, label } => draw_line(chart, (x, y), *colour, label, scale),
        Layer::Points { x, y, colour, label } => draw_points(chart, (x, y), *colour, label, scale),
        Layer::Rings { x, y, label } => draw_rings(chart, (x, y), label, scale),
        Layer::Reach { .. } => Ok(()),
        Layer::Cells { x, y, colours } => draw_cells(chart, (x, y), colours),
    }
}

fn draw_band<B>(
    chart: &mut Chart<'_, B>,
    (x, lower, upper): (&[f64], &[f64], &[f64]),
    strength: f64,
    label: &str,
    scale: Scale,
) -> Drawn<()>
where
    B: DrawingBackend,
    B::ErrorType: 'static,
{
    let colour = rgb(CURVE).mix(strength);
    let below = x.iter().copied().zip(lower.iter().copied());
    let above = x.iter().copied().zip(upper.iter().copied());
    let outline: Vec<(f64, f64)> = below.chain(above.rev()).collect();
    let (half_width, half_height) = (scale.pixels(15.0) as i32, scale.pixels(7.0) as i32);
    let series = chart.draw_series([Polygon::new(outline, colour)])?;
    if label.is_empty() {
        return Ok(());
    }
    series.label(label).legend(move |(x, y)| {
        let (middle, y) = (x + half_width, scale.beside_text(y));
        Rectangle::new(
            [(middle - half_width, y - half_height), (middle + half_width, y + half_height)],
            colour.filled(),
        )
    });
    Ok(())
}

fn draw_line<B>(
    chart: &mut Chart<'_, B>,
    (x, y): (&[f64], &[f64]),
    colour: Colour,
    label: &str,
    scale: Scale,
) -> Drawn<()>
where
    B: DrawingBackend,
    B::ErrorType: 'static,
{
    let style = rgb(colour).stroke_width(scale.pixels(2.4));
    let length = scale.pixels(30.0) as i32;
    let curve = x.iter().copied().zip(y.iter().copied());
    let series = chart.draw_series(LineSeries::new(curve, style))?;
    if label.is_empty() {
        return Ok(());
    }
    series.label(label).legend(move |(x, y)| {
        PathElement::new([(x, scale.beside_text(y)), (x + length, scale.beside_text(y))], style)
    });
    Ok(())
}

fn draw_points<B>(
    chart: &mut Chart<'_, B>,
    (x, y): (&[f64], &[f64]),
    colour: Colour,
    label: &str,
    scale: Scale,
) -> Drawn<()>
where
    B: DrawingBackend,
    B::ErrorType: 'static,
{
    let (radius, middle) = (scale.pixels(3.6), scale.pixels(15.0) as i32);
    let fill = rgb(colour).filled();
    let points = x.iter().zip(y).map(|(&x, &y)| Circle::new((x, y), radius, fill));
    let series = chart.draw_series(points)?;
    if !label.is_empty() {
        series
            .label(label)
            .legend(move |(x, y)| Circle::new((x + middle, scale.beside_text(y)), radius, fill));
    }
    Ok(())
}

fn draw_rings<B>(chart: &mut Chart<'_, B>, (x, y): (&[f64], &[f64]), label: &str, scale: Scale) -> Drawn<()>
where
    B: DrawingBackend,
    B::ErrorType: 'static,
{
    let (radius, middle) = (scale.pixels(6.0), scale.pixels(15.0) as i32);
    let stroke = rgb(INK).stroke_width(scale.pixels(1.4));
    let rings = x.iter().zip(y).map(|(&x, &y)| Circle::new((x, y), radius, stroke));
    let series = chart.draw_series(rings)?;
    if !label.is_empty() {
        series
            .label(label)
            .legend(move |(x, y)| Circle::new((x + middle, scale.beside_text(y)), radius, stroke));
    }
    Ok(())
}

fn draw_cells<B>(chart: &mut Chart<'_, B>, (x, y): (&[f64], &[f64]), colours: &[Colour]) -> Drawn<()>
where
    B: DrawingBackend,
    B::ErrorType: 'static,
{
    let columns = x.len().saturating_sub(1).max(1);
    let rows = colours.chunks(columns).enumerate();
    // Neighbours of one colour are one rectangle.
    let stretches = rows.flat_map(|(i, row)| {
        row.chunk_by(|a, b| a == b).scan(0, move |start, stretch| {
            let from = *start;
            *start += stretch.len();
            let corners = [(x[from], y[i]), (x[*start], y[i + 1])];
            Some(Rectangle::new(corners, rgb(stretch[0]).filled()))
        })
    });
    chart.draw_series(stretches)?;
    Ok(())
}

fn draw_legend<'a, B>(chart: &mut Chart<'a, B>, corner: Corner, scale: Scale) -> Drawn<()>
where
    B: DrawingBackend + 'a,
    B::ErrorType: 'static,
{
    let position = match (corner.is_upper, corner.is_right) {
        (true, true) => SeriesLabelPosition::UpperRight,
        (true, false) => SeriesLabelPosition::UpperLeft,
        (false, true) => SeriesLabelPosition::LowerRight,
        (false, false) => SeriesLabelPosition::LowerLeft,
    };
    chart
        .configure_series_labels()
        .position(position)
        .margin(scale.pixels(12.0))
        .legend_area_size(scale.pixels(38.0))
        .label_font(scale.text(17.0))
        .background_style(WHITE.mix(0.9))
        .border_style(GRID.stroke_width(scale.pixels(1.0)))
        .draw()?;
    Ok(())
}
