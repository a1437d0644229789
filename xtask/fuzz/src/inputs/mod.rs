//! Inputs per reader: from its grammar, or mutations of valid files.

mod arrays;
pub(crate) mod bytes;
mod expressions;
mod sealed;
mod text;

use crate::error::FuzzError;
use crate::random::Random;
use bytes::{damage, overwrite};
use gp_cli::fuzzing::{CHECKPOINT, parabola};
use gp_optim::{CheckpointFile, Control, MinimiseOptions, minimise};
use std::fs;
use std::path::{Path, PathBuf};

/// Maximum bytes of corpus files.
const LONGEST: usize = 16_384;
/// Extensions by reader, in `gp-cli/tests/data`.
const ENDS: [(&str, &[&str]); 5] = [
    ("npy", &["npy"]),
    ("npz", &["npz"]),
    ("parquet", &["parquet"]),
    ("arrow", &["arrows", "feather"]),
    ("model", &["gp"]),
];

type Make = fn(&mut Random) -> Vec<u8>;

#[derive(Debug)]
pub(crate) struct Inputs {
    name: String,
    corpus: Vec<Vec<u8>>,
    make: Option<Make>,
}

impl Inputs {
    pub(crate) fn of(name: &str) -> Result<Self, FuzzError> {
        let make: Option<Make> = match name {
            "csv" => Some(text::csv),
            "gzip" => Some(text::gzip),
            "libsvm" => Some(text::libsvm),
            "config" => Some(text::config),
            "npy" => Some(arrays::npy),
            "npz" => Some(arrays::npz),
            "idx" => Some(arrays::idx),
            "kernel" => Some(expressions::kernel),
            "likelihood" => Some(expressions::likelihood),
            _ => None,
        };
        let mut corpus = files(&command().join("fuzz/corpus").join(name), None)?;
        let ends = ENDS.iter().find(|(known, _)| *known == name);
        if let Some((_, ends)) = ends {
            corpus.extend(files(&command().join("tests/data"), Some(ends))?);
        }
        if name == "checkpoint" {
            corpus.extend(checkpoints()?);
        }
        corpus.retain(|file| file.len() <= LONGEST);
        if corpus.is_empty() && make.is_none() {
            return Err(FuzzError::NoCorpus { name: name.to_owned() });
        }
        Ok(Self { name: name.to_owned(), corpus, make })
    }

    /// Files of the corpus, unchanged.
    pub(crate) fn valid(&self) -> &[Vec<u8>] {
        &self.corpus
    }

    /// Input, determined by seed, reader and index.
    pub(crate) fn input(&self, seed: u64, index: u64) -> Vec<u8> {
        let random = &mut Random::of(seed, &self.name, index);
        if ["model", "checkpoint"].contains(&self.name.as_str()) && !random.once_in(8) {
            return self.sealed(random).unwrap_or_default();
        }
        match self.make {
            Some(make) if self.corpus.is_empty() || !random.once_in(4) => {
                let mut bytes = make(random);
                if random.once_in(4) {
                    damage(&mut bytes, random);
                }
                bytes
            }
            _ => {
                let mut bytes = self.corpus[random.below(self.corpus.len())].clone();
                if random.once_in(2) {
                    self.damage_ends(&mut bytes, random);
                } else {
                    damage(&mut bytes, random);
                }
                bytes
            }
        }
    }

    /// Mutated file with correct checksums.
    pub(crate) fn sealed(&self, random: &mut Random) -> Option<Vec<u8>> {
        // Not every corpus file is valid enough for new checksums.
        (0..20).find_map(|_| {
            let file = &self.corpus[random.below(self.corpus.len())];
            if self.name == "model" { sealed::model(file, random) } else { sealed::checkpoint(file, random) }
        })
    }

    /// Mutates Parquet near its end, other formats anywhere.
    fn damage_ends(&self, bytes: &mut Vec<u8>, random: &mut Random) {
        let length = bytes.len();
        if self.name != "parquet" || length < 16 {
            return damage(bytes, random);
        }
        for _ in 0..1 + random.below(3) {
            let back = if random.once_in(8) { 8 } else { 8 + random.below(length.min(900) - 8) };
            let at = length - back;
            if random.once_in(2) { bytes[at] ^= 1 << random.below(8) } else { overwrite(bytes, at, random) }
        }
    }
}

fn command() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../gp-cli")
}

fn files(folder: &Path, ends: Option<&[&str]>) -> Result<Vec<Vec<u8>>, FuzzError> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let unreadable = |source| FuzzError::Unreadable { path: folder.to_owned(), source };
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let end = path.extension().and_then(|end| end.to_str()).unwrap_or_default();
        if path.is_file() && ends.is_none_or(|ends| ends.contains(&end)) {
            paths.push(path);
        }
    }
    paths.sort();
    paths.iter().map(|path| fs::read(path).map_err(unreadable)).collect()
}

/// Checkpoints after one to four iterations.
fn checkpoints() -> Result<Vec<Vec<u8>>, FuzzError> {
    let failed = |cause: String| FuzzError::Checkpoint { cause };
    let folder = tempfile::tempdir().map_err(|cause| failed(cause.to_string()))?;
    (1..5)
        .map(|iterations| {
            let path = folder.path().join(format!("{iterations}"));
            let control = Control::new().with_checkpoint(CheckpointFile::new(&path, CHECKPOINT));
            let options =
                MinimiseOptions { max_iterations: iterations, control, ..MinimiseOptions::default() };
            let start = if iterations == 3 { [1e150, -1e-150] } else { [3.0, -1.0] };
            minimise(parabola, &start, &options).map_err(|cause| failed(cause.to_string()))?;
            fs::read(&path).map_err(|cause| failed(cause.to_string()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gp_cli::fuzzing::TARGETS;

    #[test]
    fn inputs_are_the_same_every_time_and_differ() {
        for (name, _) in TARGETS {
            let inputs = Inputs::of(name).unwrap();
            let some = || (0..50).map(|index| inputs.input(7, index)).collect::<Vec<_>>();
            let (mut once, again) = (some(), some());
            assert_eq!(once, again, "{name}");
            once.sort();
            once.dedup();
            assert!(once.len() > 20, "{name}: {}", once.len());
        }
    }
}
