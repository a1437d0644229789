//! Fits of tables that are not held in memory: the same bytes, the same faults, and nothing left behind.

use crate::support::{Desk, Said, words};
use flate2::Compression;
use flate2::write::GzEncoder;
use gp_cli::data::{self, ReadOptions};
use gp_cli::model::Model;
use gp_cli::out::{OutTable, format_of};
use gp_cli::predict::{Wanted, predictions};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

/// Rows of `a,colour,flag,b,y` with numbers, words, booleans and a date, every 50th with a value missing.
fn mixed(rows: usize, target: impl Fn(f64, usize) -> String) -> String {
    let mut text = "a,colour,flag,day,y\n".to_owned();
    for i in 0..rows {
        let a = ((i * 17) % 41) as f64 / 20.0 - 1.0;
        let colour = if i % 50 == 7 { "" } else { ["red", "green", "blue"][(i * 7) % 3] };
        let day = 1 + (i * 5) % 28;
        let _ = writeln!(text, "{a},{colour},{},2024-02-{day:02},{}", i % 4 == 1, target(a, i));
    }
    text
}

fn number(a: f64, i: usize) -> String {
    format!("{}", (3.0 * a).sin() + 0.1 * ((i % 7) as f64))
}

fn label(a: f64, i: usize) -> String {
    if a * a + 0.1 * ((i % 5) as f64) < 0.5 { "in".to_owned() } else { "out".to_owned() }
}

/// The fit in memory and not in memory, which have to write the same bytes.
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
    let common = "--target y --missing drop --inducing 12 --epochs 2 --batch-size 64";
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

/// Beyond so many rows choices look at some of them; the same ones.
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
    desk.write("t.parquet", format_of(Path::new("t.parquet")).unwrap().bytes(&table).unwrap());
    desk.write("again.csv", format_of(Path::new("t.csv")).unwrap().bytes(&table).unwrap());

    let flags = "--target y --missing drop --method sep --inducing 6 --epochs 1 --batch-size 4000 --force";
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

/// Row 70 001 of a table is far behind the first pieces of it.
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
    let able = ["sep", "svgp (by adam or adadelta)", "savigp (by adam or adadelta)", "--stream never"];
    for method in ["exact", "ep", "ivm"] {
        desk.refused(&format!("{fit} --method {method}"), 2, &able);
    }
    let texts = ["svgp with --optimizer lbfgs needs all rows in memory", "--stream never"];
    desk.refused(&format!("{fit} --method svgp --optimizer lbfgs"), 2, &texts);
    let said = desk.ok(&format!("{fit} --epochs 1"));
    assert!(said.err.contains("method: sep by adam"), "{}", said.err);
    assert!(said.err.contains("rows are read from a file, as asked"), "{}", said.err);
    let said = desk.ok(&format!("{fit} --method svgp --epochs 1 --force"));
    assert!(said.err.contains("method: svgp by adam"), "{}", said.err);
    desk.write("t.svm", "1 1:0.5\n-1 2:3\n");
    let texts = ["tables in libsvm", "convert it", "--stream never"];
    desk.refused("fit t.svm --target label --stream always --force", 2, &texts);
}

/// A model of colours, flags and numbers, and tables to predict that do not fit into one piece.
fn with_model(rows: usize) -> Desk {
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
    let model = Model::load(&desk.path("model.gp")).unwrap();
    let frame = data::read(desk.path("new.csv").to_str().unwrap(), &model.read_options()).unwrap();
    let wanted = Wanted { interval: 0.95, latent: true, joint: false, probabilities: true };
    let (whole, unseen) = predictions(&model, &frame, wanted, &["a"]).unwrap();
    assert_eq!(whole.row_count(), 70_000);
    for name in ["p.csv", "p.jsonl"] {
        let said = desk.ok(&format!("predict model.gp new.csv --latent --proba --id a -o {name}"));
        let warnings: String = unseen.iter().map(|unseen| format!("warning: {unseen}\n")).collect();
        assert_eq!(said.err, warnings);
        assert!(desk.read(name) == format_of(Path::new(name)).unwrap().bytes(&whole).unwrap(), "{name}");
    }
    let printed = desk.ok("predict model.gp new.csv --latent --proba --id a --quiet").out;
    assert!(printed.into_bytes() == desk.read("p.csv"), "printed");
    desk.ok("predict model.gp new.csv --latent --proba --id a -o p.parquet");
    let parquet = data::read(desk.path("p.parquet").to_str().unwrap(), &ReadOptions::default()).unwrap();
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
    assert_eq!(said.err, "left out 1 rows that miss a value\n");
    assert_eq!(String::from_utf8(desk.read("p.csv")).unwrap().lines().count(), 70_010);
}

/// A file that is all hole: nobody has so much memory, and nobody reads it.
#[test]
fn a_table_without_room_is_not_read_by_a_method_that_needs_it_in_memory() {
    let desk = Desk::new();
    desk.write("huge.csv", "x,y\n1,2\n2,3\n");
    let file = File::options().write(true).open(desk.path("huge.csv")).unwrap();
    file.set_len(1 << 42).unwrap();
    let said = desk.gp("fit huge.csv --target y --method ep");
    assert_eq!(said.code, 2, "{}", said.err);
    for text in ["the table would take about", "method ep needs all rows in memory", "sep", "--stream never"]
    {
        assert!(said.err.contains(text), "{}", said.err);
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use super::*;
    use std::process::{Child, Command};
    use std::thread::sleep;
    use std::time::{Duration, Instant};

    fn start(desk: &Desk, line: &str) -> Child {
        let words = words(line);
        let mut command = desk.command(&words.iter().map(String::as_str).collect::<Vec<_>>());
        command.env("TMPDIR", desk.path("tmp")).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    /// Files without a name that a process has open in a folder.
    fn unnamed_in(child: &Child, folder: &Path) -> usize {
        let Ok(open) = fs::read_dir(format!("/proc/{}/fd", child.id())) else { return 0 };
        let links = open.filter_map(|link| fs::read_link(link.ok()?.path()).ok());
        let folder = fs::canonicalize(folder).unwrap();
        links
            .filter(|link| link.starts_with(&folder) && link.to_string_lossy().ends_with("(deleted)"))
            .count()
    }

    fn nothing_in(desk: &Desk, name: &str) -> bool {
        fs::read_dir(desk.path(name)).unwrap().next().is_none()
    }

    const LONG: &str = "fit t.csv --target y --missing drop --method sep --stream always --inducing 20 --epochs 4000 --trace trace.jsonl --force";

    #[test]
    fn temporary_files_are_gone_whatever_happens() {
        let desk = Desk::new();
        fs::create_dir(desk.path("tmp")).unwrap();
        desk.write("t.csv", mixed(2_000, label));
        let fit = "fit t.csv --target y --missing drop --method sep --stream always --inducing 5 --epochs 1 --force";
        for (line, code) in
            [(fit.to_owned(), 0), (format!("{fit} --strict"), 6), (format!("{fit} --fix nonsense"), 2)]
        {
            let said = Said::of(&start(&desk, &line).wait_with_output().unwrap());
            assert_eq!(said.code, code, "{line}: {}", said.err);
            assert!(nothing_in(&desk, "tmp"), "{line}");
        }
        for signal in ["-TERM", "-KILL"] {
            let _ = fs::remove_file(desk.path("trace.jsonl"));
            let mut child = start(&desk, LONG);
            let patience = Instant::now();
            while !desk.path("trace.jsonl").exists() {
                assert!(child.try_wait().unwrap().is_none() && patience.elapsed() < Duration::from_secs(60));
                sleep(Duration::from_millis(2));
            }
            assert_eq!(unnamed_in(&child, &desk.path("tmp")), 1, "rows are in a file of the folder");
            assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
            child.wait().unwrap();
            assert!(nothing_in(&desk, "tmp"), "{signal}");
        }
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_named() {
        let desk = Desk::new();
        desk.write("t.csv", mixed(100, label));
        let words = words("fit t.csv --target y --missing drop --stream always --quiet");
        let mut command = desk.command(&words.iter().map(String::as_str).collect::<Vec<_>>());
        let said = Said::of(&command.env("TMPDIR", desk.path("nowhere")).output().unwrap());
        assert_eq!(said.code, 7, "{}", said.err);
        assert!(said.err.contains("nowhere`; set TMPDIR to a folder with room"), "{}", said.err);
        assert_eq!(desk.names(), ["t.csv"]);
    }

    #[test]
    fn predictions_that_a_signal_ends_leave_nothing() {
        let desk = with_model(400_000);
        fs::create_dir(desk.path("tmp")).unwrap();
        let before = desk.names();
        let mut child = start(&desk, "predict model.gp new.csv -o p.csv");
        let patience = Instant::now();
        while desk.names() == before {
            assert!(child.try_wait().unwrap().is_none() && patience.elapsed() < Duration::from_secs(60));
            sleep(Duration::from_millis(1));
        }
        assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
        assert_eq!(Said::of(&child.wait_with_output().unwrap()).code, 130);
        assert_eq!(desk.names(), before);
    }

    /// From a checkpoint of rows in a file, to the bytes of a fit in memory; and the other way round.
    #[test]
    fn checkpoints_do_not_mind_where_rows_are() {
        let fit = "fit t.csv --target y --missing drop --method svgp --optimizer adam --inducing 10 --epochs 400 --batch-size 32";
        let straight = Desk::new();
        straight.write("t.csv", mixed(300, label));
        straight.ok(&format!("{fit} --stream never"));
        for (first, second) in [("always", "never"), ("never", "always")] {
            let broken = Desk::new();
            fs::create_dir(broken.path("tmp")).unwrap();
            broken.write("t.csv", mixed(300, label));
            let mut child = start(&broken, &format!("{fit} --stream {first} --checkpoint tmp/state --quiet"));
            let patience = Instant::now();
            while !broken.path("tmp/state/training.checkpoint").exists() {
                assert!(child.try_wait().unwrap().is_none() && patience.elapsed() < Duration::from_secs(60));
                sleep(Duration::from_millis(1));
            }
            assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
            assert_eq!(Said::of(&child.wait_with_output().unwrap()).code, 130);
            broken.ok(&format!("{fit} --stream {second} --resume tmp/state"));
            assert!(broken.read("model.gp") == straight.read("model.gp"), "{first}, then {second}");
            assert!(nothing_in(&broken, "tmp"));
        }
    }

    /// The most memory that a command ever held, in MB.
    fn peak(desk: &Desk, line: &str) -> f64 {
        let mut child = start(desk, line);
        let mut peak = 0.0_f64;
        while child.try_wait().unwrap().is_none() {
            let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
            let line = status.lines().find(|line| line.starts_with("VmHWM"));
            let found = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
            peak = peak.max(found.unwrap_or(0.0) / 1024.0);
            sleep(Duration::from_millis(2));
        }
        let said = Said::of(&child.wait_with_output().unwrap());
        assert_eq!(said.code, 0, "{line}: {}", said.err);
        peak
    }

    /// Eight times the rows: 24 MB more in memory for the numbers of the table and its points alone, and what is read of it
    /// besides. In a file they take an order of rows, 5 MB, and what an allocator leaves lying about.
    #[test]
    fn memory_does_not_grow_with_rows() {
        let desk = Desk::new();
        fs::create_dir(desk.path("tmp")).unwrap();
        desk.write("small.csv", mixed(100_000, number));
        desk.write("large.csv", mixed(800_000, number));
        let fit = |table: &str, stream: &str| {
            let flags =
                "--features a,colour,flag --target y --missing drop --method sep --no-train --inducing 5";
            peak(
                &desk,
                &format!(
                    "fit {table}.csv {flags} --time-limit 500ms --batch-size 8192 --stream {stream} --force"
                ),
            )
        };
        let (small, large) = (fit("small", "always"), fit("large", "always"));
        assert!(large < small + 20.0, "{small:.0} MB, then {large:.0} MB");
        let held = fit("large", "never");
        assert!(held > large + 40.0, "{large:.0} MB in a file, {held:.0} MB in memory");
        let predict = |table: &str| {
            peak(&desk, &format!("predict model.gp {table}.csv --missing drop -o {table}.jsonl"))
        };
        let (small, large) = (predict("small"), predict("large"));
        assert!(large < small + 10.0, "predictions: {small:.0} MB, then {large:.0} MB");
    }
}
