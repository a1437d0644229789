//! `gp demo`.

use crate::support::{Desk, Said};
use crate::tutorial::{blocks, check};
use gp_cli::Context;
use gp_cli::data::{Formats, ReadOptions, Source};
use gp_cli::model::Model;
use std::fs;
use std::path::Path;

const FILES: [&str; 3] = ["demo.png", "model.gp", "predictions.csv"];

fn contents(desk: &Desk, folder: &str) -> Vec<Vec<u8>> {
    FILES.iter().map(|name| desk.read(&format!("{folder}/{name}"))).collect()
}

#[test]
fn the_demo_writes_three_files_and_prints_a_table() {
    let desk = Desk::new();
    let said = desk.ok("demo --output new/folder");
    assert!(FILES.iter().all(|name| desk.path("new/folder").join(name).is_file()));
    let line = |name: &str| -> Vec<f64> {
        let line = said.out.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().filter_map(|word| word.parse().ok()).collect()
    };
    let (errors, densities) = (line("root mean squared error"), line("negative log density"));
    // The noise has standard deviation 0.2, the targets 0.9: a useful model halves the error.
    assert!(errors[0] < 0.5 * errors[1], "{errors:?}");
    assert!(densities[0] < densities[1] - 0.5 && densities[0] < densities[2] - 0.5, "{densities:?}");
    assert!(said.err.contains("converged after"), "{}", said.err);
    assert!(FILES.iter().all(|name| said.err.contains(name)), "{}", said.err);
}

#[test]
fn the_readme_shows_the_table() {
    let readme = include_str!("../../../README.md");
    let shown = blocks(readme).into_iter().find(|(language, _)| *language == "text").unwrap().1;
    check("demo", shown, &Desk::new().ok("demo").out);
}

#[test]
fn the_picture_is_a_png_with_something_on_it() {
    let desk = Desk::new();
    desk.ok("demo");
    let picture = fs::File::open(desk.path("gp-demo/demo.png")).unwrap();
    let mut reader = png::Decoder::new(std::io::BufReader::new(picture)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width, info.height), (1200, 720));
    let count = |wanted: fn(&[u8]) -> bool| pixels.chunks_exact(3).filter(|pixel| wanted(pixel)).count();
    // Background, deep blue of the mean, orange of held-out rows, light blue of bands.
    assert!(count(|p| p == [255, 255, 255]) > 400_000);
    assert!(count(|p| p == [31, 89, 160]) > 1_000);
    assert!(count(|p| p == [222, 98, 20]) > 500);
    assert!(count(|p| i32::from(p[2]) > i32::from(p[0]) + 20 && p[0] > 120) > 50_000);
}

#[test]
fn the_model_file_gives_the_predictions_to_the_last_bit() {
    let desk = Desk::new();
    desk.ok("demo --seed 5");
    let model = Model::from_bytes(&desk.read("gp-demo/model.gp"), "model.gp", &Context::built_in()).unwrap();
    let source = Source::from_bytes("predictions.csv", desk.read("gp-demo/predictions.csv")).unwrap();
    let table = Formats::built_in().read(&source, &ReadOptions::default()).unwrap();
    assert_eq!(table.names(), ["x", "y", "mean", "variance", "lower", "upper", "log_density"]);
    let numbers = |name: &str| table.column(name).unwrap().numbers().unwrap();
    let points = model.inputs().encode(&table).unwrap().points;
    let latents = model.posterior().beliefs(points.as_ref()).unwrap();
    let moments = gp_cli::predict::moments(&model, model.posterior(), &latents).unwrap();
    assert_eq!(moments.len(), 60);
    for (row, moments) in moments.iter().enumerate() {
        assert_eq!(moments.mean.to_bits(), numbers("mean")[row].to_bits());
        assert_eq!(moments.variance.to_bits(), numbers("variance")[row].to_bits());
    }
    for (end, probability) in [("lower", 0.025), ("upper", 0.975)] {
        let quantiles = model.posterior().given(&latents).quantiles(0, probability).unwrap();
        for (row, quantile) in quantiles.into_iter().enumerate() {
            let expected = model.target().scale().undo(quantile);
            assert!((numbers(end)[row] - expected).abs() < 1e-12);
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes_with_any_number_of_threads() {
    let desk = Desk::new();
    let with = |name: &str, flags: &str| {
        let out = desk.ok(&format!("demo --output {name} {flags}")).out;
        (contents(&desk, name), out)
    };
    let one = with("one", "--seed 1 --threads 1");
    assert!(one == with("four", "--seed 1 --threads 4"));
    assert!(one.0[2] != with("other", "--seed 2").0[2]);
}

#[test]
fn a_folder_of_the_demo_is_filled_again_and_a_foreign_one_only_by_force() {
    let desk = Desk::new();
    desk.ok("demo");
    desk.ok("demo --seed 9");
    fs::create_dir(desk.path("foreign")).unwrap();
    desk.write("foreign/model.gp", "mine");
    desk.refused("demo --output foreign", 7, &["foreign", "--force"]);
    assert_eq!(desk.read("foreign/model.gp"), b"mine");
    desk.ok("demo --output foreign --force");
    desk.ok("demo");
    assert!(contents(&desk, "foreign") == contents(&desk, "gp-demo"));
}

#[test]
fn a_path_that_cannot_be_a_folder_is_an_error_of_files() {
    let desk = Desk::new();
    desk.write("file", "mine");
    for path in ["file", "file/inside"] {
        desk.refused(&format!("demo --force --output {path}"), 7, &["error: cannot ", path]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_cannot_be_written_into_is_an_error_of_files() {
    // A folder that accepts no files, even from root.
    let refused: Said = Desk::new().gp("demo --force --output /proc/self");
    assert_eq!(refused.code, 7);
    assert!(refused.err.starts_with("error: cannot write into"), "{}", refused.err);
    assert!(refused.out.is_empty() && Path::new("/proc/self").is_dir());
}

#[test]
fn quiet_leaves_the_table_alone() {
    let desk = Desk::new();
    let said = desk.ok("demo --quiet");
    assert!(said.err.is_empty());
    assert_eq!(said.out, desk.ok("demo").out);
}
