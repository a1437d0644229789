//! Handwritten digits.

use super::normal::normal;
use super::{Part, Split, Store, Task};
use crate::error::ExperimentError;
use faer::Mat;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// MNIST: pixels in [0, 1], digits as classes.
#[derive(Clone, Debug)]
pub struct Digits {
    /// 60,000 images.
    pub training: Part,
    /// 10,000 images.
    pub test: Part,
}

impl Digits {
    /// File names.
    pub const FILES: [&'static str; 4] = [
        "mnist/train-images-idx3-ubyte.gz",
        "mnist/train-labels-idx1-ubyte.gz",
        "mnist/t10k-images-idx3-ubyte.gz",
        "mnist/t10k-labels-idx1-ubyte.gz",
    ];

    /// Reads all images.
    ///
    /// # Errors
    /// Missing or invalid files.
    pub fn load(store: &Store) -> Result<Self, ExperimentError> {
        match store {
            Store::Synthetic => Ok(Self { training: drawn(400, 1), test: drawn(100, 2) }),
            Store::Folder(_) => Ok(Self {
                training: part(store, Self::FILES[0], Self::FILES[1])?,
                test: part(store, Self::FILES[2], Self::FILES[3])?,
            }),
        }
    }

    /// Split for a task, not standardised.
    #[must_use]
    pub fn split(self, task: Task) -> Split {
        Split { training: self.training, test: self.test, units: vec![1.0], task }
    }

    /// Images with label −1 (even) or 1 (odd).
    #[must_use]
    pub fn parity(mut self) -> Self {
        for part in [&mut self.training, &mut self.test] {
            part.targets.col_mut(0).iter_mut().for_each(|digit| *digit = 2.0 * (*digit % 2.0) - 1.0);
        }
        self
    }
}

fn part(store: &Store, images: &str, labels: &str) -> Result<Part, ExperimentError> {
    let (shape, pixels) = idx(store, images)?;
    let (_, digits) = idx(store, labels)?;
    let dim: usize = shape[1..].iter().product();
    if shape[0] != digits.len() {
        return Err(store.bad(labels, 0, format!("{} labels for {} images", digits.len(), shape[0])));
    }
    Ok(Part {
        inputs: Mat::from_fn(shape[0], dim, |i, d| f64::from(pixels[i * dim + d]) / 255.0),
        targets: Mat::from_fn(digits.len(), 1, |i, _| f64::from(digits[i])),
    })
}

fn idx(store: &Store, file: &str) -> Result<(Vec<usize>, Vec<u8>), ExperimentError> {
    let mut bytes = store.bytes(file)?;
    let bad = || store.bad(file, 0, "it is no IDX file of bytes".to_owned());
    let &[0, 0, 8, axes] = bytes.first_chunk::<4>().ok_or_else(bad)? else { return Err(bad()) };
    let header = 4 + 4 * usize::from(axes);
    let extents = bytes.get(4..header).ok_or_else(bad)?;
    let shape: Vec<usize> = extents
        .chunks(4)
        .map(|word| word.iter().fold(0, |value, byte| 256 * value + usize::from(*byte)))
        .collect();
    if shape.is_empty() || bytes.len() != header + shape.iter().product::<usize>() {
        return Err(bad());
    }
    Ok((shape, bytes.split_off(header)))
}

fn drawn(count: usize, seed: u64) -> Part {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let patterns = Mat::from_fn(10, 64, |_, _| f64::from(u8::from(normal(&mut rng) > 0.5)));
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let inputs = Mat::from_fn(count, 64, |i, d| patterns[(i % 10, d)] + 0.2 * normal(&mut rng));
    Part { inputs, targets: Mat::from_fn(count, 1, |i, _| (i % 10) as f64) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_and_labels_are_read_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::folder(folder.path());
        let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
        write("i", &[0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 255, 51, 102]);
        write("l", &[0, 0, 8, 1, 0, 0, 0, 2, 7, 4]);
        let read = part(&store, "i", "l").unwrap();
        assert_eq!(read.labels(), [7.0, 4.0]);
        assert_eq!([read.inputs[(0, 1)], read.inputs[(1, 0)], read.inputs[(1, 1)]], [1.0, 0.2, 0.4]);
        write("l", &[0, 0, 8, 1, 0, 0, 0, 1, 7]);
        assert!(part(&store, "i", "l").unwrap_err().to_string().contains("1 labels for 2 images"));
        let parity = Digits { training: read.clone(), test: read }.parity();
        assert_eq!(parity.test.labels(), [1.0, -1.0]);
        for bad in [&[0u8, 0, 8][..], &[0, 0, 8, 1, 0, 0, 0, 9, 1], &[0, 0, 9, 0], &[0, 0, 8, 0]] {
            write("i", bad);
            assert!(part(&store, "i", "l").is_err());
        }
    }
}
