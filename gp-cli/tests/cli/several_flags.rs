//! Several targets with other flags.

use crate::support::{Desk, noise};

/// Rows of `x,z,a,b,w,g`: x is missing in every seventh row, b in every fifth, both targets in rows 11, 22, …
fn gaps(rows: usize) -> String {
    let row = |i: usize| {
        let x = 6.0 * i as f64 / rows as f64;
        let (a, b) = (x.sin() + 0.1 * noise(i), 3.0 + x + 0.2 * noise(i + 5000));
        let text = |value: f64, is_there: bool| if is_there { value.to_string() } else { String::new() };
        let none = i > 0 && i.is_multiple_of(11);
        let (x, a) = (text(x, !(i + 1).is_multiple_of(7)), text(a, !none));
        let b = text(b, !none && !(i + 1).is_multiple_of(5));
        format!("{x},{},{a},{b},{},{}\n", noise(i + 900), 1 + i % 3, i % 4)
    };
    "x,z,a,b,w,g\n".to_owned() + &(0..rows).map(row).collect::<String>()
}

#[test]
fn starts_searches_and_windows_are_those_of_each_target() {
    let desk = Desk::new();
    let row = |i: usize| {
        let x = i as f64 / 10.0;
        format!("{x},{},{}\n", (2.0 * x).sin() + 0.1 * noise(i), 3.0 * x + noise(i + 900))
    };
    desk.write("t.csv", "x,a,b\n".to_owned() + &(0..60).map(row).collect::<String>());
    for flags in [
        "--method exact --parameters known --restarts 2 --iterations 8",
        "--method exact --parameters known --search=1 --iterations 8",
        "--method pep --parameters known --inducing 6 --windows 0.2 --kernel rbf --kernel rbf --iterations 4",
    ] {
        let told = desk.ok(&format!("fit t.csv --target a,b {flags} --json -o both.gp --force")).json();
        let both = desk.ok("predict both.gp t.csv");
        for (place, (target, other)) in [("a", "b"), ("b", "a")].into_iter().enumerate() {
            let flags = flags.replace("--kernel rbf --kernel rbf", "--kernel rbf");
            let fit =
                format!("fit t.csv --target {target} --exclude {other} {flags} --json -o one.gp --force");
            let one = desk.ok(&fit).json();
            assert_eq!(
                both.column(&format!("mean({target})")),
                desk.ok("predict one.gp t.csv").column("mean")
            );
            for tried in ["search", "starts"] {
                let of = &told[tried][place];
                assert_eq!(
                    of["tried"].as_array().map(Vec::len),
                    one[tried]["tried"].as_array().map(Vec::len)
                );
                assert!(of.is_null() || of["target"] == target, "{of}");
            }
        }
        let inspect = desk.ok("inspect both.gp").out;
        let is_tried = flags.contains("--search") || flags.contains("--restarts");
        assert_eq!(inspect.contains("for a, ") && inspect.contains("for b, "), is_tried, "{inspect}");
        desk.ok("report both.gp --test t.csv -o page.html --force");
    }
    // Targets with a shared kernel can have several starts, too.
    let shared =
        "fit t.csv --target a,b --latents 1 --inducing 6 --iterations 4 --restarts 2 --json -o mixed.gp";
    assert_eq!(desk.ok(shared).json()["starts"]["tried"].as_array().unwrap().len(), 3);
    desk.refused(
        "fit t.csv --target a,b --latents 1 --search -o no.gp",
        2,
        &["--search finds a kernel for each target by its own rows", "leave out --latents"],
    );
    let scores = desk.ok("cv t.csv --target a,b --method exact --search=1 --iterations 2 --folds 2");
    assert!(scores.out.contains("for a") || scores.err.contains("for a"), "{}{}", scores.out, scores.err);
}

#[test]
fn starts_and_searches_of_targets_go_on() {
    let desk = Desk::new();
    let row = |i: usize| format!("{i},{},{}\n", (0.3 * i as f64).sin() + 0.1 * noise(i), noise(i + 900));
    desk.write("t.csv", "x,a,b\n".to_owned() + &(0..40).map(row).collect::<String>());
    let fit = "fit t.csv --target a,b --method pep --inducing 6 --iterations 6 --restarts 2 --search=1";
    desk.ok(&format!("{fit} -o whole.gp"));
    let cut = desk.gp(&format!("{fit} --checkpoint state --checkpoint-every 0s --time-limit 1ms -o cut.gp"));
    assert!(cut.err.contains("--resume state"), "{}", cut.err);
    assert!(desk.gp(&format!("{fit} --resume state -o resumed.gp")).code == 0);
    assert!(desk.names().iter().all(|name| name != "state"), "{:?}", desk.names());
}

/// Parts, joint covariances, samples; cross-covariances if latents are shared.
#[test]
fn predictions_of_targets_have_parts_and_covariances() {
    let desk = Desk::new();
    let row = |i: usize| {
        let x = i as f64 / 10.0;
        format!(
            "{x},{},{}\n",
            (2.0 * x).sin() + 0.1 * noise(i),
            5.0 - 3.0 * (2.0 * x).sin() + 0.3 * noise(i + 900)
        )
    };
    desk.write("t.csv", "x,a,b\n".to_owned() + &(0..40).map(row).collect::<String>());
    desk.write("new.csv", "x\n0.5\n1.25\n2\n");
    let flags = "--method exact --parameters known --iterations 5 --kernel \"rbf + linear\"";
    desk.ok(&format!("fit t.csv --target a,b {flags} --kernel \"rbf + linear\" -o both.gp"));
    let both = desk.ok("predict both.gp new.csv --parts --joint --samples 2 --seed 4");
    for (target, other) in [("a", "b"), ("b", "a")] {
        desk.ok(&format!("fit t.csv --target {target} --exclude {other} {flags} -o one.gp --force"));
        let one = desk.ok("predict one.gp new.csv --parts --joint --samples 2 --seed 4");
        for name in
            ["part(centre)", "part(rbf)", "part_variance(linear)", "latent_covariance(2)", "latent_mean"]
        {
            let stem = name.split('(').next().unwrap();
            let rest = &name[stem.len()..];
            assert_eq!(both.column(&format!("{stem}({target}){rest}")), one.column(name), "{target} {name}");
        }
    }
    let (header, _) = both.table();
    assert!(header.contains(&"latent_sample(b)(2)".to_owned()) && !both.out.contains("(a)(b)"), "{header:?}");
    desk.ok("plot both.gp t.csv --parts --target a -o a.png");

    desk.ok("fit t.csv --target a,b --latents 1 --inducing 10 --iterations 30 -o mixed.gp");
    let mixed = desk.ok("predict mixed.gp new.csv --parts --joint --samples 400 --latent");
    let of = |name: &str| mixed.column(name);
    let (aa, ab, bb) =
        (of("latent_covariance(a)(1)"), of("latent_covariance(a)(b)(1)"), of("latent_covariance(b)(1)"));
    // With one latent, all targets are multiples of it.
    for row in 0..3 {
        let product = aa[row] * bb[row];
        assert!((product - ab[row] * ab[row]).abs() <= 1e-9 * product.abs().max(1e-12), "{product}");
        assert!(
            aa[row] == 0.0 || (ab[row] / aa[row] < -2.0 && ab[row] / aa[row] > -4.5),
            "{}",
            ab[row] / aa[row]
        );
    }
    let mean = |target: &str| {
        (1..=400).map(|k| of(&format!("latent_sample({target})({k})"))[0]).sum::<f64>() / 400.0
    };
    let tolerance = 5.0 * (bb[0] / 400.0).sqrt() + 1e-9;
    assert!((mean("b") - of("mean(b)")[0]).abs() < tolerance, "{} {}", mean("b"), of("mean(b)")[0]);
    desk.ok("fit t.csv --target a,b --likelihood \"gprn(outputs=2, nodes=1)\" --inducing 5 --iterations 2 -o net.gp");
    desk.refused(
        "predict net.gp new.csv --joint",
        2,
        &["--joint: the functions behind the targets of gprn are products"],
    );
    desk.ok("predict net.gp new.csv --parts");
}

#[test]
fn points_are_suggested_for_targets() {
    let desk = Desk::new();
    let row = |i: usize| format!("{},{},{}\n", i as f64 / 10.0, (0.3 * i as f64).sin(), 0.1 * noise(i));
    desk.write("t.csv", "x,a,b\n".to_owned() + &(0..30).map(row).collect::<String>());
    desk.ok("fit t.csv --target a,b --method exact --parameters known --iterations 5 -o both.gp");
    desk.write("place.csv", "x\n4\n");
    for by in ["information", "variance"] {
        let value = |of: &str| {
            let column = if by == "variance" { "latent_variance" } else { by };
            desk.ok(&format!("suggest both.gp place.csv --by {by} {of}")).column(column)[0]
        };
        // The variance of one target is in its units; for several targets, each is in its own.
        let unit = |target: &str| {
            let told = desk.ok("inspect both.gp --json").json();
            let about = &told["about"];
            let of = if target == "a" { &about["target"] } else { &about["others"][0]["target"] };
            let scale = of["values"]["number"]["scale"].as_f64().unwrap();
            if by == "variance" { scale * scale } else { 1.0 }
        };
        let sum: f64 =
            ["a", "b"].iter().map(|target| value(&format!("--target {target}")) / unit(target)).sum();
        assert!((value("") - sum).abs() < 1e-12 * sum, "{by}: {} {sum}", value(""));
    }
    let all = desk.ok("suggest both.gp --count 3 --json");
    assert_eq!(all.json()["target"], serde_json::json!(["a", "b"]));
    let (header, _) = desk.ok("suggest both.gp --count 2").table();
    assert_eq!(header, ["x", "information", "mean(a)", "variance(a)", "mean(b)", "variance(b)"]);
    desk.refused("suggest both.gp --by improvement --goal max", 2, &["is for one target", "--target"]);
    desk.refused("suggest both.gp --target c", 2, &["--target c: the model predicts a, b"]);
    let best = desk.ok("suggest both.gp --by improvement --goal max --target a");
    assert!(best.out.starts_with("x,improvement,mean,variance\n"), "{}", best.out);
    desk.ok("fit t.csv --target a,b --latents 1 --inducing 5 --iterations 2 -o mixed.gp");
    desk.refused("suggest mixed.gp", 2, &["share latent functions", "--target"]);
    desk.ok("suggest mixed.gp --target b");
}

/// Only rows without any target drop, held or streamed.
#[test]
fn inputs_keep_missing_values_beside_gaps() {
    let desk = Desk::new();
    desk.write("train.csv", gaps(66));
    let flags =
        "--target a,b --features x,z --missing keep --method svgp --optimizer adam --inducing 6 --epochs 2";
    let fit = desk.ok(&format!("fit train.csv {flags} -o held.gp"));
    assert!(fit.err.contains("left out 5 rows that miss all targets"), "{}", fit.err);
    assert!(fit.err.contains("kept missing values: x"), "{}", fit.err);
    desk.ok(&format!("fit train.csv {flags} --stream always -o streamed.gp"));
    assert!(desk.read("held.gp") == desk.read("streamed.gp"), "other bytes from a file");
    let told = desk.ok("inspect held.gp --json").json();
    assert_eq!((&told["targets"]["a"]["rows"], &told["targets"]["b"]["rows"]), (&61.into(), &49.into()));
    let predicted = desk.ok("predict held.gp train.csv");
    assert_eq!(predicted.column("mean(a)").len(), 66);
    let scored = desk.ok("eval held.gp train.csv --missing keep --json").json();
    assert_eq!((&scored["rows"], &scored["targets"]["b"]["rows"]), (&61.into(), &49.into()));
    desk.ok("update held.gp train.csv --missing keep -o more.gp");
    let told = desk.ok("inspect more.gp --json").json();
    assert_eq!(told["targets"]["b"]["rows"], 98);
}

#[test]
fn rules_are_those_of_all_targets() {
    let desk = Desk::new();
    desk.write("train.csv", gaps(66));
    let flags = "--target a,b --features z --iterations 2";
    let other = "--missing-in b=error --missing drop";
    let told = ["the rule for b is another one than that for a", "say the same of all"];
    desk.refused(&format!("fit train.csv {flags} {other} -o no.gp"), 2, &told);
    desk.refused(
        &format!("fit train.csv {flags} --missing-in b=keep -o no.gp"),
        2,
        &["--missing-in b=keep", "is the target"],
    );
    desk.refused(&format!("fit train.csv {flags} -o no.gp"), 3, &["column a", "--missing drop"]);
    let both = "--missing-in b=drop --missing-in a=drop";
    let fit = desk.ok(&format!("fit train.csv {flags} {both} -o m.gp"));
    assert!(fit.err.contains("left out 5 rows that miss all targets"), "{}", fit.err);
    desk.refused("eval m.gp train.csv", 3, &["column a"]);
    for how in ["--folds 3", "--groups g --folds 4", "--rolling x --folds 3"] {
        let scores = desk.ok(&format!("cv train.csv {flags} {how} --missing drop --json")).json();
        let summary = scores["summary"].as_array().unwrap();
        let named = |name: &str| summary.iter().any(|entry| entry["score"] == name);
        assert!(named("rmse(a)") && named("nlpd(b)") && named("joint_nlpd"), "{how}: {scores}");
    }
}

#[test]
fn rules_are_told_by_name() {
    let desk = Desk::new();
    desk.write("train.csv", "x,z,y,w\n1,,2,1\n2,5,3,\n3,4,1,1\n,2,2,1\n5,1,3,2\n6,2,4,1\n");
    let flags = "--target y --weights w --iterations 2";
    let rules = "--missing-in z=keep --missing-in x=drop --missing-in w=drop";
    let fit = desk.ok(&format!("fit train.csv {flags} {rules} -o m.gp"));
    assert!(fit.err.contains("left out 2 rows that miss a value"), "{}", fit.err);
    desk.refused(&format!("fit train.csv {flags} --missing-in q=drop -o no.gp"), 3, &["no column q"]);
}
