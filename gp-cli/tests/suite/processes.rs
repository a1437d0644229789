//! Processes (here threads) give the bytes of one.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]
use gp_cli::Context;
use gp_optim::Team;
use gp_optim::files::DiscardedWrites;
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// More than two prediction blocks.
const ROWS: usize = 5000;

/// Exit code, stdout, stderr.
type Ended = (u8, String, String);

fn run(context: &Context, folder: &Path, words: &str) -> Ended {
    let path = |word: &str| match word.contains('.') && !word.contains("..") && word.parse::<f64>().is_err() {
        true => folder.join(word).into_os_string(),
        false => word.into(),
    };
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let words = std::iter::once("gp").chain(words.split(' ')).map(path);
    let code = gp_cli::run(context, words, &mut out, &mut err);
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (code, text(out), text(err))
}

fn alone(folder: &Path, words: &str) -> Ended {
    run(&Context::built_in(), folder, words)
}

/// In `count` processes; only the first writes files.
fn together(count: usize, folder: &Path, words: &str) -> Vec<Ended> {
    Team::in_threads(count, |team| {
        let _onlooker = (!team.leads()).then(DiscardedWrites::new);
        run(&Context::built_in().with_team(team), folder, words)
    })
}

/// `train.csv` and `new.csv`: numbers `a`, `b`, word `w`, amounts `y`, `z`, label `c`, counts `n`, identifier
/// `id`. `new.csv` lacks some inputs and amounts, and has a new word.
fn tables() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, rows, is_new) in [("train.csv", 600, false), ("new.csv", ROWS, true)] {
        let mut text = "a,b,w,y,z,c,n,id\n".to_owned();
        for i in 0..rows {
            let at = |k: usize| ((i * k) as f64 * 0.37).sin();
            let (a, b) = (3.0 * at(7), 3.0 * at(11));
            let f = a.sin() + 0.3 * b + 0.2 * at(13);
            let word = if is_new && i == 4321 { "new" } else { ["red", "green"][i % 2] };
            let label = if f > 0.4 {
                "high"
            } else if f < -0.4 {
                "low"
            } else {
                "middle"
            };
            let a = if is_new && i % 701 == 3 { String::new() } else { a.to_string() };
            let y = if is_new && i % 97 == 5 { String::new() } else { f.to_string() };
            let count = (2.0 + 1.9 * f).max(0.0).round();
            writeln!(text, "{a},{b},{word},{y},{},{label},{count},r{i}", f - b).unwrap();
        }
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

const FRONT: &str = "fit train.csv --force --quiet --units model --features a,b,w";

fn fit(folder: &Path, how: &str) {
    let (code, _, err) = alone(folder, &format!("{FRONT} {how} --output m.gp"));
    assert_eq!(code, 0, "{how}: {err}");
}

fn check(folder: &Path, words: &str) {
    let one = alone(folder, words);
    for count in 1..=4 {
        for (rank, several) in together(count, folder, words).into_iter().enumerate() {
            assert_eq!(several.0, one.0, "{words}: process {rank} of {count}: {}", several.2);
            let same = without_traffic(&several.1) == without_traffic(&one.1);
            assert!(same, "{words}: process {rank} of {count} differs");
            assert_eq!(several.2, one.2, "{words}: process {rank} of {count}");
        }
    }
}

/// JSON without `processes`, which a single process lacks.
fn without_traffic(out: &str) -> String {
    match serde_json::from_str(out) {
        Ok(Value::Object(mut told)) => {
            told.remove("processes");
            Value::Object(told).to_string()
        }
        _ => out.to_owned(),
    }
}

#[test]
fn predictions_are_spread_and_have_the_bytes_of_one_process() {
    let folder = tables();
    let folder = folder.path();
    let cases = [
        (
            "--target y --method vfe --inducing 10 --iterations 3",
            "--latent --parts --quantiles 0.1,0.9 --id id --missing drop",
        ),
        (
            "--target c --kernel rbf(lengthscale=1) --method svgp --inducing 10 --iterations 3",
            "--proba --latent --missing drop",
        ),
        (
            "--target n --kernel rbf(lengthscale=1) --method svgp --inducing 10 --iterations 3",
            "--interval 0.5,0.9 --missing drop",
        ),
        (
            "--target y --target z --kernel rbf(lengthscale=1) --kernel rbf(lengthscale=1) --method vfe --inducing 10 --iterations 3",
            "--missing drop",
        ),
        ("--target y --kernel rbf(lengthscale=1) --method exact --iterations 2", "--missing drop"),
    ];
    for (how, wanted) in cases {
        fit(folder, how);
        // CSV is written in pieces, Parquet from the whole table.
        for format in ["csv", "jsonl"] {
            check(folder, &format!("predict m.gp new.csv {wanted} --output-format {format}"));
        }
    }
    check(folder, "predict m.gp new.csv --samples 2 --missing drop");
}

#[test]
fn a_wrong_row_of_any_process_is_told_as_by_one() {
    let folder = tables();
    let folder = folder.path();
    fit(folder, "--target y --method vfe --inducing 10 --iterations 3");
    // The value of the last row is missing, that of another is too far away.
    check(folder, "predict m.gp new.csv");
    let text = fs::read_to_string(folder.join("new.csv")).unwrap();
    let far: Vec<String> = text
        .lines()
        .enumerate()
        .map(|(i, line)| if i == 4700 { "1e300,1,red,1,1,low,1,x".to_owned() } else { line.to_owned() })
        .collect();
    fs::write(folder.join("far.csv"), far.join("\n")).unwrap();
    let (code, _, err) = alone(folder, "predict m.gp far.csv --missing drop");
    assert!(code == 3 && err.contains("line 4701"), "{err}");
    check(folder, "predict m.gp far.csv --missing drop");
}

#[test]
fn scores_are_spread_and_have_the_bits_of_one_process() {
    let folder = tables();
    let folder = folder.path();
    for target in ["--target y", "--target c", "--target n", "--target y --target z"] {
        fit(
            folder,
            &format!("{target} --kernel rbf(lengthscale=1) --method svgp --inducing 10 --iterations 3"),
        );
        check(folder, "eval m.gp new.csv --missing drop --json");
    }
}

/// Methods that read rows from a file, in passes and mini-batches, and choices from samples, with numbers of
/// processes. Without a length-scale, quick fits come first, which takes long.
const STREAMED: [(&str, &[usize]); 12] = [
    ("--target y --kernel rbf(lengthscale=1) --method vfe --inducing 10 --iterations 3", &[2, 3, 8]),
    ("--target y --method fitc --inducing 10 --blocks g --iterations 3", &[3]),
    (
        "--target y --kernel rbf(lengthscale=1) --method pep --inducing 10 --alpha 0.5 --iterations 2 --restarts 2",
        &[3],
    ),
    (
        "--target c --kernel rbf(lengthscale=1) --method svgp --inducing 10 --optimizer adam --epochs 2 --batch-size 150",
        &[2, 3, 8],
    ),
    (
        "--target c --kernel rbf(lengthscale=1) --method sep --inducing 10 --sites full --epochs 2 --batch-size 150",
        &[2, 3],
    ),
    (
        "--target c --kernel rbf(lengthscale=1) --method sep --inducing 10 --sites tied --epochs 2 --batch-size 150 --weights v",
        &[2, 3],
    ),
    (
        "--target c --kernel rbf(lengthscale=1) --method savigp --inducing 10 --samples 8 --optimizer adam --epochs 2 --batch-size 150",
        &[3],
    ),
    (
        "--target y --target z --kernel rbf(lengthscale=1) --kernel rbf(lengthscale=1) --method vfe --inducing 10 --iterations 2",
        &[3],
    ),
    (
        "--target y --target z --kernel rbf(lengthscale=1) --method svgp --inducing 10 --optimizer adam --epochs 2 --batch-size 150",
        &[3],
    ),
    ("--target n --method svgp --inducing 10 --optimizer adam --epochs 2 --batch-size 150", &[4]),
    ("--target y --kernel rbf(lengthscale=1) --method exact --iterations 2", &[3]),
    ("--target y --method vfe --inducing 6 --iterations 2 --search", &[2]),
];

#[test]
fn rows_in_files_are_spread_and_fits_have_the_bits_of_one_process() {
    let folder = tables();
    let folder = folder.path();
    let text = fs::read_to_string(folder.join("train.csv")).unwrap();
    let more = |(i, line): (usize, &str)| match i {
        0 => format!("{line},v,g"),
        _ => format!("{line},{},{}", 1 + i % 3, i / 7),
    };
    let more: Vec<String> = text.lines().enumerate().map(more).collect();
    fs::write(folder.join("train.csv"), more.join("\n")).unwrap();
    for (how, counts) in STREAMED {
        let words = |model: &str| format!("{FRONT} {how} --stream always --output {model}");
        let (code, _, err) = alone(folder, &words("one.gp"));
        assert_eq!(code, 0, "{how}: {err}");
        for &count in counts {
            let ended = together(count, folder, &words("several.gp"));
            assert!(ended.iter().all(|(code, ..)| *code == 0), "{how}: {count}: {ended:?}");
            let [one, several] = ["one.gp", "several.gp"].map(|name| fs::read(folder.join(name)).unwrap());
            assert!(one == several, "{how}: {count} processes have other bits");
        }
    }
}

#[test]
fn a_target_in_the_rows_of_another_process_is_refused_with_its_place() {
    let folder = tables();
    let folder = folder.path();
    let text = fs::read_to_string(folder.join("train.csv")).unwrap();
    let wrong = |i: usize, line: &str| match i {
        550 | 580 => "1,1,red,1,1,low,-4,x".to_owned(),
        _ => line.to_owned(),
    };
    let wrong: Vec<String> = text.lines().enumerate().map(|(i, line)| wrong(i, line)).collect();
    fs::write(folder.join("train.csv"), wrong.join("\n")).unwrap();
    let words = format!(
        "{FRONT} --target n --likelihood poisson --method svgp --inducing 10 --stream always --output m.gp"
    );
    let one = alone(folder, &words);
    assert!(one.0 == 3 && one.2.contains("line 551"), "{one:?}");
    assert_eq!(together(3, folder, &words), vec![one; 3]);
}

/// Tables of which each process reads a part: words and missing values begin late, and some rows are left out.
#[test]
fn tables_read_in_parts_give_the_bits_of_one_process() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for name in ["groups.parquet", "batches.arrow"] {
        let source = format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
        fs::copy(source, folder.join(name)).unwrap();
    }
    let row = |i: usize| {
        let x = if i.is_multiple_of(11) { String::new() } else { (0.2 * i as f64).to_string() };
        let word = ["red", "green", "\"sea\ngreen\"", ""][i / 120];
        format!("{x},{},{},{},{word}\n", i * i, i.is_multiple_of(2), 1 + i % 3)
    };
    let head = "x,whole,is_even,weight,word\n";
    let rows = |rows: std::ops::Range<usize>| rows.map(row).collect::<String>();
    fs::write(folder.join("t.csv"), format!("{head}{}", rows(0..430))).unwrap();
    fs::create_dir(folder.join("parts.d")).unwrap();
    for (name, own) in [("a.csv", 0..50), ("b.csv", 50..300), ("c.csv", 300..430)] {
        fs::write(folder.join("parts.d").join(name), format!("{head}{}", rows(own))).unwrap();
    }
    for (table, how) in [
        ("groups.parquet", "--missing drop"),
        ("batches.arrow", "--missing drop --missing-in word=keep"),
        ("t.csv", "--missing keep --weights weight"),
        ("t.csv", "--missing drop --missing-in word=keep"),
        ("parts.d", "--missing drop --missing-in word=keep --weights weight"),
    ] {
        let words = |model: &str| {
            format!(
                "fit {table} --target whole --features x,is_even,word {how} --kernel rbf(lengthscale=1) --units model --method vfe --inducing 5 --iterations 1 --stream always --quiet --force --output {model}"
            )
        };
        let (code, _, err) = alone(folder, &words("one.gp"));
        assert_eq!(code, 0, "{table} {how}: {err}");
        for count in [2, 3, 5] {
            let ended = together(count, folder, &words("several.gp"));
            assert!(ended.iter().all(|(code, ..)| *code == 0), "{table} {how}: {count}: {ended:?}");
            let [one, several] = ["one.gp", "several.gp"].map(|name| fs::read(folder.join(name)).unwrap());
            assert!(one == several, "{table} {how}: {count} processes have other bits");
        }
    }
}

#[test]
fn a_cell_that_one_process_cannot_read_is_told_as_by_one() {
    let folder = tables();
    let folder = folder.path();
    let text = fs::read_to_string(folder.join("train.csv")).unwrap();
    let wrong = |i: usize, line: &str| match i {
        250 | 590 => "1,oops,red,1,1,low,4,x".to_owned(),
        _ => line.to_owned(),
    };
    let wrong: Vec<String> = text.lines().enumerate().map(|(i, line)| wrong(i, line)).collect();
    fs::write(folder.join("train.csv"), wrong.join("\n")).unwrap();
    let words = format!("{FRONT} --target y --method vfe --inducing 10 --stream always --output m.gp");
    let one = alone(folder, &words);
    assert!(one.0 == 3 && one.2.contains("line 251"), "{one:?}");
    for count in [2, 3] {
        assert_eq!(together(count, folder, &words), vec![one.clone(); count]);
    }
}

#[test]
fn files_that_do_not_fit_together_are_told_as_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let rows = |i: usize, word: &str| {
        (0..50).map(|row| format!("{},{},{word}\n", i + row, row % 7)).collect::<String>()
    };
    for (name, last, word) in
        [("order.d", "x,c,y", "red"), ("types.d", "x,y,c", "1"), ("empty.d", "x,y,c", "")]
    {
        fs::create_dir(folder.join(name)).unwrap();
        for i in 0..3 {
            let (head, word) = if i == 2 { (last, word) } else { ("x,y,c", "red") };
            let text = format!("{head}\n{}", rows(i, word));
            fs::write(folder.join(name).join(format!("part-{i}.csv")), text).unwrap();
        }
        let words = format!(
            "fit {name} --target y --missing drop --method vfe --inducing 5 --stream always --quiet --output m.gp"
        );
        let one = alone(folder, &words);
        assert!(one.0 == 3 && one.2.contains("part-2.csv"), "{one:?}");
        for count in [2, 3] {
            assert_eq!(together(count, folder, &words), vec![one.clone(); count]);
        }
    }
}
