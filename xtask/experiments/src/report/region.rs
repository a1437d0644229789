//! Class regions, from curves stored by [`Plane`].

use super::Block;
use crate::harness::Results;
use crate::methods::plane::Plane;
use gp_cli::picture::{CLASSES, Colour, INK, Layer, Picture};

/// Colour opacity at probability 1.
const STRENGTH: f64 = 0.55;

/// Number of shades; few, to merge cells.
const SHADES: f64 = 12.0;

/// Most probable class (paler if uncertain), training points, inducing inputs; None without curves.
#[must_use]
pub fn regions(results: &Results, file: &str, [data, setting, method]: [&str; 3]) -> Option<Block> {
    let curve = |name: &str| results.curves(data, setting, method, name).first().copied();
    let (ends, region) = (curve("plane")?, curve("region")?);
    let cells = region.len().isqrt();
    let plane = Plane { ends: [0, 1].map(|axis| [ends[axis].0, ends[axis].1]), cells };
    let classes = (0..).take_while(|k| curve(&format!("class {k}")).is_some()).count();
    let colours = region.iter().map(|(class, p)| tint(*class as usize, *p, classes)).collect();
    let mut layers = vec![Layer::Cells { x: plane.edges(0), y: plane.edges(1), colours }];
    let points = |name: String, colour: Colour, label: String| {
        let (x, y): (Vec<f64>, Vec<f64>) = curve(&name)?.iter().copied().unzip();
        (!x.is_empty()).then_some(Layer::Points { x, y, colour, label })
    };
    for class in 0..classes {
        let colour = CLASSES[class % CLASSES.len()];
        layers.extend(points(format!("class {class}"), colour, format!("class {class}")));
    }
    for latent in 0.. {
        let name = format!("inducing {latent}");
        if curve(&name).is_none() {
            break;
        }
        let label = if latent == 0 { "inducing inputs".to_owned() } else { String::new() };
        layers.extend(points(name, INK, label));
    }
    let title = format!("{data}, {setting}: {method}");
    let [x_name, y_name] = ["first input", "second input"].map(str::to_owned);
    let picture = Picture { title, x_name, y_name, layers, ..Picture::default() };
    Some(Block::Figure(file.replace([' ', '=', ','], "-").replace('.', ""), Box::new(picture)))
}

/// White at chance level, `STRENGTH` at probability 1.
fn tint(class: usize, p: f64, classes: usize) -> Colour {
    let least = 1.0 / classes.max(2) as f64;
    let certainty = ((p - least) / (1.0 - least)).clamp(0.0, 1.0);
    let share = STRENGTH * (SHADES * certainty).round() / SHADES;
    CLASSES[class % CLASSES.len()].map(|part| (255.0 + share * (f64::from(part) - 255.0)).round() as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_white_where_nothing_is_known_and_never_full() {
        assert_eq!(tint(0, 0.5, 2), [255; 3]);
        let certain = tint(0, 1.0, 2);
        assert!(certain != [255; 3] && (0..3).all(|k| certain[k] > CLASSES[0][k]));
    }
}
