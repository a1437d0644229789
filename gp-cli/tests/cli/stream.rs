//! Streamed tables: same bytes, same errors, no leftover files.

use crate::support::{Desk, Said, words};
use flate2::Compression;
use flate2::write::GzEncoder;
use gp_cli::Context;
use gp_cli::data::{Formats, ReadOptions};
use gp_cli::model::Model;
use gp_cli::out::{OutTable, Writers};
use gp_cli::predict::{Wanted, predictions};
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

/// With a length-scale, training starts without quick fits.
const KERNEL: &str = "--units model --kernel rbf(lengthscale=1)";

/// Rows of `a,colour,flag,day,y`: numbers, words, booleans, dates; every 50th row has a gap.
pub(crate) fn mixed(rows: usize, target: impl Fn(f64, usize) -> String) -> String {
    let mut text = "a,colour,flag,day,y\n".to_owned();
    for i in 0..rows {
        let a = ((i * 17) % 41) as f64 / 20.0 - 1.0;
        let colour = if i % 50 == 7 { "" } else { ["red", "green", "blue"][(i * 7) % 3] };
        let day = 1 + (i * 5) % 28;
        let _ = writeln!(text, "{a},{colour},{},2024-02-{day:02},{}", i % 4 == 1, target(a, i));
    }
    text
}

pub(crate) fn number(a: f64, i: usize) -> String {
    format!("{}", (3.0 * a).sin() + 0.1 * ((i % 7) as f64))
}

pub(crate) fn label(a: f64, i: usize) -> String {
    if a * a + 0.1 * ((i % 5) as f64) < 0.5 { "in".to_owned() } else { "out".to_owned() }
}

#[track_caller]
fn same_either_way(desk: &Desk, line: &str) -> Vec<u8> {
    desk.ok(&format!("fit {line} --stream never -o held.gp --force"));
    desk.ok(&format!("fit {line} --stream always -o streamed.gp --force"));
    let held = desk.read("held.gp");
    assert!(held == desk.read("streamed.gp"), "{line}");
    held
}

#[test]
fn models_are_the_same_wherever_rows_are() {
    let desk = Desk::new();
    desk.write("numbers.csv", mixed(900, number));
    desk.write("labels.csv", mixed(900, label));
    desk.write("counts.csv", mixed(900, |a, i| ((4.0 * a.abs()) as usize + i % 3).to_string()));
    desk.write(
        "classes.csv",
        mixed(900, |a, i| ["x", "y", "z"][((2.0 * a + 3.0) as usize + i) % 3].to_owned()),
    );
    let common = format!("--target y --missing drop {KERNEL} --inducing 12 --epochs 2 --batch-size 64");
    for (table, method) in [
        ("numbers", "sep"),
        ("numbers", "svgp --optimizer adam"),
        ("labels", "sep --sites full"),
        ("labels", "savigp --optimizer adam"),
        ("labels", "svgp --optimizer adadelta --placement ivm"),
        ("labels", "savigp --components 2 --covariance diagonal --optimizer adam"),
        ("counts", "svgp --optimizer adam --task count"),
        ("counts", "sep --standardize none --task regression"),
        ("classes", "sep --placement greedy"),
    ] {
        same_either_way(&desk, &format!("{table}.csv --method {method} {common}"));
    }
}

#[test]
fn files_of_a_folder_are_one_table() {
    let desk = Desk::new();
    let text = mixed(900, number);
    let lines: Vec<&str> = text.lines().collect();
    desk.write("t.csv", &text);
    std::fs::create_dir(desk.path("parts")).unwrap();
    for (name, rows) in [("part-1.csv", 1..301), ("part-2.csv", 301..650), ("part-3.csv", 650..901)] {
        desk.write(&format!("parts/{name}"), [&lines[..1], &lines[rows]].concat().join("\n") + "\n");
    }
    desk.write("parts/_SUCCESS", "");
    let how =
        format!("--target y --missing drop {KERNEL} --method sep --inducing 12 --epochs 2 --batch-size 64");
    let of_file = same_either_way(&desk, &format!("t.csv {how}"));
    assert!(of_file == same_either_way(&desk, &format!("parts {how}")));
    // Last bits of predictions depend on the rows beside them.
    let predicted = |table: &str| -> Vec<Option<f64>> {
        let text = desk.ok(&format!("predict held.gp {table} --missing drop")).out;
        text.lines().flat_map(|line| line.split(',')).map(|cell| cell.parse().ok()).collect()
    };
    let (of_file, of_folder) = (predicted("t.csv"), predicted("parts"));
    assert_eq!(of_file.len(), of_folder.len());
    let is_near = |(one, other): (&Option<f64>, &Option<f64>)| match (one, other) {
        (Some(one), Some(other)) => (one - other).abs() < 1e-12,
        _ => one == other,
    };
    assert!(of_file.iter().zip(&of_folder).all(is_near));
    let scores = |table: &str| desk.ok(&format!("eval held.gp {table} --missing drop --json")).out;
    assert_eq!(scores("t.csv"), scores("parts"));
    let within = ["whose files are the table of DATA"];
    desk.refused(&format!("fit parts {how} -o parts/m.gp"), 2, &within);
    desk.refused("predict held.gp parts --missing drop -o parts/part-1.csv --force", 2, &within);
    let wrong = text.lines().take(9).map(|line| line.replace("0.7,", "many,")).collect::<Vec<_>>();
    desk.write("parts/part-2.csv", wrong.join("\n"));
    for stream in ["never", "always"] {
        let line = format!("fit parts {how} --stream {stream} --force");
        desk.refused(&line, 3, &["`parts/part-2.csv`, line 4, column a: `many` is not a finite number"]);
    }
}

#[test]
fn methods_of_all_rows_read_them_from_a_file_too() {
    let desk = Desk::new();
    desk.write("numbers.csv", mixed(400, number));
    desk.write("labels.csv", mixed(400, label));
    desk.write(
        "classes.csv",
        mixed(400, |a, i| ["x", "y", "z"][((2.0 * a + 3.0) as usize + i) % 3].to_owned()),
    );
    for (table, method) in [
        ("numbers", "exact --iterations 3"),
        ("numbers", "pep --inducing 12 --iterations 3"),
        ("numbers", "vfe --inducing 12 --iterations 3"),
        ("numbers", "fitc --inducing 12 --iterations 3"),
        ("labels", "ivm --inducing 15 --iterations 2"),
        ("classes", "ivm --inducing 15 --iterations 2"),
    ] {
        same_either_way(&desk, &format!("{table}.csv --target y --missing drop {KERNEL} --method {method}"));
    }
    let said = desk.ok(
        "fit numbers.csv --target y --missing drop --method pep --inducing 12 --iterations 3 --stream always --force",
    );
    assert!(said.err.contains("rows are read from a file, as --stream says"), "{}", said.err);
}

#[test]
fn memory_is_stated_for_rows_in_a_file() {
    let desk = Desk::new();
    desk.write("t.csv", mixed(200_000, number));
    let fit = "fit t.csv --target y --missing drop --method exact --stream always";
    desk.refused(fit, 5, &["method exact for 196000 rows needs 1229.3 GB or more"]);
}

#[test]
fn models_of_many_rows_are_the_same_too() {
    let desk = Desk::new();
    desk.write("t.csv", mixed(60_000, number));
    let line = "t.csv --target y --method sep --missing drop --inducing 8 --epochs 1 --batch-size 4000";
    let model = same_either_way(&desk, line);
    let inspected = desk.ok("inspect held.gp --json").json();
    assert_eq!(inspected["about"]["training"]["rows"], 58_800, "every 50th row was left out");
    assert!(!model.is_empty());
}

#[test]
fn every_way_to_hand_over_a_table_gives_the_same_model() {
    let desk = Desk::new();
    let rows = 40_000;
    let text = mixed(rows, number);
    desk.write("t.csv", &text);
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(text.as_bytes()).unwrap();
    desk.write("t.csv.gz", packed.finish().unwrap());
    let columns: Vec<Vec<String>> =
        text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect();
    let column = |place: usize| columns.iter().map(move |row| row[place].clone());
    let numbers = |place: usize| column(place).map(|cell| cell.parse().unwrap()).collect::<Vec<f64>>();
    let mut table = OutTable::default();
    table.push_numbers("a", numbers(0));
    table.push_words(
        "colour",
        column(1).map(|word| if word.is_empty() { "pink".into() } else { word }).collect(),
    );
    table.push_numbers("y", numbers(4));
    desk.write("t.parquet", Writers::built_in().of(Path::new("t.parquet")).unwrap().bytes(&table).unwrap());
    desk.write("again.csv", Writers::built_in().of(Path::new("t.csv")).unwrap().bytes(&table).unwrap());

    let how = "--method sep --inducing 6 --epochs 1 --batch-size 4000 --force";
    let flags = format!("--target y --missing drop {KERNEL} {how}");
    let model = |table: &str| {
        desk.ok(&format!("fit {table} {flags} --stream always -o m.gp"));
        desk.read("m.gp")
    };
    let of_text = model("t.csv");
    assert!(of_text == model("t.csv.gz"));
    let words = words(&format!("fit - {flags} --stream always -o m.gp"));
    let mut command = desk.command(&words.iter().map(String::as_str).collect::<Vec<_>>());
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert_eq!(Said::of(&child.wait_with_output().unwrap()).code, 0);
    assert!(of_text == desk.read("m.gp"), "from a pipe");
    let of_parquet = model("t.parquet --type colour=category");
    assert!(of_parquet == model("again.csv --type colour=category"));
    desk.ok(&format!("fit t.parquet --type colour=category {flags} --stream never -o m.gp"));
    assert!(of_parquet == desk.read("m.gp"), "in memory");
}

#[test]
fn sparse_rows_are_the_same_wherever_they_are() {
    let desk = Desk::new();
    let row = |i: usize| {
        let a = ((i * 17) % 41) as f64 / 20.0 - 1.0;
        let rest = if i == 33_000 { " 3:1.5 # the only one" } else { "" };
        format!("{} {}:{a}{rest}\n", a * a + 0.1 * (i % 7) as f64, 1 + i % 2)
    };
    desk.write("t.svm", (0..34_000).map(row).collect::<String>());
    let model =
        same_either_way(&desk, "t.svm --target label --method sep --inducing 5 --epochs 1 --batch-size 4000");
    assert!(!model.is_empty());
    desk.write("t.svm", (0..70_000).map(row).chain(["1 2:oops\n".to_owned()]).collect::<String>());
    for stream in ["always", "never"] {
        let fit = format!("fit t.svm --target label --method sep --stream {stream} --force");
        desk.refused(&fit, 3, &["line 70001: `2:oops` is no entry"]);
    }
}

#[test]
fn faults_far_down_have_the_same_places() {
    let desk = Desk::new();
    let good = mixed(70_010, |a, i| ((4.0 * a.abs()) as usize + i % 3).to_string());
    let line = |bad: &str| {
        let mut lines: Vec<&str> = good.lines().collect();
        lines[70_001] = bad;
        lines.join("\n")
    };
    for (name, bad, flags, texts) in [
        ("cell", "oops,red,true,2024-02-01,1", "--missing drop", ["line 70002", "column a", "`oops`"]),
        ("missing", "0.5,red,,2024-02-01,1", "--features a,flag", ["line 70002", "column flag", "missing"]),
        ("cells", "0.5,red,true,2024-02-01,1,7", "--missing drop", ["line 70002", "6 cells", "header has 5"]),
        (
            "count",
            "0.5,red,true,2024-02-01,-1",
            "--task count --missing drop",
            ["line 70002", "column y", "-1"],
        ),
    ] {
        desk.write("t.csv", line(bad));
        let fit = format!("fit t.csv --target y --method svgp --optimizer adam {flags}");
        desk.refused(&format!("{fit} --stream always"), 3, &texts);
        let said = |stream: &str| desk.gp(&format!("{fit} --quiet --stream {stream}")).err;
        assert_eq!(said("always"), said("never"), "{name}");
    }
    let mut bytes = line("X,red,true,2024-02-01,1").into_bytes();
    let place = bytes.iter().position(|&byte| byte == b'X').unwrap();
    bytes[place] = 0xff;
    desk.write("t.csv", bytes);
    for stream in ["always", "never"] {
        let fit = format!("fit t.csv --target y --stream {stream}");
        desk.refused(&fit, 3, &["line 70002: not UTF-8 text"]);
    }
}

#[test]
fn what_cannot_be_streamed_is_refused_with_what_can() {
    let desk = Desk::new();
    desk.write("t.csv", mixed(100, label));
    let fit = "fit t.csv --target y --missing drop --stream always";
    let able = [
        "exact, pep, vfe, fitc",
        "sep",
        "ivm",
        "svgp (by adam or adadelta)",
        "savigp (by adam or adadelta)",
        "--stream never",
    ];
    for method in ["ep", "gfitc"] {
        desk.refused(&format!("{fit} --method {method}"), 2, &able);
    }
    let texts = ["svgp with --optimizer lbfgs needs all rows in memory", "--stream never"];
    desk.refused(&format!("{fit} --method svgp --optimizer lbfgs"), 2, &texts);
    let said = desk.ok(&format!("{fit} --epochs 1"));
    assert!(said.err.contains("method: sep by adam"), "{}", said.err);
    assert!(said.err.contains("rows are read from a file, as --stream says"), "{}", said.err);
    let said = desk.ok(&format!("{fit} --method svgp --epochs 1 --force"));
    assert!(said.err.contains("method: svgp by adam"), "{}", said.err);
    let numpy = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/table.npy");
    let texts = ["tables in npy", "convert it", "--stream never"];
    desk.refused(&format!("fit {numpy} --target x0 --stream always --force"), 2, &texts);
}

/// Model, and tables of several chunks.
pub(crate) fn with_model(rows: usize) -> Desk {
    let desk = Desk::new();
    desk.write("t.csv", mixed(300, label));
    desk.ok("fit t.csv --features a,colour,flag --target y --missing drop --method ep --inducing 10 --iterations 5");
    let text = mixed(rows, |_, i| i.to_string()).replacen(",y\n", ",id\n", 1);
    desk.write("new.csv", text.replace(",,", ",red,"));
    desk
}

#[test]
fn predictions_in_pieces_are_those_of_the_whole_table() {
    let desk = with_model(70_000);
    let table = String::from_utf8(desk.read("new.csv")).unwrap();
    desk.write(
        "new.csv",
        table.replacen("green,false,2024-02-25,40000\n", "grey,false,2024-02-25,40000\n", 1),
    );
    let model = Model::load(&desk.path("model.gp"), &Context::built_in()).unwrap();
    let frame =
        Formats::built_in().open(desk.path("new.csv").to_str().unwrap(), &model.read_options()).unwrap();
    let wanted = Wanted { latent: true, probabilities: true, ..Wanted::default() };
    let predicted = predictions(&model, &frame, &wanted, &["a"]).unwrap();
    let (whole, unseen) = (predicted.table, predicted.unseen);
    assert_eq!(whole.row_count(), 70_000);
    for name in ["p.csv", "p.jsonl"] {
        let said = desk.ok(&format!("predict model.gp new.csv --latent --proba --id a -o {name}"));
        let warnings: String = unseen.iter().map(|unseen| format!("warning: {unseen}\n")).collect();
        assert_eq!(said.err, warnings);
        assert!(
            desk.read(name) == Writers::built_in().of(Path::new(name)).unwrap().bytes(&whole).unwrap(),
            "{name}"
        );
    }
    let printed = desk.ok("predict model.gp new.csv --latent --proba --id a --quiet").out;
    assert!(printed.into_bytes() == desk.read("p.csv"), "printed");
    desk.ok("predict model.gp new.csv --latent --proba --id a -o p.parquet");
    let parquet =
        Formats::built_in().open(desk.path("p.parquet").to_str().unwrap(), &ReadOptions::default()).unwrap();
    assert_eq!(parquet.row_count(), 70_000);
}

#[test]
fn predictions_are_whole_or_not_there() {
    let desk = with_model(70_010);
    let table = String::from_utf8(desk.read("new.csv")).unwrap();
    let mut lines: Vec<&str> = table.lines().collect();
    lines[70_001] = "0.5,,true,2024-02-01,1";
    desk.write("new.csv", lines.join("\n"));
    for to in ["", "-o p.csv"] {
        desk.refused(&format!("predict model.gp new.csv {to}"), 3, &["line 70002, column colour", "missing"]);
    }
    let said = desk.ok("predict model.gp new.csv --missing drop -o p.csv");
    let told = "1 of 70010 rows not predicted, because the value of an input is missing; cells are empty there: line 70002\n";
    assert_eq!(said.err, told);
    // Each row has its line, so that the tables can be joined.
    let predicted = String::from_utf8(desk.read("p.csv")).unwrap();
    let cells: Vec<&str> = predicted.lines().collect();
    assert_eq!(cells.len(), 70_011);
    assert!(cells[70_001].is_empty() || cells[70_001] == "\"\"", "{}", cells[70_001]);
    assert!(cells[70_000] == "in" || cells[70_000] == "out", "{}", cells[70_000]);
}

#[test]
fn pieces_that_miss_everything_have_empty_cells() {
    let desk = with_model(10);
    let missing = (0..70_000).map(|i| format!("{},,true,2024-02-01,{i}\n", i % 7)).collect::<String>();
    let table = String::from_utf8(desk.read("new.csv")).unwrap();
    let (header, rows) = table.split_once('\n').unwrap();
    desk.write("new.csv", format!("{header}\n{missing}{rows}"));
    let line = "predict model.gp new.csv --missing drop --id id --proba";
    desk.ok(&format!("{line} -o pieces.csv"));
    desk.ok(&format!("{line} -o whole.parquet"));
    let open = |name: &str| {
        Formats::built_in().open(desk.path(name).to_str().unwrap(), &ReadOptions::default()).unwrap()
    };
    let (pieces, whole) = (open("pieces.csv"), open("whole.parquet"));
    assert_eq!(pieces.names(), whole.names());
    assert_eq!((pieces.row_count(), whole.row_count()), (70_010, 70_010));
    for name in ["label", "p(in)"] {
        for row in 0..70_010 {
            assert_eq!(pieces.column(name).unwrap().is_missing(row), row < 70_000, "{name}, row {row}");
        }
    }
    // A table without any predictable row is an error, and leaves no file.
    desk.write("new.csv", format!("{header}\n{missing}"));
    desk.refused(&format!("{line} -o none.csv"), 3, &["each of its 70000 rows misses a value"]);
}

#[test]
fn a_table_without_room_is_not_read_by_a_method_that_needs_it_in_memory() {
    let desk = Desk::new();
    desk.write("huge.csv", "x,y\n1,2\n2,3\n");
    let file = File::options().write(true).open(desk.path("huge.csv")).unwrap();
    file.set_len(1 << 42).unwrap();
    let said = desk.gp("fit huge.csv --target y --method ep");
    assert_eq!(said.code, 3, "{}", said.err);
    for text in ["the table would take about", "method ep needs all rows in memory", "sep", "--stream never"]
    {
        assert!(said.err.contains(text), "{}", said.err);
    }
}
