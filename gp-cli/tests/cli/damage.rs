//! Bytes changed at random make errors, or other tables, and never a panic.

use gp_cli::data::{Formats, ReadOptions, Source};
use gp_cli::model::Model;

/// Numbers that are the same every time: xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }
}

/// The bytes with one to four changes: a byte set, a bit flipped, a piece left out or twice, the end cut off.
fn damaged(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..1 + random.below(4) {
        if bytes.is_empty() {
            return bytes;
        }
        let (at, length) = (random.below(bytes.len()), 1 + random.below(8));
        let end = (at + length).min(bytes.len());
        match random.below(5) {
            0 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff, b',', b'"', b'\n'][random.below(8)],
            1 => bytes[at] ^= 1 << random.below(8),
            2 => drop(bytes.drain(at..end)),
            3 => {
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            _ => bytes.truncate(at),
        }
    }
    bytes
}

fn each(name: &str, rounds: usize, mut read: impl FnMut(Vec<u8>)) {
    let path = format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
    let whole = std::fs::read(path).unwrap();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    (0..rounds).for_each(|_| read(damaged(&whole, &mut random)));
}

fn table(name: &str, bytes: Vec<u8>) {
    // Nothing is also an answer: what counts is that there is one.
    if let Ok(source) = Source::from_bytes(name, bytes) {
        let options = ReadOptions::default();
        let read = Formats::built_in().read(&source, &options);
        assert!(read.is_ok_and(|frame| frame.row_count() > 0) || !source.bytes().is_empty());
    }
}

#[test]
fn text_and_arrays() {
    for name in ["v1_new.csv", "table.npy", "plain.npz", "packed.npz"] {
        each(name, 3000, |bytes| table(name, bytes));
    }
    let mut random = Random(7);
    let sparse = b"1 1:0.5 3:2 # comment\n-1 qid:3 2:1e-3\n";
    let images = [0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 1, 2, 3, 255];
    for _ in 0..3000 {
        table("t.svm", damaged(sparse, &mut random));
        table("t.idx", damaged(&images, &mut random));
    }
}

#[test]
fn parquet_and_arrow() {
    for name in [
        "table_snappy.parquet",
        "table_zstd.parquet",
        "table_lz4.feather",
        "table_zstd.feather",
        "stream.arrows",
    ] {
        each(name, 1500, |bytes| table(name, bytes));
    }
}

#[test]
fn models() {
    for name in ["v1_exact.gp", "v1_ep.gp", "v1_classes.gp"] {
        each(name, 1000, |bytes| {
            if let Ok(model) = Model::from_bytes(&bytes, name) {
                assert!(!model.posterior().latents().is_empty());
            }
        });
    }
}
