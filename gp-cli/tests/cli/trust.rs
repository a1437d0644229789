//! Users' words and units, no false claims.

use crate::support::{Desk, circle, noise, sine};
use std::f64::consts::PI;

/// Rows of `a,b,y`; `y` is noise.
fn nothing(rows: usize) -> String {
    let row = |i: usize| format!("{},{},{}\n", noise(3 * i), noise(3 * i + 1), noise(3 * i + 2));
    "a,b,y\n".to_owned() + &(0..rows).map(row).collect::<String>()
}

#[test]
fn choices_are_taken_in_any_case() {
    let desk = Desk::new();
    desk.write("t.csv", nothing(30));
    for flags in [
        "--method Exact --parameters Known",
        "--method SAVIGP --covariance DIAGONAL",
        "--method vfe --placement KMEANS --fix Inducing",
        "--fix KERNEL --type a=NUMBER --missing-in b=DROP --format CSV",
        "--units MODEL --standardize INPUTS",
        "--kernel \"RBF(ARD=True, Lengthscale=Fixed(2), DIMS=[a])\"",
    ] {
        desk.ok(&format!("fit t.csv --target y --no-train --force --quiet {flags}"));
    }
    let json = |flags: &str| desk.ok(&format!("fit t.csv --target y --force --quiet --json {flags}")).json();
    json("--prior rbf.lengthscale=LogNormal(0,1) --units MODEL --iterations 1");
    let kernel = json("--fix KERNEL --iterations 1")["kernel"].to_string();
    assert!(kernel.contains("fixed("), "{kernel}");
    assert_eq!(desk.ok("generate KERNELS").out, desk.ok("generate kernels").out);
    desk.ok("convert model.gp --to JSON -o m.json");
}

#[test]
fn parameters_have_the_other_names_of_kernels() {
    let desk = Desk::new();
    desk.write("t.csv", nothing(30));
    let kernel = |flags: &str| {
        let fit = "fit t.csv --target y --method exact --parameters known --iterations 2 --force --quiet --json --kernel";
        let json = desk.ok(&format!("{fit} \"se + rbf + arccos\" {flags}")).json();
        json["kernel"].as_str().unwrap().to_owned()
    };
    let one = kernel("--fix se.lengthscale");
    assert!(one.starts_with("rbf(lengthscale=fixed(") && one.matches("fixed").count() == 1, "{one}");
    let two = kernel("--fix Squared_Exponential2.LengthScale");
    assert!(two.contains("+ rbf(lengthscale=fixed(") && two.matches("fixed").count() == 1, "{two}");
    // This is a parameter name, although an alias of a kernel is the same.
    assert!(kernel("--fix arccos.bias").contains("bias=fixed("));
    let refused = "fit t.csv --target y --force --kernel se --fix se.lengthscal";
    desk.refused(refused, 2, &["there is no parameter `se.lengthscal`; the parameters are rbf.lengthscale"]);
}

#[test]
fn faults_of_expressions_are_shown_as_they_were_written() {
    let desk = Desk::new();
    desk.write("t.csv", nothing(30));
    for (flags, texts) in [
        ("--kernel \"SE(foo=2)\"", ["column 4 of kernel expression `SE(foo=2)`: ", "`SE` has no argument"]),
        (
            "--kernel \"linear(dims=[a, b]) + se(lengthscale=-2)\"",
            ["column 26 of kernel expression `linear(dims=[a, b]) + se(", "is -2"],
        ),
        ("--likelihood \"normal(variance=-2)\"", ["column 8 of likelihood", "`normal(variance=-2)`"]),
        ("--kernel gausian", ["unknown kernel `gausian`", "did you mean `gaussian`?"]),
        ("--likelihood bernouli", ["is called `bernouli`", "did you mean `bernoulli`?"]),
    ] {
        desk.refused(&format!("fit t.csv --target y --force {flags}"), 2, &texts);
    }
    desk.write("c.csv", circle(30).replace("red", "pink"));
    let classes = "fit c.csv --target kind --likelihood \"Softmax(foo=1)\" --force";
    desk.refused(classes, 2, &["column 9 of likelihood expression `Softmax(foo=1)`"]);
}

#[test]
fn what_learned_nothing_has_no_shares() {
    let desk = Desk::new();
    desk.write("t.csv", nothing(60));
    desk.ok(
        "fit t.csv --target y --kernel 1*rbf(lengthscale=fixed(1e6)) --method exact --units model --quiet",
    );
    let (said, json) = (desk.ok("inspect model.gp").out, desk.ok("inspect model.gp --json").json());
    assert!(said.contains("depends on  no input: nothing was learned\n"), "{said}");
    assert!(!said.contains("by term") && json["about"]["training"]["influence"].is_null(), "{said}");
    desk.ok("report model.gp -o page.html");
    let page = String::from_utf8(desk.read("page.html")).unwrap();
    assert!(page.contains("No input: nothing was learned.") && !page.contains("with others"), "{page}");
}

#[test]
fn errors_of_dates_are_days() {
    let desk = Desk::new();
    let row = |i: usize| {
        let day = 1 + (i + usize::from(noise(i) > 0.0)) % 28;
        format!("{},2024-{:02}-{day:02}\n", i, 1 + i / 28)
    };
    desk.write("t.csv", "x,arrived\n".to_owned() + &(0..80).map(row).collect::<String>());
    let said = desk.ok("fit t.csv --target arrived --test t.csv --quiet").out;
    let line = |start: &str| said.lines().find(|line| line.starts_with(start)).unwrap_or_default().to_owned();
    assert_eq!(line("mean absolute error").matches(" days").count(), 3, "{said}");
    assert_eq!(line("  its width").matches(" days").count(), 3, "{said}");
    assert!(!line("negative log density").contains("days"), "{said}");
    let folds = desk.ok("cv t.csv --target arrived --folds 3").err;
    let mae = folds.lines().find(|line| line.starts_with("mae")).unwrap();
    assert!(mae.matches(" days").count() == 3 && mae.contains('±'), "{folds}");
}

#[test]
fn months_are_dates() {
    let desk = Desk::new();
    let row = |i: usize| {
        let season = (i as f64 * std::f64::consts::TAU / 12.0).sin();
        format!("{}-{:02},{}\n", 1990 + i / 12, 1 + i % 12, 3.0 * season + 0.3 * noise(i))
    };
    desk.write("t.csv", "month,y\n".to_owned() + &(0..96).map(row).collect::<String>());
    let said = desk.ok("fit t.csv --target y").err;
    assert!(said.contains("a season along month with a period of 36") && !said.contains("warning"), "{said}");
    desk.write("new.csv", "month\n1998-05\n1998-06-01\n");
    assert_eq!(desk.ok("predict model.gp new.csv").column("mean").len(), 2);
}

#[test]
fn bounds_of_each_input_are_in_the_kernel() {
    let desk = Desk::new();
    desk.write("t.csv", nothing(40));
    let kernel = |lengths: &str| {
        let fit =
            "fit t.csv --target y --method exact --parameters known --iterations 2 --force --quiet --kernel";
        desk.ok(&format!("{fit} \"rbf(lengthscale={lengths})\""));
        let said = desk.ok("inspect model.gp").out;
        said.lines().find(|line| line.starts_with("kernel")).unwrap().to_owned()
    };
    let alike = kernel("[1, 2] in [0.25, 8]");
    assert!(alike.matches(" in [").count() == 1 && alike.contains("] in [0.25, 8]"), "{alike}");
    let apart = kernel("[1 in [0.5, 4], 2 in [0.25, 8]]");
    assert!(apart.contains(" in [0.5, 4], ") && apart.contains(" in [0.25, 8]])"), "{apart}");
}

#[test]
fn what_has_no_prior_is_no_posterior() {
    let desk = Desk::new();
    desk.write("s.csv", sine(30));
    let line = |flags: &str| {
        desk.ok(&format!("fit s.csv --target y --parameters known --force --quiet --iterations 5 {flags}"));
        let said = desk.ok("inspect model.gp").out;
        said.lines().find(|line| line.contains(" in training, from ")).unwrap().trim().to_owned()
    };
    let exact = "--method exact --kernel 1*rbf --likelihood gaussian";
    assert!(line(exact).starts_with("log marginal likelihood up by "), "{}", line(exact));
    let vfe = "--method vfe --inducing 5 --kernel 1*rbf --likelihood gaussian";
    assert!(line(vfe).starts_with("lower bound of the log marginal likelihood up by "), "{}", line(vfe));
    let prior = format!("{exact} --prior rbf.lengthscale=gamma(2,1)");
    assert!(line(&prior).starts_with("log posterior up by "), "{}", line(&prior));
}

#[test]
fn likelihoods_are_shown_in_few_digits() {
    let desk = Desk::new();
    desk.write("s.csv", sine(30));
    let bound = "--bound likelihood.scale=0.0123456789..9.87654321";
    desk.ok(&format!("fit s.csv --target y --likelihood student_t --iterations 2 --quiet {bound}"));
    let said = desk.ok("inspect model.gp").out;
    let likelihood = said.lines().find(|line| line.starts_with("likelihood")).unwrap();
    assert!(likelihood.contains(" in [0.01235, 9.877]"), "{likelihood}");
}

#[test]
fn suggested_points_have_few_digits() {
    let desk = Desk::new();
    desk.write("s.csv", sine(30));
    desk.ok("fit s.csv --target y --iterations 5 --quiet");
    for place in desk.ok("suggest model.gp --count 4 --by variance").table().1 {
        assert!(place[0].len() <= 6, "{place:?}");
    }
    let improvement = desk.ok("suggest model.gp --count 1 --by improvement --goal max").table().1;
    assert!(improvement[0][0].len() <= 6, "{improvement:?}");
}

#[test]
fn rows_of_training_are_known_again() {
    let desk = Desk::new();
    let table = sine(60);
    desk.write("s.csv", &table);
    desk.ok("fit s.csv --target y --quiet");
    let seen = "these are the rows that the model was trained on";
    assert!(desk.ok("eval model.gp s.csv").err.contains(seen));
    let mut lines: Vec<&str> = table.lines().collect();
    lines[1..].reverse();
    desk.write("r.csv", lines.join("\n") + "\n");
    assert!(desk.ok("eval model.gp r.csv").err.contains(seen));
    desk.write("other.csv", table.replacen("0,", "0.01,", 1));
    assert!(!desk.ok("eval model.gp other.csv").err.contains(seen));
    desk.ok("fit s.csv --target y --method svgp --batch-size 20 --epochs 2 --stream always --force --quiet");
    assert!(desk.ok("eval model.gp s.csv").err.contains(seen));
    desk.write("w.csv", "x,y,z,w\n1,2,1,1\n2,3,4,2\n3,5,2,1\n4,4,1,1\n5,7,3,1\n6,8,0,2\n");
    for flags in ["--target y,z --weights w", "--target y --offset w"] {
        desk.ok(&format!("fit w.csv {flags} --no-train --force --quiet"));
        assert!(desk.ok("eval model.gp w.csv").err.contains(seen), "{flags}");
    }
    // Labels may have their names.
    desk.write("l.csv", circle(40));
    desk.ok("fit l.csv --target kind --labels red=warm,blue=cold --no-train --force --quiet");
    desk.write("n.csv", circle(40).replace("red", "warm").replace("blue", "cold"));
    assert!(desk.ok("eval model.gp l.csv").err.contains(seen));
    assert!(desk.ok("eval model.gp n.csv").err.contains(seen));
}

#[test]
fn some_rows_of_training_are_known_again() {
    let desk = Desk::new();
    let all = sine(300);
    let lines: Vec<&str> = all.lines().collect();
    desk.write("train.csv", lines[..201].join("\n"));
    desk.write("most.csv", lines[..200].join("\n"));
    desk.write("all.csv", &all);
    desk.write("new.csv", [&lines[..1], &lines[201..]].concat().join("\n"));
    for flags in ["", "--method svgp --batch-size 20 --epochs 2 --stream always"] {
        desk.ok(&format!("fit train.csv --target y --force --quiet {flags}"));
        let eval = |table: &str| desk.ok(&format!("eval model.gp {table}")).err;
        for (table, share) in [("most.csv", "100"), ("all.csv", "67")] {
            let what = format!("about {share} % of these rows are among those that the model was trained on");
            let said = eval(table);
            assert!(said.contains(&what) && !said.contains("too wide"), "{flags} {table}: {said}");
        }
        assert!(!eval("new.csv").contains("trained on"), "{flags}");
    }
}

#[test]
fn targets_that_learned_nothing_are_told_apart() {
    let desk = Desk::new();
    let row =
        |i: usize| format!("{},{},{}\n", noise(i), 3.0 * noise(i) + 0.1 * noise(i + 500), noise(i + 900));
    desk.write("t.csv", "x,a,ba\n".to_owned() + &(0..60).map(row).collect::<String>());
    let flat = "1*rbf(lengthscale=fixed(1e6))";
    let fit = "fit t.csv --target a,ba --method exact --units model --quiet --force";
    desk.ok(&format!("{fit} --kernel linear --kernel {flat}"));
    let json = desk.ok("inspect model.gp --json").json();
    let shares = json["about"]["training"]["influence"].as_array().unwrap();
    assert!(shares.len() == 1 && shares[0]["target"] == "a", "{json}");
    assert_eq!(json["about"]["training"]["idle"].to_string(), "[false,true]");
    desk.ok(&format!("{fit} --kernel {flat} --kernel fixed(2)*rbf(lengthscale=fixed(1e6))"));
    let said = desk.ok("inspect model.gp").out;
    assert!(said.contains("depends on  no input: nothing was learned\n"), "{said}");
}

#[test]
fn parts_of_one_input_are_fine_curves() {
    let desk = Desk::new();
    desk.write("t.csv", circle(60));
    desk.ok("fit t.csv --target a --features b --method exact --parameters known --iterations 3 --kernel \"1 * rbf + linear\" --quiet");
    desk.ok("plot model.gp t.csv --parts -o a.svg");
    let drawn = String::from_utf8(desk.read("a.svg")).unwrap();
    let points = |line: &str| {
        line.split("points=\"")
            .nth(1)
            .map_or(0, |rest| rest.split('"').next().unwrap_or_default().split_whitespace().count())
    };
    let longest = drawn.split('<').map(points).max().unwrap();
    assert!(longest >= 100, "{longest} points\n{}", &drawn[..2_000]);
}

#[test]
fn predictions_worse_than_the_mean_are_told() {
    let desk = Desk::new();
    let rows = |shift: f64| {
        (0..40).fold("x,y,class\n".to_owned(), |text, i| {
            let x = 0.1 * f64::from(i);
            let y = (x + shift).sin();
            text + &format!("{x},{y},{}\n", if y > 0.0 { "up" } else { "down" })
        })
    };
    desk.write("t.csv", rows(0.0));
    desk.write("other.csv", rows(PI));
    desk.ok("fit t.csv --target y --features x -o m.gp");
    let said = desk.ok("eval m.gp other.csv").err;
    assert!(said.contains("predictions are worse than the mean of the target in training alone"), "{said}");
    let said = desk.ok("fit t.csv --target y --features x --test other.csv -o m.gp --force").err;
    assert!(said.contains("predictions are worse than the mean of the target in training alone"), "{said}");
    assert!(!desk.ok("eval m.gp t.csv").err.contains("predictions are worse"));
    desk.ok("fit t.csv --target class --features x -o c.gp");
    let said = desk.ok("eval c.gp other.csv").err;
    assert!(said.contains("predictions are worse than the class frequencies in training alone"), "{said}");
}
