//! Tables of every format.

use gp_cli::data::{self, Column, Frame, FrameStream, Input, Kind, ReadOptions, Source};
use gp_kernels::data::lane_count;
use gp_optim::Team;

fn file(name: &str) -> String {
    format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn read(name: &str) -> Frame {
    data::Formats::built_in().open(&file(name), &ReadOptions::default()).unwrap()
}

fn text(text: impl Into<Vec<u8>>) -> Frame {
    let source = Source::from_bytes("t.csv", text.into()).unwrap();
    data::Formats::built_in().read(&source, &ReadOptions::default()).unwrap()
}

fn numbers<'a>(frame: &'a Frame, name: &str) -> &'a [f64] {
    frame.column(name).and_then(Column::numbers).unwrap()
}

#[test]
fn pieces_are_the_table() {
    for name in
        ["table_none.parquet", "table_zstd.parquet", "table_lz4.feather", "stream.arrows", "v1_new.csv"]
    {
        let (whole, input) = (read(name), Input::open(&file(name), 0).unwrap());
        let formats = data::Formats::built_in();
        let mut pieces = formats.pieces(&input, &ReadOptions::default()).unwrap();
        let mut rows = 0;
        while let Some(piece) = pieces.next_piece().unwrap() {
            assert_eq!(piece.names(), whole.names(), "{name}");
            for (part, column) in piece.columns().iter().zip(whole.columns()) {
                assert_eq!(part.kind(), column.kind(), "{name}");
                assert!(
                    (0..piece.row_count()).all(|row| part.text(row) == column.text(rows + row)),
                    "{name}"
                );
            }
            assert_eq!(piece.place(0), whole.place(rows), "{name}");
            rows += piece.row_count();
        }
        assert_eq!(rows, whole.row_count(), "{name}");
    }
}

/// Cells and place of each row.
fn rows(mut pieces: Box<dyn FrameStream + '_>) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    while let Some(piece) = pieces.next_piece().unwrap() {
        for row in 0..piece.row_count() {
            let cells = piece.columns().iter().map(|column| column.text(row));
            rows.push(cells.chain([piece.place(row)]).collect());
        }
    }
    rows
}

/// Consecutive parts, of about equal length where there are enough groups or batches of rows.
#[test]
fn processes_read_parts_of_the_table() {
    let names = [
        ("table_none.parquet", 1),
        ("encodings.parquet", 1),
        ("groups.parquet", 1),
        ("batches.arrow", 40),
        ("table_lz4.feather", 1000),
        ("v1_new.csv", 9),
    ];
    for (name, most) in names {
        let (formats, options) = (data::Formats::built_in(), ReadOptions::default());
        let input = Input::open(&file(name), 0).unwrap();
        let whole = rows(formats.pieces(&input, &options).unwrap());
        for count in 1..=5 {
            let parts = Team::in_threads(count, |team| {
                let input = Input::open(&file(name), 0).unwrap();
                rows(formats.own_pieces(&input, &options, &team).unwrap().unwrap())
            });
            assert_eq!(parts.concat(), whole, "{name}: {count} processes");
            let lanes = lane_count(whole.len());
            let equal = whole.len().div_ceil(lanes) * lanes.div_ceil(count);
            assert!(parts.iter().all(|part| part.len() <= equal + most), "{name}: {count} processes");
        }
    }
    let stream = Input::open(&file("stream.arrows"), 0).unwrap();
    let own =
        data::Formats::built_in().own_pieces(&stream, &ReadOptions::default(), &Team::default()).unwrap();
    assert!(own.is_none());
}

#[cfg(feature = "sqlite")]
#[test]
fn databases_hold_tables() {
    let frame = read("table.sqlite");
    assert_eq!(frame.names(), ["a", "b", "c", "d", "e", "f"]);
    let kinds: Vec<Kind> = frame.columns().iter().map(Column::kind).collect();
    assert_eq!(
        kinds,
        [Kind::Number, Kind::Category, Kind::Date, Kind::Boolean, Kind::Number, Kind::Category]
    );
    assert_eq!(numbers(&frame, "a")[..2], [1.5, -2.0]);
    assert!(frame.column("a").unwrap().is_missing(2));
    assert_eq!(numbers(&frame, "c"), [19723.0, 19725.0, -1.0]);
    let (options, formats) = (ReadOptions::default(), data::Formats::built_in());
    let bytes = std::fs::read(file("table.sqlite")).unwrap();
    let again = formats.read(&Source::from_bytes("t.db", bytes).unwrap(), &options).unwrap();
    let texts = |frame: &Frame| -> Vec<String> {
        frame.columns().iter().flat_map(|column| (0..3).map(|row| column.text(row))).collect()
    };
    assert_eq!(texts(&again), texts(&frame));
    let input = Input::open(&file("table.sqlite"), 0).unwrap();
    let mut pieces = formats.pieces(&input, &options).unwrap();
    assert_eq!(texts(&pieces.next_piece().unwrap().unwrap()), texts(&frame));
    assert!(pieces.next_piece().unwrap().is_none());
}

/// DuckDB is recognised, with advice.
#[test]
fn files_that_are_not_read_are_known() {
    let bytes = [&[7; 8][..], b"DUCK", &[0; 100]].concat();
    let source = Source::from_bytes("x.duckdb", bytes).unwrap();
    let refused = data::Formats::built_in().read(&source, &ReadOptions::default()).unwrap_err();
    let said = refused.with_causes();
    assert!(
        said.starts_with("`x.duckdb` is a DuckDB file") && said.contains("duckdb x.duckdb -c \"COPY ("),
        "{said}"
    );
}

#[test]
fn text_of_many_dialects_is_one_table() {
    let plain = text("x,y\n1,2.5\n3,-4e-3\n");
    for dialect in [
        "x\ty\n1\t2.5\n3\t-4e-3\n",
        "x;y\n1;2.5\n3;-4e-3\n",
        "x|y\n1|2.5\n3|-4e-3\n",
        "x,y\r\n1,2.5\r\n3,-4e-3",
        "\u{feff}x,y\n1,2.5\n3,-4e-3\n",
        "\"x\",\"y\"\n\"1\" , 2.5\n\n3,\"-4e-3\"\n\n",
    ] {
        let frame = text(dialect);
        assert_eq!(frame.columns(), plain.columns(), "{dialect:?}");
    }
    assert_eq!(numbers(&plain, "y"), [2.5, -0.004]);
}

#[test]
fn columns_have_types() {
    let frame = text("n,b,d,w,m\n1,true,2024-01-01,red,1\n2,FALSE,2024-01-02T12:00,\"a, b\",NA\n");
    let kinds: Vec<Kind> = frame.columns().iter().map(Column::kind).collect();
    assert_eq!(kinds, [Kind::Number, Kind::Boolean, Kind::Date, Kind::Category, Kind::Number]);
    assert_eq!(numbers(&frame, "b"), [1.0, 0.0]);
    assert_eq!(numbers(&frame, "d"), [19723.0, 19724.5]);
    assert_eq!(frame.column("w").unwrap().text(1), "a, b");
    assert!(frame.column("m").unwrap().is_missing(1));
}

#[test]
fn types_can_be_asked_for() {
    let options = ReadOptions { kinds: [("n".to_owned(), Kind::Category)].into(), ..ReadOptions::default() };
    let source = Source::from_bytes("t.csv", b"n\n01\n1\n".to_vec()).unwrap();
    let frame = data::Formats::built_in().read(&source, &options).unwrap();
    assert_eq!([0, 1].map(|row| frame.column("n").unwrap().text(row)), ["01", "1"]);
}

#[test]
fn columns_that_are_not_wanted_may_hold_anything() {
    let options = ReadOptions { columns: Some(["x".to_owned()].into()), ..ReadOptions::default() };
    let source = Source::from_bytes("t.csv", b"x,z\n1,2\n2,3\n3,oops\n".to_vec()).unwrap();
    assert_eq!(data::Formats::built_in().read(&source, &options).unwrap().names(), ["x"]);
}

#[test]
fn arrays_of_numpy() {
    let frame = read("table.npy");
    assert_eq!(frame.names(), ["x0", "x1"]);
    assert_eq!(
        (numbers(&frame, "x0"), numbers(&frame, "x1")),
        ([1.5, -2.0, 0.25].as_slice(), [2.0, 4.0, 8.0].as_slice())
    );
    assert_eq!(read("fortran.npy").columns(), frame.columns());
    for name in ["plain.npz", "packed.npz"] {
        let several = read(name);
        assert_eq!(several.names(), ["X0", "X1", "y"], "{name}");
        assert_eq!(numbers(&several, "X0"), numbers(&frame, "x0"));
        assert_eq!(numbers(&several, "y"), [1.0, 2.0, 3.0]);
    }
}

#[test]
fn arrow_and_parquet_hold_the_same_table() {
    let first = read("table_snappy.parquet");
    assert_eq!(first.names(), ["a", "b", "c", "d", "e", "f", "g"]);
    assert_eq!(numbers(&first, "a")[..2], [1.5, -2.0]);
    assert!(first.column("a").unwrap().is_missing(2));
    assert_eq!([0, 1, 2].map(|row| first.column("b").unwrap().text(row)), ["red", "blue", "red"]);
    assert_eq!(numbers(&first, "c"), [19723.0, 19725.0, -1.0]);
    assert_eq!(first.column("d").unwrap().kind(), Kind::Boolean);
    assert_eq!(
        (numbers(&first, "d"), numbers(&first, "e")),
        ([1.0, 0.0, 1.0].as_slice(), [1.0, 2.0, 3.0].as_slice())
    );
    assert_eq!([0, 1, 2].map(|row| first.column("f").unwrap().text(row)), ["u", "v", "u"]);
    assert_eq!(numbers(&first, "g"), [1.5, 0.0, 0.0]);
    let others = ["table_zstd.parquet", "table_lz4.parquet", "table_gzip.parquet", "table_none.parquet"];
    for name in others.into_iter().chain(["table_lz4.feather", "table_zstd.feather", "stream.arrows"]) {
        let frame = read(name);
        for (column, expected) in frame.columns().iter().zip(first.columns()) {
            assert_eq!(column.kind(), expected.kind(), "{name}");
            let texts = |column: &Column| [0, 1, 2].map(|row| column.text(row));
            assert_eq!((column.name(), texts(column)), (expected.name(), texts(expected)), "{name}");
        }
    }
}

#[test]
fn libsvm_is_filled_with_zeros() {
    let source = Source::from_bytes("t.svm", b"1 1:0.5 3:2 # comment\n\n-1 qid:3 2:1e-3\n".to_vec()).unwrap();
    let frame = data::Formats::built_in().read(&source, &ReadOptions::default()).unwrap();
    assert_eq!(frame.names(), ["label", "x1", "x2", "x3"]);
    assert_eq!(
        (numbers(&frame, "label"), numbers(&frame, "x3")),
        ([1.0, -1.0].as_slice(), [2.0, 0.0].as_slice())
    );
    assert_eq!(frame.place(1), "line 3");
}

#[test]
fn images_come_with_the_labels_beside_them() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let images = [&[0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2][..], &[1, 2, 3, 255]].concat();
    std::fs::write(at("t-images-idx3-ubyte"), images).unwrap();
    std::fs::write(at("t-labels-idx1-ubyte"), [0, 0, 8, 1, 0, 0, 0, 2, 7, 9]).unwrap();
    let frame = data::Formats::built_in()
        .open(at("t-images-idx3-ubyte").to_str().unwrap(), &ReadOptions::default())
        .unwrap();
    assert_eq!(frame.names(), ["p0", "p1", "label"]);
    assert_eq!(
        (numbers(&frame, "p1"), numbers(&frame, "label")),
        ([2.0, 255.0].as_slice(), [7.0, 9.0].as_slice())
    );
}
