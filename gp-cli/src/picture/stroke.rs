//! Dashes and dots, to distinguish colours.

use super::canvas::{Scale, rgb};
use super::{CLASSES, Colour};
use plotters::prelude::*;

/// Number of colours with equal dashes and dots.
const ALIKE: usize = 8;
/// Dash and gap in units; the first group is solid.
const DASHES: [(f64, f64); 2] = [(10.0, 5.0), (3.0, 4.0)];
const WIDTH: f64 = 2.4;
const RADIUS: f64 = 3.6;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dot {
    Disc,
    Triangle,
    Square,
}

/// Group of a class colour, otherwise first.
fn group(colour: Colour) -> usize {
    CLASSES.iter().position(|&of_class| of_class == colour).map_or(0, |place| place / ALIKE)
}

pub(super) fn dot(colour: Colour) -> Dot {
    match group(colour) {
        0 => Dot::Disc,
        1 => Dot::Triangle,
        _ => Dot::Square,
    }
}

pub(super) fn radius(scale: Scale) -> i32 {
    scale.pixels(RADIUS) as i32
}

pub(super) fn dashes(colour: Colour, scale: Scale) -> Option<(u32, u32)> {
    let (dash, gap) = DASHES.get(group(colour).checked_sub(1)?)?;
    Some((scale.pixels(*dash), scale.pixels(*gap)))
}

pub(super) fn line_style(colour: Colour, scale: Scale) -> ShapeStyle {
    rgb(colour).stroke_width(scale.pixels(WIDTH))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::{CURVE, INK, OTHER};

    #[test]
    fn each_eight_classes_have_their_own_lines_and_dots() {
        let looks = |place: usize| (dashes(CLASSES[place], Scale(1.0)), dot(CLASSES[place]));
        assert_eq!(looks(0), (None, Dot::Disc));
        assert!(looks(7) == looks(0) && looks(8) != looks(7) && looks(16) != looks(15));
        assert!(looks(8).0 != looks(16).0 && looks(8).1 != looks(16).1);
        assert!([INK, CURVE, OTHER].iter().all(|&colour| dashes(colour, Scale(1.0)).is_none()));
    }
}
