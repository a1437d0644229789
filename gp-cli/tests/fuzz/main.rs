//! Every fuzz target on its corpus and some thousand changes of it: the same ones every time, so that what fails once fails
//! always.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod mutation;

use gp_cli::Context;
use gp_cli::fuzzing::{TARGETS, Target};
use mutation::{Random, damaged};
use std::fs;
use std::path::PathBuf;

/// Changes of each file.
const ROUNDS: usize = 400;

/// Pieces that mean something to some reader.
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

/// Names and bytes of the files in a folder, by name.
fn files(folder: &str) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(here(folder)).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries
        .filter(|path| path.is_file())
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(&path).unwrap()))
        .collect();
    files.sort();
    files
}

/// What a target starts from: its corpus and, for models, the files that have to load for ever.
fn corpus(name: &str) -> Vec<(String, Vec<u8>)> {
    let mut corpus = files(&format!("fuzz/corpus/{name}"));
    if name == "model" {
        corpus.extend(files("tests/data").into_iter().filter(|(name, _)| name.ends_with(".gp")));
    }
    corpus
}

#[track_caller]
fn run((name, target): Target, what: &str, bytes: &[u8]) -> bool {
    let found = target(&Context::built_in(), bytes);
    assert!(found.is_ok(), "{name}, {what}: {found:?}\n{}", bytes.escape_ascii());
    found.unwrap()
}

/// The bytes with a piece that means something put in somewhere, or damaged, or both.
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
    let (mut read, mut refused) = (0, 0);
    for (file, bytes) in corpus(name) {
        let count = |was_read: bool| if was_read { (1, 0) } else { (0, 1) };
        let (one, other) = count(run(target, &file, &bytes));
        (read, refused) = (read + one, refused + other);
        for round in 0..ROUNDS {
            let (one, other) =
                count(run(target, &format!("{file}, change {round}"), &changed(&bytes, &mut random)));
            (read, refused) = (read + one, refused + other);
        }
    }
    // A corpus of which nothing or everything can be read does not try much.
    assert!(read > 0 && refused > 0, "{name}: {read} read, {refused} refused");
}

#[test]
fn csv() {
    all_of("csv");
}

#[test]
fn libsvm() {
    all_of("libsvm");
}

#[test]
fn kernel() {
    all_of("kernel");
}

#[test]
fn likelihood() {
    all_of("likelihood");
}

#[test]
fn config() {
    all_of("config");
}

#[test]
fn model() {
    all_of("model");
}

/// The programs, their corpora and the functions here are the same.
#[test]
fn every_target_has_a_program_and_a_corpus() {
    let manifest = fs::read_to_string(here("fuzz/Cargo.toml")).unwrap();
    for (name, _) in TARGETS {
        let program = fs::read_to_string(here(&format!("fuzz/fuzz_targets/{name}.rs"))).unwrap();
        assert!(
            program.contains(&format!("gp_cli::fuzzing::{name}(&gp_cli::Context::built_in(), bytes)")),
            "{name}"
        );
        assert!(manifest.contains(&format!("path = \"fuzz_targets/{name}.rs\"")), "{name}");
        assert!(files(&format!("fuzz/corpus/{name}")).len() > 3, "{name}");
    }
    assert_eq!(files("fuzz/fuzz_targets").len(), TARGETS.len());
    assert_eq!(manifest.matches("[[bin]]").count(), TARGETS.len());
}
