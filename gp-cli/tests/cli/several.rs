//! Several targets: independent, shared kernel, mixtures.

use crate::support::{Desk, noise};
use gp_cli::Context;
use gp_cli::model::Model;

/// Rows of `x,a,b`: sine; noisy multiple plus line.
fn pair(rows: usize) -> String {
    let row = |i: usize| {
        let x = 6.0 * i as f64 / rows as f64;
        let (a, b) = (x.sin() + 0.1 * noise(i), 20.0 - 2.0 * x + 3.0 * noise(i + 5000));
        format!("{x},{a},{b}\n")
    };
    "x,a,b\n".to_owned() + &(0..rows).map(row).collect::<String>()
}

/// Rows of `x,a,b`: b is 2a plus noise, in each `every`-th row.
fn tied(rows: usize, every: usize) -> String {
    let row = |i: usize| {
        let x = 10.0 * (i as f64 + 0.5) / rows as f64;
        let f = (1.7 * x).sin() + 0.5 * (3.1 * x).cos();
        let (a, b) = (f + 0.1 * noise(i), 5.0 + 2.0 * f + 0.1 * noise(i + 5000));
        let b = if i.is_multiple_of(every) { b.to_string() } else { String::new() };
        format!("{x},{a},{b}\n")
    };
    "x,a,b\n".to_owned() + &(0..rows).map(row).collect::<String>()
}

fn close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= tolerance * expected.abs().max(1.0), "{found} {expected}");
    }
}

#[test]
fn targets_apart_are_models_of_their_own() {
    let desk = Desk::new();
    desk.write("train.csv", pair(60));
    for (method, more) in [
        ("exact", "--iterations 10 --parameters known"),
        ("pep", "--inducing 8 --iterations 5 --parameters known"),
        ("svgp", "--inducing 8 --iterations 3"),
    ] {
        let flags = format!("--method {method} {more} --quiet --force");
        desk.ok(&format!("fit train.csv --target a,b -o both.gp {flags}"));
        let both = desk.ok("predict both.gp train.csv --interval 0.5,0.9 --quantiles 0.1 --latent");
        for target in ["a", "b"] {
            let other = if target == "a" { "b" } else { "a" };
            desk.ok(&format!("fit train.csv --target {target} --exclude {other} -o one.gp {flags}"));
            let one = desk.ok("predict one.gp train.csv --interval 0.5,0.9 --quantiles 0.1 --latent");
            for (name, in_both) in [
                ("mean", format!("mean({target})")),
                ("variance", format!("variance({target})")),
                ("q0.1", format!("q0.1({target})")),
                ("latent_mean", format!("latent_mean({target})")),
            ] {
                assert_eq!(both.column(&in_both), one.column(name), "{method} {in_both}");
            }
        }
        let joint: f64 = both.column("log_density").iter().sum();
        assert!(joint.is_finite());
    }
    let (header, _) = desk.ok("predict both.gp train.csv --interval 0.5,0.9").table();
    let expected =
        ["mean(a)", "variance(a)", "lower(a)(0.5)", "upper(a)(0.5)", "lower(a)(0.9)", "upper(a)(0.9)"];
    assert_eq!(header[..6], expected);
}

#[test]
fn targets_apart_go_through_every_command() {
    let desk = Desk::new();
    desk.write("train.csv", pair(80));
    desk.write("test.csv", pair(37));
    desk.write("more.csv", pair(23));
    let fit = desk.ok("fit train.csv --target a,b -o m.gp --json --iterations 15");
    assert!(fit.err.contains("task: regression of several targets with likelihood gaussians"), "{}", fit.err);
    assert!(fit.err.contains("method: exact") && fit.err.contains("for each target"), "{}", fit.err);
    assert_eq!(fit.json()["kernel"].as_array().unwrap().len(), 2);

    let inspect = desk.ok("inspect m.gp").out;
    for text in [
        "targets     a, b",
        "target a    80 rows, noise of deviation",
        "kernel a",
        "kernel b",
        "of b over the rows",
    ] {
        assert!(inspect.contains(text), "no `{text}` in\n{inspect}");
    }
    let told = desk.ok("inspect m.gp --json").json();
    let noise = told["targets"]["b"]["noise_deviation"].as_f64().unwrap();
    assert!((2.0..4.5).contains(&noise), "{noise}");
    assert_eq!(told["about"]["training"]["rows_of_targets"], serde_json::json!([80, 80]));

    let scores = desk.ok("eval m.gp test.csv --json").json();
    for target in ["a", "b"] {
        let of = &scores["targets"][target]["scores"];
        assert_eq!(scores["targets"][target]["rows"], 37);
        let rmse = |name: &str| of[name]["rmse"].as_f64().unwrap();
        assert!(rmse("gp") < rmse("mean"), "{of}");
    }
    let (gp, mean) = (&scores["scores"]["gp"], &scores["scores"]["mean"]);
    let nlpd = |target: &str| scores["targets"][target]["scores"]["gp"]["nlpd"].as_f64().unwrap();
    // Independent targets: the joint density of a row is the product.
    close(&[gp["joint_nlpd"].as_f64().unwrap()], &[nlpd("a") + nlpd("b")], 1e-9);
    assert!(gp["smse"].as_f64() < mean["smse"].as_f64());
    let densities = desk.ok("predict m.gp test.csv").column("log_density");
    close(&[-densities.iter().sum::<f64>() / 37.0], &[nlpd("a") + nlpd("b")], 1e-9);
    assert!(desk.ok("eval m.gp test.csv").out.contains("all targets on 37 rows"));

    desk.ok("report m.gp --test test.csv -o page.html");
    let page = String::from_utf8(desk.read("page.html")).unwrap();
    assert!(page.contains("Predictions beside observations of b") && page.contains("noise of deviation"));
    desk.ok("plot m.gp test.csv --target b -o b.svg");
    desk.refused("plot m.gp test.csv -o c.svg", 2, &["the model predicts a, b", "--target COL"]);
    desk.refused("plot m.gp test.csv --target c -o c.svg", 2, &["the model predicts a, b"]);

    let updated = desk.ok("update m.gp more.csv -o later.gp --json").json();
    assert_eq!((updated["n"].as_i64(), updated["rows"].as_i64()), (Some(103), Some(23)));
    let (before, after) = (desk.ok("predict m.gp more.csv"), desk.ok("predict later.gp more.csv"));
    for column in ["variance(a)", "variance(b)"] {
        assert!(after.column(column).iter().sum::<f64>() < before.column(column).iter().sum::<f64>());
    }
    desk.ok("convert m.gp --to json -o m.json");
    desk.ok("diagnose train.csv --target a,b --method pep --rows 20 --inducing 3");
    let cv = desk.ok("cv train.csv --target a,b --folds 3 --iterations 5").out;
    for score in ["rmse(a)", "rmse(b)", "smse", "joint_nlpd"] {
        assert!(cv.contains(score), "{cv}");
    }
}

#[test]
fn only_several_targets_need_a_new_version() {
    let desk = Desk::new();
    desk.write("train.csv", pair(30));
    let version = |name: &str| {
        let model = Model::load(&desk.path(name), &Context::built_in()).unwrap();
        model.to_value().unwrap()["version"].as_u64()
    };
    desk.ok("fit train.csv --target a,b --iterations 2 -o two.gp");
    desk.ok("fit train.csv --target a --exclude b --iterations 2 --parameters known -o one.gp");
    assert_eq!((version("two.gp"), version("one.gp")), (Some(3), Some(1)));
    let one = desk.ok("inspect one.gp --json").json();
    assert_eq!(one["about"]["config"]["target"], "a");
    assert!(one["about"].get("others").is_none());
    let two = desk.ok("inspect two.gp --json").json();
    assert_eq!(two["about"]["config"]["target"], serde_json::json!(["a", "b"]));
}

#[test]
fn the_identity_as_mixture_is_targets_apart() {
    let desk = Desk::new();
    desk.write("train.csv", pair(50));
    let kernel = "--kernel \"1 * rbf(lengthscale=0.5)\" --kernel \"2 * rbf(lengthscale=1.5)\"";
    let flags = format!("{kernel} --inducing 10 --no-train --method ep --alpha 0 --quiet --force");
    let mixed = "coregionalised(outputs=2, latents=2, mixing=[1, 0, 0, 1], variance=[0.1, 0.3])";
    desk.ok(&format!("fit train.csv --target a,b --likelihood \"{mixed}\" {flags} -o mixed.gp"));
    desk.ok(&format!(
        "fit train.csv --target a,b --likelihood \"gaussians(outputs=2, variance=[0.1, 0.3])\" {flags} -o apart.gp"
    ));
    let (mixed, apart) = (desk.ok("predict mixed.gp train.csv"), desk.ok("predict apart.gp train.csv"));
    for column in ["mean(a)", "variance(a)", "mean(b)", "variance(b)", "log_density"] {
        close(&mixed.column(column), &apart.column(column), 1e-7);
    }
    let objective = |name: &str| {
        let told = desk.ok(&format!("inspect {name} --json")).json();
        told["about"]["training"]["objective"].as_f64().unwrap()
    };
    close(&[objective("mixed.gp")], &[objective("apart.gp")], 1e-9);
}

#[test]
fn a_mixture_predicts_a_target_with_few_rows() {
    let desk = Desk::new();
    desk.write("train.csv", tied(120, 12));
    desk.write("test.csv", tied(61, 1));
    desk.refused("fit train.csv --target a,b -o no.gp", 3, &["line 3", "column b", "--missing drop"]);
    desk.ok("fit train.csv --target a,b --missing drop --iterations 40 -o apart.gp");
    desk.ok("fit train.csv --target a,b --missing drop --latents 1 --inducing 40 -o mixed.gp");
    let rmse = |name: &str| {
        let told = desk.ok(&format!("eval {name} test.csv --json")).json();
        let of = |target: &str| told["targets"][target]["scores"]["gp"]["rmse"].as_f64().unwrap();
        (of("a"), of("b"))
    };
    let (apart, mixed) = (rmse("apart.gp"), rmse("mixed.gp"));
    // The noise of b is 0.1; that of a amounts to 0.2 there.
    assert!(mixed.1 < 0.2 && apart.1 > 2.0 * mixed.1, "{apart:?} {mixed:?}");
    assert!(mixed.0 < 1.2 * apart.0 + 0.01, "{apart:?} {mixed:?}");
    let inspect = desk.ok("inspect mixed.gp").out;
    assert!(inspect.contains("target b    10 rows") && inspect.contains("mixes"), "{inspect}");
    let weights = desk.ok("inspect mixed.gp --json").json();
    let weight = |target: &str| weights["targets"][target]["mixing"][0].as_f64().unwrap();
    let ratio = weight("b") / weight("a");
    assert!((1.8..2.2).contains(&ratio), "{ratio}");
}

#[test]
fn streamed_targets_are_those_in_memory() {
    let desk = Desk::new();
    desk.write("train.csv", tied(200, 3));
    for (flags, name) in [
        ("--method sep --epochs 3 --inducing 10", "sep"),
        ("--method svgp --epochs 3 --inducing 10 --latents 2", "svgp"),
    ] {
        let fit = format!("fit train.csv --target a,b --missing drop {flags} --quiet");
        desk.ok(&format!("{fit} --stream never -o {name}-held.gp"));
        desk.ok(&format!("{fit} --stream always -o {name}-read.gp"));
        let held = desk.ok(&format!("predict {name}-held.gp train.csv")).out;
        assert_eq!(held, desk.ok(&format!("predict {name}-read.gp train.csv")).out);
    }
}

#[test]
fn shared_kernels_and_networks_of_functions() {
    let desk = Desk::new();
    desk.write("train.csv", pair(40));
    let shared =
        desk.ok("fit train.csv --target a,b --kernel \"1 * rbf\" --inducing 10 --iterations 10 -o shared.gp");
    assert!(shared.err.contains("method: pep (α = 0.5) by"), "{}", shared.err);
    let inspect = desk.ok("inspect shared.gp").out;
    assert!(inspect.lines().filter(|line| line.starts_with("kernel")).count() == 1, "{inspect}");
    desk.ok("diagnose train.csv --target a,b --kernel \"1 * rbf\" --rows 20 --inducing 3");
    desk.ok("diagnose train.csv --target a,b --latents 2 --rows 20 --inducing 3");
    desk.ok("diagnose train.csv --target a,b --latents 2 --method svgp --rows 20 --inducing 3");
    let network = "--likelihood \"gprn(outputs=2, nodes=1)\" --inducing 8";
    desk.ok(&format!("fit train.csv --target a,b {network} --iterations 60 -o net.gp"));
    let scores = desk.ok("eval net.gp train.csv --json").json();
    assert!(scores["scores"]["gp"]["smse"].as_f64().unwrap() < 0.9, "{scores}");
    let (header, _) = desk.ok("predict net.gp train.csv --latent").table();
    let names = ["latent_mean(node 1)", "latent_mean(weight of node 1 in output 2)", "mean(b)"];
    assert!(names.iter().all(|name| header.contains(&(*name).to_owned())), "{header:?}");
    desk.ok("update net.gp train.csv -o later.gp");
}

#[test]
fn targets_go_on_from_their_checkpoints() {
    let desk = Desk::new();
    desk.write("train.csv", pair(60));
    let fit = "fit train.csv --target a,b --method pep --inducing 6 --iterations 8";
    desk.ok(&format!("{fit} -o whole.gp"));
    let cut = desk.ok(&format!("{fit} --checkpoint state --checkpoint-every 0s --time-limit 1ms -o cut.gp"));
    assert!(cut.err.contains("--resume state"), "{}", cut.err);
    desk.ok(&format!("{fit} --resume state -o resumed.gp"));
    assert_eq!(desk.ok("predict resumed.gp train.csv").out, desk.ok("predict whole.gp train.csv").out);
    assert_eq!(desk.names(), ["cut.gp", "resumed.gp", "train.csv", "whole.gp"]);
}

#[test]
fn a_configuration_names_one_target_or_several() {
    let desk = Desk::new();
    desk.write("train.csv", pair(40));
    desk.write("two.toml", "target = [\"a\", \"b\"]\niterations = 3\n");
    desk.write("one.toml", "target = \"a\"\nexclude = \"b\"\niterations = 3\n");
    desk.ok("fit train.csv --config two.toml -o two.gp");
    desk.ok("fit train.csv --config one.toml -o one.gp");
    assert!(desk.ok("predict two.gp train.csv").out.contains("mean(b)"));
    assert!(desk.ok("predict one.gp train.csv").out.contains("mean,"));
}

#[test]
fn what_cannot_be_is_refused_in_a_line() {
    let desk = Desk::new();
    desk.write("train.csv", pair(20));
    desk.write("words.csv", "x,a,b\n1,2,red\n2,3,blue\n3,4,red\n");
    desk.write("flat.csv", "x,a,b\n1,2,5\n2,3,5\n3,4,5\n");
    desk.write("empty.csv", "x,a,b\n1,,\n2,3,5\n3,4,\n4,,6\n5,1,7\n");
    let fit =
        |rest: &str, code: i32, texts: &[&str]| desk.refused(&format!("fit {rest} -o no.gp"), code, texts);
    fit("train.csv --target a,a", 2, &["column a is named twice among --target"]);
    fit("train.csv --target a,c", 3, &["no column c"]);
    fit("words.csv --target a,b", 3, &["column b", "holds words"]);
    fit("flat.csv --target a,b", 3, &["column b", "does not vary"]);
    fit("empty.csv --target a,b", 3, &["line 2", "column a", "--missing drop"]);
    fit("train.csv --target a --latents 2", 2, &["--latents 2 mixes several targets"]);
    fit("train.csv --target a,b --latents 0", 2, &["--latents 0"]);
    fit("train.csv --target a,b --task count", 2, &["several targets must be numbers"]);
    fit("train.csv --target a,b --features a,x", 2, &["column a is the target"]);
    fit(
        "train.csv --target a,b --likelihood gaussian",
        2,
        &["gaussian has 1 output, and there are 2 targets"],
    );
    fit(
        "train.csv --target a,b --likelihood \"coregionalised(outputs=3)\"",
        2,
        &["coregionalised has 3 outputs, and there are 2 targets", "outputs=2"],
    );
    fit(
        "train.csv --target a,b --likelihood \"coregionalised(latents=2, mixing=[1, 2, 3])\"",
        2,
        &["`mixing` takes 4 numbers in brackets"],
    );
    fit(
        "train.csv --target a --exclude b --likelihood gprn",
        2,
        &["gprn has 2 outputs, and there is one target"],
    );
    fit("train.csv --target a,b --latents 1 --method exact", 2, &["method exact", "coregionalised"]);
    fit(
        "train.csv --target a,b --kernel rbf --method exact",
        2,
        &["method exact", "give --kernel once for each target"],
    );
    fit("train.csv --target a,b --method ivm", 2, &["method ivm"]);
    fit("train.csv --target a,b --parameters uncertain", 2, &["--parameters uncertain is for one target"]);
    fit("train.csv --target a,b --kernel rbf --kernel rbf --kernel rbf", 2, &["given 3 times", "2 targets"]);
    desk.ok("fit train.csv --target a,b --iterations 2 -o m.gp");
    desk.ok("fit empty.csv --target a,b --missing drop --iterations 2 -o gaps.gp");
    let predicted = desk.ok("predict gaps.gp empty.csv");
    let (header, rows) = predicted.table();
    let place = header.iter().position(|name| name == "log_density").unwrap();
    assert!(
        rows[0][place].is_empty() && rows[1..].iter().all(|row| !row[place].is_empty()),
        "{}",
        predicted.out
    );
}

#[test]
fn long_names_stand_apart_from_numbers() {
    let desk = Desk::new();
    desk.write("train.csv", pair(30).replacen("x,a,b", "x,temperature,humidity", 1));
    desk.ok("fit train.csv --target temperature,humidity --iterations 2 -o m.gp");
    let inspect = desk.ok("inspect m.gp").out;
    assert!(inspect.contains("target temperature  30 rows"), "{inspect}");
    assert!(inspect.contains("kernel humidity  "), "{inspect}");
}

#[test]
fn the_expected_time_is_that_of_all_targets() {
    let desk = Desk::new();
    desk.write("train.csv", pair(300));
    let expected = |flags: &str| {
        let fit = format!(
            "fit train.csv {flags} --method vfe --inducing 100 --iterations 3 --force --json -o m.gp"
        );
        desk.ok(&fit).json()["expected_seconds"].as_f64().unwrap()
    };
    let apart = expected("--target a,b");
    let one = expected("--target a --exclude b");
    // Speed is measured each time, on a machine with other work.
    assert!(apart > 1.2 * one, "{apart} {one}");
    // Without a given length-scale, quick fits come before training.
    let given = expected("--target a --exclude b --kernel rbf(lengthscale=1)");
    let own = expected("--target a --exclude b");
    assert!(own > 2.0 * given, "{own} {given}");
    let joint = "fit train.csv --target a,b --latents 1 --inducing 20 --iterations 3 --force --json -o m.gp";
    assert!(desk.ok(joint).json()["expected_seconds"].as_f64().unwrap() > 0.0);
}

/// Labels and counts become amounts; noted unless flagged.
#[test]
fn labels_and_counts_among_several_targets_are_told() {
    let desk = Desk::new();
    let row = |i: u32| {
        let (label, count) = (u32::from(i.is_multiple_of(3)), (i * i % 7).min(i % 5 + i % 2));
        format!("{},{label},{count},{}\n", f64::from(i) * 0.1, (f64::from(i) * 0.1).sin())
    };
    desk.write("t.csv", "x,kind,calls,y\n".to_owned() + &(0..60).map(row).collect::<String>());
    let fit = |flags: &str| desk.ok(&format!("fit t.csv --no-train --force {flags}")).err;
    let said = fit("--target kind,y");
    let what = "several targets are taken as amounts with Gaussian noise, but kind has two values: fit a model of its own";
    assert!(said.contains(what), "{said}");
    assert!(!fit("--target kind,y --task regression").contains("but kind"));
    assert!(!fit("--target x,y --features calls").contains("taken as amounts"));
}
