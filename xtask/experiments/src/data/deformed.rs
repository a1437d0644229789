//! Any number of images: random deformations of given ones.

use super::Part;
use super::normal::normal;
use crate::error::ExperimentError;
use gp_kernels::data::{DataError, DataSource, Rows};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Rows of MNIST8M: 135 times MNIST.
pub const EIGHT_MILLION: usize = 8_100_000;

/// Maximum rotation (radians), stretch, shear, shift (share of the side).
const TURN: f64 = 0.175;
const STRETCH: f64 = 0.1;
const SHEAR: f64 = 0.1;
const SHIFT: f64 = 1.0 / 28.0;
/// Standard deviations of displacements and smoothing, as shares of the side.
const WAVE: f64 = 1.0 / 28.0;
const SMOOTH: f64 = 4.0 / 28.0;

/// Square images, then randomly deformed copies in the same order, repeatedly; rows are not stored.
#[derive(Clone, Debug)]
pub struct Deformed<'a> {
    images: &'a Part,
    side: usize,
    rows: usize,
    strength: f64,
    /// Smoothing weights; squares sum to 1.
    smooth: Vec<f64>,
}

impl<'a> Deformed<'a> {
    /// Source of `rows` rows.
    ///
    /// # Errors
    /// No images, or not square.
    pub fn new(images: &'a Part, rows: usize) -> Result<Self, ExperimentError> {
        let side = images.dim().isqrt();
        if images.is_empty() || side == 0 {
            return Err(DataError::NoData.into());
        }
        if side * side != images.dim() {
            let (what, axis) = ("square image", "pixels");
            return Err(DataError::Shape { what, axis, expected: side * side, found: images.dim() }.into());
        }
        Ok(Self { images, side, rows, strength: 1.0, smooth: gaussian(SMOOTH * side as f64) })
    }

    /// Multiplies all deformations by a factor.
    #[must_use]
    pub fn with_strength(self, strength: f64) -> Self {
        Self { strength, ..self }
    }

    fn draw(&self, row: usize, pixels: &mut [f64]) -> f64 {
        let original = row % self.images.len();
        let image = self.images.inputs.row(original);
        if row < self.images.len() {
            pixels.iter_mut().zip(image.iter()).for_each(|(out, pixel)| *out = *pixel);
        } else {
            let mut rng = ChaCha8Rng::seed_from_u64(0);
            rng.set_stream(row as u64);
            let image: Vec<f64> = image.iter().copied().collect();
            self.deform(&image, &mut rng, pixels);
        }
        self.images.targets[(original, 0)]
    }

    fn deform(&self, image: &[f64], rng: &mut ChaCha8Rng, pixels: &mut [f64]) {
        let (side, strength) = (self.side, self.strength);
        let mut within = |most: f64| strength * most * rng.random_range(-1.0..1.0);
        let (turn, shear) = (within(TURN), within(SHEAR));
        let stretch = [within(STRETCH).exp(), within(STRETCH).exp()];
        let shift = [within(SHIFT * side as f64), within(SHIFT * side as f64)];
        let waves = [self.wave(rng), self.wave(rng)];
        let (sin, cos) = turn.sin_cos();
        let centre = 0.5 * (side as f64 - 1.0);
        for i in 0..side {
            for j in 0..side {
                let (y, x) = (i as f64 - centre, j as f64 - centre);
                let (y, x) = (cos * y + sin * x, cos * x - sin * y);
                let (y, x) = (stretch[0] * y, stretch[1] * (x + shear * y));
                let at = i * side + j;
                let from = [centre + y + shift[0] + waves[0][at], centre + x + shift[1] + waves[1][at]];
                pixels[at] = between(image, side, from);
            }
        }
    }

    /// One coordinate of a smooth displacement field.
    fn wave(&self, rng: &mut ChaCha8Rng) -> Vec<f64> {
        let (side, wide) = (self.side, self.side + self.smooth.len() - 1);
        let noise: Vec<f64> = (0..wide * wide).map(|_| normal(rng)).collect();
        let add = |out: &mut [f64], from: &[f64], weight: f64| {
            out.iter_mut().zip(from).for_each(|(sum, value)| *sum += weight * value);
        };
        // Smooth along rows, then along columns.
        let mut along = vec![0.0; wide * side];
        for (out, row) in along.chunks_exact_mut(side).zip(noise.chunks_exact(wide)) {
            self.smooth.iter().enumerate().for_each(|(t, weight)| add(out, &row[t..], *weight));
        }
        let (mut wave, height) = (vec![0.0; side * side], self.strength * WAVE * side as f64);
        for (i, out) in wave.chunks_exact_mut(side).enumerate() {
            let weights = self.smooth.iter().enumerate();
            weights.for_each(|(t, weight)| add(out, &along[(i + t) * side..], height * weight));
        }
        wave
    }
}

impl DataSource for Deformed<'_> {
    fn count(&self) -> usize {
        self.rows
    }

    fn dim(&self) -> usize {
        self.images.dim()
    }

    fn outputs(&self) -> usize {
        1
    }

    fn read(&self, rows: &Rows<'_>, points: &mut [f64], targets: &mut [f64]) -> Result<(), DataError> {
        for (what, expected, found) in [
            ("buffer of inputs", rows.len() * self.dim(), points.len()),
            ("buffer of targets", rows.len(), targets.len()),
        ] {
            if expected != found {
                return Err(DataError::Shape { what, axis: "entries", expected, found });
            }
        }
        for (place, (pixels, label)) in points.chunks_exact_mut(self.dim()).zip(targets).enumerate() {
            let row = rows.at(place);
            if row >= self.rows {
                return Err(DataError::Read { row, reason: format!("there are {} observations", self.rows) });
            }
            *label = self.draw(row, pixels);
        }
        Ok(())
    }
}

/// Interpolated value at (row, column); 0 outside.
fn between(image: &[f64], side: usize, [y, x]: [f64; 2]) -> f64 {
    let (top, left) = (y.floor(), x.floor());
    let (down, right) = (y - top, x - left);
    let pixel = |i: f64, j: f64| {
        let inside = i >= 0.0 && j >= 0.0 && i < side as f64 && j < side as f64;
        if inside { image[i as usize * side + j as usize] } else { 0.0 }
    };
    let row = |i: f64| (1.0 - right) * pixel(i, left) + right * pixel(i, left + 1.0);
    (1.0 - down) * row(top) + down * row(top + 1.0)
}

/// Gaussian weights; squares sum to 1.
fn gaussian(deviation: f64) -> Vec<f64> {
    let reach = (3.0 * deviation).ceil() as i32;
    let weights: Vec<f64> =
        (-reach..=reach).map(|k| (-0.5 * (f64::from(k) / deviation).powi(2)).exp()).collect();
    let length = weights.iter().map(|w| w * w).sum::<f64>().sqrt();
    weights.iter().map(|w| w / length).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::Mat;

    fn rings() -> Part {
        let pixel = |i: usize, d: usize| {
            let (y, x) = ((d / 28) as f64 - 13.5, (d % 28) as f64 - 13.5);
            (1.0 - (y.hypot(x) - 5.0 - i as f64).abs() / 2.0).max(0.0)
        };
        Part { inputs: Mat::from_fn(3, 784, pixel), targets: Mat::from_fn(3, 1, |i, _| i as f64) }
    }

    fn read(source: &Deformed<'_>, rows: &[usize]) -> (Vec<f64>, Vec<f64>) {
        let (mut points, mut targets) = (vec![0.0; rows.len() * source.dim()], vec![0.0; rows.len()]);
        source.read(&Rows::List(rows), &mut points, &mut targets).unwrap();
        (points, targets)
    }

    #[test]
    fn a_row_is_always_the_same_image_and_no_other() {
        let images = rings();
        let source = Deformed::new(&images, EIGHT_MILLION).unwrap();
        let (all, labels) = read(&source, &[8_099_999, 4, 7]);
        assert_eq!(labels, [2.0, 1.0, 1.0]);
        assert_eq!(read(&source, &[4]).0, all[784..2 * 784]);
        assert_eq!(read(&source, &[8_099_999]).0, all[..784]);
        // Both show the second ring.
        assert_ne!(all[784..2 * 784], all[2 * 784..]);
    }

    #[test]
    fn the_first_rows_are_the_images_and_so_are_all_without_strength() {
        let images = rings();
        let originals: Vec<f64> =
            (0..3).flat_map(|i| images.inputs.row(i).iter().copied().collect::<Vec<_>>()).collect();
        let source = Deformed::new(&images, 30).unwrap();
        assert_eq!(read(&source, &[0, 1, 2]).0, originals);
        let still = source.with_strength(0.0);
        assert_eq!(read(&still, &[12, 13, 14]).0, originals);
    }

    #[test]
    fn ink_is_neither_made_nor_lost_and_moves_by_pixels() {
        let images = rings();
        let source = Deformed::new(&images, 3000).unwrap();
        let (count, mut ratio, mut moved) = (300, 0.0, 0.0);
        for row in 3..3 + count {
            let pixels = read(&source, &[row]).0;
            assert!(pixels.iter().all(|p| (0.0..=1.0).contains(p)));
            let original: Vec<f64> = images.inputs.row(row % 3).iter().copied().collect();
            let ink = |pixels: &[f64]| pixels.iter().sum::<f64>();
            let mine = ink(&pixels) / ink(&original);
            // Stretch of at most a tenth along both axes, and displacements.
            assert!((0.6..1.6).contains(&mine), "row {row}: {mine}");
            let apart: f64 = pixels.iter().zip(&original).map(|(a, b)| (a - b).abs()).sum();
            (ratio, moved) = (
                ratio + mine / f64::from(count as u32),
                moved + apart / ink(&original) / f64::from(count as u32),
            );
        }
        // The mean of 300 ratios that deviate by a tenth is within one or two percent of 1.
        assert!((ratio - 1.0).abs() < 0.03, "{ratio}");
        // A ring three pixels wide moved by one or two has much of its ink elsewhere, but not all.
        assert!((0.3..1.5).contains(&moved), "{moved}");
    }

    #[test]
    fn displacements_have_their_size_and_are_smooth() {
        let images = rings();
        let source = Deformed::new(&images, 3).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let (mut square, mut step) = (0.0, 0.0);
        for _ in 0..200 {
            let wave = source.wave(&mut rng);
            square += wave.iter().map(|w| w * w).sum::<f64>() / 784.0 / 200.0;
            let steps = wave.chunks(28).flat_map(|row| row.windows(2)).map(|two| (two[1] - two[0]).powi(2));
            step += steps.sum::<f64>() / (28.0 * 27.0) / 200.0;
        }
        // One pixel; 200 fields with 784/(2π 4²) = 8 independent positions each have their mean square to 4 %.
        assert!((square - 1.0).abs() < 0.15, "{square}");
        // E[(w(x + 1) − w(x))²] = 2 (1 − exp(−1/(4·4²))) = 0.031
        assert!((step - 0.031).abs() < 0.005, "{step}");
    }

    #[test]
    fn what_is_no_image_or_no_row_is_refused() {
        let images = Part { inputs: Mat::zeros(2, 8), targets: Mat::zeros(2, 1) };
        assert!(Deformed::new(&images, 5).unwrap_err().to_string().contains("square image"));
        let images = rings();
        let source = Deformed::new(&images, 5).unwrap();
        let refused = source.read(&Rows::List(&[5]), &mut [0.0; 784], &mut [0.0]).unwrap_err();
        assert!(refused.to_string().contains("observation 5"), "{refused}");
        assert!(source.read(&Rows::List(&[1]), &mut [0.0; 783], &mut [0.0]).is_err());
    }
}
