//! Parquet and Arrow column types, by pyarrow.

use gp_cli::data::{Column, Formats, Frame, Input, Kind, ReadOptions};

fn file(name: &str) -> String {
    format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn read(name: &str, columns: Option<&[&str]>) -> Result<Frame, String> {
    let columns = columns.map(|names| names.iter().map(|&name| name.to_owned()).collect());
    let options = ReadOptions { columns, ..ReadOptions::default() };
    Formats::built_in().open(&file(name), &options).map_err(|error| error.with_causes())
}

fn texts(column: &Column) -> Vec<String> {
    (0..column.values().len()).map(|row| column.text(row)).collect()
}

/// Name, type and cells per column; the second cell is missing.
const TYPES: [(&str, Kind, [&str; 3]); 24] = [
    ("bool", Kind::Boolean, ["true", "false", "true"]),
    ("i8", Kind::Number, ["1", "-128", "127"]),
    ("u32", Kind::Number, ["4294967295", "0", "7"]),
    ("u64", Kind::Number, ["1.8446744073709552e19", "0", "7"]),
    ("i64", Kind::Number, ["-5", "9007199254740992", "7"]),
    ("f32", Kind::Number, ["0.5", "-2", "3.25"]),
    ("f64", Kind::Number, ["0.1", "-2e-300", ""]),
    ("d9", Kind::Number, ["1.25", "-0.5", "3"]),
    ("d18", Kind::Number, ["12345678901.25", "-0.5", "3"]),
    ("d38", Kind::Number, ["1.234567890123457e19", "-0.5", "3"]),
    ("d76", Kind::Number, ["1e50", "-0.5", "3"]),
    ("date", Kind::Date, ["2024-01-01", "1969-12-31", "2024-03-03"]),
    ("ms", Kind::Date, ["2024-01-01T12:00", "1969-12-31", "2024-03-03"]),
    ("us", Kind::Date, ["2024-01-01T12:00", "1969-12-31", "2024-03-03"]),
    ("ns", Kind::Date, ["2024-01-01T12:00", "1969-12-31", "2024-03-03"]),
    ("time", Kind::Number, ["3723", "0", "86399.5"]),
    ("word", Kind::Category, ["a", "ü", ""]),
    ("large", Kind::Category, ["a", "b", "a"]),
    ("view", Kind::Category, ["a", "a string of more than twelve bytes", "a"]),
    ("bytes", Kind::Category, ["a", "b", "a"]),
    ("levels", Kind::Category, ["r", "g", "r"]),
    ("codes", Kind::Category, ["10", "20", "10"]),
    ("nothing", Kind::Category, ["", "", ""]),
    ("f16", Kind::Number, ["1.5", "-2", "0.25"]),
];

#[test]
fn types_of_arrow_and_parquet() {
    for name in ["types.feather", "types.parquet"] {
        let frame = read(name, None).unwrap();
        assert_eq!(frame.columns().len(), TYPES.len());
        for (column, (expected, kind, [first, third, last])) in frame.columns().iter().zip(TYPES) {
            // Parquet stores values, not levels.
            let kind = if (name, expected) == ("types.parquet", "codes") { Kind::Number } else { kind };
            assert_eq!((column.name(), column.kind()), (expected, kind), "{name}");
            assert_eq!(texts(column), [first, "", third, last], "{name}, {expected}");
            assert!(column.is_missing(1), "{name}, {expected}");
        }
    }
}

#[test]
fn what_is_not_read_is_named_and_can_be_left_out() {
    for name in ["nested.feather", "nested.parquet"] {
        for column in ["list", "pair"] {
            let error = read(name, Some(&[column])).unwrap_err();
            let start = format!("`{}`, column {column}: ", file(name));
            assert!(error.starts_with(&start) && error.ends_with("; leave it out with --exclude"), "{error}");
        }
        assert_eq!(texts(&read(name, Some(&["wait"])).unwrap().columns()[0]), ["90", "", "-1"]);
    }
}

#[test]
fn encodings_of_parquet() {
    let whole = read("encodings.parquet", None).unwrap();
    assert_eq!(whole.row_count(), 5000);
    let numbers = |name: &str| whole.column(name).and_then(Column::numbers).unwrap();
    let word = whole.column("w").unwrap();
    for row in 0..5000 {
        assert_eq!((numbers("x")[row], numbers("k")[row]), (row as f64 / 7.0, (row * row) as f64));
        assert_eq!(word.text(row), format!("w{}", row % 13));
        let (old, expected) = (numbers("old")[row], row as f64 / 24.0);
        assert!(if row % 5 == 0 { old.is_nan() } else { (old - expected).abs() < 1e-12 }, "{row}: {old}");
    }
    let (input, formats) = (Input::open(&file("encodings.parquet"), 0).unwrap(), Formats::built_in());
    let (mut pieces, mut rows) = (formats.pieces(&input, &ReadOptions::default()).unwrap(), 0);
    while let Some(piece) = pieces.next_piece().unwrap() {
        for (part, column) in piece.columns().iter().zip(whole.columns()) {
            assert!((0..piece.row_count()).all(|row| part.text(row) == column.text(rows + row)));
        }
        rows += piece.row_count();
    }
    assert_eq!(rows, 5000);
}
