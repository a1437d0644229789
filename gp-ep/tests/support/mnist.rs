//! Handwritten digits, from the four files of the MNIST database in the folder `mnist` of the data sets.

use faer::Mat;
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};

#[path = "data.rs"]
#[expect(dead_code, reason = "of the module only the folder is needed here")]
mod data;

/// Images as rows of numbers between 0 and 1, and their digits.
pub(crate) struct Digits {
    pub(crate) images: Mat<f64>,
    pub(crate) digits: Vec<u8>,
}

impl Digits {
    /// The training part; nothing, and a word about it, when a file is not there.
    pub(crate) fn training() -> Option<Self> {
        let found = Self::read("train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz");
        if let Err(error) = &found {
            eprintln!("left out: MNIST ({error}); GP_DATA names the folder of data sets");
        }
        found.ok()
    }

    fn read(images: &str, labels: &str) -> Result<Self> {
        let ((shape, pixels), (_, digits)) = (idx(images)?, idx(labels)?);
        let dim: usize = shape[1..].iter().product();
        let images = Mat::from_fn(shape[0], dim, |i, d| f64::from(pixels[i * dim + d]) / 255.0);
        Ok(Self { images, digits })
    }
}

/// Extents and bytes of a compressed IDX file of bytes.
fn idx(name: &str) -> Result<(Vec<usize>, Vec<u8>)> {
    let mut bytes = Vec::new();
    MultiGzDecoder::new(File::open(data::folder().join("mnist").join(name))?).read_to_end(&mut bytes)?;
    let axes = usize::from(*bytes.get(3).ok_or(ErrorKind::UnexpectedEof)?);
    let header = 4 + 4 * axes;
    let extent = |axis: usize| {
        let word = bytes.get(4 + 4 * axis..8 + 4 * axis).unwrap_or(&[0; 4]);
        word.iter().fold(0, |value, byte| 256 * value + usize::from(*byte))
    };
    let shape: Vec<usize> = (0..axes).map(extent).collect();
    if bytes.len() != header + shape.iter().product::<usize>() {
        return Err(Error::new(ErrorKind::InvalidData, format!("{name} is not as long as it says")));
    }
    Ok((shape, bytes.split_off(header)))
}
