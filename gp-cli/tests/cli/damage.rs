//! Bytes changed at random make errors, or other tables, and never a panic.

use crate::mutation::{Random, damaged};
use gp_cli::data::{Formats, ReadOptions, Source};
use gp_cli::model::Model;

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
    for name in ["v1_exact.gp", "v1_ep.gp", "v1_classes.gp", "v2_mixture.gp", "v2_ivm.gp"] {
        each(name, 1000, |bytes| {
            if let Ok(model) = Model::from_bytes(&bytes, name) {
                assert!(!model.posterior().latents().is_empty());
            }
        });
    }
}
