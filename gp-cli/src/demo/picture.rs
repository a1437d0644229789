//! The picture: data, mean and uncertainty.

use super::data::{Rows, Split};
use super::report::INTERVAL;
use crate::error::{CliError, ErrorKind};
use crate::metrics::Forecast;
use crate::model::RegressionModel;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::register_font;

/// Size of the finished picture in pixels.
const WIDTH: u32 = 1200;
const HEIGHT: u32 = 720;
/// The picture is drawn larger by this factor and averaged down, which smooths every edge.
const OVERSAMPLING: u32 = 3;
/// Places at which the curve is computed.
const CURVE_POINTS: u32 = 601;
/// Room around the data, as a share of its extent.
const MARGIN: f64 = 0.03;

const FONT: &str = "gp-demo";
/// By how many pixels centred text in this font stands above the line it is centred on.
const TEXT_RISE: f64 = 4.0;
const INK: RGBColor = RGBColor(40, 44, 52);
const GRID: RGBColor = RGBColor(226, 229, 234);
const CURVE: RGBColor = RGBColor(31, 89, 160);
const HELD_OUT: RGBColor = RGBColor(222, 98, 20);

type Chart<'a> = ChartContext<'a, BitMapBackend<'a>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;
type Drawn = Result<(), Box<dyn std::error::Error>>;

/// What there is to see.
struct Scene<'a> {
    split: &'a Split,
    x: Vec<f64>,
    latent: Vec<Forecast>,
    observation: Vec<Forecast>,
}

/// The picture as the bytes of a PNG file; the same bytes for the same model and data.
pub(super) fn png(split: &Split, model: &RegressionModel) -> Result<Vec<u8>, CliError> {
    let x = curve_places(split);
    let inputs = [x.clone()];
    let (latent, observation) = (model.forecast_latent(&inputs)?, model.forecast(&inputs)?);
    let scene = Scene { split, x, latent, observation };
    let large = (WIDTH * OVERSAMPLING, HEIGHT * OVERSAMPLING);
    let mut pixels = vec![0; 3 * large.0 as usize * large.1 as usize];
    draw(&mut pixels, large, &scene).map_err(|cause| cannot_draw(&*cause))?;
    encode(&averaged(&pixels)).map_err(|cause| cannot_draw(&cause))
}

fn cannot_draw(cause: &dyn std::error::Error) -> CliError {
    CliError::caused(ErrorKind::Io, "cannot draw the picture", cause.to_string())
}

/// Equally spaced over all data and a little beyond.
fn curve_places(split: &Split) -> Vec<f64> {
    let (low, high) = widened(extent([&split.train, &split.test].into_iter().flat_map(|rows| &rows.x[0])));
    let step = (high - low) / f64::from(CURVE_POINTS - 1);
    (0..CURVE_POINTS).map(|i| low + step * f64::from(i)).collect()
}

fn extent<'a>(values: impl Iterator<Item = &'a f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &value| (low.min(value), high.max(value)))
}

fn widened((low, high): (f64, f64)) -> (f64, f64) {
    let room = MARGIN * (high - low);
    (low - room, high + room)
}

fn draw(pixels: &mut [u8], size: (u32, u32), scene: &Scene<'_>) -> Drawn {
    register_font(FONT, FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT)
        .map_err(|_| "the embedded font cannot be read")?;
    let (outer, inner) = (band(&scene.observation)?, band(&scene.latent)?);
    let area = BitMapBackend::with_buffer(pixels, size).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = axes(&area, scene, &outer)?;
    draw_band(&mut chart, &scene.x, &outer, CURVE.mix(0.13), "95 % of new observations")?;
    draw_band(&mut chart, &scene.x, &inner, CURVE.mix(0.28), "95 % for the function")?;
    draw_mean(&mut chart, scene)?;
    draw_points(&mut chart, &scene.split.train, INK, "training rows")?;
    draw_points(&mut chart, &scene.split.test, HELD_OUT, "held-out rows")?;
    draw_legend(&mut chart)?;
    drop(chart);
    area.present()?;
    Ok(())
}

/// Lower and upper ends along the curve.
fn band(forecasts: &[Forecast]) -> Result<Vec<(f64, f64)>, CliError> {
    forecasts.iter().map(|forecast| forecast.interval(INTERVAL)).collect()
}

/// A length in pixels of the finished picture.
fn pixels(length: f64) -> u32 {
    // Lengths here are small positive constants.
    (length * f64::from(OVERSAMPLING)).round() as u32
}

fn text(size: f64) -> TextStyle<'static> {
    (FONT, pixels(size)).into_font().color(&INK)
}

fn axes<'a>(
    area: &DrawingArea<BitMapBackend<'a>, plotters::coord::Shift>,
    scene: &Scene<'_>,
    outer: &[(f64, f64)],
) -> Result<Chart<'a>, Box<dyn std::error::Error>> {
    let x = extent(scene.x.iter());
    let ends = outer.iter().flat_map(|(low, high)| [low, high]);
    let y = widened(extent(ends.chain(&scene.split.train.y).chain(&scene.split.test.y)));
    let mut chart = ChartBuilder::on(area)
        .caption("Exact Gaussian-process regression", text(27.0))
        .margin(pixels(18.0))
        .x_label_area_size(pixels(52.0))
        .y_label_area_size(pixels(62.0))
        .build_cartesian_2d(x.0..x.1, y.0..y.1)?;
    chart
        .configure_mesh()
        .bold_line_style(GRID.stroke_width(pixels(1.0)))
        .light_line_style(TRANSPARENT)
        .axis_style(INK.stroke_width(pixels(1.0)))
        .x_desc("x")
        .y_desc("y")
        .x_labels(11)
        .y_labels(8)
        .x_label_formatter(&tick)
        .y_label_formatter(&tick)
        .y_label_offset(pixels(TEXT_RISE))
        .set_all_tick_mark_size(pixels(5.0))
        .label_style(text(18.0))
        .axis_desc_style(text(21.0))
        .draw()?;
    Ok(chart)
}

/// A tick's number with as many decimals as it has; the rounding takes away what sums of steps leave behind.
fn tick(value: &f64) -> String {
    // Adding zero turns −0 into 0.
    format!("{}", (value * 1e6).round() / 1e6 + 0.0)
}

fn draw_band(chart: &mut Chart<'_>, x: &[f64], band: &[(f64, f64)], colour: RGBAColor, label: &str) -> Drawn {
    let lower = x.iter().zip(band).map(|(&x, &(low, _))| (x, low));
    let upper = x.iter().zip(band).map(|(&x, &(_, high))| (x, high));
    let outline: Vec<(f64, f64)> = lower.chain(upper.rev()).collect();
    let (half_width, half_height) = (pixels(15.0) as i32, pixels(7.0) as i32);
    chart.draw_series([Polygon::new(outline, colour)])?.label(label).legend(move |(x, y)| {
        let (middle, y) = (x + half_width, beside_text(y));
        Rectangle::new(
            [(middle - half_width, y - half_height), (middle + half_width, y + half_height)],
            colour.filled(),
        )
    });
    Ok(())
}

fn draw_mean(chart: &mut Chart<'_>, scene: &Scene<'_>) -> Drawn {
    let style = CURVE.stroke_width(pixels(2.4));
    let curve = scene.x.iter().zip(&scene.latent).map(|(&x, forecast)| (x, forecast.mean));
    let length = pixels(30.0) as i32;
    chart
        .draw_series(LineSeries::new(curve, style))?
        .label("posterior mean")
        .legend(move |(x, y)| PathElement::new([(x, beside_text(y)), (x + length, beside_text(y))], style));
    Ok(())
}

fn draw_points(chart: &mut Chart<'_>, rows: &Rows, colour: RGBColor, label: &str) -> Drawn {
    let (radius, middle) = (pixels(3.6), pixels(15.0) as i32);
    let points = rows.x[0].iter().zip(&rows.y).map(|(&x, &y)| Circle::new((x, y), radius, colour.filled()));
    chart
        .draw_series(points)?
        .label(label)
        .legend(move |(x, y)| Circle::new((x + middle, beside_text(y)), radius, colour.filled()));
    Ok(())
}

/// Where a legend's symbol looks level with its text.
fn beside_text(y: i32) -> i32 {
    y - pixels(TEXT_RISE / 2.0) as i32
}

fn draw_legend(chart: &mut Chart<'_>) -> Drawn {
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .margin(pixels(12.0))
        .legend_area_size(pixels(38.0))
        .label_font(text(17.0))
        .background_style(WHITE.mix(0.9))
        .border_style(GRID.stroke_width(pixels(1.0)))
        .draw()?;
    Ok(())
}

/// Each pixel the mean of the square it stands for.
fn averaged(large: &[u8]) -> Vec<u8> {
    let (factor, width) = (OVERSAMPLING as usize, WIDTH as usize);
    let stride = 3 * width * factor;
    let area = (factor * factor) as u32;
    let mut small = Vec::with_capacity(3 * width * HEIGHT as usize);
    for rows in large.chunks_exact(factor * stride) {
        for column in 0..width {
            for channel in 0..3 {
                let at = |i: usize| 3 * (column * factor + i % factor) + channel + i / factor * stride;
                let sum: u32 = (0..factor * factor).map(|i| u32::from(rows[at(i)])).sum();
                // The mean of numbers below 256, rounded, is below 256.
                small.push(((sum + area / 2) / area) as u8);
            }
        }
    }
    small
}

fn encode(pixels: &[u8]) -> Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, WIDTH, HEIGHT);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Best);
    encoder.write_header()?.write_image_data(pixels)?;
    Ok(bytes)
}
