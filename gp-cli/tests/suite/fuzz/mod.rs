//! Fuzz targets on corpora and reproducible mutations.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod mutation;

use gp_cli::fuzzing::{FuzzTarget, Readers, Reading, TARGETS};
use mutation::{Random, damaged};
use std::fs;
use std::path::PathBuf;

/// Mutations per file.
const ROUNDS: usize = 400;
/// Memory budget of readers in bytes.
const BUDGET: u64 = 64 << 20;

/// Fragments for some reader.
const PIECES: [&str; 28] = [
    "(",
    ")",
    "[",
    "]",
    ",",
    "=",
    "~",
    "+",
    " * ",
    "\"",
    "\n",
    "\r\n",
    ":",
    "..",
    "1e999",
    "-0",
    "nan",
    "inf",
    "fixed(",
    " in [",
    "rbf",
    "dims=[0]",
    "ard=true",
    "classes=",
    "variance=",
    "\u{feff}",
    "\0",
    "9999999999999999999999",
];

fn here(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn files(folder: &str) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(here(folder)).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries
        .filter(|path| path.is_file())
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(&path).unwrap()))
        .collect();
    files.sort();
    files
}

/// For models, also released files.
fn corpus(name: &str) -> Vec<(String, Vec<u8>)> {
    let mut corpus = files(&format!("fuzz/corpus/{name}"));
    if name == "model" {
        corpus.extend(files("tests/data").into_iter().filter(|(name, _)| name.ends_with(".gp")));
    }
    corpus
}

/// Mutations rarely make a notation without seed.
#[test]
fn every_notation_of_dates_has_a_seed() {
    let tables: Vec<String> =
        corpus("csv").into_iter().filter_map(|(_, bytes)| String::from_utf8(bytes).ok()).collect();
    for date in ["2024-02-29", "2020/1/31", "Jan 2012", "20240229", "T10:00+02:00", "-0330", "Z"] {
        assert!(tables.iter().any(|table| table.contains(date)), "{date}");
    }
}

#[track_caller]
fn run((name, target): FuzzTarget, readers: &Readers, what: &str, bytes: &[u8]) -> bool {
    let found = target(readers, bytes);
    assert!(found.is_ok(), "{name}, {what}: {found:?}\n{}", bytes.escape_ascii());
    found.unwrap() == Reading::Read
}

/// Inserts fragments, damages bytes, or both.
fn changed(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = if random.below(3) > 0 { damaged(bytes, random) } else { bytes.to_vec() };
    for _ in 0..random.below(3) {
        let at = random.below(bytes.len() + 1);
        bytes.splice(at..at, PIECES[random.below(PIECES.len())].bytes());
    }
    bytes
}

fn all_of(name: &str) {
    let target = *TARGETS.iter().find(|(known, _)| *known == name).unwrap();
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let (readers, mut read, mut refused) = (Readers::new(BUDGET).unwrap(), 0, 0);
    for (file, bytes) in corpus(name) {
        let count = |was_read: bool| if was_read { (1, 0) } else { (0, 1) };
        let (one, other) = count(run(target, &readers, &file, &bytes));
        (read, refused) = (read + one, refused + other);
        for round in 0..ROUNDS {
            let what = format!("{file}, change {round}");
            let (one, other) = count(run(target, &readers, &what, &changed(&bytes, &mut random)));
            (read, refused) = (read + one, refused + other);
        }
    }
    // A corpus must contain readable and unreadable files.
    assert!(read > 0 && refused > 0, "{name}: {read} read, {refused} refused");
}

macro_rules! tests {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            all_of(stringify!($name));
        })*

        #[test]
        fn every_target_has_a_test_and_a_corpus() {
            let names = [$(stringify!($name)),*];
            assert_eq!(names.to_vec(), TARGETS.iter().map(|(name, _)| *name).collect::<Vec<_>>());
            for name in names {
                assert!(files(&format!("fuzz/corpus/{name}")).len() > 3, "{name}");
            }
        }
    };
}

tests! { csv gzip libsvm npy npz idx parquet arrow kernel likelihood config checkpoint model }

#[test]
fn limits_are_named() {
    let readers = Readers::new(BUDGET).unwrap();
    let cases = [
        ("kernel", "rbf * ".repeat(100_000) + "rbf", "at most 1000 kernels"),
        ("kernel", "(".repeat(100_000), "more than 64 deep"),
        ("libsvm", "0 99999:1\n".repeat(2_000), "2000 × 100000 numbers"),
        ("config", "kernel = ".to_owned() + &"[".repeat(100_000), "line 1"),
    ];
    for (name, text, limit) in cases {
        match readers.read(name, text.as_bytes()) {
            Ok(Reading::Refused(why)) => assert!(why.contains(limit), "{name}: {why}"),
            other => panic!("{name}: {other:?}"),
        }
    }
}
