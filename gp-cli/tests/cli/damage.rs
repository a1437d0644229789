//! Damaged files: errors or other tables, never panics.

use crate::mutation::{Random, damaged};
use gp_cli::data::{Formats, Input, ReadOptions, Source};
use gp_cli::model::Model;
use gp_cli::{CliError, Context};

fn each(name: &str, rounds: usize, mut read: impl FnMut(Vec<u8>)) {
    let path = format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
    let whole = std::fs::read(path).unwrap();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    (0..rounds).for_each(|_| read(damaged(&whole, &mut random)));
}

fn table(name: &str, bytes: Vec<u8>) {
    // Both a table and an error are accepted.
    let (formats, options) = (Formats::built_in(), ReadOptions::default());
    if let Ok(source) = Source::from_bytes(name, bytes.clone()) {
        let read = formats.read(&source, &options);
        let whole = read.map_or(0, |frame| frame.row_count());
        assert!(whole > 0 || !source.bytes().is_empty());
        // Reading in chunks must agree.
        let input = Input::from_bytes(name, bytes).unwrap();
        if formats.of(&input, &options).is_ok_and(|format| format.comes_in_pieces()) {
            assert_eq!(rows_in_pieces(&input, &options).unwrap_or(0), whole);
        }
    }
}

fn rows_in_pieces(input: &Input, options: &ReadOptions) -> Result<usize, CliError> {
    let (formats, mut rows) = (Formats::built_in(), 0);
    let mut pieces = formats.pieces(input, options)?;
    while let Some(piece) = pieces.next_piece()? {
        rows += piece.row_count();
    }
    Ok(rows)
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
        "polars_none.feather",
        "polars_lz4.feather",
    ] {
        each(name, 1500, |bytes| table(name, bytes));
    }
}

#[cfg(feature = "sqlite")]
#[test]
fn databases() {
    each("table.sqlite", 1500, |bytes| table("table.sqlite", bytes));
}

#[test]
fn models() {
    for name in [
        "v1_exact.gp",
        "v1_ep.gp",
        "v1_classes.gp",
        "v2_mixture.gp",
        "v2_ivm.gp",
        "v3_missing.gp",
        "v4_labels.gp",
    ] {
        each(name, 1000, |bytes| {
            if let Ok(model) = Model::from_bytes(&bytes, name, &Context::built_in()) {
                assert!(!model.posterior().describe().is_empty());
            }
        });
    }
}
