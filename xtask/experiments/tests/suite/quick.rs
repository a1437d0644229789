//! Runs every item on small generated data and writes its page.
#![expect(clippy::unwrap_used, reason = "a test may break off")]

use gp_experiments::harness::Form;
use gp_experiments::items::ITEMS;
use std::path::Path;
use std::process::{Command, Output};

fn program(arguments: &[&str], folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gp-experiments"));
    command.args(arguments).current_dir(folder).env_remove("GP_DATA").output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn all_items_run_go_on_where_they_were_and_make_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let quick = ["experiment", "run", "--quick", "all", "--results", "r"];
    let first = program(&quick, folder.path());
    assert!(first.status.success(), "{}", text(&first.stderr));
    let lines = text(&first.stdout);
    assert_eq!(lines.lines().count(), ITEMS.len());
    for (line, item) in lines.lines().zip(ITEMS) {
        assert!(line.starts_with(item.name()) && line.ends_with(" 0 of them earlier, 0 failed"), "{line}");
    }
    // Each line records training and form.
    for item in ITEMS {
        let found = gp_experiments::harness::Results::open(&folder.path().join("r"), item.name()).unwrap();
        for record in found.records() {
            let effort = record.outcome.effort.as_ref();
            assert!(effort.is_some_and(|effort| !effort.stop.is_empty()), "{}", record.cell);
            assert_eq!((record.protocol, record.form), (item.protocol(), Some(Form::Quick)));
        }
    }
    // A second run repeats nothing.
    let results = |name: &str| std::fs::read(folder.path().join("r").join(format!("{name}.jsonl"))).unwrap();
    let before: Vec<Vec<u8>> = ITEMS.iter().map(|item| results(item.name())).collect();
    let second = program(&quick, folder.path());
    assert!(second.status.success() && second.stderr.is_empty(), "{}", text(&second.stderr));
    assert_eq!(ITEMS.iter().map(|item| results(item.name())).collect::<Vec<_>>(), before);

    // An old plot that no page shows.
    let old = folder.path().join("r/figures/old.svg");
    std::fs::create_dir_all(folder.path().join("r/figures")).unwrap();
    std::fs::write(&old, "").unwrap();
    let report = program(&["experiment", "report", "--results", "r"], folder.path());
    assert!(!old.exists());
    assert!(report.status.success(), "{}", text(&report.stderr));
    check_pages(&folder.path().join("r"));
    let stale = program(&["experiment", "report", "--stale", "--results", "r"], folder.path());
    let said = text(&stale.stdout);
    assert!(said.contains("0 of ") && said.ends_with(" lines are stale\n"), "{said}");
}

fn check_pages(folder: &Path) {
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let names = ["000", "001", "002", "003", "004", "beyond"];
    let pages = names.map(|name| (read(&format!("{name}.md")), read(&format!("{name}.html"))));
    for item in ITEMS {
        let heading = (format!("## `{}`", item.name()), format!("<a id=\"{}\">", item.name()));
        let is_there =
            |(page, html): &(String, String)| page.contains(&heading.0) && html.contains(&heading.1);
        assert!(pages.iter().any(is_there), "{}", item.name());
    }
    let index = (read("README.md"), read("index.html"));
    assert!(index.0.contains("(003.md#003-table-1)") && index.1.contains("href=\"003.html#003-table-1\""));
    for (page, html) in pages.iter().chain([&index]) {
        assert!(page.len() < 300_000 && html.len() < 300_000, "{} and {} bytes", page.len(), html.len());
        for figure in page.lines().filter_map(|line| line.split_once("](figures/")) {
            let name = figure.1.trim_end_matches(')');
            assert!(folder.join("figures").join(name).is_file(), "{name}");
            assert!(html.contains(&format!("src=\"figures/{name}\"")), "{name}");
        }
        for link in html.split("href=\"").skip(1) {
            let file = link.split(['#', '"']).next().unwrap();
            assert!(folder.join(file).is_file(), "{file}");
        }
    }
}

/// Only seconds depend on the number of parallel runs.
#[test]
fn scores_do_not_depend_on_how_many_run_side_by_side() {
    let folder = tempfile::tempdir().unwrap();
    let scores = |threads: &str, results: &str| {
        let run = ["experiment", "run", "--quick", "003-table-1", "001-figures-4-5"];
        let output =
            program(&[&run[..], &["--threads", threads, "--results", results]].concat(), folder.path());
        assert!(output.status.success(), "{}", text(&output.stderr));
        let mut all = Vec::new();
        for item in ["003-table-1", "001-figures-4-5"] {
            let found = gp_experiments::harness::Results::open(&folder.path().join(results), item).unwrap();
            for record in found.records() {
                let mut record = record.clone();
                record.outcome.scores.remove("seconds");
                all.push(record);
            }
        }
        all
    };
    let one = scores("1", "one");
    assert!(one.len() > 4);
    assert_eq!(one, scores("3", "three"));
}

#[test]
fn repetitions_are_compared_with_the_stored_scores() {
    let folder = tempfile::tempdir().unwrap();
    let run = ["experiment", "run", "--quick", "003-table-1", "--results", "r"];
    assert!(program(&run, folder.path()).status.success());
    let file = folder.path().join("r/003-table-1.jsonl");
    let stored = std::fs::read_to_string(&file).unwrap();
    let repeat = || {
        let repeat = ["experiment", "repeat", "003-table-1", "--results", "r", "--runs", "2"];
        let output = program(&repeat, folder.path());
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let said = "003-table-1: Repeated at commit unknown: 2 of 2 runs gave the same scores.\n";
    assert_eq!(repeat(), said);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), stored);
    std::fs::write(&file, stored.replace("\"nll\":0.", "\"nll\":7.")).unwrap();
    let said = repeat();
    assert!(
        said.contains("0 of 2 runs gave the same scores; the largest") && said.contains("(`nll` of "),
        "{said}"
    );
    assert!(folder.path().join("r/repeated.json").is_file());
}

#[test]
fn what_cannot_be_run_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let unknown = program(&["experiment", "run", "005-table-9"], folder.path());
    assert_eq!(unknown.status.code(), Some(1));
    assert!(text(&unknown.stderr).contains("unknown item `005-table-9`; known items: 0"));
    // All failures are lines of the results, and set the exit code.
    let run = ["experiment", "run", "003-table-1", "--data", "none", "--splits", "1", "--only", "pima"];
    let missing = program(&run, folder.path());
    assert_eq!(missing.status.code(), Some(1));
    assert!(text(&missing.stderr).contains("8 of 8 runs failed"), "{}", text(&missing.stderr));
    let rows = std::fs::read_to_string(folder.path().join("results/003-table-1.jsonl")).unwrap();
    assert_eq!(rows.lines().count(), 8);
    assert!(rows.lines().all(|row| row.contains("--data")));
    // Failed runs are repeated; a budget of 0 s starts none.
    let left = program(&[&run[..], &["--budget", "0s"]].concat(), folder.path());
    assert!(text(&left.stdout).contains("0 of 8 runs done"), "{}", text(&left.stdout));
    let none = program(&[&run[..], &["--only", "pimo"]].concat(), folder.path());
    assert!(text(&none.stderr).contains("no run has `pimo`") && text(&none.stderr).contains("`pima`"));
    let list = program(&["experiment", "list", "--data", "none"], folder.path());
    assert!(text(&list.stdout).contains("missing in none"));
}
