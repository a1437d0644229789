//! Equal bits for any number of processes and threads.

use super::support::{Tables, stderr, without_traffic};

const FITS: [(&str, &str); 12] = [
    ("labels.csv", "--method ep --iterations 3"),
    ("labels.csv", "--method ep --iterations 5 --optimizer adam"),
    ("labels.csv", "--method gfitc --iterations 3"),
    ("labels.csv", "--method sep --sites full --epochs 3 --batch-size 250"),
    ("labels.csv", "--method sep --sites tied --epochs 3 --batch-size 250"),
    ("labels.csv", "--method svgp --iterations 3"),
    ("labels.csv", "--method svgp --optimizer adam --epochs 3 --batch-size 250"),
    ("labels.csv", "--method savigp --components 2 --iterations 3"),
    ("labels.csv", "--method savigp --optimizer adam --samples 16 --epochs 3 --batch-size 250"),
    ("numbers.csv", "--method pep --alpha 0.5 --iterations 5"),
    ("numbers.csv", "--method vfe --iterations 5"),
    ("numbers.csv", "--method fitc --iterations 5"),
];

fn words<'a>(data: &'a str, how: &'a str, model: &'a str) -> Vec<&'a str> {
    let front = ["fit", data, "--target", "y", "--inducing", "10", "--quiet", "--force", "--output", model];
    front.into_iter().chain(how.split(' ')).collect()
}

#[test]
fn four_processes_have_the_bits_of_one_for_every_method() {
    let tables = Tables::new();
    for (data, how) in FITS {
        tables.alone(&words(data, how, "one.gp"));
        let several = tables.run(4, &words(data, how, "several.gp"));
        assert!(several.status.success(), "{how}: {}", stderr(&several));
        assert!(tables.read("one.gp") == tables.read("several.gp"), "{how}: other bits");
    }
}

#[test]
fn any_number_of_processes_and_threads_has_the_bits_of_one() {
    let tables = Tables::new();
    for (data, how) in [FITS[0], FITS[6], FITS[10]] {
        tables.alone(&words(data, how, "one.gp"));
        for (processes, threads) in [(1, "2"), (2, "1"), (3, "2"), (8, "1")] {
            let mut words = words(data, how, "several.gp");
            words.extend(["--threads", threads]);
            let several = tables.run(processes, &words);
            assert!(several.status.success(), "{how}: {}", stderr(&several));
            assert!(tables.read("one.gp") == tables.read("several.gp"), "{how}: {processes} processes");
        }
    }
}

#[test]
fn rows_that_stay_in_files_are_spread_too() {
    let tables = Tables::new();
    for (data, how) in FITS.into_iter().filter(|(_, how)| how.contains("--batch-size") || how.contains("vfe"))
    {
        let how = format!("{how} --stream always");
        tables.alone(&words(data, &how, "one.gp"));
        for processes in [3, 4] {
            let several = tables.run(processes, &words(data, &how, "several.gp"));
            assert!(several.status.success(), "{how}: {}", stderr(&several));
            assert!(tables.read("one.gp") == tables.read("several.gp"), "{how}: {processes} processes");
        }
    }
}

#[test]
fn predictions_and_scores_are_spread_and_those_of_one_process() {
    let tables = Tables::new();
    let rows = |i: usize| format!("{},{},{}\n", (i as f64).sin(), (i as f64).cos(), ["yes", "no"][i % 2]);
    let text: String = std::iter::once("a,b,y\n".to_owned()).chain((0..9000).map(rows)).collect();
    std::fs::write(tables.path().join("many.csv"), text).unwrap();
    tables.alone(&words("labels.csv", "--method svgp --iterations 3", "m.gp"));
    let commands: [&[&str]; 2] =
        [&["predict", "m.gp", "many.csv", "--proba", "--latent"], &["eval", "m.gp", "many.csv", "--json"]];
    for command in commands {
        let one = tables.alone(command);
        for (processes, threads) in [(1, "2"), (2, "1"), (3, "2"), (4, "1")] {
            let several = tables.run(processes, &[command, &["--threads", threads]].concat());
            assert!(several.status.success(), "{}", stderr(&several));
            let told = String::from_utf8_lossy(&several.stdout);
            assert!(without_traffic(&told) == without_traffic(&one), "{command:?}: {processes} processes");
        }
    }
}

#[test]
fn searches_starts_and_seasons_are_decided_once() {
    let tables = Tables::new();
    for how in
        ["--method vfe --iterations 3 --restarts 2 --time-limit 600s", "--method vfe --iterations 3 --search"]
    {
        tables.alone(&words("numbers.csv", how, "one.gp"));
        let several = tables.run(2, &words("numbers.csv", how, "several.gp"));
        assert!(several.status.success(), "{how}: {}", stderr(&several));
        assert!(tables.read("one.gp") == tables.read("several.gp"), "{how}: other bits");
    }
}

#[test]
fn folds_are_spread_and_scores_are_those_of_one_process() {
    let tables = Tables::new();
    let words = [
        "cv",
        "numbers.csv",
        "--target",
        "y",
        "--folds",
        "5",
        "--method",
        "vfe",
        "--inducing",
        "10",
        "--iterations",
        "3",
        "--json",
    ];
    let several = tables.run(3, &words);
    assert!(several.status.success(), "{}", stderr(&several));
    let told = String::from_utf8_lossy(&several.stdout);
    assert_eq!(without_traffic(&told), without_traffic(&tables.alone(&words)));
}
