//! Model files: released versions load; unreadable files are refused.

use crate::support::{Desk, circle, sine};
use gp_cli::data::{Formats, ReadOptions, Source};
use gp_cli::model::Model;
use gp_cli::{Context, ErrorKind};

fn data(name: &str) -> String {
    format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn files_of_all_versions_load_and_predict_what_they_did() {
    let desk = Desk::new();
    for (name, new) in [
        ("v1_exact", "v1_new.csv"),
        ("v1_ep", "v1_new.csv"),
        ("v1_classes", "v1_new.csv"),
        ("v2_mixture", "v1_new.csv"),
        ("v2_ivm", "v1_new.csv"),
        ("v3_missing", "v3_missing_new.csv"),
        ("v3_exact", "v3_new.csv"),
        ("v4_targets", "v4_new.csv"),
        ("v4_labels", "v4_new.csv"),
        ("v5_classes", "v1_new.csv"),
    ] {
        let expected = std::fs::read_to_string(data(&format!("{name}.csv"))).unwrap();
        let (model, table) = (data(&format!("{name}.gp")), data(new));
        // Version 5 added temperatures, which latent values do not show.
        let probabilities = if name == "v5_classes" { "--proba" } else { "" };
        let said = desk.ok(&format!("predict {model} {table} --latent {probabilities}"));
        let (found, expected) = (numbers(&said.out), numbers(&expected));
        assert_eq!(found.len(), expected.len(), "{name}");
        assert!(name != "v4_labels" || said.out.contains("\nhigh,"), "{}", said.out);
        for (found, expected) in found.iter().zip(&expected) {
            // Other machines round products in another order: about 1e-13 for numbers near 1.
            assert!((found - expected).abs() < 1e-9 * (1.0 + expected.abs()), "{name}: {found} {expected}");
        }
    }
}

fn numbers(table: &str) -> Vec<f64> {
    table.lines().skip(1).flat_map(|line| line.split(',')).filter_map(|cell| cell.parse().ok()).collect()
}

#[test]
fn a_loaded_model_predicts_the_same_bits_and_is_the_same_file() {
    let desk = Desk::new();
    desk.write("t.csv", circle(60));
    for flags in ["", "--method gfitc", "--method sep --epochs 2"] {
        desk.ok(&format!("fit t.csv --target y --force --iterations 3 {flags}")
            .replace("--iterations 3 --method sep", "--method sep"));
        let bytes = desk.read("model.gp");
        let model = Model::from_bytes(&bytes, "model.gp", &Context::built_in()).unwrap();
        assert!(model.to_bytes().unwrap() == bytes, "{flags}");
    }
    desk.write("s.csv", sine(30));
    desk.ok("fit s.csv --target y -o s.gp");
    let bytes = desk.read("s.gp");
    let model = Model::from_bytes(&bytes, "s.gp", &Context::built_in()).unwrap();
    assert!(model.to_bytes().unwrap() == bytes);
    let frame = Formats::built_in()
        .read(&Source::from_bytes("s.csv", sine(30).into_bytes()).unwrap(), &ReadOptions::default())
        .unwrap();
    let points = model.inputs().encode(&frame).unwrap().points;
    let again = Model::from_bytes(&bytes, "s.gp", &Context::built_in()).unwrap();
    assert_eq!(
        model.posterior().beliefs(points.as_ref()).unwrap(),
        again.posterior().beliefs(points.as_ref()).unwrap()
    );
}

#[track_caller]
fn refused(bytes: &[u8], texts: &[&str]) {
    let error = Model::from_bytes(bytes, "m.gp", &Context::built_in()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Model);
    for text in texts {
        assert!(error.with_causes().contains(text), "no `{text}` in {}", error.with_causes());
    }
}

#[test]
fn what_is_no_model_or_damaged_is_refused_by_name() {
    let whole = std::fs::read(data("v1_ep.gp")).unwrap();
    refused(b"x,y\n1,2\n", &["`m.gp` is no model file"]);
    refused(b"", &["`m.gp` is no model file"]);
    refused(&whole[..whole.len() / 2], &["`m.gp` is no model file, or a truncated one"]);
    refused(&whole[..whole.len() - 1], &["truncated"]);
    // Damage to any byte is reported with the list that contains it.
    for place in [whole.len() - 1, whole.len() - 50, whole.len() - 300] {
        let mut damaged = whole.clone();
        damaged[place] ^= 16;
        refused(&damaged, &["`m.gp` is damaged", "not what was written"]);
    }
}

#[test]
fn a_newer_version_is_refused_with_both_versions() {
    let whole = std::fs::read(data("v1_ep.gp")).unwrap();
    let text = String::from_utf8_lossy(&whole).into_owned();
    let place = text.find("\\\"version\\\":1").unwrap() + "\\\"version\\\":".len();
    let mut newer = whole;
    newer[place] = b'7';
    refused(&newer, &["`m.gp` has version 7", "written by gp 0.1.0", "gp 0.1.0 reads versions up to 6"]);
    let desk = Desk::new();
    desk.write("m.gp", &newer);
    desk.write("t.csv", "x\n1\n");
    desk.refused("predict m.gp t.csv", 4, &["version 7"]);
    desk.refused(
        "inspect t.csv",
        4,
        &["`t.csv` is no model file but text, such as a table; gp fit writes model files"],
    );
}
