//! `gp demo` from the outside: the built binary, its files, streams and exit codes.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use gp_cli::model::RegressionModel;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const FILES: [&str; 3] = ["model.json", "predictions.csv", "demo.png"];

fn gp(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gp"));
    command.args(arguments);
    command
}

fn demo(folder: &Path, more: &[&str]) -> Output {
    gp(&["demo", "--output", folder.to_str().unwrap()]).args(more).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn contents(folder: &Path) -> Vec<Vec<u8>> {
    FILES.iter().map(|name| fs::read(folder.join(name)).unwrap()).collect()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// The rows of `predictions.csv` without its header.
fn predictions(folder: &Path) -> Vec<Vec<f64>> {
    let text = fs::read_to_string(folder.join("predictions.csv")).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("x,y,mean,variance,lower,upper"));
    lines.map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect()).collect()
}

#[test]
fn the_demo_writes_three_files_and_prints_a_table() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("new/folder");
    let output = demo(&folder, &[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(names(&folder), ["demo.png", "model.json", "predictions.csv"]);

    let table: Vec<&str> = text(&output.stdout).lines().collect();
    assert_eq!(table.len(), 6);
    assert!(table[0].starts_with("on held-out rows") && table[0].ends_with("mean"));
    let numbers =
        |line: &str| -> Vec<f64> { line.split_whitespace().filter_map(|word| word.parse().ok()).collect() };
    let (errors, densities) = (numbers(table[1]), numbers(table[2]));
    // The noise has standard deviation 0.2 and the targets 0.9: a model that has learnt anything halves the error.
    assert!(errors[0] < 0.5 * errors[1], "{errors:?}");
    assert!(densities[0] < densities[1] - 0.5, "{densities:?}");

    let notes = text(&output.stderr);
    assert!(notes.contains("converged after"), "{notes}");
    assert!(FILES.iter().all(|name| notes.contains(name)), "{notes}");
}

#[test]
fn the_picture_is_a_png_with_something_on_it() {
    let folder = tempfile::tempdir().unwrap();
    demo(folder.path(), &[]);
    let picture = fs::File::open(folder.path().join("demo.png")).unwrap();
    let mut reader = png::Decoder::new(std::io::BufReader::new(picture)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width, info.height), (1200, 720));
    let count = |wanted: fn(&[u8]) -> bool| pixels.chunks_exact(3).filter(|pixel| wanted(pixel)).count();
    // Paper, the deep blue of the mean, the orange of held-out rows, the light blue of bands.
    assert!(count(|p| p == [255, 255, 255]) > 400_000);
    assert!(count(|p| p == [31, 89, 160]) > 1_000);
    assert!(count(|p| p == [222, 98, 20]) > 500);
    assert!(count(|p| i32::from(p[2]) > i32::from(p[0]) + 20 && p[0] > 120) > 50_000);
}

#[test]
fn the_model_file_gives_the_predictions_to_the_last_bit() {
    let folder = tempfile::tempdir().unwrap();
    demo(folder.path(), &["--seed", "5"]);
    let model = fs::read_to_string(folder.path().join("model.json")).unwrap();
    let model = RegressionModel::from_text(&model, "model.json").unwrap();
    let rows = predictions(folder.path());
    assert_eq!(rows.len(), 37);
    let forecasts = model.forecast(&[rows.iter().map(|row| row[0]).collect()]).unwrap();
    for (row, forecast) in rows.iter().zip(&forecasts) {
        assert_eq!(
            (row[2].to_bits(), row[3].to_bits()),
            (forecast.mean.to_bits(), forecast.variance.to_bits())
        );
        // 1.96 standard deviations to either side.
        let half = 1.959_963_984_540_054 * row[3].sqrt();
        assert!((row[4] - (row[2] - half)).abs() < 1e-12 && (row[5] - (row[2] + half)).abs() < 1e-12);
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes_with_any_number_of_threads() {
    let parent = tempfile::tempdir().unwrap();
    let with = |name: &str, seed: &str, threads: &str| {
        let folder = parent.path().join(name);
        let path = folder.to_str().unwrap();
        let output = gp(&["demo", "--output", path, "--seed", seed])
            .env("RAYON_NUM_THREADS", threads)
            .output()
            .unwrap();
        assert!(output.status.success());
        (contents(&folder), output.stdout)
    };
    let one = with("one", "1", "1");
    assert!(one == with("four", "1", "4"));
    assert!(one.0[1] != with("other", "2", "1").0[1]);
}

#[test]
fn a_folder_of_the_demo_is_filled_again_and_a_foreign_one_only_by_force() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(demo(folder.path(), &[]).status.code(), Some(0));
    assert_eq!(demo(folder.path(), &["--seed", "9"]).status.code(), Some(0));

    let foreign = tempfile::tempdir().unwrap();
    fs::write(foreign.path().join("model.json"), "mine").unwrap();
    let refused = demo(foreign.path(), &[]);
    assert_eq!(refused.status.code(), Some(7));
    assert!(text(&refused.stderr).contains("--force"), "{}", text(&refused.stderr));
    assert!(refused.stdout.is_empty());
    assert_eq!(names(foreign.path()), ["model.json"]);
    assert_eq!(fs::read(foreign.path().join("model.json")).unwrap(), b"mine");

    assert_eq!(demo(foreign.path(), &["--force"]).status.code(), Some(0));
    assert_eq!(contents(foreign.path()), {
        demo(folder.path(), &[]);
        contents(folder.path())
    });
}

#[test]
fn a_path_that_cannot_be_a_folder_is_an_error_of_files() {
    let parent = tempfile::tempdir().unwrap();
    let file = parent.path().join("file");
    fs::write(&file, "mine").unwrap();
    for path in [file.clone(), file.join("inside")] {
        let refused = demo(&path, &["--force"]);
        assert_eq!(refused.status.code(), Some(7));
        let message = text(&refused.stderr);
        assert!(
            message.starts_with("error: cannot ") && message.contains(path.to_str().unwrap()),
            "{message}"
        );
    }
    assert_eq!(fs::read(&file).unwrap(), b"mine");
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_cannot_be_written_into_is_an_error_of_files() {
    // A folder that takes no files from anybody; permissions would not keep a superuser out.
    let refused = demo(Path::new("/proc/self"), &["--force"]);
    assert_eq!(refused.status.code(), Some(7));
    assert!(text(&refused.stderr).starts_with("error: cannot write into"), "{}", text(&refused.stderr));
    assert!(refused.stdout.is_empty());
}

#[test]
fn quiet_leaves_the_table_alone() {
    let folder = tempfile::tempdir().unwrap();
    let output = demo(folder.path(), &["--quiet"]);
    assert!(output.stderr.is_empty());
    assert_eq!(text(&output.stdout).lines().count(), 6);
    assert_eq!(output.stdout, demo(folder.path(), &[]).stdout);
}

#[test]
fn a_reader_who_leaves_is_no_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let mut child = gp(&["demo", "--quiet", "--output", path])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty());
    assert_eq!(names(folder.path()).len(), 3);
}

#[test]
fn wrong_command_lines_are_refused_and_help_is_given() {
    for arguments in
        [&[][..], &["train"], &["demo", "--seed", "-1"], &["demo", "--sneed", "1"], &["demo", "extra"]]
    {
        let refused = gp(arguments).output().unwrap();
        assert_eq!(refused.status.code(), Some(2), "{arguments:?}");
        assert!(refused.stdout.is_empty() && !refused.stderr.is_empty(), "{arguments:?}");
    }
    for arguments in [&["--help"][..], &["demo", "--help"], &["--version"]] {
        let help = gp(arguments).output().unwrap();
        assert_eq!(help.status.code(), Some(0));
        assert!(!help.stdout.is_empty() && help.stderr.is_empty(), "{arguments:?}");
    }
}
