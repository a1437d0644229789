//! Polars files: only the final list locates batches (`tests/data/write_polars.py`).

use gp_cli::data::{Column, Formats, Frame, Input, Kind, ReadOptions};

const FILES: [&str; 3] = ["polars_none.feather", "polars_lz4.feather", "polars_zstd.feather"];

fn path(name: &str) -> String {
    format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn rows(frame: &Frame) -> Vec<Vec<String>> {
    let row = |row| frame.columns().iter().map(|column| column.text(row)).collect();
    (0..frame.row_count()).map(row).collect()
}

fn expected() -> Vec<Vec<String>> {
    let mut rows = vec![
        vec!["1.5", "red", "2024-01-01", "true", "1", "u", "2024-01-01T12:00"],
        vec!["-2", "blue", "2024-01-03", "false", "2", "a word longer than a view holds", ""],
        vec!["", "red", "1969-12-31", "true", "3", "", "1970-01-01"],
    ];
    rows.extend(rows.clone().into_iter().rev());
    rows.into_iter().map(|row| row.into_iter().map(str::to_owned).collect()).collect()
}

#[test]
fn every_type_and_packing() {
    for name in FILES {
        let frame = Formats::built_in().open(&path(name), &ReadOptions::default()).unwrap();
        assert_eq!(frame.names(), ["a", "b", "c", "d", "e", "f", "g"]);
        let kinds: Vec<Kind> = frame.columns().iter().map(Column::kind).collect();
        use Kind::{Boolean, Category, Date, Number};
        assert_eq!(kinds, [Number, Category, Date, Boolean, Number, Category, Date], "{name}");
        assert_eq!(rows(&frame), expected(), "{name}");
    }
}

#[test]
fn in_pieces() {
    for name in FILES {
        let bytes = std::fs::read(path(name)).unwrap();
        for input in [Input::open(&path(name), 0).unwrap(), Input::from_bytes(name, bytes).unwrap()] {
            let (formats, mut found, mut count) = (Formats::built_in(), Vec::new(), 0);
            let mut pieces = formats.pieces(&input, &ReadOptions::default()).unwrap();
            while let Some(piece) = pieces.next_piece().unwrap() {
                found.extend(rows(&piece));
                count += 1;
            }
            assert_eq!((found, count), (expected(), 2), "{name}");
        }
    }
}
