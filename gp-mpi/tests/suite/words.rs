//! Messages printed by the processes.

use super::support::{Tables, stderr};

const FIT: [&str; 12] = [
    "fit",
    "numbers.csv",
    "--target",
    "y",
    "--inducing",
    "10",
    "--method",
    "vfe",
    "--iterations",
    "3",
    "--output",
    "m.gp",
];

#[test]
fn one_process_talks_and_tells_what_all_have_sent() {
    let tables = Tables::new();
    let fitted = tables.run(3, &[&FIT[..], &["--json"]].concat());
    assert!(fitted.status.success(), "{}", stderr(&fitted));
    let told: serde_json::Value = serde_json::from_slice(&fitted.stdout).unwrap();
    assert_eq!(told["processes"]["count"], 3);
    assert!(told["processes"]["bytes_sent"].as_u64() > Some(10_000), "{told}");
    assert_eq!(stderr(&fitted).matches("wrote m.gp").count(), 1);
    for words in [
        "predict m.gp numbers.csv --json --output p.csv",
        "eval m.gp numbers.csv --json",
        "cv numbers.csv --target y --folds 2 --method exact --iterations 2 --json",
    ] {
        let told = tables.run(3, &words.split(' ').collect::<Vec<_>>());
        assert!(told.status.success(), "{words}: {}", stderr(&told));
        let told: serde_json::Value = serde_json::from_slice(&told.stdout).unwrap();
        assert_eq!(told["processes"]["count"], 3, "{words}");
        assert!(told["processes"]["bytes_sent"].as_u64() > Some(0), "{words}: {told}");
    }
    let predicted = tables.run(2, &["predict", "m.gp", "numbers.csv"]);
    let text = String::from_utf8(predicted.stdout.clone()).unwrap();
    assert_eq!(text.lines().count(), 601, "{}", stderr(&predicted));
    assert_eq!(text, tables.alone(&["predict", "m.gp", "numbers.csv"]));
}

#[test]
fn an_error_of_all_is_said_once_with_its_exit_code() {
    let tables = Tables::new();
    let refused = tables.run(3, &["fit", "numbers.csv", "--target", "z", "--output", "m.gp"]);
    assert_eq!(refused.status.code(), Some(3), "{}", stderr(&refused));
    assert_eq!(stderr(&refused).matches("error: ").count(), 1, "{}", stderr(&refused));
    assert!(!tables.path().join("m.gp").exists());
}

#[test]
fn an_error_of_one_process_ends_all_with_its_message() {
    let tables = Tables::new();
    std::fs::create_dir(tables.path().join("other")).unwrap();
    std::fs::write(tables.path().join("other/numbers.csv"), "a,b,y\n1,2,3\n4,five,6\n").unwrap();
    let refused = tables.mpirun_of(&[(1, ".", &FIT), (1, "other", &FIT)]).output().unwrap();
    assert!(!refused.status.success());
    assert!(stderr(&refused).contains("process"), "{}", stderr(&refused));
    assert!(!tables.path().join("m.gp").exists());
}

#[test]
fn processes_with_other_words_or_data_are_refused() {
    let tables = Tables::new();
    let other = [&FIT[..], &["--seed", "1"]].concat();
    let refused = tables.mpirun_of(&[(1, ".", &FIT), (1, ".", &other)]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2), "{}", stderr(&refused));
    assert!(stderr(&refused).contains("processes do not agree on the command line"), "{}", stderr(&refused));

    std::fs::create_dir(tables.path().join("other")).unwrap();
    let text = String::from_utf8(tables.read("numbers.csv")).unwrap();
    let changed: Vec<&str> = text.lines().collect();
    // The last row replaces the one before it.
    let changed = [&changed[..changed.len() - 2], &[changed[changed.len() - 1]; 2]].concat().join("\n");
    std::fs::write(tables.path().join("other/numbers.csv"), changed).unwrap();
    for more in [&[][..], &["--stream", "always"]] {
        let fit = [&FIT[..], more].concat();
        let refused = tables.mpirun_of(&[(1, ".", &fit), (1, "other", &fit)]).output().unwrap();
        assert_eq!(refused.status.code(), Some(2), "{}", stderr(&refused));
        let said = stderr(&refused);
        assert!(said.contains("processes do not agree on the content of DATA"), "{said}");
        assert!(!tables.path().join("m.gp").exists());
    }
}

#[test]
fn another_program_is_refused() {
    let tables = Tables::new();
    std::fs::create_dir(tables.path().join("other")).unwrap();
    tables.place_other_program("other");
    let inspect = ["inspect", "../m.gp"];
    let refused = tables.mpirun_of(&[(1, ".", &inspect), (1, "other", &inspect)]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2), "{}", stderr(&refused));
    let said = stderr(&refused);
    assert!(said.contains("processes do not agree on the program"), "{said}");
}

#[test]
fn the_standard_input_is_refused() {
    let tables = Tables::new();
    let refused = tables.run(2, &["fit", "-", "--target", "y", "--output", "m.gp"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("do not share the standard input"), "{}", stderr(&refused));
}
