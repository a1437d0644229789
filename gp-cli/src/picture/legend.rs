//! Legend below the axes.

use super::canvas::{Drawn, Scale, TEXT_RISE, rgb};
use super::stroke::{Dot, dashes, dot, line_style, radius};
use super::{CURVE, Colour, INK, Layer, Picture};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Sizes in units: text, line, symbol, spaces, margins.
const TEXT: f64 = 17.0;
const LINE: f64 = 24.0;
const SYMBOL: f64 = 30.0;
const AFTER_SYMBOL: f64 = 8.0;
const AFTER_TEXT: f64 = 22.0;
const SIDE: f64 = 18.0;
const BELOW: f64 = 10.0;
/// Maximum lines; further labels are counted.
const MAX_LINES: usize = 8;

/// Labelled layers by line; widths in pixels.
pub(super) struct Legend<'a> {
    lines: Vec<Vec<(LegendEntry<'a>, u32)>>,
    scale: Scale,
}

#[derive(Clone)]
enum LegendEntry<'a> {
    Layer(&'a Layer),
    More(usize),
}

impl LegendEntry<'_> {
    fn text(&self) -> String {
        match self {
            Self::Layer(layer) => layer.label().to_owned(),
            Self::More(count) => format!("and {count} more"),
        }
    }
}

impl<'a> Legend<'a> {
    pub(super) fn of<B>(picture: &'a Picture, area: &DrawingArea<B, Shift>, scale: Scale) -> Drawn<Self>
    where
        B: DrawingBackend,
        B::ErrorType: 'static,
    {
        let room = area.dim_in_pixel().0.saturating_sub(2 * scale.pixels(SIDE));
        let layers = labelled(picture);
        let mut lines: Vec<Vec<(LegendEntry<'a>, u32)>> = Vec::new();
        let mut used = room;
        for (place, &layer) in layers.iter().enumerate() {
            let mut entry = LegendEntry::Layer(layer);
            let mut width = width_of(&entry, area, scale)?;
            if used + width > room && lines.len() == MAX_LINES {
                if let Some(last) = lines.last_mut() {
                    // The count takes the place of the last label.
                    last.pop();
                    entry = LegendEntry::More(layers.len() - place + 1);
                    width = width_of(&entry, area, scale)?;
                    last.push((entry, width));
                }
                break;
            }
            if used + width > room {
                lines.push(Vec::new());
                used = 0;
            }
            used += width;
            lines.last_mut().into_iter().for_each(|line| line.push((entry.clone(), width)));
        }
        Ok(Self { lines, scale })
    }

    /// Height in pixels; 0 without labels.
    pub(super) fn height(&self) -> u32 {
        match self.lines.len() {
            0 => 0,
            count => count as u32 * self.scale.pixels(LINE) + self.scale.pixels(BELOW),
        }
    }

    pub(super) fn draw<B>(&self, area: &DrawingArea<B, Shift>) -> Drawn<()>
    where
        B: DrawingBackend,
        B::ErrorType: 'static,
    {
        let (scale, width) = (self.scale, area.dim_in_pixel().0);
        let [symbol, after_symbol, line] = [SYMBOL, AFTER_SYMBOL, LINE].map(|size| scale.pixels(size) as i32);
        let style = scale.text(TEXT).pos(Pos::new(HPos::Left, VPos::Center));
        for (place, entries) in self.lines.iter().enumerate() {
            let total: u32 = entries.iter().map(|(_, width)| width).sum();
            let mut x = (width.saturating_sub(total - scale.pixels(AFTER_TEXT)) / 2) as i32;
            let y = place as i32 * line + line / 2;
            for (entry, width) in entries {
                if let LegendEntry::Layer(layer) = entry {
                    draw_symbol(area, layer, (x, y, symbol), scale)?;
                }
                let rise = scale.pixels(TEXT_RISE / 2.0) as i32;
                area.draw(&Text::new(entry.text(), (x + symbol + after_symbol, y + rise), style.clone()))?;
                x += *width as i32;
            }
        }
        Ok(())
    }
}

/// Labelled layers of picture or panels, once each.
fn labelled(picture: &Picture) -> Vec<&Layer> {
    let mut found: Vec<&Layer> = Vec::new();
    for layers in [&picture.layers].into_iter().chain(picture.panels.iter().map(|panel| &panel.layers)) {
        let is_new =
            |layer: &&Layer| !layer.label().is_empty() && found.iter().all(|of| of.label() != layer.label());
        let new: Vec<&Layer> = layers.iter().filter(is_new).collect();
        found.extend(new);
    }
    found
}

fn width_of<B>(entry: &LegendEntry<'_>, area: &DrawingArea<B, Shift>, scale: Scale) -> Drawn<u32>
where
    B: DrawingBackend,
    B::ErrorType: 'static,
{
    let (text, _) = area.estimate_text_size(&entry.text(), &scale.text(TEXT))?;
    Ok(scale.pixels(SYMBOL) + scale.pixels(AFTER_SYMBOL) + text + scale.pixels(AFTER_TEXT))
}

/// Draws a symbol `width` wide from `x`, centred at `y`.
fn draw_symbol<B>(
    area: &DrawingArea<B, Shift>,
    layer: &Layer,
    (x, y, width): (i32, i32, i32),
    scale: Scale,
) -> Drawn<()>
where
    B: DrawingBackend,
    B::ErrorType: 'static,
{
    let middle = (x + width / 2, y);
    match layer {
        Layer::Band { strength, .. } => {
            let half = scale.pixels(7.0) as i32;
            let fill = rgb(CURVE).mix(*strength).filled();
            area.draw(&Rectangle::new([(x, y - half), (x + width, y + half)], fill))?;
        }
        Layer::Line { colour, .. } => draw_dashes(area, (x, x + width, y), *colour, scale)?,
        Layer::Points { colour, .. } => draw_dot(area, middle, *colour, scale)?,
        Layer::Rings { .. } => {
            let stroke = rgb(INK).stroke_width(scale.pixels(1.4));
            area.draw(&Circle::new(middle, scale.pixels(6.0), stroke))?;
        }
        Layer::Reach { .. } | Layer::Cells { .. } => {}
    }
    Ok(())
}

fn draw_dashes<B>(
    area: &DrawingArea<B, Shift>,
    (from, to, y): (i32, i32, i32),
    colour: Colour,
    scale: Scale,
) -> Drawn<()>
where
    B: DrawingBackend,
    B::ErrorType: 'static,
{
    let style = line_style(colour, scale);
    let (dash, gap) = dashes(colour, scale).unwrap_or((to.abs_diff(from), 1));
    for start in (from..to).step_by((dash + gap) as usize) {
        let end = (start + dash as i32).min(to);
        area.draw(&PathElement::new([(start, y), (end, y)], style))?;
    }
    Ok(())
}

fn draw_dot<B>(area: &DrawingArea<B, Shift>, at: (i32, i32), colour: Colour, scale: Scale) -> Drawn<()>
where
    B: DrawingBackend,
    B::ErrorType: 'static,
{
    let (fill, size) = (rgb(colour).filled(), radius(scale));
    match dot(colour) {
        Dot::Disc => area.draw(&Circle::new(at, size, fill))?,
        Dot::Triangle => area.draw(&TriangleMarker::new(at, size + size / 3, fill))?,
        Dot::Square => {
            let corners = [(at.0 - size, at.1 - size), (at.0 + size, at.1 + size)];
            area.draw(&Rectangle::new(corners, fill))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::CLASSES;

    fn line(label: &str, colour: Colour) -> Layer {
        Layer::Line { x: vec![0.0, 1.0], y: vec![0.0, 1.0], colour, label: label.to_owned() }
    }

    fn texts(picture: &Picture) -> Vec<(f64, String)> {
        let svg = String::from_utf8(picture.svg().unwrap()).unwrap();
        let of = |part: &str| {
            let (head, rest) = part.split_once('>')?;
            let y = head.split_once(" y=\"")?.1.split_once('"')?.0.parse().ok()?;
            Some((y, rest.split_once("</text>")?.0.trim().to_owned()))
        };
        svg.split("<text").skip(1).filter_map(of).collect()
    }

    #[test]
    fn a_legend_is_below_the_axes() {
        let layers = vec![line("one", CLASSES[0]), line("two", CLASSES[9])];
        let texts = texts(&Picture { x_name: "time".to_owned(), layers, ..Picture::default() });
        let at = |text: &str| texts.iter().find(|(_, known)| known == text).unwrap().0;
        assert!(at("one") > at("time") + 10.0 && at("one") == at("two"), "{texts:?}");
    }

    #[test]
    fn labels_of_panels_are_shown_once() {
        let panel = || Picture { layers: vec![line("one", CLASSES[0])], ..Picture::default() };
        let texts = texts(&Picture { panels: vec![panel(), panel()], ..Picture::default() });
        assert_eq!(texts.iter().filter(|(_, text)| text == "one").count(), 1);
    }

    #[test]
    fn more_labels_than_lines_are_counted() {
        let layers: Vec<Layer> =
            (0..400).map(|k| line(&format!("class {k}"), CLASSES[k % CLASSES.len()])).collect();
        let texts = texts(&Picture { layers, ..Picture::default() });
        let shown = texts.iter().filter(|(_, text)| text.starts_with("class ")).count();
        assert!(shown > 40, "{shown}");
        assert!(texts.iter().any(|(_, text)| *text == format!("and {} more", 400 - shown)), "{texts:?}");
    }
}
