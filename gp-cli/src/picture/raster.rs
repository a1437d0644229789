//! PNG output, smoothed by oversampling.

use super::Picture;
use super::canvas::{Drawn, Scale};
use super::draw::{HEIGHT, WIDTH, draw};
use plotters::prelude::*;

/// Rendered pixels per output side.
const OVERSAMPLING: u32 = 3;

pub(super) fn png(picture: &Picture) -> Drawn<Vec<u8>> {
    let size = (WIDTH * OVERSAMPLING, HEIGHT * OVERSAMPLING);
    let mut pixels = vec![0; 3 * size.0 as usize * size.1 as usize];
    let area = BitMapBackend::with_buffer(&mut pixels, size).into_drawing_area();
    draw(picture, &area, Scale(f64::from(OVERSAMPLING)))?;
    drop(area);
    Ok(encode(&averaged(&pixels))?)
}

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
                // Rounded means of numbers below 256 are below 256.
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
    encoder.set_compression(png::Compression::High);
    encoder.write_header()?.write_image_data(pixels)?;
    Ok(bytes)
}
