//! Placement of the legend.

use super::{Layer, Picture};

/// Minimum and maximum width of a legend, width beside its text, per letter, and height per line; all as
/// shares of the axis.
const WIDE: (f64, f64) = (0.25, 0.6);
const BESIDE: f64 = 0.09;
const LETTER: f64 = 0.0055;
const HIGH: f64 = 0.05;

/// Points interpolated between two points of a curve.
const BETWEEN: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Corner {
    pub(super) is_right: bool,
    pub(super) is_upper: bool,
}

/// Corner of the plot with the fewest points; the upper right one in a tie.
pub(super) fn corner(picture: &Picture) -> Corner {
    let [x, y] = picture.extents();
    let lines = picture.layers.iter().filter(|layer| !layer.label().is_empty()).count();
    let share = |at: f64, (low, high): (f64, f64)| (at - low) / (high - low);
    let high = (HIGH * (lines as f64 + 0.5)).min(0.5);
    let letters = picture.layers.iter().map(|layer| layer.label().chars().count()).max().unwrap_or(0);
    let wide = (BESIDE + LETTER * letters as f64).clamp(WIDE.0, WIDE.1);
    let mut hidden =
        [true, false].map(|is_upper| [true, false].map(|is_right| (Corner { is_right, is_upper }, 0usize)));
    for (at, value) in picture.layers.iter().flat_map(points) {
        let (across, up) = (share(at, x), share(value, y));
        for (corner, count) in hidden.as_flattened_mut() {
            let is_beside = if corner.is_right { across > 1.0 - wide } else { across < wide };
            let is_level = if corner.is_upper { up > 1.0 - high } else { up < high };
            *count += usize::from(is_beside && is_level);
        }
    }
    let all = hidden.as_flattened();
    all.iter().min_by_key(|(_, count)| *count).map_or(all[0].0, |(corner, _)| *corner)
}

fn points(layer: &Layer) -> Vec<(f64, f64)> {
    let pairs = |x: &[f64], y: &[f64]| x.iter().copied().zip(y.iter().copied()).collect::<Vec<_>>();
    match layer {
        Layer::Band { x, lower, upper, .. } => [curve(&pairs(x, lower)), curve(&pairs(x, upper))].concat(),
        Layer::Line { x, y, .. } => curve(&pairs(x, y)),
        Layer::Points { x, y, .. } | Layer::Rings { x, y, .. } => pairs(x, y),
        Layer::Reach { .. } | Layer::Cells { .. } => Vec::new(),
    }
}

fn curve(corners: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let piece = |ends: &[(f64, f64)]| {
        let ((x0, y0), (x1, y1)) = (ends[0], ends[1]);
        (0..=BETWEEN).map(move |i| {
            let share = i as f64 / BETWEEN as f64;
            (x0 + share * (x1 - x0), y0 + share * (y1 - y0))
        })
    };
    corners.windows(2).flat_map(piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::INK;

    fn found(y: [f64; 3]) -> (bool, bool) {
        let line =
            Layer::Line { x: vec![0.0, 1.0, 2.0], y: y.to_vec(), colour: INK, label: "a curve".to_owned() };
        let Corner { is_right, is_upper } = corner(&Picture { layers: vec![line], ..Picture::default() });
        (is_right, is_upper)
    }

    #[test]
    fn a_legend_is_where_the_curve_is_not() {
        assert_eq!(found([2.0, 1.0, 0.0]), (true, true));
        assert_eq!(found([0.0, 1.0, 2.0]), (false, true));
        assert_eq!(found([2.0, 0.0, 2.0]), (true, false));
    }

    #[test]
    fn a_long_legend_needs_a_wide_corner() {
        let place = |label: &str| {
            let (x, y) = (vec![0.0, 0.7, 2.0], vec![0.0, 2.0, 2.0]);
            let line = Layer::Line { x, y, colour: INK, label: label.to_owned() };
            let Corner { is_right, is_upper } = corner(&Picture { layers: vec![line], ..Picture::default() });
            (is_right, is_upper)
        };
        assert_eq!(place("a curve"), (false, true));
        assert_eq!(place(&"a curve ".repeat(7)), (true, false));
    }
}
