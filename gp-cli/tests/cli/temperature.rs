//! Temperatures of class probabilities.

use crate::support::{Desk, noise};

/// Labels by the first of two inputs, or none if `is_noise`.
fn three_classes(rows: usize, is_noise: bool) -> String {
    let row = |i: usize| {
        let (x0, x1) = ((i as f64 * 0.37).sin() * 2.0, (i as f64 * 1.91).cos());
        let place =
            if is_noise { (i * i * 7 + i / 3) % 3 } else { usize::from(x0 > -0.6) + usize::from(x0 > 0.6) };
        format!("{x0},{x1},{}\n", ["a", "b", "c"][place])
    };
    "x0,x1,y\n".to_owned() + &(0..rows).map(row).collect::<String>()
}

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("t.csv", three_classes(90, false));
    desk
}

fn probabilities(desk: &Desk, model: &str, table: &str) -> Vec<[f64; 3]> {
    let said = desk.ok(&format!("predict {model} {table} --proba"));
    let [a, b, c] = ["p(a)", "p(b)", "p(c)"].map(|name| said.column(name));
    (0..a.len()).map(|i| [a[i], b[i], c[i]]).collect()
}

#[test]
fn rows_left_out_find_it_and_the_file_keeps_it() {
    let desk = desk();
    for method in ["ep", "gfitc", "sep --epochs 40", "svgp", "savigp", "ep --alpha 0.5"] {
        let fit = format!("fit t.csv --target y --inducing 20 --method {method} --force --json");
        let found = desk.ok(&format!("{fit} -o found.gp"));
        let temperature = found.json()["temperature"].as_f64().unwrap();
        // No label is wrong, so the temperature is below 1.
        assert!(temperature < 0.95, "{method}: {temperature}");
        assert!(found.err.contains("probabilities: more confident than the model's own"), "{}", found.err);
        desk.ok(&format!("{fit} -o own.gp --temperature 1"));
        let own = probabilities(&desk, "own.gp", "t.csv");
        for (found, own) in probabilities(&desk, "found.gp", "t.csv").iter().zip(&own) {
            let sum: f64 = own.iter().map(|p| p.powf(1.0 / temperature)).sum();
            for (found, own) in found.iter().zip(own) {
                let expected = own.powf(1.0 / temperature) / sum;
                assert!((found - expected).abs() < 1e-9, "{method}: {found} {expected}");
            }
        }
    }
}

#[test]
fn densities_scores_and_updates_heed_it() {
    let desk = desk();
    desk.write("more.csv", three_classes(130, false));
    desk.ok("fit t.csv --target y --temperature 0.4 -o m.gp");
    assert!(desk.ok("inspect m.gp").out.contains("by a temperature of 0.4"));
    let said = desk.ok("predict m.gp t.csv --proba");
    let log_densities = said.column("log_density");
    let labels = three_classes(90, false);
    let labels = labels.lines().skip(1).map(|line| "abc".find(line.rsplit(',').next().unwrap()).unwrap());
    let mut sum = 0.0;
    for ((p, label), log_density) in
        probabilities(&desk, "m.gp", "t.csv").iter().zip(labels).zip(log_densities)
    {
        assert!((p[label].ln() - log_density).abs() < 1e-9);
        sum -= log_density / 90.0;
    }
    let scores = desk.ok("eval m.gp t.csv --json").json();
    assert!((scores["scores"]["gp"]["log_loss"].as_f64().unwrap() - sum).abs() < 1e-9, "{scores}");
    desk.ok("update m.gp more.csv -o later.gp");
    assert!(desk.ok("inspect later.gp").out.contains("by a temperature of 0.4"));
}

#[test]
fn samples_and_suggestions_say_that_they_are_without_it() {
    let desk = Desk::new();
    let two = three_classes(90, false).replace(",c\n", ",b\n");
    desk.write("t.csv", two);
    let told = "own latent functions; the temperature of 0.4 changes class probabilities only";
    for (temperature, is_told) in [(0.4, true), (1.0, false)] {
        desk.ok(&format!("fit t.csv --target y --temperature {temperature} --iterations 3 -o m.gp --force"));
        let drawn = desk.ok("predict m.gp t.csv --samples 2");
        assert_eq!(
            drawn.err.contains(&format!("samples are of the model's {told}")),
            is_told,
            "{}",
            drawn.err
        );
        assert!(!desk.ok("predict m.gp t.csv").err.contains("latent functions"));
        for by in ["information", "variance"] {
            let chosen = desk.ok(&format!("suggest m.gp --by {by}"));
            let said = chosen.err.contains(&format!("points are compared by the model's {told}"));
            assert_eq!(said, is_told, "{}", chosen.err);
        }
    }
}

#[test]
fn rows_of_an_update_are_not_those_left_out() {
    let desk = desk();
    desk.write("more.csv", three_classes(30, false));
    let fitted = desk.ok("fit t.csv --target y --iterations 5 -o m.gp").err;
    assert!(fitted.contains("log loss of 90 training rows left out"), "{fitted}");
    desk.ok("update m.gp more.csv -o later.gp");
    let told = desk.ok("inspect later.gp").out;
    assert!(told.contains("trained on  120 rows"), "{told}");
    assert!(told.contains("log loss, before the update, of 90 training rows left out"), "{told}");
}

/// Copies are left out together; other labels at equal inputs are no copies.
#[test]
fn copies_of_rows_do_not_foresee_each_other() {
    let desk = Desk::new();
    let noisy = |row: usize| {
        let (x0, x1) = ((row as f64 * 0.37).sin() * 2.0, (row as f64 * 1.91).cos());
        let place = if row % 4 == 1 { row % 3 } else { usize::from(x0 > -0.6) + usize::from(x0 > 0.6) };
        format!("{x0},{x1},{}\n", ["a", "b", "c"][place])
    };
    let rows: Vec<String> = (0..80).map(noisy).collect();
    desk.write("t.csv", "x0,x1,y\n".to_owned() + &rows.concat());
    desk.write("twice.csv", "x0,x1,y\n".to_owned() + &rows.concat() + &rows.concat());
    let left_out = |table: &str| {
        // The fixed kernel is the same; the posterior of duplicates differs.
        let said = desk.ok(&format!(
            "fit {table} --target y --kernel \"3 * rbf(lengthscale=0.7)\" --units model --iterations 1 --fix rbf.lengthscale --json --force"
        ));
        let line = said.err.lines().find(|line| line.starts_with("probabilities: ")).unwrap().to_owned();
        assert!(line.contains("of 80 training rows left out"), "{line}");
        said.json()["temperature"].as_f64().unwrap()
    };
    let (once, twice) = (left_out("t.csv"), left_out("twice.csv"));
    assert!(once > 0.7 && twice > 0.7, "{once} {twice}");

    let tied: String =
        (0..120).map(|row| format!("{},{}\n", row % 6, ["a", "b"][usize::from(row % 5 < 2)])).collect();
    desk.write("tied.csv", "x,y\n".to_owned() + &tied);
    let said = desk.ok("fit tied.csv --target y --force");
    assert!(said.err.contains("of 120 training rows left out"), "{}", said.err);
}

#[test]
fn it_is_left_alone_where_there_is_none() {
    let desk = desk();
    for flags in ["--no-train", "--method ivm"] {
        let json = desk.ok(&format!("fit t.csv --target y --json --force {flags}")).json();
        assert_eq!(json["temperature"], 1.0, "{flags}");
    }
    // A tied site has no information about single rows.
    let tied = desk.ok("fit t.csv --target y --method sep --sites tied --epochs 5 --json --force");
    assert!(tied.json()["temperature"] == 1.0 && !tied.err.contains("left out"), "{}", tied.err);
    let numbers = desk.ok("fit t.csv --target x1 --json --force --iterations 2").json();
    assert!(numbers["temperature"].is_null(), "{numbers}");
    desk.refused(
        "fit t.csv --target x1 --temperature 2 --force",
        2,
        &["--temperature", "gaussian observes no classes"],
    );
    for wrong in ["0", "-1", "nan", "inf", "warm"] {
        let said = desk.gp(&format!("fit t.csv --target y --temperature={wrong} -o wrong.gp"));
        assert!(said.code == 2 && said.err.contains("'--temperature <T>'"), "{}", said.err);
        assert!(!desk.names().contains(&"wrong.gp".to_owned()));
    }
}

#[test]
fn labels_that_follow_no_input_teach_nothing() {
    let desk = Desk::new();
    desk.write("t.csv", three_classes(120, true));
    let json = desk.ok("fit t.csv --target y --json").json();
    assert_eq!(json["converged"], false);
    let reason = json["reason"].as_str().unwrap();
    assert!(
        reason.starts_with("nothing was learned: ") && reason.contains("shares of all other labels"),
        "{reason}"
    );
    // Reasons that claim convergence would contradict this one.
    assert!(!reason.contains("small enough") && !reason.contains("no longer decreases"), "{reason}");
}

#[test]
fn labels_without_a_pattern_are_no_news_to_any_method() {
    let desk = Desk::new();
    let told = |json: &serde_json::Value| {
        let warnings = json["warnings"].to_string();
        json["reason"].as_str().unwrap().starts_with("nothing was learned: rows")
            || warnings.contains("the model may be no better than the class frequencies")
    };
    // For two methods without leave-one-out, the evidence finds a pattern in one of these tables.
    for (method, seeds) in [
        ("ep", [0, 1, 2].as_slice()),
        ("svgp", &[0, 1, 2]),
        ("savigp", &[0, 1, 2]),
        ("ivm --inducing 60", &[0, 2]),
        ("sep --sites tied --epochs 40", &[0, 2]),
    ] {
        for &seed in seeds {
            let coin = |i: usize| if noise(1000 * seed + 3 * i) > 0.0 { "p" } else { "q" };
            let row = |i: usize| format!("{},{},{}\n", noise(7 * i + 1), noise(11 * i + 2), coin(i));
            desk.write("coin.csv", "a,b,y\n".to_owned() + &(0..200).map(row).collect::<String>());
            let fit = format!("fit coin.csv --target y --method {method} --force --json");
            assert!(told(&desk.ok(&fit).json()), "{method}, seed {seed}");
        }
        desk.write("t.csv", three_classes(120, false));
        let fit = format!("fit t.csv --target y --method {method} --force --json");
        assert!(!told(&desk.ok(&fit).json()), "{method}");
    }
}

/// One factor per label; pairs of classes for powers below 1, which only they integrate.
#[test]
fn powers_decide_on_the_usual_likelihood() {
    let desk = desk();
    let weighted = |weight: &str| {
        let rows = three_classes(60, false);
        let rows = rows.lines().skip(1).map(|line| format!("{weight},{line}\n"));
        "w,x0,x1,y\n".to_owned() + &rows.collect::<String>()
    };
    desk.write("half.csv", weighted("0.5"));
    desk.write("two.csv", weighted("2"));
    for (flags, likelihood) in [
        ("t.csv", "multiclass_probit(classes=3)"),
        ("t.csv --method ep --alpha 0.5", "pairwise_probit(classes=3)"),
        ("t.csv --method sep --alpha 1", "multiclass_probit(classes=3)"),
        ("half.csv --weights w", "pairwise_probit(classes=3)"),
        ("two.csv --weights w", "multiclass_probit(classes=3)"),
        ("t.csv --method svgp", "softmax(classes=3)"),
    ] {
        let fit = format!("fit {flags} --target y --json --force --inducing 10 --no-train");
        assert_eq!(desk.ok(&fit).json()["likelihood"], likelihood, "{flags}");
    }
}
