//! `gp update`.

use crate::support::{Desk, circle, sine};

/// Table in two parts; table of inputs.
fn parts(all: &str, first: usize) -> Desk {
    let desk = Desk::new();
    let lines: Vec<&str> = all.lines().collect();
    desk.write("all.csv", all);
    desk.write("first.csv", lines[..=first].join("\n"));
    desk.write("rest.csv", [&lines[..1], &lines[first + 1..]].concat().join("\n"));
    desk.write("z.csv", "x\n0.2\n1.1\n2\n3.1\n4\n5\n5.8\n");
    desk
}

/// Objective; beliefs at a table.
fn state(desk: &Desk, model: &str, table: &str) -> Vec<f64> {
    let said = desk.ok(&format!("predict {model} {table} --latent"));
    let mut state = said.column("latent_mean");
    state.extend(said.column("latent_variance"));
    state.push(
        desk.ok(&format!("inspect {model} --json")).json()["about"]["training"]["objective"]
            .as_f64()
            .unwrap(),
    );
    state
}

#[test]
fn regression_with_later_rows_is_regression_with_all() {
    let desk = parts(&sine(60), 41);
    let given = "--standardize none --no-train --kernel \"1.3 * rbf(lengthscale=0.9)\" --likelihood gaussian(variance=0.02)";
    for method in [
        "exact",
        "pep --inducing-file z.csv",
        "pep --alpha 0.3 --inducing-file z.csv",
        "vfe --inducing-file z.csv",
        "fitc --inducing-file z.csv",
        "ep --inducing-file z.csv",
        "ep --alpha 0.5 --inducing-file z.csv",
        "gfitc --inducing-file z.csv",
        "svgp --inducing-file z.csv",
        "savigp --inducing-file z.csv",
    ] {
        for part in ["first", "all"] {
            desk.ok(&format!("fit {part}.csv --target y -o {part}.gp --force --method {method} {given}"));
        }
        let said = desk.ok("update first.gp rest.csv -o both.gp --force");
        assert!(said.err.contains("19 more rows, "), "{}", said.err);
        let (found, expected) = (state(&desk, "both.gp", "all.csv"), state(&desk, "all.gp", "all.csv"));
        for (place, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let error = (found - expected).abs();
            assert!(error < 1e-8 * (1.0 + expected.abs()), "{method}, {place}: {found} {expected}");
        }
        assert!(desk.ok("inspect both.gp").out.contains("updated     19 more rows"), "{method}");
        // An updated model can be updated again.
        desk.ok("update both.gp rest.csv -o thrice.gp --force");
    }
}

#[test]
fn units_are_those_of_the_first_rows() {
    let desk = parts(&sine(60).replace(",0.", ",20.").replace(",-0.", ",-20."), 41);
    desk.ok("fit first.csv --target y -o first.gp --method vfe --inducing 10");
    desk.ok("update first.gp rest.csv -o both.gp");
    let rmse = |model: &str| {
        desk.ok(&format!("eval {model} rest.csv --json")).json()["scores"]["gp"]["rmse"].as_f64().unwrap()
    };
    assert!(rmse("both.gp") < rmse("first.gp"), "{} {}", rmse("both.gp"), rmse("first.gp"));
    desk.refused("update first.gp rest.csv -o both.gp", 7, &["--force"]);
}

#[test]
fn rows_that_came_later_are_recognised() {
    let desk = parts(&sine(60), 41);
    desk.ok("fit first.csv --target y -o first.gp --method exact --iterations 5");
    let said = desk.ok("update first.gp rest.csv -o both.gp");
    assert!(said.err.contains("has no linear baseline"), "{}", said.err);
    let eval = |model: &str, table: &str| desk.ok(&format!("eval {model} {table} --json"));
    let seen = |table: &str| eval("both.gp", table).err.contains("rows that the model was trained on");
    assert!(["first.csv", "rest.csv", "all.csv"].iter().all(|table| seen(table)));
    desk.write("other.csv", sine(19));
    assert!(!seen("other.csv"));
    let linear = |model: &str| eval(model, "all.csv").json()["scores"].get("linear").is_some();
    assert!(linear("first.gp") && !linear("both.gp"));
    desk.ok("update both.gp other.csv -o thrice.gp");
    assert!(eval("thrice.gp", "rest.csv").err.contains("rows that the model was trained on"));
}

#[test]
fn rows_that_come_again_are_told() {
    let desk = parts(&sine(60), 41);
    desk.ok("fit first.csv --target y -o first.gp --method exact --iterations 5");
    let again = desk.ok("update first.gp first.csv -o twice.gp").err;
    assert!(again.contains("warning: the model already has these rows, which now count twice"), "{again}");
    let some = desk.ok("update first.gp all.csv -o more.gp").err;
    assert!(some.contains("warning: the model already has about 68 % of these rows"), "{some}");
    assert!(!desk.ok("update first.gp rest.csv -o both.gp").err.contains("already has"));
    let rest = desk.ok("update both.gp rest.csv -o thrice.gp").err;
    assert!(rest.contains("the model already has these rows"), "{rest}");
}

/// Fixed earlier sites change results slightly.
#[test]
fn labels_that_come_later_are_learned_from() {
    let desk = parts(&circle(160), 100);
    for method in ["ep", "gfitc", "sep --epochs 20", "svgp", "savigp --covariance diagonal"] {
        let flags = "--inducing 15 --standardize none --no-train --kernel \"4 * rbf(lengthscale=0.6)\" --placement random";
        for part in ["first", "all"] {
            desk.ok(&format!("fit {part}.csv --target y -o {part}.gp --force --method {method} {flags}"));
        }
        desk.ok("update first.gp rest.csv -o both.gp --force");
        let loss = |model: &str| {
            desk.ok(&format!("eval {model} rest.csv --json")).json()["scores"]["gp"]["log_loss"]
                .as_f64()
                .unwrap()
        };
        let [first, both, all] = ["first.gp", "both.gp", "all.gp"].map(loss);
        assert!(both < first - 0.01 && both < all + 0.05, "{method}: {first} {both} {all}");
    }
}

/// New rows have a site per class pair.
#[test]
fn classes_that_come_later_are_learned_from() {
    let rows = |i: usize| format!("{},{}\n", 0.1 * i as f64, ["low", "middle", "high"][(i / 10) % 3]);
    let all = "x,y\n".to_owned() + &(0..90).map(|i| rows((i * 37) % 90)).collect::<String>();
    let desk = parts(&all, 60);
    desk.ok("fit first.csv --target y -o first.gp --method ep --inducing 12 --no-train --units model --kernel \"4 * rbf(lengthscale=0.3)\"");
    desk.ok("update first.gp rest.csv -o both.gp");
    let error = |model: &str| {
        desk.ok(&format!("eval {model} rest.csv --json")).json()["scores"]["gp"]["log_loss"].as_f64().unwrap()
    };
    assert!(error("both.gp") < error("first.gp") - 0.01, "{} {}", error("both.gp"), error("first.gp"));
}

#[test]
fn what_cannot_be_taken_in_is_refused() {
    let desk = parts(&circle(60), 40);
    desk.ok("fit first.csv --target y --method ivm --inducing 10 --no-train");
    desk.refused("update model.gp rest.csv -o x.gp", 2, &["method ivm", "active rows", "fit it again"]);
    desk.write("unlabelled.csv", "a,b,kind\n1,1,red\n");
    desk.refused("update model.gp unlabelled.csv -o x.gp", 3, &["no column y"]);
}

/// Mean and variance of all rows, class frequencies of all rows, and the rate of all rows.
#[test]
fn baselines_know_the_rows_of_updates() {
    let desk = Desk::new();
    let table = |name: &str, header: &str, rows: std::ops::Range<usize>, row: &dyn Fn(usize) -> String| {
        desk.write(name, std::iter::once(header.to_owned()).chain(rows.map(row)).collect::<String>());
    };
    let scored = |header: &str, row: &dyn Fn(usize) -> String, flags: &str| {
        table("first.csv", header, 0..40, row);
        table("more.csv", header, 40..160, row);
        table("all.csv", header, 0..160, row);
        desk.ok(&format!("fit first.csv --target y --features x {flags} -o first.gp --force"));
        desk.ok(&format!("fit all.csv --target y --features x {flags} -o all.gp --force"));
        desk.ok("update first.gp more.csv -o both.gp --force");
        ["first.gp", "both.gp", "all.gp"].map(|model| desk.ok(&format!("eval {model} all.csv --json")).json())
    };
    let near = |[first, both, all]: [serde_json::Value; 3], by: &str, score: &str| {
        let of = |told: &serde_json::Value| told["scores"][by][score].as_f64().unwrap();
        assert!((of(&both) - of(&all)).abs() < 1e-9 * of(&all).abs(), "{both} {all}");
        assert!(of(&first) > 1.01 * of(&both), "{first} {both}");
    };
    let step = |i: usize| format!("{},{}\n", i % 9, if i < 40 { 0.25 } else { 20.25 } + (i % 5) as f64);
    near(scored("x,y\n", &step, "--parameters known"), "mean", "nlpd");
    let labels =
        |i: usize| format!("{},{}\n", i % 9, if i < 40 && !i.is_multiple_of(4) { "no" } else { "yes" });
    near(scored("x,y\n", &labels, "--method ep --inducing 5 --iterations 2"), "shares", "log_loss");
    let counts = |i: usize| {
        let (e, rate) = (1 + i % 7, if i < 40 { 1 } else { 4 });
        format!("{},{},{e}\n", i % 9, e * rate)
    };
    near(
        scored(
            "x,y,e\n",
            &counts,
            "--exposure e --likelihood poisson --method ep --inducing 5 --iterations 2",
        ),
        "mean",
        "rmse",
    );
}
